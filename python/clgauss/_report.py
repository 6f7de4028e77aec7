"""The reports that ``full_output`` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Report:
    """How an answer was computed, and how good it is.

    Attributes
    ----------
    device : str
        Name of the device.
    status : str
        ``"ok"``; ``"inaccurate"``: the scaled residual is above 16, or ``accuracy="max"`` was not reached; ``"ill_conditioned"``: the
        residual is small, but the bound of the forward error leaves fewer than 3 digits; ``"nearly_singular"``: the bound leaves none, and rcond
        is below eps.
    method : str
        The method that computed x: ``"ldlt"``, ``"cholesky"``, ``"lu"``, ``"mixed"`` (factors in f32, x refined to the accuracy of f64), ``"rbt"`` (the same between random
        butterflies) or ``"gauss"`` (elimination, where a device runs no LU).
    passed_over : str
        Why the method that was tried first failed; empty if it did not.
    factors : str
        ``"f32"`` or ``"f64"``; for a complex system ``"c32"`` or ``"c64"``, pairs of these.
    accuracy : str
        The precision of the backward error: ``"single"``, ``"double"`` or ``"max"``.
    pivoting : str
        ``"partial"``, ``"rook"`` (``"ldlt"``, where its pivots grew), ``"tournament"`` or ``"none"``.
    pivots : ndarray of intp
        Row j was exchanged with row ``pivots[j]``, as in `scipy.linalg.lu_factor`; empty where x is not of ``P A = L U`` (``"rbt"``,
        or the host's LAPACK on a device without float64).
    backward_error : float
        ``||b - A x|| / (||A|| ||x|| + ||b||)`` in infinity norms, of the worst right-hand side, computed in f64 on the host.
    scaled_residual : float
        The backward error over ``n eps``, as in the HPL benchmark; up to 16 is accepted.
    rcond : float or None
        Reciprocal condition number of A in the 1-norm, estimated; None if there is no estimate.
    forward_error : list of float or None
        Bounds of ``||x - x_true|| / ||x||`` for every right-hand side, estimated.
    corrections : int
        Steps of refinement.
    inertia : tuple of int or None
        How many eigenvalues are above, below and at 0, from the pivots of ``"ldlt"``; None for other methods.
    times : dict of str to float
        Seconds of wall clock by part, and their ``"total"``.
    """

    device: str
    status: str
    method: str
    passed_over: str
    factors: str
    accuracy: str
    pivoting: str
    pivots: NDArray[np.intp] = field(repr=False, compare=False)
    backward_error: float
    scaled_residual: float
    rcond: float | None
    forward_error: list[float] | None
    corrections: int
    inertia: tuple[int, int, int] | None
    times: dict[str, float]


@dataclass(frozen=True)
class BatchReport:
    """The report of a stack of small systems that were solved together; its numbers are those of the worst system.

    Attributes
    ----------
    device, status, factors, backward_error, scaled_residual, rcond, times
        As in `Report`.
    worst_system : int or None
        The system with that residual, counted along the flattened leading dimensions.
    kernel : str
        The kernel that ran on the device.
    inertias : list of tuple of int, or None
        With ``method="ldlt"``: how many eigenvalues of each system are positive, negative and zero.
    solved_again : list of int
        With ``method="ldlt"``: the systems whose pivots grew so far that they were solved again, one by one, with rook pivoting.
    """

    device: str
    status: str
    factors: str
    backward_error: float
    scaled_residual: float
    rcond: float | None
    times: dict[str, float]
    worst_system: int | None
    kernel: str
    inertias: list[tuple[int, int, int]] | None
    solved_again: list[int]


@dataclass(frozen=True)
class Certificate:
    """An answer and proven bounds of its error: every rounding error is counted, nothing is estimated.

    Attributes
    ----------
    x : ndarray
        The answer, as `solve` returns it.
    bounds : ndarray
        ``abs(x_true - x) <= bounds``, element by element, where x_true solves a and b as they are in float64; inf if nothing is proven.
    proven : bool
        A is not singular, and the bounds hold.
    digits : float
        Decimal digits proven of every element of x that is not 0; 0 if nothing is proven.
    norm_digits : float
        Digits proven of the largest element of x, for the worst right-hand side.
    norm_bound : float
        A bound of ``||I - R A||``, where R is the computed inverse; below 1 if proven.
    reason : str
        Why nothing is proven; empty if it is.
    report : Report or None
        As `solve` returns it, with the estimates; None of an inverse.
    """

    x: NDArray[Any]
    bounds: NDArray[np.float64]
    proven: bool
    digits: float
    norm_digits: float
    norm_bound: float
    reason: str
    report: Report | None = field(repr=False, compare=False)


@dataclass(frozen=True)
class DetCertificate:
    """What is proven about a determinant, every rounding error counted.

    Attributes
    ----------
    proven : bool
        A is not singular, and the rest holds.
    sign : int or complex
        The sign of the determinant, 1 or -1; 0 if nothing is proven. Of a complex matrix, a complex number of modulus 1, as in
        `slogdet`.
    sign_bound : float
        ``abs(det / abs(det) - sign) <= sign_bound < 1``: 0 for a real matrix; infinity if nothing is proven.
    log10_low, log10_high : float
        ``log10_low <= log10(abs(det)) <= log10_high``; NaN if nothing is proven.
    norm_bound : float
        A bound of a norm that shows that A is not singular; below 1 if proven.
    reason : str
        Why nothing is proven; empty if it is.
    """

    proven: bool
    sign: int | complex
    sign_bound: float
    log10_low: float
    log10_high: float
    norm_bound: float
    reason: str


@dataclass(frozen=True)
class LeastSquaresReport:
    """The report of `lstsq`.

    Attributes
    ----------
    device : str
        Name of the device.
    status : str
        ``"ok"``, or ``"inaccurate"``: the scaled residual is above 16.
    factors : str
        ``"f32"`` or ``"f64"``.
    accuracy : str
        The precision of the check of x: ``"single"`` or ``"double"``.
    residual_norms : list of float
        ``||b - A x||`` in the 2-norm, for every right-hand side, without ridge and weights.
    objective_norms : list of float
        Roots of what x minimizes: ``sum(weights * (b - A x)**2) + ridge * ||x||^2``.
    scaled_residual : float
        For m >= n, ``||A^T r|| / (eps m ||A^T|| (||A|| ||x|| + ||b||))`` with r = b - A x; for m < n and full rank that of
        `solve` with ``eps n``. With a ridge or weights it is that of the larger matrix that is factored, and so are rcond and rank.
    rcond : float
        Reciprocal condition number of R in the 1-norm, estimated, of A with its columns (for m < n its rows) equilibrated.
    rank : int
        Numerical rank.
    nullity : int
        n - rank, the dimension of the null space; with a ridge min(m, n) - rank.
    tolerance : float
        The tolerance of the rank: `rcond` of `lstsq`, or eps max(m, n).
    corrections : int
        Steps of refinement.
    times : dict of str to float
        Seconds of wall clock by part, and their ``"total"``.
    """

    device: str
    status: str
    factors: str
    accuracy: str
    residual_norms: list[float]
    objective_norms: list[float]
    scaled_residual: float
    rcond: float
    rank: int
    nullity: int
    tolerance: float
    corrections: int
    times: dict[str, float] = field(repr=False, compare=False)
