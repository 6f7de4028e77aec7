"""Dense systems of linear equations on every OpenCL device, each answer checked by its residual.

    solve(a, b)        x of a @ x = b; lstsq(a, b) by least squares
    solve_many(a, b)   the same for lists of systems of different sizes
    certify(a, b)      x with proven bounds of its error; certify_inv(a) the inverse, certify_det(a) the sign of the determinant
    lu(a)              factors that are kept on the device: .solve(b), .solve(b, trans="T"), .det(), .rcond(), .inv()
    cholesky(a)        the same for a symmetric or Hermitian positive definite matrix, and .L
    inv(a)             the inverse
    det(a), slogdet(a), cond(a)
    tune_kernel(..)    the fastest work-group size and macros of an OpenCL kernel of your own
    devices()          the OpenCL devices; every call above takes device="nvidia:h200" or a Context(..)

Arrays are NumPy's (also complex, and stacks) or pyopencl's.

>>> import numpy as np
>>> import clgauss
>>> a = np.array([[0.0, 2.0], [1.0, 1.0]])
>>> clgauss.solve(a, np.array([4.0, 5.0]))
array([3., 2.])
"""

import atexit as _atexit

from numpy.linalg import LinAlgError

from clgauss._certify import certify, certify_det, certify_inv
from clgauss._check import AccuracyWarning, IllConditionedWarning
from clgauss._contexts import Context, Device, devices
from clgauss._linalg import lstsq, solve, solve_many
from clgauss._lu import LU, Cholesky, LUStack, aslinearoperator, cholesky, lu
from clgauss._matrix import cond, det, inv, slogdet
from clgauss._native import DeviceError, kernel_source
from clgauss._report import BatchReport, Certificate, DetCertificate, LeastSquaresReport, Report
from clgauss._tune import tune_kernel
from clgauss._version import __version__

from . import _contexts

__all__ = [
    "LU",
    "AccuracyWarning",
    "BatchReport",
    "Certificate",
    "Cholesky",
    "Context",
    "DetCertificate",
    "Device",
    "DeviceError",
    "IllConditionedWarning",
    "LUStack",
    "LeastSquaresReport",
    "LinAlgError",
    "Report",
    "__version__",
    "aslinearoperator",
    "certify",
    "certify_det",
    "certify_inv",
    "cholesky",
    "cond",
    "det",
    "devices",
    "inv",
    "kernel_source",
    "lstsq",
    "lu",
    "slogdet",
    "solve",
    "solve_many",
    "tune_kernel",
]

_atexit.register(_contexts.close)  # after what the extension module registers when it is loaded
