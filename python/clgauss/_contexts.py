"""Devices, and the contexts that are opened on them."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import Any

from clgauss._native import core


@dataclass(frozen=True)
class Device:
    """An OpenCL device.

    Attributes
    ----------
    spec : str
        ``"platform:device"``, as `Context` and ``device=`` take it.
    name, platform, vendor, driver : str
        As the driver reports them.
    type : str
        ``"cpu"``, ``"gpu"``, ``"accelerator"`` or ``"other"``.
    compute_units : int
    global_mem_bytes : int
    fp64 : bool
        Whether the device computes in double precision. If not, `solve` refines answers of single precision.
    """

    spec: str
    name: str
    platform: str
    vendor: str
    type: str
    driver: str
    compute_units: int
    global_mem_bytes: int
    fp64: bool


def devices() -> list[Device]:
    """All devices of all OpenCL platforms.

    Returns
    -------
    list of Device
        Empty if there is none.

    Examples
    --------
    >>> import clgauss
    >>> any(device.fp64 for device in clgauss.devices())
    True
    """
    return [Device(**description) for description in core().devices()]


class Context:
    """A device opened for work, with the kernels that were built for it.

    `solve`, `lu` and `inv` keep a context for every device that is given by name. A program makes its own for a queue of pyopencl,
    or to have one for each thread: a context does one thing at a time, and threads that share one wait for each other.

    Parameters
    ----------
    device : str or pyopencl.CommandQueue, optional
        ``"auto"`` (the environment's ``CLGAUSS_DEVICE``, else a GPU, else an accelerator, else a CPU), ``"gpu"``, ``"cpu"``, ``"accel"``,
        ``"1:0"`` (platform and device as `devices` lists them), or a part of their names, as ``"nvidia:h200"`` or ``"pocl"``. Or an
        in-order command queue of pyopencl: all work is then done on it, in its OpenCL context.

    Raises
    ------
    DeviceError
        There is no device, none that matches, or more than one; or a driver fails.
    ValueError
        The queue is not in order.

    Examples
    --------
    >>> import clgauss, numpy as np
    >>> context = clgauss.Context("pocl")
    >>> context.device.type
    'cpu'
    >>> clgauss.solve(2 * np.eye(2), np.ones(2), device=context)
    array([0.5, 0.5])
    """

    def __init__(self, device: Any = "auto") -> None:
        if isinstance(device, str):
            if device == "auto":
                device = os.environ.get("CLGAUSS_DEVICE") or "auto"
            self._session = core().Session(device)
            self._queue = None
        elif hasattr(device, "int_ptr") and hasattr(device, "finish"):
            self._session = core().Session.on_queue(device.int_ptr)
            self._queue = device
        else:
            raise TypeError(f"device is a str or a pyopencl.CommandQueue, not {type(device).__name__}")

    @property
    def device(self) -> Device:
        """The device of the context."""
        return Device(**self._session.device)

    def __repr__(self) -> str:
        device = self.device
        return f"<clgauss.Context on {device.name} ({device.platform})>"


_opened: dict[str, Context] = {}
_opening = threading.Lock()


def context_of(device: str | Context) -> Context:
    """`device` itself, or the one context that is kept for it."""
    if isinstance(device, Context):
        return device
    if not isinstance(device, str):
        return Context(device)  # says what is wrong with it, or works on a queue
    if device == "auto":
        device = os.environ.get("CLGAUSS_DEVICE") or "auto"
    context = _opened.get(device)
    if context is None:
        with _opening:
            context = _opened.get(device)
            if context is None:
                context = _opened[device] = Context(device)
    return context


def close() -> None:
    """Closes the devices that were opened by their names."""
    _opened.clear()


def _in_child() -> None:
    global _opening
    _opening = threading.Lock()
    close()


os.register_at_fork(after_in_child=_in_child)
