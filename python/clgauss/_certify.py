"""Proofs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray

from clgauss._arrays import COMPLEX128, FLOAT64, as_columns, is_finite, numbers, parts, require_square
from clgauss._contexts import Context, context_of
from clgauss._linalg import Accuracy, judged_report, refuse
from clgauss._report import Certificate, DetCertificate


def certify(a: ArrayLike, b: ArrayLike, *, device: str | Context = "auto", accuracy: Accuracy = "double") -> Certificate:
    """Solve ``a @ x = b``, and prove how far x can be off.

    Parameters
    ----------
    a : (n, n) array_like
        Float32 or float64, complex64 or complex128; integers become float64.
    b : (n,) or (n, k) array_like
        A vector, or k right-hand sides.
    device : str or Context, optional
        See `Context`. The device must have float64.
    accuracy : {"double", "max"}, optional
        As for `solve`; with ``"max"`` nearly all digits of x are proven.

    Returns
    -------
    Certificate
        Bounds and proven digits, or why nothing is proven: the condition of A is above about ``1 / (n eps)``.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As `solve`.
    DeviceError
        As `solve`; also if the device has no float64.

    Notes
    -----
    A proof takes about five LUs, and three n-by-n matrices of float64 on the device. That of complex numbers is the proof of a real system
    of order 2 n: about ten complex LUs, and twelve such matrices; `bounds` are of ``abs(x_true - x)``. A proof assumes that the hardware
    computes as IEEE 754 demands; what device and kernels compute is checked on the way.

    Examples
    --------
    >>> import numpy as np, clgauss
    >>> proof = clgauss.certify([[4.0, 1.0], [2.0, 3.0]], [1.0, 2.0])
    >>> proof.proven, proof.digits > 14
    (True, True)
    >>> bool(np.all(np.abs(proof.x - [0.1, 0.6]) <= proof.bounds + 1e-17))
    True
    """
    a = numbers(a, complex_too=True)
    b = numbers(b, complex_too=True)
    if a.ndim != 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    b, vector = as_columns(b, require_square(a))
    if b.ndim != 2:
        raise ValueError(f"b has {b.ndim} dimensions, not 1 or 2")
    if accuracy not in ("double", "max"):
        raise ValueError(f'accuracy is "double" or "max", not {accuracy!r}')
    if not b.size:
        raise ValueError("x is empty: n or the number of right-hand sides is 0")
    context = context_of(device)
    bounds = np.full(b.shape, np.inf)
    x: NDArray[Any]
    told: Any
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        x = np.zeros(b.shape, COMPLEX128)
        told = context._session.certify_complex(parts(a), parts(b), x.view(FLOAT64), bounds, accuracy)
    else:
        x = np.zeros(b.shape, FLOAT64)
        told = context._session.certify(a, b, x, bounds, accuracy)
    proof = {key: told.pop(key) for key in ("proven", "digits", "norm_digits", "norm_bound", "reason")}
    report = judged_report(context, told, a, b, warns=not proof["proven"])
    if vector:
        x, bounds = x[:, 0], bounds[:, 0]
    return Certificate(x=x, bounds=bounds, report=report, **proof)


def certify_inv(a: ArrayLike, *, device: str | Context = "auto") -> Certificate:
    """Invert a matrix, and prove how far the inverse can be off.

    Parameters
    ----------
    a : (n, n) array_like
        Float32 or float64, complex64 or complex128; integers become float64.
    device : str or Context, optional
        See `Context`. The device must have float64.

    Returns
    -------
    Certificate
        ``x`` is the inverse, of float64 or complex128; ``abs(inv(a) - x) <= bounds``, element by element. There is no ``report``.

    Raises
    ------
    LinAlgError
        A is singular or not a square matrix.
    ValueError, TypeError, MemoryError, DeviceError
        As `certify`.

    Notes
    -----
    The proof is that of a system with n right-hand sides, and takes far longer than the inverse: 48 times at n = 1000 on two cores.

    Examples
    --------
    >>> import clgauss
    >>> proof = clgauss.certify_inv([[2.0, 1.0], [0.0, 4.0]])
    >>> proof.x
    array([[ 0.5  , -0.125],
           [ 0.   ,  0.25 ]])
    >>> proof.proven, bool((proof.bounds < 1e-15).all())
    (True, True)
    """
    a = _one_matrix(a)
    bounds = np.full(a.shape, np.inf)
    is_complex = a.dtype.kind == "c"
    x = np.zeros(a.shape, COMPLEX128 if is_complex else FLOAT64)
    session = context_of(device)._session
    told: Any = session.certify_inverse(parts(a) if is_complex else a, x.view(FLOAT64), bounds, is_complex)
    status, failed = told.pop("status"), told.pop("failed_column")
    if status not in ("ok", "inaccurate"):
        refuse(status, failed, a)
    return Certificate(x=x, bounds=bounds, report=None, **told)


def _one_matrix(a: ArrayLike) -> NDArray[Any]:
    """A square matrix of finite numbers."""
    matrix = numbers(a, complex_too=True)
    if matrix.ndim != 2:
        raise LinAlgError(f"{matrix.ndim}-dimensional array given. Array must be two-dimensional")
    require_square(matrix)
    if not is_finite(matrix):
        raise ValueError("array must not contain infs or NaNs")
    return matrix


def certify_det(a: ArrayLike, *, device: str | Context = "auto") -> DetCertificate:
    """Prove the sign of the determinant, of a complex matrix its phase, and enclose its magnitude.

    Parameters
    ----------
    a : (n, n) array_like
        Float32 or float64, complex64 or complex128; integers become float64.
    device : str or Context, optional
        See `Context`. The device must have float64.

    Returns
    -------
    DetCertificate
        The sign and the enclosure, or why nothing is proven: A is singular, or its condition is above about ``1 / (n eps)``.

    Raises
    ------
    LinAlgError
        A is not a square matrix.
    ValueError, TypeError, MemoryError, DeviceError
        As `certify`.

    Notes
    -----
    A proof takes five to ten LUs, and five n-by-n matrices of float64 on the device. That of a complex matrix takes ten to twenty
    complex LUs, and twenty such matrices.

    Examples
    --------
    >>> import clgauss
    >>> proof = clgauss.certify_det([[1.0, 2.0], [2.0, 1.0]])
    >>> proof.proven, proof.sign
    (True, -1)
    >>> proof.log10_low <= 0.47712125471966244 <= proof.log10_high
    True
    >>> proof = clgauss.certify_det([[0, 1], [1j, 0]])
    >>> proof.proven, abs(proof.sign + 1j) <= proof.sign_bound < 1e-13
    (True, True)
    """
    a = _one_matrix(a)
    is_complex = a.dtype.kind == "c"
    told: Any = context_of(device)._session.certify_determinant(parts(a) if is_complex else a, is_complex)
    return DetCertificate(**told)
