"""What `solve` tells of an answer when it is asked for ``full_output``."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Report:
    """How an answer came about and how good it is.

    Attributes
    ----------
    device : str
        Name of the device.
    status : str
        ``"ok"``; ``"inaccurate"``: the scaled residual is above 16, or ``accuracy="max"`` was not reached; ``"ill_conditioned"``: it is
        small, but the bound of the forward error leaves fewer than 3 digits; ``"nearly_singular"``: it leaves none, and rcond is below eps.
    method : str
        What gave x: ``"ldlt"``, ``"cholesky"``, ``"lu"``, ``"mixed"`` (factors in f32, x refined to the accuracy of f64), ``"rbt"`` (the same between random
        butterflies) or ``"gauss"`` (elimination, where a device runs no LU).
    passed_over : str
        Why the method that was tried first did not do; empty if it did.
    factors : str
        ``"f32"`` or ``"f64"``; of a complex system ``"c32"`` or ``"c64"``, pairs of these.
    accuracy : str
        Of which precision the backward error is: ``"single"``, ``"double"`` or ``"max"``.
    pivoting : str
        ``"partial"``, ``"tournament"`` or ``"none"``.
    pivots : ndarray of intp
        Row j was exchanged with row ``pivots[j]``, as in `scipy.linalg.lu_factor`; empty where x is not of ``P A = L U`` (``"rbt"``,
        or the host's LAPACK on a device without float64).
    backward_error : float
        ``||b - A x|| / (||A|| ||x|| + ||b||)`` in infinity norms, of the worst right-hand side, computed in f64 on the host.
    scaled_residual : float
        The same over ``n eps``, as the HPL benchmark has it; up to 16 is accepted.
    rcond : float or None
        Reciprocal condition number of A in the 1-norm, estimated; None where it cannot be had.
    forward_error : list of float or None
        Bounds of ``||x - x_true|| / ||x||`` for every right-hand side, estimated.
    corrections : int
        Steps of refinement.
    inertia : tuple of int or None
        How many eigenvalues are above, below and at 0, by the pivots of ``"ldlt"``; None of other methods.
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
    """The same of a stack of small systems, solved together; of the worst system where one number stands for all.

    Attributes
    ----------
    device, status, factors, backward_error, scaled_residual, rcond, times
        As in `Report`.
    worst_system : int or None
        Whose residual it is, counted along the flattened leading dimensions.
    kernel : str
        What ran on the device.
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


@dataclass(frozen=True)
class Certificate:
    """An answer and what is proven of it: every rounding error is counted, nothing is estimated.

    Attributes
    ----------
    x : ndarray
        The answer, as of `solve`.
    bounds : ndarray
        ``|x_true - x| <= bounds``, element by element, x_true being that of a and b as they are in float64; inf where nothing is proven.
    proven : bool
        A is not singular, and the bounds hold.
    digits : float
        Decimal digits that the bounds leave of every element of x that is not 0; 0 where nothing is proven.
    norm_digits : float
        The same of the largest element of x, of the worst right-hand side.
    norm_bound : float
        Of ``||I - R A||``, R being the inverse that was computed; below 1 if proven.
    reason : str
        Why nothing is proven; empty if it is.
    report : Report
        As `solve` gives it, with the estimates.
    """

    x: NDArray[np.float64]
    bounds: NDArray[np.float64]
    proven: bool
    digits: float
    norm_digits: float
    norm_bound: float
    reason: str
    report: Report = field(repr=False, compare=False)


@dataclass(frozen=True)
class LeastSquaresReport:
    """What `lstsq` tells of an answer.

    Attributes
    ----------
    device : str
        Name of the device.
    status : str
        ``"ok"``, or ``"inaccurate"``: the scaled residual is above 16.
    factors : str
        ``"f32"`` or ``"f64"``.
    accuracy : str
        By which precision x is judged: ``"single"`` or ``"double"``.
    residual_norms : list of float
        ``||b - A x||`` in the 2-norm, for every right-hand side, without ridge and weights.
    objective_norms : list of float
        Roots of what x minimizes: ``sum(weights * (b - A x)**2) + ridge * ||x||^2``.
    scaled_residual : float
        For m >= n, ``||A^T r|| / (eps m ||A^T|| (||A|| ||x|| + ||b||))`` with r = b - A x; for m < n and full rank that of
        `solve` with ``eps n``. With a ridge or weights: of the larger matrix that is factored, as rcond and rank.
    rcond : float
        Reciprocal condition number of R in the 1-norm, estimated, of A with its columns (for m < n its rows) brought to one size.
    rank : int
        Numerical rank.
    nullity : int
        n - rank, the dimension of the null space; with a ridge min(m, n) - rank.
    tolerance : float
        To which the rank was judged: `rcond` of `lstsq`, or eps max(m, n).
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
