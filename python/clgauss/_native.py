"""The extension module clgauss._core. It needs the OpenCL loader, which a machine may lack, and is loaded at its first use."""

from __future__ import annotations

import atexit
import ctypes
import os
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

_NO_LOADER = (
    "no OpenCL loader (libOpenCL.so.1) found. Install it with a driver: on Debian, `apt-get install ocl-icd-libopencl1 pocl-opencl-icd` "
    "runs on every CPU, mesa-opencl-icd and nvidia-opencl-icd instead of the latter on GPUs; on x86-64 CPUs "
    "`pip install 'clgauss[cpu]'` does without root"
)

_LOADER = ("libintlc.so.5", "libimf.so", "libirng.so", "libsvml.so", "libOpenCL.so.1")  # Intel's, after what it needs and does not find


class DeviceError(RuntimeError):
    """There is no OpenCL loader or no such device, or a driver fails."""


@cache
def core() -> Any:
    """The module clgauss._core; DeviceError if the machine has no OpenCL loader."""
    _use_runtime_of_package()
    try:
        from clgauss import _core
    except ImportError as error:
        if "libOpenCL" not in str(error):
            raise
        raise DeviceError(_NO_LOADER) from error
    atexit.register(_core.wait_for_abandoned_work)
    return _core


def _use_runtime_of_package() -> None:
    """Adds Intel's OpenCL runtime for CPUs to the drivers of the machine, if pip installed it (``clgauss[cpu]``).

    pip puts the driver where no loader looks. The package's own loader takes its name from the environment, as it does in child
    processes, which inherit it. Whoever sets other variables of a loader keeps the machine's loader and those settings.
    """
    try:
        files = metadata.files("intel-opencl-rt") or ()
    except metadata.PackageNotFoundError:
        return
    driver = next((Path(str(file.locate())).resolve() for file in files if file.name == "libintelocl.so"), None)
    if driver is None:
        return
    ours = {"OCL_ICD_FILENAMES": str(driver)}
    if any(name.startswith("OCL_ICD_") and ours.get(name) != value for name, value in os.environ.items()):
        return
    try:
        for name in _LOADER:
            ctypes.CDLL(str(driver.with_name(name)))
    except OSError as error:
        raise DeviceError(f"the OpenCL loader of the package intel-opencl-rt does not load: {error}") from error
    os.environ.update(ours)


def kernel_source(name: str) -> str:
    """The OpenCL C of one of the library's kernels, as ``"gauss.cl"``, to build it elsewhere."""
    return str(core().kernel_source(name))
