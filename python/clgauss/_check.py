"""The check of answers by kept factors, from a copy of A on the host."""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of HPL: ||b - A x|| / (eps n (||A|| ||x|| + ||b||)), infinity norms.
BOUND = 16.0
_ELEMENTS_AT_ONCE = 1 << 22


class AccuracyWarning(RuntimeWarning):
    """The residual of an answer is above the bound."""


class IllConditionedWarning(RuntimeWarning):
    """The residual of an answer is small, but A is so nearly singular that fewer than 3 digits of x are sure."""


def warn(message: str, category: type[Warning]) -> None:
    """Warns, with the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "clgauss":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of(doubt: str, rcond: float | None, where: str = "") -> str:
    """Warns of an ill-conditioned matrix; returns the status of the report."""
    if doubt not in ("nearly_singular", "few_digits"):
        return "ok"
    kind, left = ("nearly singular", "x may have no correct digit") if doubt == "nearly_singular" else ("ill-conditioned", "hardly a digit of x can be relied on")
    warn(f"the matrix{where} is {kind} (rcond {rcond:.1e}): {left}", IllConditionedWarning)
    return kind.replace(" ", "_").replace("-", "_")


def doubt_of(rcond: float, dtype: np.dtype[Any]) -> str:
    """The doubt if only rcond of A is known."""
    return "none" if rcond >= np.finfo(dtype).eps / 2 else "nearly_singular"


class Checker:
    """A copy of A, in its own type, and its norms."""

    def __init__(self, a: NDArray[Any]) -> None:
        self._a = np.array(a)
        self._eps = float(np.finfo(a.dtype).eps)
        self._wide = np.result_type(a.dtype, np.float64)  # complex128 for a complex A
        largest = float(np.max(np.abs(self._a)))
        # A times this power of two, a number itself, has elements of at most 1, so that no sum overflows.
        self._scale = math.ldexp(1.0, min(-math.frexp(largest)[1], 1023)) if 0 < largest < math.inf else 1.0
        rows = [float(np.max(np.abs(block).sum(axis=1))) for _, block in self._blocks()]
        columns = np.zeros(a.shape[0])
        for _, block in self._blocks():
            columns += np.abs(block).sum(axis=0)
        self._norms = (max(rows), float(np.max(columns)))  # of A and of its transpose

    def _blocks(self) -> Any:
        """Slices of rows, and the rows of the scaled A in double precision."""
        step = max(1, _ELEMENTS_AT_ONCE // self._a.shape[0])
        for first in range(0, self._a.shape[0], step):
            rows = slice(first, first + step)
            yield rows, self._a[rows].astype(self._wide) * self._scale

    def residual(self, b: NDArray[Any], x: NDArray[Any], trans: str) -> NDArray[Any]:
        """``b - A x``, or with the transposed A ("T") or its conjugate ("C"), times the scale, in double precision."""
        of_both = np.result_type(self._wide, x.dtype, b.dtype)
        result = b.astype(of_both) * self._scale
        wide = x.astype(of_both)
        for rows, block in self._blocks():
            if trans == "N":
                result[rows] -= block @ wide
            else:
                result -= (block.conj() if trans == "C" else block).T @ wide[rows]
        return result

    def scaled(self, residual: NDArray[Any], b: NDArray[Any], x: NDArray[Any], trans: str) -> float:
        """The largest scaled residual of all columns; NaN if x holds one."""
        largest = [np.max(np.abs(array), axis=0).astype(np.float64) for array in (residual, x, b)]
        size = self._norms[trans != "N"] * largest[1] + largest[2] * self._scale
        scaled = np.where(largest[0] == 0, 0.0, largest[0] / (self._eps * len(x) * np.where(size == 0, 1.0, size)))
        return float(np.max(scaled))

    def unscaled(self, residual: NDArray[Any]) -> NDArray[Any]:
        unscaled: NDArray[Any] = residual / self._scale
        return unscaled

    def of_inverse(self, inverse: NDArray[Any]) -> float:
        """The scaled residual of ``A X = I`` by a vector of signs, which costs n^2 and not n^3."""
        n = len(inverse)
        signs = np.where(np.random.default_rng(1995).random((n, 1)) < 0.5, -1.0, 1.0)
        y = inverse.astype(self._wide) @ signs
        residual = float(np.max(np.abs(self.residual(signs, y, "N"))))
        norm = max(float(np.max(np.abs(part.astype(self._wide)).sum(axis=1))) for part in np.array_split(inverse, max(1, n * n // _ELEMENTS_AT_ONCE)))
        return residual / (self._eps * n * (self._norms[0] * norm + self._scale))
