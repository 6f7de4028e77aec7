"""solve, solve_many and lstsq."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray

from clgauss import _opencl
from clgauss._arrays import COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, as_columns, is_finite, numbers, parts, require_square, to_single
from clgauss._check import AccuracyWarning, warn, warn_of
from clgauss._contexts import Context, context_of
from clgauss._lu import lu
from clgauss._native import core
from clgauss._report import BatchReport, LeastSquaresReport, Report

Accuracy = Literal["single", "double", "max"]
Method = Literal["auto", "lu", "mixed", "rbt", "cholesky", "ldlt"]

# By which method of the library, and whether only one triangle of a counts, as in SciPy. Names in full are SciPy's, too.
_METHODS = {"gen": ("auto", False), "sym": ("auto", True), "her": ("auto", True), "pos": ("cholesky", True)}
_NAMES = {"general": "gen", "symmetric": "sym", "hermitian": "her", "positive definite": "pos"}


@overload
def solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    device: str | Context = ...,
    accuracy: Accuracy = ...,
    method: Method = ...,
    full_output: Literal[False] = ...,
    assume_a: str = ...,
    lower: bool = ...,
    transposed: bool = ...,
    check_finite: bool = ...,
    overwrite_a: bool = ...,
    overwrite_b: bool = ...,
) -> NDArray[Any]: ...
@overload
def solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    device: str | Context = ...,
    accuracy: Accuracy = ...,
    method: Method = ...,
    full_output: Literal[True],
    assume_a: str = ...,
    lower: bool = ...,
    transposed: bool = ...,
    check_finite: bool = ...,
    overwrite_a: bool = ...,
    overwrite_b: bool = ...,
) -> tuple[NDArray[Any], Report | BatchReport | list[Report]]: ...
def solve(
    a: Any,
    b: Any,
    *,
    device: str | Context = "auto",
    accuracy: Accuracy = "double",
    method: Method = "auto",
    full_output: bool = False,
    assume_a: str = "gen",
    lower: bool = False,
    transposed: bool = False,
    check_finite: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
) -> Any:
    """Solve ``a @ x = b`` on an OpenCL device.

    Parameters
    ----------
    a : (..., n, n) array_like, or pyopencl.array.Array
        Float32 or float64, in any order and strides; integers become float64. It stays unchanged. Float64 is read in place in C order,
        and in Fortran order if n > 256: it is then transposed on its way to the device. Of anything else the host makes a copy in
        float64. If a or b is complex64 or complex128, x is complex. If a and b are arrays of pyopencl, they are solved on the queue of the
        `Context`, x is such an array, and its residual is not checked.
    b : (n,) or (..., n, k) array_like
        A vector, or k right-hand sides. Leading dimensions are broadcast, as by `numpy.linalg.solve`.
    device : str or Context, optional
        See `Context`.
    accuracy : {"double", "single", "max"}, optional
        ``"double"``: the backward error of float64, also on a device without double precision. ``"single"``: that of float32, which is
        faster there. ``"max"``: all digits of x, as long as A is not singular to double precision.
    method : {"auto", "lu", "mixed", "rbt", "cholesky", "ldlt"}, optional
        ``"cholesky"`` and ``"ldlt"`` are for a symmetric A, and take half the work; with ``"ldlt"`` A may be indefinite. A stack takes these
        two and ``"auto"``. A complex system takes ``"lu"``, ``"mixed"`` and, if A is Hermitian, ``"cholesky"`` and ``"ldlt"``.
    full_output : bool, optional
        Also return a report. It estimates the condition number, which takes as long as a few more right-hand sides.
    assume_a : {"gen", "sym", "her", "pos"}, optional
        The structure of a, as for `scipy.linalg.solve`, whose long names are accepted, too. Except for ``"gen"`` only one triangle of a is
        read. ``"pos"`` uses Cholesky's factorisation, in half the time, also for a stack, and raises LinAlgError if a is not positive definite.
        For a real a ``"her"`` is ``"sym"``. A complex a is solved by LU except with ``"pos"``, or by `method`.
    lower : bool, optional
        Read the lower triangle of a instead of the upper one.
    transposed : bool, optional
        Solve ``a.T @ x = b``.
    check_finite : bool, optional
        NaN or Inf in a or b raises a ValueError; if false, a LinAlgError. Either way there is no answer, and the check costs nothing extra.
    overwrite_a, overwrite_b : bool, optional
        Arrays of pyopencl may be overwritten by factors and x, which saves their copies. Arrays of NumPy are never overwritten.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Float32 if both a and b are, else float64; complex64 if all numbers are in single precision, else complex128.
    report : Report, BatchReport, or list of Report
        With ``full_output``: a Report for one system, a BatchReport for a stack of systems up to n = 2048, of complex ones and of real ones
        by ``"ldlt"`` up to n = 256, and a list of one Report for each system of other stacks.

    Raises
    ------
    LinAlgError
        A is singular, not square, or the numbers leave the range of the type.
    ValueError
        Shapes do not fit; a or b holds NaN or Inf; A is not symmetric, and the method needs that.
    TypeError
        Arrays of float16, longdouble or objects.
    MemoryError
        The system does not fit into the device's memory or the host's.
    DeviceError
        There is no such device, or a driver fails.

    Warns
    -----
    AccuracyWarning
        The residual of x is larger than the bound.
    IllConditionedWarning
        The residual is small, but fewer than 3 digits of x are sure: A is singular to rounding, or nearly so.

    Notes
    -----
    The GIL is free during the solve; Ctrl-C takes effect within a second. Every answer is checked by its residual, which the host computes
    in float64. On a CPU device the calling thread solves one system of up to 512 unknowns by the library's LU for the host, because waking
    up the device takes longer. The first call on a device builds kernels, which are kept on disk.

    Examples
    --------
    >>> import numpy as np, clgauss
    >>> a = np.array([[0.0, 2.0], [1.0, 1.0]])
    >>> clgauss.solve(a, [4.0, 5.0])
    array([3., 2.])
    >>> x, report = clgauss.solve(a, np.eye(2), full_output=True)
    >>> x
    array([[-0.5,  1. ],
           [ 0.5,  0. ]])
    >>> report.status, report.rcond
    ('ok', 0.3333333333333333)
    >>> clgauss.solve([[0.0, 1.0], [1.0, 0.0]], [2.0, 3.0], method="ldlt", full_output=True)[1].inertia
    (1, 1, 0)
    >>> clgauss.solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0])
    Traceback (most recent call last):
        ...
    numpy.linalg.LinAlgError: Singular matrix: the pivot of column 1 (from 0) is zero
    """
    if _opencl.is_array(a) or _opencl.is_array(b):
        if method != "auto":
            raise ValueError("method cannot be chosen for arrays of pyopencl")
        return _solve_arrays_of_opencl(a, b, device, transposed, (overwrite_a, overwrite_b))
    if accuracy == "double" and method == "auto" and not full_output and assume_a == "gen" and not transposed:
        x: Any = context_of(device)._session.solve_at_once(a, b)
        if x is not None:
            return x
    a = numbers(a, complex_too=True)
    b = numbers(b, complex_too=True)
    n = require_square(a)
    b, vector = as_columns(b, n)
    if accuracy not in ("double", "single", "max"):
        raise ValueError(f'accuracy is "single", "double" or "max", not {accuracy!r}')
    assumed, has_triangle = _method(assume_a)
    if method not in get_args(Method):
        raise ValueError(f"method is one of {', '.join(get_args(Method))}, not {method!r}")
    chosen = assumed if method == "auto" else method
    if method not in ("auto", "cholesky", "ldlt") and (a.ndim > 2 or b.ndim > 2):
        raise ValueError(f'the method of a stack is "auto", "cholesky" or "ldlt", not {method!r}')
    if has_triangle:
        a = _from_triangle(a, lower, assume_a in ("her", "hermitian", "pos", "positive definite"))
    if transposed:
        a = np.swapaxes(a, -1, -2)
    context = context_of(device)
    try:
        return _solve_numbers(context, a, b, vector, accuracy, full_output, chosen)
    except ValueError as error:
        if check_finite or is_finite(a, b):
            raise
        raise LinAlgError(str(error)) from error


def _method(assume_a: str) -> tuple[str, bool]:
    known = _METHODS.get(_NAMES.get(assume_a, assume_a))
    if known is None:
        raise ValueError(f'assume_a is "gen", "sym", "her" or "pos", not {assume_a!r}')
    return known


def _from_triangle(a: NDArray[Any], lower: bool, hermitian: bool) -> NDArray[Any]:
    """The whole symmetric or Hermitian matrix of which one triangle is given. As in LAPACK, the diagonal of a Hermitian one is real."""
    triangle = np.tril(a, -1) if lower else np.triu(a, 1)
    other = np.swapaxes(triangle, -1, -2)
    whole: NDArray[Any] = triangle + (other.conj() if hermitian else other)
    diagonal = np.arange(a.shape[-1])
    numbers = a[..., diagonal, diagonal]
    whole[..., diagonal, diagonal] = numbers.real if hermitian else numbers
    return whole


def _solve_arrays_of_opencl(a: Any, b: Any, device: Any, transposed: bool, overwrite: tuple[bool, bool]) -> Any:
    if not (_opencl.is_array(a) and _opencl.is_array(b)):
        raise TypeError("a and b must both be arrays of pyopencl, or neither")
    factors = lu(a if overwrite[0] else a.copy(), device=device)
    if factors.singular_column is not None:
        refuse("singular", factors.singular_column, np.empty(0))
    return factors.solve(b if overwrite[1] else b.copy(), trans="T" if transposed else "N")


def _solve_numbers(
    context: Context, a: NDArray[Any], b: NDArray[Any], vector: bool, accuracy: Accuracy, full_output: bool, method: str
) -> Any:
    n = a.shape[-1]
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        return _solve_complex(context, a, b, vector, accuracy, full_output, method)
    dtype = FLOAT32 if a.dtype is FLOAT32 and b.dtype is FLOAT32 else FLOAT64
    report: Report | BatchReport | list[Report]
    if a.ndim == 2 and b.ndim == 2:
        x = np.empty(b.shape, dtype)
        report = _solve_one(context, a, b, x, accuracy, full_output, method)
    else:
        leading = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        x = np.empty(leading + b.shape[-2:], dtype)
        report = _solve_stack(
            context,
            np.broadcast_to(a, leading + a.shape[-2:]).reshape((-1, n, n)) if x.size else a,
            np.broadcast_to(b, x.shape).reshape((-1, *b.shape[-2:])) if x.size else b,
            x,
            accuracy,
            full_output,
            method,
        )
    if vector:
        x = x[..., 0]
    return (x, report) if full_output else x


@overload
def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    rcond: float | None = ...,
    ridge: float = ...,
    weights: ArrayLike | None = ...,
    *,
    device: str | Context = ...,
    accuracy: Accuracy = ...,
    full_output: Literal[False] = ...,
) -> tuple[NDArray[Any], NDArray[Any], Any, None]: ...
@overload
def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    rcond: float | None = ...,
    ridge: float = ...,
    weights: ArrayLike | None = ...,
    *,
    device: str | Context = ...,
    accuracy: Accuracy = ...,
    full_output: Literal[True],
) -> tuple[NDArray[Any], NDArray[Any], Any, None, Any]: ...
def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    rcond: float | None = None,
    ridge: float = 0.0,
    weights: ArrayLike | None = None,
    *,
    device: str | Context = "auto",
    accuracy: Accuracy = "double",
    full_output: bool = False,
) -> Any:
    """Least squares: the x of least norm among those with the least ``||b - a @ x||``.

    Parameters
    ----------
    a : (..., m, n) array_like
        As for `solve`. The problems of a stack are solved one after the other.
    b : (m,) or (..., m, k) array_like
        A vector, or k right-hand sides. Leading dimensions are broadcast, as by `solve`; NumPy's lstsq has none.
    rcond : float, optional
        The tolerance of the rank, below 1: what is below this share of the largest counts as 0. By default eps max(m, n), with the eps of
        the type of the factors; a negative value means eps, as in NumPy.
    ridge : float, optional
        ``ridge * ||x||^2`` is added to what x minimizes; finite, at least 0.
    weights : (m,) array_like, optional
        x minimizes ``sum(weights * (b - a @ x)**2)``; finite, at least 0.
    device : str or Context, optional
        See `Context`.
    accuracy : {"double", "single"}, optional
        As for `solve`; on a device without double precision x is refined to it.
    full_output : bool, optional
        Also return a report.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray; (..., n) for a vector b
        Float32 if both a and b are, else float64.
    residuals : (..., k) ndarray
        Squares of ``||b - a @ x||``, without ridge and weights. Empty, as in NumPy, if the rank (in a stack: any rank) is below n or
        m <= n, unless there is a ridge.
    rank : int, or (...) ndarray of a stack
        Numerical rank of a; with a ridge, or weights of 0, that of the matrix that is factored in its place.
    s : None
        In the place of NumPy's singular values, which are not computed.
    report : LeastSquaresReport, or list of these for a stack
        With ``full_output``.

    Notes
    -----
    The method is a QR factorisation; for a deficient rank with a QR of R and a second factorisation (as LAPACK's gelsy, whose rank may be smaller). Unlike
    `numpy.linalg.lstsq` it equilibrates the columns of a (its rows, if it has more columns) before it finds the rank: a small column does not
    count as 0. With ridge and weights the rows ``sqrt(weights) * a`` are factored above (for m < n beside) ``sqrt(ridge)`` times the
    identity; ``a.T @ a`` is never formed.

    Examples
    --------
    >>> import clgauss
    >>> x, residuals, rank, _ = clgauss.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], [1.0, 3.0, 4.0, 4.0])
    >>> x.round(12), rank
    (array([1.5, 1. ]), 2)
    >>> clgauss.lstsq([[1.0], [1.0], [1.0]], [0.0, 6.0, 3.0], ridge=1.0, weights=[1, 4, 0])[0].round(12)
    array([4.])
    """
    a = numbers(a)
    b = numbers(b)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    b, vector = as_columns(b, a.shape[-2])
    if accuracy not in ("double", "single"):
        raise ValueError(f'accuracy is "single" or "double", not {accuracy!r}')
    if rcond is not None and not rcond < 1:
        raise ValueError(f"rcond is {rcond}; it must be below 1")
    if rcond is not None and rcond < 0:
        rcond = float(np.finfo(FLOAT32 if accuracy == "single" else FLOAT64).eps)
    weights = None if weights is None else np.asarray(weights, FLOAT64)
    if weights is not None and weights.shape != a.shape[-2:-1]:
        raise ValueError(f"weights have the shape {weights.shape}, not {a.shape[-2:-1]}")
    context = context_of(device)
    dtype = FLOAT32 if a.dtype is FLOAT32 and b.dtype is FLOAT32 else FLOAT64
    leading = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = np.broadcast_to(a, leading + a.shape[-2:]), np.broadcast_to(b, leading + b.shape[-2:])
    m, n, k = *a.shape[-2:], b.shape[-1]
    x = np.empty((*leading, n, k), dtype)
    reports = []
    for place in np.ndindex(leading):
        told: Any = context._session.least_squares(
            a[place], b[place], x[place], accuracy, rcond, float(ridge), [] if weights is None else list(weights)
        )
        _judge(told["status"], f" of problem {list(place)}" if leading else "", told["scaled_residual"], a[place], b[place])
        reports.append(LeastSquaresReport(device=context.device.name, **told))
    squares = ridge > 0 or (n < m and all(report.rank == n for report in reports))
    norms = [report.residual_norms if squares else [] for report in reports]
    residuals = np.array(norms, dtype).reshape((*leading, k if squares else 0)) ** 2
    ranks = np.array([report.rank for report in reports], np.intp).reshape(leading)
    answer = (x[..., 0] if vector else x, residuals, ranks if leading else reports[0].rank, None)
    if not full_output:
        return answer
    return (*answer, reports if leading else reports[0])


@overload
def solve_many(
    a: Iterable[ArrayLike], b: Iterable[ArrayLike], *, device: str | Context = ..., accuracy: Accuracy = ..., full_output: Literal[False] = ...
) -> list[NDArray[Any]]: ...
@overload
def solve_many(
    a: Iterable[ArrayLike], b: Iterable[ArrayLike], *, device: str | Context = ..., accuracy: Accuracy = ..., full_output: Literal[True]
) -> tuple[list[NDArray[Any]], list[Report]]: ...
def solve_many(
    a: Iterable[ArrayLike], b: Iterable[ArrayLike], *, device: str | Context = "auto", accuracy: Accuracy = "double", full_output: bool = False
) -> Any:
    """Solve ``a[i] @ x[i] = b[i]`` for systems of different sizes in one call.

    Systems of similar n are solved together on the device; on a CPU device each core solves one system after the other. Of systems of one
    size `solve` takes a stack. With ``accuracy="single"`` a GPU solves nearly every system once more by itself, for its warning: f32 leaves
    some doubt of most.

    Parameters
    ----------
    a : sequence of (n, n) array_like
        Real matrices, each with an n of its own, as for `solve`.
    b : sequence of (n,) or (n, k) array_like
        For each matrix a vector, or k right-hand sides.
    device, accuracy
        As for `solve`.
    full_output : bool, optional
        Also return reports. A system that fails then raises nothing: its x is NaN, and the status of its report says why.

    Returns
    -------
    x : list of ndarray
        In the order of a, each as `solve` returns it.
    reports : list of Report
        With ``full_output``. rcond is there for those systems that may be near to a singular one; `pivots` is empty for the others.
        Statuses beside those of `Report`: ``"singular"``, also where a holds NaN or Inf, and ``"overflow"``.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError, DeviceError
        As `solve`; a LinAlgError, ValueError or TypeError names the system, counted from 0.

    Warns
    -----
    AccuracyWarning, IllConditionedWarning
        As `solve`.

    Examples
    --------
    >>> import numpy as np, clgauss
    >>> x = clgauss.solve_many([[[2.0]], np.eye(2), [[0.0, 1.0], [1.0, 0.0]]], [[6.0], [1.0, 2.0], [3.0, 4.0]])
    >>> [one.tolist() for one in x]
    [[3.0], [1.0, 2.0], [4.0, 3.0]]
    >>> x, reports = clgauss.solve_many([np.eye(1), np.zeros((2, 2))], [[5.0], [1.0, 1.0]], full_output=True)
    >>> [report.status for report in reports], x[1]
    (['ok', 'singular'], array([nan, nan]))
    """
    matrices, columns, vectors = _systems(list(a), list(b))
    if accuracy not in get_args(Accuracy):
        raise ValueError(f'accuracy is "single", "double" or "max", not {accuracy!r}')
    context = context_of(device)
    x = [
        np.full(one_b.shape, np.nan, FLOAT32 if one_a.dtype is FLOAT32 and one_b.dtype is FLOAT32 else FLOAT64)
        for one_a, one_b in zip(matrices, columns)
    ]
    reports = []
    for i, told in enumerate(context._session.solve_many(matrices, columns, x, accuracy, full_output)):
        if told is None:
            continue
        failed, doubt = told.pop("failed_column"), told.pop("doubt")
        finite = told["status"] == "ok" or is_finite(matrices[i], columns[i])
        if not finite and not full_output:
            raise ValueError(f"system {i}: array must not contain infs or NaNs")
        if not full_output or (finite and told["status"] == "inaccurate"):
            _judge(told["status"], f" of system {i}{_where(told['status'], failed)}", told["scaled_residual"], matrices[i], columns[i])
        if told["status"] == "ok":
            told["status"] = warn_of(doubt, told["rcond"], f" of system {i}")
        told["pivots"] = np.array(told["pivots"], dtype=np.intp)
        reports.append(Report(device=context.device.name, **told))
    answers = [one[:, 0] if vector else one for one, vector in zip(x, vectors)]
    return (answers, reports) if full_output else answers


def _systems(a: list[Any], b: list[Any]) -> tuple[list[NDArray[Any]], list[NDArray[Any]], list[bool]]:
    """The matrices, the right-hand sides as matrices, and which of these are vectors; an error names its system."""
    if len(a) != len(b):
        raise ValueError(f"a has {len(a)} matrices, b has {len(b)}")
    matrices, columns, vectors = [], [], []
    for i, (one_a, one_b) in enumerate(zip(a, b)):
        try:
            matrix = numbers(one_a)
            n = require_square(matrix)
            column, vector = as_columns(numbers(one_b), n)
            if matrix.ndim > 2 or column.ndim > 2:
                raise ValueError("a stack of systems of one size is for solve()")
        except (ValueError, TypeError) as error:
            raise type(error)(f"system {i}: {error}") from error
        matrices.append(matrix)
        columns.append(column)
        vectors.append(vector)
    return matrices, columns, vectors


def _solve_one(
    context: Context, a: NDArray[Any], b: NDArray[Any], x: NDArray[Any], accuracy: Accuracy, full_output: bool, method: str = "auto"
) -> Any:
    if not x.size:
        return _empty_report(context, accuracy) if full_output else None
    told: Any = context._session.solve(a, b, x, accuracy, full_output, method)
    if told is None:
        return None
    return judged_report(context, told, a, b)


def judged_report(context: Context, told: dict[str, Any], a: NDArray[Any], b: NDArray[Any], warns: bool = True) -> Report:
    """The report of a system that has an answer; warns of a residual that is too large, else of ill-conditioning."""
    failed, doubt = told.pop("failed_column"), told.pop("doubt")
    _judge(told["status"], _where(told["status"], failed), told["scaled_residual"], a, b)
    if told["status"] == "ok" and warns:
        told["status"] = warn_of(doubt, told["rcond"])
    told["pivots"] = np.array(told["pivots"], dtype=np.intp)
    return Report(device=context.device.name, **told)


def _solve_complex(
    context: Context, a: NDArray[Any], b: NDArray[Any], vector: bool, accuracy: Accuracy, full_output: bool, method: str
) -> Any:
    leading = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.empty(leading + b.shape[-2:], COMPLEX128)
    n = a.shape[-1]
    whole_a, whole_b = np.broadcast_to(a, leading + a.shape[-2:]), np.broadcast_to(b, x.shape)
    report: Any
    together = method != "ldlt" and _are_solved_together(context, n, core().largest_complex_batched_system, accuracy, method)
    if leading and x.size and together:
        flat_a, flat_b = whole_a.reshape((-1, n, n)), whole_b.reshape((-1, *b.shape[-2:]))
        report = _solve_together(context, flat_a, flat_b, x.reshape(flat_b.shape), accuracy, full_output, method)
    else:
        report = []
        for place in np.ndindex(leading):
            one_a, one_b = whole_a[place], whole_b[place]
            if not one_b.size:
                report.append(_empty_report(context, accuracy))
                continue
            told: Any = context._session.solve_complex(
                parts(one_a), parts(one_b), x[place].view(FLOAT64), accuracy, full_output, method
            )
            report.append(judged_report(context, told, one_a, one_b))
        report = report if leading else report[0]
    single = all(array.dtype in (COMPLEX64, FLOAT32) for array in (a, b))
    if single:
        x = to_single(x)
    if vector:
        x = x[..., 0]
    return (x, report) if full_output else x


def _solve_stack(
    context: Context, a: NDArray[Any], b: NDArray[Any], x: NDArray[Any], accuracy: Accuracy, full_output: bool, method: str
) -> Any:
    if not x.size:
        return []
    flat = x.reshape((-1, *x.shape[-2:]))
    if not _are_solved_together(context, a.shape[-1], core().largest_batched_system, accuracy, method):
        return [_solve_one(context, *system, accuracy, full_output, method) for system in zip(a, b, flat)]
    return _solve_together(context, a, b, flat, accuracy, full_output, method)


def _are_solved_together(context: Context, n: int, largest: int, accuracy: Accuracy, method: str) -> bool:
    if method == "ldlt":
        largest = min(largest, core().largest_symmetric_batched_system)
    together = ("auto", "cholesky", "ldlt")
    return n <= largest and method in together and (accuracy == "single" or (accuracy == "double" and context.device.fp64))


def _solve_together(
    context: Context, a: NDArray[Any], b: NDArray[Any], x: NDArray[Any], accuracy: Accuracy, full_output: bool, method: str
) -> BatchReport:
    """Stacks of three dimensions, of real or complex numbers, by LU, Cholesky or L D L^T; x becomes the answer."""
    is_complex = x.dtype.kind == "c"
    of_session = (parts(a), parts(b), x.view(FLOAT64)) if is_complex else (a, b, x)
    told = context._session.solve_batch(*of_session, accuracy, full_output, is_complex, method)
    singular, columns, overflowed = (told.pop(key) for key in ("singular", "failed_columns", "overflowed"))
    where = ""
    if told["status"] == "singular":
        where = f": of system {singular[0]} the pivot of column {columns[0]} (from 0) is zero"
    elif told["status"] == "not_positive_definite":
        where = f" of column {columns[0]} (from 0) of system {singular[0]}"
    elif told["status"] == "overflow":
        where = f" of system {overflowed[0]}"
    _judge(told["status"], where, told["scaled_residual"], a, b)
    doubtful = told.pop("doubtful_system")
    if told["status"] == "ok" and doubtful is not None:
        told["status"] = _doubt_about(context, a, b, doubtful, accuracy)
    return BatchReport(device=context.device.name, **told)


def _doubt_about(context: Context, a: NDArray[Any], b: NDArray[Any], system: int, accuracy: Accuracy) -> str:
    """Estimates the error of the system of a stack that is nearest to a singular one; returns the status of the stack."""
    one_a, one_b = a[system], b[system]
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        of_parts = parts(one_a), parts(one_b)
        told: Any = context._session.solve_complex(*of_parts, np.empty_like(of_parts[1]), accuracy, True, "auto")
    else:
        told = context._session.solve(one_a, one_b, np.empty(one_b.shape, FLOAT64), accuracy, True, "auto")
    return warn_of(told["doubt"], told["rcond"], f" of system {system}")


def _where(status: str, failed: int | None) -> str:
    """The column that failed, as text for `_judge`."""
    if failed is None:
        return ""
    if status == "singular":
        return f": the pivot of column {failed} (from 0) is zero"
    return f" of column {failed} (from 0)" if status == "not_positive_definite" else f" in column {failed} (from 0)"


def refuse(status: str, failed: int | None, a: NDArray[Any]) -> None:
    """The exception for a matrix without an answer."""
    _judge(status, _where(status, failed), math.nan, a, a)


def _judge(status: str, where: str, scaled_residual: float, a: NDArray[Any], b: NDArray[Any]) -> None:
    """Raises or warns if the status is not "ok"."""
    if status == "ok":
        return
    if not is_finite(a, b):
        raise ValueError("array must not contain infs or NaNs")
    if status == "singular":
        raise LinAlgError("Singular matrix" + where)
    if status == "not_positive_definite":
        raise LinAlgError(f"Matrix is not positive definite: the pivot{where} is not positive")
    if status == "overflow":
        raise LinAlgError(f"the numbers{where} leave the range of the type")
    warn(f"the answer is inaccurate: its scaled residual is {scaled_residual:.3g}, or not all its digits are known", AccuracyWarning)


def _empty_report(context: Context, accuracy: Accuracy) -> Report:
    pivots = np.empty(0, np.intp)
    return Report(context.device.name, "ok", "lu", "", "f64", accuracy, "partial", pivots, 0.0, 0.0, 1.0, [], 0, None, {"total": 0.0})
