"""Arrays of pyopencl's, which need not be installed for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clgauss._arrays import FLOAT32, FLOAT64

if TYPE_CHECKING:
    from clgauss._contexts import Context


def is_array(array: Any) -> bool:
    """Whether it lies in a buffer of OpenCL's, as a pyopencl.array.Array."""
    return hasattr(array, "base_data") and hasattr(array, "queue")


def type_name(dtype: Any) -> str:
    """The library's word for it; TypeError if it has none."""
    if dtype == FLOAT64:
        return "f64"
    if dtype == FLOAT32:
        return "f32"
    raise TypeError(f"array type {dtype} is unsupported on the device: clgauss takes float32 and float64")


def place(array: Any, context: Context, rows: int) -> tuple[int, int, int, int]:
    """Handle, offset, leading dimension and columns of a vector or matrix, in elements; waits for what is being done with it."""
    type_name(array.dtype)
    size = array.dtype.itemsize
    if array.ndim not in (1, 2) or array.shape[0] != rows:
        raise ValueError(f"the array has the shape {array.shape}, which does not begin with n = {rows}, or more than two dimensions")
    columns = array.shape[1] if array.ndim == 2 else 1
    row, column = array.strides if array.ndim == 2 else (array.strides[0], size)
    if rows > 1 and columns > 0 and (row % size or row < columns * size):
        raise ValueError("the array must be in C order, its rows one after the other")
    if columns > 1 and column != size:
        raise ValueError("the array must be in C order, the elements of a row one after the other")
    if array.offset % size:
        raise ValueError("the array does not begin at a whole element of its buffer")
    memory = getattr(array.base_data, "int_ptr", None)
    if memory is None and array.size:
        raise TypeError("the array does not lie in a buffer (cl_mem)")
    for event in array.events:
        event.wait()
    if array.queue is not None and not context._session.same_queue(array.queue.int_ptr):
        array.queue.finish()
    return memory or 0, array.offset // size, max(row // size, columns), columns
