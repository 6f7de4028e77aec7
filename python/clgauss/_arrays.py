"""What is asked of arrays before the library sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

FLOAT64 = np.dtype(np.float64)
FLOAT32 = np.dtype(np.float32)
COMPLEX128 = np.dtype(np.complex128)
COMPLEX64 = np.dtype(np.complex64)


def numbers(array: Any, complex_too: bool = False) -> NDArray[Any]:
    """As an array of float32 or float64, whose numbers are where they were wherever that is possible.

    Integers and booleans become float64, as in numpy.linalg. TypeError for what is not a real number of these types, or, with
    `complex_too`, a pair of them.
    """
    numbers: NDArray[Any] = np.asarray(array)
    dtype = numbers.dtype
    if complex_too and dtype.kind == "c" and dtype.itemsize in (8, 16):
        return numbers.astype(COMPLEX64 if dtype.itemsize == 8 else COMPLEX128, copy=False)
    if dtype is not FLOAT64 and dtype is not FLOAT32:
        if dtype.kind not in "biuf" or (dtype.kind == "f" and dtype.itemsize not in (4, 8)):
            taken = "float32, float64, complex64, complex128 and integers" if complex_too else "float32, float64 and integers"
            raise TypeError(f"array type {dtype.name} is unsupported here: it takes {taken}")
        numbers = numbers.astype(FLOAT32 if dtype.kind == "f" and dtype.itemsize == 4 else FLOAT64)
    if not numbers.flags.aligned or any(stride % numbers.itemsize for stride in numbers.strides):
        numbers = numbers.copy()
    return numbers


def require_square(a: NDArray[Any]) -> int:
    """n of an array of n-by-n matrices; LinAlgError, in NumPy's words, for any other shape."""
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    n: int = a.shape[-1]
    if a.shape[-2] != n:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return n


def as_columns(b: NDArray[Any], n: int) -> tuple[NDArray[Any], bool]:
    """`b` with n rows and one column for each right-hand side, and whether it is one vector."""
    if b.ndim == 0:
        raise ValueError("b is a number: it must be a vector or matrices of as many rows as a")
    vector = b.ndim == 1
    if vector:
        b = b[:, np.newaxis]
    if b.shape[-2] != n:
        raise ValueError(f"b has {b.shape[-2]} rows, a has {n}")
    return b, vector


def parts(array: NDArray[Any]) -> NDArray[Any]:
    """The real and imaginary parts of a matrix, side by side, as float64."""
    return np.ascontiguousarray(array, COMPLEX128).view(FLOAT64)


def is_finite(*arrays: NDArray[Any]) -> bool:
    """Whether there is neither NaN nor Inf."""
    return all(np.isfinite(array).all() for array in arrays)


def to_single(x: NDArray[Any]) -> NDArray[Any]:
    """complex128 as complex64; an error if a finite number becomes infinite."""
    with np.errstate(over="ignore"):
        narrow = x.astype(COMPLEX64)
    if (np.isinf(narrow) & np.isfinite(x)).any():
        raise LinAlgError("the numbers leave the range of the type")
    return narrow
