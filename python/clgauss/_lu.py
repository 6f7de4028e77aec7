"""Factors that are kept and used again."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray

from clgauss import _opencl
from clgauss._arrays import COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, as_columns, is_finite, numbers, parts, require_square, to_single
from clgauss._check import BOUND, AccuracyWarning, Checker, doubt_of, warn, warn_of
from clgauss._contexts import Context, context_of
from clgauss._native import core

if TYPE_CHECKING:
    from clgauss import _core


_NUMBERS_AT_ONCE = 1 << 22  # of a stack: any device allocates 64 MiB at once


class LU:
    """``P A = L U`` with partial pivoting, on a device. Made by `lu`.

    Attributes
    ----------
    n : int
    shape : tuple of int
        ``(n, n)``.
    dtype : numpy.dtype
        Of the factors: float32, float64, complex64 or complex128.
    """

    def __init__(
        self, context: Context, factors: _core.Factors | _core.ComplexFactors | None, n: int, dtype: np.dtype[Any], checker: Checker | None = None
    ) -> None:
        self._context = context
        self._checker = checker  # None: A was factored in place, or n = 0
        self._factors = factors  # None: n = 0
        self._doubt: str | None = None  # not looked into yet
        self.n = n
        self.shape = (n, n)
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"<clgauss.LU of a {self.n} x {self.n} matrix of {self.dtype} on {self._context.device.name}>"

    def solve(self, b: Any, trans: int | str = 0) -> Any:
        """``A^-1 b``, ``A^-T b`` or ``A^-H b``.

        Parameters
        ----------
        b : (n,) or (n, k) array_like, or pyopencl.array.Array
            An array of pyopencl, which has the factors' type and is in C order, is replaced by the answer.
        trans : {0, 1, 2, "N", "T", "C"}, optional
            1 or ``"T"``: solve with the transposed A; 2 or ``"C"``: with its conjugate.

        Returns
        -------
        x : ndarray, or b
            Float32 if factors and b are, else float64, with the accuracy of the factors; complex if either is complex.

        Raises
        ------
        LinAlgError
            A is singular.

        Warns
        -----
        AccuracyWarning
            The scaled residual is above 16 even after two corrections of x.
        IllConditionedWarning
            ``rcond()`` is below the unit roundoff of the factors: x may have no correct digit.

        Notes
        -----
        x is checked by its residual, which the host computes in float64 from its copy of A: about 2 n^2 operations for each column of b. An
        array of pyopencl is not checked.

        Examples
        --------
        >>> import clgauss
        >>> factors = clgauss.lu([[0.0, 2.0], [1.0, 1.0]])
        >>> factors.solve([4.0, 5.0])
        array([3., 2.])
        >>> factors.solve([2.0, 4.0], trans="T")
        array([1., 2.])
        """
        if trans not in (0, 1, 2, "N", "T", "C"):
            raise ValueError(f'trans is 0 or "N", 1 or "T", 2 or "C", not {trans!r}')
        trans = trans if isinstance(trans, str) else "NTC"[trans]
        if _opencl.is_array(b):
            return self._solve_in_place(b, trans != "N")
        b = numbers(b, complex_too=True)
        if b.ndim > 2:
            raise ValueError(f"b has {b.ndim} dimensions, not 1 or 2")
        b, vector = as_columns(b, self.n)
        single = all(dtype in (FLOAT32, COMPLEX64) for dtype in (b.dtype, self.dtype))
        if b.dtype.kind == "c" or self.dtype.kind == "c":
            x = np.empty(b.shape, COMPLEX64 if single else COMPLEX128)
        else:
            x = np.empty(b.shape, FLOAT32 if single else FLOAT64)
        if x.size and self._factors is not None:
            self._apply(b, x, trans)
            self._check(b, x, trans)
            self._warn_if_doubtful()
        return x[:, 0] if vector else x

    def _warn_if_doubtful(self) -> None:
        """Warns with every answer if a product with A^-1 left a doubt and rcond confirms it."""
        if self._checker is None or self._factors is None:
            return
        if self._doubt is None:
            self._doubt = "none"
            if self._factors.is_doubtful():
                self._doubt = doubt_of(self.rcond(), self.dtype)
        if self._doubt != "none":
            warn_of(self._doubt, self.rcond())

    def _apply(self, b: NDArray[Any], x: NDArray[Any], trans: str) -> None:
        """x = A^-1 b, or as `trans` says, for real and complex numbers."""
        if isinstance(self._factors, core().ComplexFactors):
            of_b = parts(b.conj() if trans == "T" else b)  # A^-T b is the conjugate of A^-H times that of b
            found = np.empty(b.shape, COMPLEX128)
            self._factors.solve(of_b, found.view(FLOAT64), trans != "N")
            found = found.conj() if trans == "T" else found
            x[...] = to_single(found) if x.dtype == COMPLEX64 else found
        elif self._factors is not None and x.dtype.kind == "c":
            both = np.hstack([b.real, b.imag])
            found = np.empty(both.shape, FLOAT64)
            self._factors.solve(both, found, trans != "N")
            x.real, x.imag = np.hsplit(found, 2)
        elif self._factors is not None:
            self._factors.solve(b, x, trans != "N")

    def _check(self, b: NDArray[Any], x: NDArray[Any], trans: str) -> None:
        """Corrects x at most twice if its residual is too large, and warns if that does not help."""
        if self._checker is None or self._factors is None:
            return
        with np.errstate(all="ignore"):
            for corrections_left in (2, 1, 0):
                residual = self._checker.residual(b, x, trans)
                scaled = self._checker.scaled(residual, b, x, trans)
                if scaled <= BOUND:
                    return
                if corrections_left == 0 or not math.isfinite(scaled):
                    break
                correction = np.empty_like(residual)
                self._apply(self._checker.unscaled(residual), correction, trans)
                x += correction.astype(x.dtype)
        warn(f"the answer is inaccurate: its scaled residual is {scaled:.3g}; clgauss.solve may do better than these factors", AccuracyWarning)

    def _solve_in_place(self, b: Any, transposed: bool) -> Any:
        memory, offset, ld, columns = _opencl.place(b, self._context, rows=self.n)
        if b.dtype != self.dtype:
            raise TypeError(f"b is of {b.dtype}, the factors are of {self.dtype}")
        if columns and isinstance(self._factors, core().Factors):
            name = _opencl.type_name(self.dtype)
            self._factors.solve_in_place(memory, offset, ld, name, columns, transposed)
        return b

    def slogdet(self) -> tuple[float | complex, float]:
        """Sign and natural logarithm of ``|det A|``, as `numpy.linalg.slogdet`; sign 0 if A is singular.

        The sign of a complex determinant is a number of modulus 1.

        Examples
        --------
        >>> import clgauss
        >>> clgauss.lu([[0.0, 1.0], [1.0, 0.0]]).slogdet()
        (-1.0, 0.0)
        """
        sign, logarithm = slogdet_of(*map(np.asarray, self._determinant()))
        return sign.item(), logarithm.item()

    def det(self) -> float | complex:
        """Determinant of A; inf if it is too large for a float, see `slogdet`.

        Examples
        --------
        >>> import clgauss
        >>> clgauss.lu([[0.0, 2.0], [1.0, 1.0]]).det()
        -2.0
        """
        det: float | complex = determinant_of(*map(np.asarray, self._determinant())).item()
        return det

    def _determinant(self) -> tuple[float | complex, int]:
        if self._factors is None:
            return (complex(1) if self.dtype.kind == "c" else 1.0), 0
        return self._factors.determinant()

    def rcond(self) -> float:
        """Reciprocal condition number of A in the 1-norm, estimated as by LAPACK's ``gecon``; 0 if A is singular.

        Raises
        ------
        ValueError
            A was factored in place: its norm is not known.

        Examples
        --------
        >>> import clgauss
        >>> clgauss.lu([[1.0, 0.0], [0.0, 4.0]]).rcond()
        0.25
        """
        if self._factors is None:
            return 1.0
        rcond = self._factors.rcond()
        if rcond is None:
            raise ValueError("rcond needs the norm of A, which factoring it in place has not kept")
        return rcond

    @property
    def pivots(self) -> NDArray[np.intp]:
        """Row j was exchanged with row ``pivots[j]``, as in `scipy.linalg.lu_factor`."""
        return np.array([] if self._factors is None else self._factors.pivots(), dtype=np.intp)

    @property
    def singular_column(self) -> int | None:
        """The first column, from 0, whose pivot is zero or not a number; None if A is not singular."""
        return None if self._factors is None else self._factors.failed_column

    def inv(self) -> NDArray[Any]:
        """``A^-1``."""
        identity = np.eye(self.n, dtype=self.dtype)
        inverse = np.empty(identity.shape, self.dtype)
        if self._factors is None:
            return inverse
        self._apply(identity, inverse, "N")
        with np.errstate(all="ignore"):
            good = self._checker is None or self._checker.of_inverse(inverse) <= BOUND
        if not good:
            self._check(identity, inverse, "N")
        self._warn_if_doubtful()
        return inverse


class Cholesky(LU):
    """``A = L L^T``, or ``L L^H``, of a symmetric or Hermitian positive definite matrix, on a device. Made by `cholesky`; has all methods of `LU`."""

    @property
    def L(self) -> NDArray[Any]:
        """The lower triangle, as `numpy.linalg.cholesky` returns it.

        Examples
        --------
        >>> import clgauss
        >>> clgauss.cholesky([[4.0, 2.0], [2.0, 10.0]]).L
        array([[2., 0.],
               [1., 3.]])
        """
        packed = np.empty(self.shape, COMPLEX128 if self.dtype.kind == "c" else FLOAT64)
        if self._factors is not None:
            self._factors.packed(packed.view(FLOAT64))  # of A = L D L^H, L below the diagonal, D on it
        return _lower_of(packed, self.dtype)


def _lower_of(packed: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """L of ``A = L L^H`` from L and D of ``A = L D L^H``, of one matrix or of each of a stack."""
    roots = np.sqrt(np.diagonal(packed, axis1=-2, axis2=-1).real)
    lower = np.tril(packed, -1) + np.eye(packed.shape[-1])
    scaled: NDArray[Any] = (lower * roots[..., None, :]).astype(dtype)
    return scaled


class LUStack:
    """The `LU` of each matrix of a stack. Made by `lu` and `cholesky`; an index gives one of them.

    Attributes
    ----------
    n : int
    shape : tuple of int
        The shape of the stack.
    dtype : numpy.dtype
    """

    def __init__(self, each: NDArray[Any], n: int, dtype: np.dtype[Any]) -> None:
        self._each = each  # of objects, by the leading dimensions
        self.n = n
        self.shape = (*each.shape, n, n)
        self.dtype = dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, index: Any) -> Any:
        found = self._each[index]
        return LUStack(found, self.n, self.dtype) if isinstance(found, np.ndarray) else found

    def solve(self, b: ArrayLike, trans: int | str = 0) -> NDArray[Any]:
        """As `LU.solve`, for ``(n,)`` or ``(..., n, k)`` right-hand sides, whose leading dimensions are broadcast.

        Examples
        --------
        >>> import numpy as np, clgauss
        >>> clgauss.lu(np.stack([np.eye(2), 2 * np.eye(2)])).solve(np.ones(2))
        array([[1. , 1. ],
               [0.5, 0.5]])
        """
        b = numbers(b, complex_too=True)
        b, vector = as_columns(b, self.n)
        leading = np.broadcast_shapes(self._each.shape, b.shape[:-2])
        each: Any = np.broadcast_to(self._each, leading)
        of_each = np.broadcast_to(b, leading + b.shape[-2:])
        answers = [each[place].solve(of_each[place], trans) for place in np.ndindex(leading)]
        x = np.array(answers, None if answers else np.result_type(b, self.dtype)).reshape(leading + b.shape[-2:])
        return x[..., 0] if vector else x

    def _of_each(self, get: Any, shape: tuple[int, ...] = (), dtype: Any = float) -> NDArray[Any]:
        results = [get(self._each[place]) for place in np.ndindex(self._each.shape)]
        return np.array(results, dtype).reshape(self._each.shape + shape)

    def slogdet(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """As `LU.slogdet`."""
        number = complex if self.dtype.kind == "c" else float
        return self._of_each(lambda one: one.slogdet()[0], dtype=number), self._of_each(lambda one: one.slogdet()[1])

    def det(self) -> NDArray[Any]:
        """As `LU.det`."""
        return self._of_each(lambda one: one.det(), dtype=complex if self.dtype.kind == "c" else float)

    def rcond(self) -> NDArray[Any]:
        """As `LU.rcond`."""
        return self._of_each(lambda one: one.rcond())

    def inv(self) -> NDArray[Any]:
        """As `LU.inv`."""
        return self._of_each(lambda one: one.inv(), (self.n, self.n), self.dtype)

    @property
    def pivots(self) -> NDArray[np.intp]:
        """As `LU.pivots`."""
        return self._of_each(lambda one: one.pivots, (self.n,), np.intp)

    @property
    def L(self) -> NDArray[Any]:
        """As `Cholesky.L`."""
        return self._of_each(lambda one: one.L, (self.n, self.n), self.dtype)


class CholeskyStack(LUStack):
    """An `LUStack` whose matrices were factored together for `L` and the determinants; all else factors each of them when it is first asked for.

    Those sums are in another order, so that a matrix that is positive definite but for rounding may be refused only then.
    """

    def __init__(self, context: Context, a: NDArray[Any], packed: NDArray[Any]) -> None:
        self._context = context
        self._a = a
        self._packed = packed
        self.n = a.shape[-1]
        self.shape = a.shape
        self.dtype = a.dtype

    @functools.cached_property
    def _each(self) -> NDArray[Any]:  # type: ignore[override]
        return _each_of_stack(self._a, cholesky, self._context)._each

    @property
    def L(self) -> NDArray[Any]:
        return _lower_of(self._packed, self.dtype)

    @property
    def pivots(self) -> NDArray[np.intp]:
        return np.broadcast_to(np.arange(self.n), (*self.shape[:-2], self.n)).copy()

    def slogdet(self) -> tuple[NDArray[Any], NDArray[Any]]:
        logarithms = np.log(self._diagonals()).sum(axis=-1)
        return np.ones(logarithms.shape, complex if self.dtype.kind == "c" else float), logarithms

    def det(self) -> NDArray[Any]:
        mantissas, exponents = np.frexp(self._diagonals())
        found = np.asarray(determinant_of(mantissas.prod(axis=-1), exponents.sum(axis=-1)))
        return found.astype(complex) if self.dtype.kind == "c" else found

    def _diagonals(self) -> NDArray[Any]:
        return np.diagonal(self._packed, axis1=-2, axis2=-1).real


def slogdet_of(mantissas: NDArray[Any], exponents: NDArray[Any]) -> tuple[Any, Any]:
    """Sign and logarithm of numbers ``mantissa * 2^exponent``, which may be too large for a float."""
    sizes = np.abs(mantissas)
    singular = sizes == 0
    sizes = np.where(singular, 1.0, sizes)
    return mantissas / sizes, np.where(singular, -np.inf, np.log(sizes) + exponents * math.log(2.0))[()]


def determinant_of(mantissas: NDArray[Any], exponents: NDArray[Any]) -> Any:
    """The same numbers as floats, inf if they are too large."""
    by = np.clip(exponents, -5000, 5000).astype(np.int32)
    with np.errstate(over="ignore", under="ignore"):
        if mantissas.dtype.kind == "c":
            return (np.ldexp(mantissas.real, by) + 1j * np.ldexp(mantissas.imag, by))[()]
        return np.ldexp(mantissas, by)[()]


def _factor_at(a: NDArray[Any], place: tuple[int, ...], factor: Any, context: Context) -> Any:
    try:
        return factor(a[place], device=context)
    except LinAlgError as error:
        raise LinAlgError(f"{error}, in matrix {list(place)} of the stack") from error


def _each_of_stack(a: NDArray[Any], factor: Any, device: str | Context) -> LUStack:
    n = require_square(a)
    context = context_of(device)
    each = np.empty(a.shape[:-2], object)
    for place in np.ndindex(each.shape):
        each[place] = _factor_at(a, place, factor, context)
    return LUStack(each, n, a.dtype)


def lu(a: Any, *, device: str | Context = "auto") -> Any:
    """Factor a matrix on an OpenCL device, to solve with it again and again.

    Parameters
    ----------
    a : (..., n, n) array_like, or pyopencl.array.Array
        Float32, float64, complex64 or complex128, factored in its own type; integers become float64. An array of pyopencl, in C order, is overwritten
        by its factors, without a copy: L below the diagonal, whose ones are not stored, and U.
    device : str or Context, optional
        See `Context`. For an array of pyopencl: the `Context` of a queue in the same OpenCL context.

    Returns
    -------
    LU, or LUStack for more than two dimensions
        Its ``singular_column``, ``det()`` and ``rcond()`` show a singular A; solving with a singular A is an error. It keeps the factors on
        the device and, to check answers, a copy of ``a`` in host memory. For an array of pyopencl it keeps no copy and checks nothing.

    Raises
    ------
    LinAlgError
        A is not square.
    ValueError
        a holds NaN or Inf; an array of pyopencl is of another OpenCL context, or not in C order.
    TypeError
        As `solve`.
    DeviceError
        As `solve`; also float64 on a device without it.

    Examples
    --------
    >>> import numpy as np, clgauss
    >>> factors = clgauss.lu(np.array([[0.0, 2.0], [1.0, 1.0]]))
    >>> factors.solve(np.array([4.0, 5.0]))
    array([3., 2.])
    >>> factors.pivots
    array([1, 1])
    """
    if _opencl.is_array(a):
        if not isinstance(device, Context):
            raise TypeError("an array of pyopencl is factored on its own queue: pass device=clgauss.Context(queue)")
        n = require_square(a)
        memory, offset, ld, _ = _opencl.place(a, device, rows=n)
        name = _opencl.type_name(a.dtype)
        in_place = core().Factors.in_place(device._session, memory, offset, ld, name, n) if n else None
        return LU(device, in_place, n, np.dtype(a.dtype))
    a = numbers(a, complex_too=True)
    if a.ndim > 2:
        return _each_of_stack(a, lu, device)
    n = require_square(a)
    context = context_of(device)
    factors: _core.Factors | _core.ComplexFactors | None = None
    if n and a.dtype.kind == "c":
        factors = core().ComplexFactors(context._session, parts(a), a.dtype == COMPLEX64, False)
    elif n:
        factors = core().Factors(context._session, a, False)
    if factors is not None and factors.failed_column is not None and not is_finite(a):
        raise ValueError("array must not contain infs or NaNs")
    return LU(context, factors, n, a.dtype, Checker(a) if n else None)


def cholesky(a: Any, *, device: str | Context = "auto") -> Any:
    """Factor a symmetric or Hermitian positive definite matrix on an OpenCL device, in half the time of `lu`.

    The factors are ``A = L D L^H``: Cholesky's without square roots, which are an `LU` without row exchanges.

    Parameters
    ----------
    a : (..., n, n) array_like
        Float32, float64, complex64 or complex128, factored in its own type; integers become float64.
    device : str or Context, optional
        See `Context`.

    Returns
    -------
    Cholesky, or LUStack for more than two dimensions
        An `LU` whose ``pivots`` are 0, 1, 2 .., with ``L``, the triangle of ``A = L L^H``. Of a stack the matrices are factored together for
        ``L`` and ``slogdet``; all else factors each of them by itself when it is first asked for.

    Raises
    ------
    LinAlgError
        A is not square, not symmetric or Hermitian, or not positive definite.
    ValueError
        NaN or Inf in a.
    TypeError, DeviceError
        As `lu`.

    Examples
    --------
    >>> import clgauss
    >>> factors = clgauss.cholesky([[4.0, 2.0], [2.0, 3.0]])
    >>> factors.solve([6.0, 5.0])
    array([1., 1.])
    >>> factors.det()
    8.0
    """
    a = numbers(a, complex_too=True)
    n = require_square(a)
    context = context_of(device)
    if not is_finite(a):
        raise ValueError("array must not contain infs or NaNs")
    is_complex = a.dtype.kind == "c"
    if not np.array_equal(a, np.swapaxes(a, -1, -2).conj()):
        raise LinAlgError(f"Matrix is not {'Hermitian' if is_complex else 'symmetric'}")
    if a.ndim > 2:
        return _cholesky_of_stack(context, a)
    factors: _core.Factors | _core.ComplexFactors | None = None
    if n and is_complex:
        factors = core().ComplexFactors(context._session, parts(a), a.dtype == COMPLEX64, True)
    elif n:
        factors = core().Factors(context._session, a, True)
    if factors is not None and factors.failed_column is not None:
        raise LinAlgError(f"Matrix is not positive definite: the pivot of column {factors.failed_column} (from 0) is not positive")
    return Cholesky(context, factors, n, a.dtype, Checker(a) if n else None)


def _cholesky_of_stack(context: Context, a: NDArray[Any]) -> LUStack:
    n, is_complex, single = a.shape[-1], a.dtype.kind == "c", a.dtype in (FLOAT32, COMPLEX64)
    largest = core().largest_complex_batched_system if is_complex else core().largest_batched_system
    if not a.size or n > largest or not (single or context.device.fp64):
        return _each_of_stack(a, cholesky, context)
    flat = a.reshape((-1, n, n))
    packed = np.empty(flat.shape, COMPLEX128 if is_complex else FLOAT64)
    step = max(1, _NUMBERS_AT_ONCE // (n * n))
    for first in range(0, len(flat), step):
        part = slice(first, first + step)
        of_part = parts(flat[part]) if is_complex else flat[part]
        failed = context._session.factor_definite_batch(of_part, packed[part].view(FLOAT64), single, is_complex)
        if failed is not None:
            _factor_at(a, tuple(map(int, np.unravel_index(first + failed, a.shape[:-2]))), cholesky, context)
            return _each_of_stack(a, cholesky, context)  # with the checks and the scaling of one matrix
    return CholeskyStack(context, a.copy(), packed.reshape(a.shape))


def aslinearoperator(lu: LU) -> Any:
    """``A^-1`` as a `scipy.sparse.linalg.LinearOperator`, for SciPy's iterative solvers and eigensolvers.

    Parameters
    ----------
    lu : LU

    Returns
    -------
    scipy.sparse.linalg.LinearOperator
        ``op @ b`` is ``lu.solve(b)``, and ``op.H @ b`` solves with the conjugate transpose of A.

    Examples
    --------
    >>> import numpy as np, clgauss
    >>> preconditioner = clgauss.aslinearoperator(clgauss.lu(np.diag([1.0, 2.0, 4.0])))
    >>> preconditioner @ np.ones(3)
    array([1.  , 0.5 , 0.25])
    """
    from scipy.sparse.linalg import LinearOperator

    if not isinstance(lu, LU):
        raise TypeError(f"not a clgauss.LU, but {type(lu).__name__}")

    def solve(b: NDArray[Any]) -> Any:
        return lu.solve(b)

    def solve_transposed(b: NDArray[Any]) -> Any:
        return lu.solve(b, trans="C")

    return LinearOperator(
        lu.shape, dtype=lu.dtype, matvec=solve, rmatvec=solve_transposed, matmat=solve, rmatmat=solve_transposed
    )
