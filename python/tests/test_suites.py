"""The test cases that NumPy and SciPy bring for their own solve and lu_solve."""

import numpy as np
import pytest
import scipy.linalg
from numpy.linalg.tests import test_linalg as of_numpy
from scipy.linalg.tests import test_basic as of_scipy
from scipy.linalg.tests import test_decomp_lu as of_scipy_lu

import clgauss

NUMPYS = [
    case
    for case in of_numpy.CASES
    if "square" in case.tags and case.b is not None and not np.iscomplexobj(case.a) and not np.iscomplexobj(case.b)
]
assert len(NUMPYS) > 100


def test_cases_of_numpy():
    """Thousands, most of them of strides."""
    for case in NUMPYS:
        expected = np.asarray(np.linalg.solve(case.a, case.b))
        x = clgauss.solve(case.a, case.b)
        assert (x.shape, x.dtype) == (expected.shape, expected.dtype), case.name
        np.testing.assert_allclose(x, expected, rtol=1e-5 if x.dtype == np.float32 else 1e-10, err_msg=case.name)


def has_complex(*arrays):
    return any(np.iscomplexobj(array) for array in arrays)


def solve(a, b, *, assume_a=None, transposed=False, overwrite_a=False, overwrite_b=False, check_finite=True, lower=False):
    """clgauss.solve by the name of scipy.linalg.solve; what only that has is skipped."""
    if has_complex(a, b):
        pytest.skip("complex numbers")
    if assume_a not in (None, "gen", "general") or lower:
        pytest.skip("matrices of a known structure")
    if overwrite_a or overwrite_b:
        pytest.skip("nothing is overwritten")
    if np.ndim(a) < 2:
        pytest.skip("scalars, which are LinAlgErrors as in NumPy")
    try:
        return clgauss.solve(np.swapaxes(a, -1, -2) if transposed else a, b)
    except np.linalg.LinAlgError as error:  # SciPy writes it small
        raise np.linalg.LinAlgError(str(error).lower()) from error


class TestSolveOfScipy(of_scipy.TestSolve):
    @pytest.fixture(autouse=True)
    def _replace(self, monkeypatch):
        monkeypatch.setattr(of_scipy, "solve", solve)

    test_ill_condition_warning = None  # the condition is in the report
    test_diagonal = test_tridiagonal = None  # the same
    test_singular_scalar = None  # numbers for b, which are ValueErrors as in NumPy


def lu_factor(a, check_finite=True):
    if has_complex(a):
        pytest.skip("complex numbers")
    factors = clgauss.lu(a)
    return factors, factors.pivots


def lu_solve(lu_and_piv, b, check_finite=True):
    factors, pivots = lu_and_piv
    if not isinstance(factors, clgauss.LU):
        if has_complex(factors, b):
            pytest.skip("complex numbers")
        assert np.array_equal(factors, np.eye(len(factors)))  # test_empty gives factors, which are their own matrix
        factors = clgauss.lu(factors)
    return factors.solve(b)


class TestLUSolveOfScipy(of_scipy_lu.TestLUSolve):
    @pytest.fixture(autouse=True)
    def _replace(self, monkeypatch):
        monkeypatch.setattr(of_scipy_lu, "lu_factor", lu_factor)
        monkeypatch.setattr(of_scipy_lu, "lu_solve", lu_solve)


def test_something_was_replaced(monkeypatch):
    monkeypatch.setattr(of_scipy, "solve", solve)
    assert of_scipy.solve is not scipy.linalg.solve
