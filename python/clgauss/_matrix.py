"""Inverse, determinant and condition of a matrix, or of each matrix of a stack."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clgauss._arrays import FLOAT64, numbers, require_square
from clgauss._check import BOUND, doubt_of, warn_of
from clgauss._contexts import Context, context_of
from clgauss._linalg import refuse, solve
from clgauss._lu import determinant_of, lu, slogdet_of
from clgauss._native import core


class SlogdetResult(NamedTuple):
    """As `numpy.linalg.slogdet` returns it."""

    sign: Any
    logabsdet: Any


def inv(a: ArrayLike, *, device: str | Context = "auto") -> NDArray[Any]:
    """Inverse of a matrix, or of each of a stack.

    To solve a system, use `solve` or `lu`: they are faster and more accurate.

    Parameters
    ----------
    a : (..., n, n) array_like
        As for `solve`.
    device : str or Context, optional
        See `Context`.

    Returns
    -------
    ainv : (..., n, n) ndarray
        Float32 if a is, else float64; complex if a is complex.

    Raises
    ------
    LinAlgError
        A is singular or not square.

    Warns
    -----
    AccuracyWarning, IllConditionedWarning
        As `solve`. ``A X - I`` is checked by one vector, up to n = 128 completely.

    Examples
    --------
    >>> import clgauss
    >>> clgauss.inv([[2.0, 0.0], [1.0, 1.0]])
    array([[ 0.5,  0. ],
           [-0.5,  1. ]])
    """
    at_once: Any = context_of(device)._session.invert_at_once(a)
    if at_once is not None:
        x: NDArray[Any] = at_once
        return x
    a = numbers(a, complex_too=True)
    n = require_square(a)
    if a.ndim == 2 and n > core().largest_small_system:
        return _by_factors(context_of(device), a) if a.dtype.kind == "c" else _invert(context_of(device), a)
    return solve(a, np.eye(n, dtype=a.dtype), device=device)


def _by_factors(context: Context, a: NDArray[Any]) -> NDArray[Any]:
    inverse: NDArray[Any] = lu(a, device=context).inv()
    return inverse


def _invert(context: Context, a: NDArray[Any]) -> NDArray[Any]:
    x = np.empty(a.shape, a.dtype)
    told = context._session.invert(a, x)
    if told["failed_column"] is not None:
        refuse("singular", told["failed_column"], a)
    if not told["scaled_residual"] <= BOUND:
        return _by_factors(context, a)  # which corrects it, or warns
    warn_of(doubt_of(told["rcond"], a.dtype), told["rcond"])
    return x


def slogdet(a: ArrayLike, *, device: str | Context = "auto") -> SlogdetResult:
    """Sign and natural logarithm of the magnitude of a determinant, or of each of a stack.

    Parameters
    ----------
    a : (..., n, n) array_like
        As for `lu`. On a CPU device the library's LU for the host, on all cores, takes real matrices up to n = 512, in float64.
    device : str or Context, optional
        See `Context`.

    Returns
    -------
    sign : number or (...) ndarray
        -1, 0 or 1; for a complex matrix a number of modulus 1, or 0.
    logabsdet : float or (...) ndarray
        -inf if A is singular.

    Examples
    --------
    >>> import clgauss
    >>> sign, logabsdet = clgauss.slogdet([[0.0, 2.0], [1.0, 1.0]])
    >>> float(sign), round(float(logabsdet), 6)
    (-1.0, 0.693147)
    """
    mantissas, exponents = _determinants(a, device)
    return SlogdetResult(*slogdet_of(mantissas, exponents))


def det(a: ArrayLike, *, device: str | Context = "auto") -> Any:
    """Determinant of a matrix, or of each of a stack; inf if it is too large, see `slogdet`.

    Parameters
    ----------
    a : (..., n, n) array_like
        As for `slogdet`.
    device : str or Context, optional
        See `Context`.

    Returns
    -------
    det : number or (...) ndarray

    Examples
    --------
    >>> import clgauss
    >>> float(clgauss.det([[0.0, 2.0], [1.0, 1.0]]))
    -2.0
    """
    return determinant_of(*_determinants(a, device))


def _determinants(a: ArrayLike, device: str | Context) -> tuple[Any, Any]:
    """Mantissas and exponents, as arrays of the leading dimensions."""
    a = numbers(a, complex_too=True)
    n = require_square(a)
    context = context_of(device)
    leading = a.shape[:-2]
    mantissas = np.ones(leading, np.complex128 if a.dtype.kind == "c" else FLOAT64)
    exponents = np.zeros(leading, np.int64)
    if n == 0 or mantissas.size == 0:
        return mantissas, exponents
    if a.dtype.kind != "c" and n <= core().largest_on_host and context._session.solves_on_host:
        core().determinants_on_host(a.reshape((-1, n, n)), mantissas, exponents)
        if not np.isfinite(mantissas).all():
            refuse("overflow", None, a)
        return mantissas, exponents
    for place in np.ndindex(leading):
        mantissas[place], exponents[place] = lu(a[place], device=context)._determinant()
    return mantissas, exponents


def cond(a: ArrayLike, *, device: str | Context = "auto") -> Any:
    """Condition number of a matrix in the 1-norm, estimated as by LAPACK's ``gecon``, or of each of a stack.

    Parameters
    ----------
    a : (..., n, n) array_like
        As for `lu`.
    device : str or Context, optional
        See `Context`.

    Returns
    -------
    cond : float or (...) ndarray
        ``||A|| ||A^-1||``, as `numpy.linalg.cond` has it with ``p=1``: never above it but for rounding, almost always above a third of
        it. Inf if A is singular.

    Examples
    --------
    >>> import clgauss
    >>> clgauss.cond([[1.0, 0.0], [0.0, 4.0]])
    4.0
    """
    a = numbers(a, complex_too=True)
    require_square(a)
    context = context_of(device)
    conditions = np.empty(a.shape[:-2])
    for place in np.ndindex(a.shape[:-2]):
        rcond = lu(a[place], device=context).rcond()
        conditions[place] = np.inf if rcond == 0 else 1 / rcond
    return conditions if conditions.ndim else float(conditions)
