"""Dense systems of linear equations on every OpenCL device, each answer proven by its residual.

>>> import numpy as np
>>> import clgauss
>>> a = np.array([[0.0, 2.0], [1.0, 1.0]])
>>> clgauss.solve(a, np.array([4.0, 5.0]))
array([3., 2.])
"""

import atexit as _atexit

from numpy.linalg import LinAlgError

from clgauss._check import AccuracyWarning, IllConditionedWarning
from clgauss._contexts import Context, Device, devices
from clgauss._core import DeviceError
from clgauss._linalg import inv, lstsq, solve
from clgauss._lu import LU, aslinearoperator, cholesky, lu
from clgauss._report import BatchReport, LeastSquaresReport, Report

from . import _contexts, _core

__version__ = _core.version

__all__ = [
    "LU",
    "AccuracyWarning",
    "BatchReport",
    "Context",
    "Device",
    "DeviceError",
    "IllConditionedWarning",
    "LeastSquaresReport",
    "LinAlgError",
    "Report",
    "__version__",
    "aslinearoperator",
    "cholesky",
    "devices",
    "inv",
    "lstsq",
    "lu",
    "solve",
]

_atexit.register(_contexts.close)
_atexit.register(_core.wait_for_abandoned_work)  # before that
