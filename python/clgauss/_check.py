"""How good an answer by kept factors is, from a copy of A on the host."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of HPL: ||b - A x|| / (eps n (||A|| ||x|| + ||b||)), infinity norms.
BOUND = 16.0
_ELEMENTS_AT_ONCE = 1 << 22


class AccuracyWarning(RuntimeWarning):
    """The residual of an answer is larger than it should be."""


class Checker:
    """A copy of A, in its own type, and its norms."""

    def __init__(self, a: NDArray[Any]) -> None:
        self._a = np.array(a)
        self._eps = float(np.finfo(a.dtype).eps)
        largest = float(np.max(np.abs(self._a)))
        # A times this power of two has elements of at most 1, so that no sum overflows.
        self._scale = math.ldexp(1.0, -math.frexp(largest)[1]) if 0 < largest < math.inf else 1.0
        rows = [float(np.max(np.abs(block).sum(axis=1))) for _, block in self._blocks()]
        columns = np.zeros(a.shape[0])
        for _, block in self._blocks():
            columns += np.abs(block).sum(axis=0)
        self._norms = (max(rows), float(np.max(columns)))  # of A and of its transpose

    def _blocks(self) -> Any:
        """Slices of rows, and the rows of the scaled A in float64."""
        step = max(1, _ELEMENTS_AT_ONCE // self._a.shape[0])
        for first in range(0, self._a.shape[0], step):
            rows = slice(first, first + step)
            yield rows, self._a[rows].astype(np.float64) * self._scale

    def residual(self, b: NDArray[Any], x: NDArray[Any], transposed: bool) -> NDArray[np.float64]:
        """``b - A x`` times the scale, in float64."""
        result = b.astype(np.float64) * self._scale
        wide = x.astype(np.float64)
        for rows, block in self._blocks():
            if transposed:
                result -= block.T @ wide[rows]
            else:
                result[rows] -= block @ wide
        return result

    def scaled(self, residual: NDArray[np.float64], b: NDArray[Any], x: NDArray[Any], transposed: bool) -> float:
        """The largest scaled residual of all columns; NaN where there is one in x."""
        largest = [np.max(np.abs(array), axis=0).astype(np.float64) for array in (residual, x, b)]
        size = self._norms[transposed] * largest[1] + largest[2] * self._scale
        scaled = np.where(largest[0] == 0, 0.0, largest[0] / (self._eps * len(x) * np.where(size == 0, 1.0, size)))
        return float(np.max(scaled))

    def unscaled(self, residual: NDArray[np.float64]) -> NDArray[np.float64]:
        return residual / self._scale

    def of_inverse(self, inverse: NDArray[Any]) -> float:
        """The scaled residual of ``A X = I`` by a vector of signs, which costs n^2 and not n^3."""
        n = len(inverse)
        signs = np.where(np.random.default_rng(1995).random((n, 1)) < 0.5, -1.0, 1.0)
        y = inverse.astype(np.float64) @ signs
        residual = float(np.max(np.abs(self.residual(signs, y, False))))
        norm = max(float(np.max(np.abs(part.astype(np.float64)).sum(axis=1))) for part in np.array_split(inverse, max(1, n * n // _ELEMENTS_AT_ONCE)))
        return residual / (self._eps * n * (self._norms[0] * norm + self._scale))
