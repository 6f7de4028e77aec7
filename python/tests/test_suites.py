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


WITHOUT_METHODS = ("diagonal", "tridiagonal", "banded", "lower triangular", "upper triangular")


def solve(a, b, *, assume_a=None, transposed=False, **options):
    """clgauss.solve by the name of scipy.linalg.solve; what only that has is skipped."""
    if assume_a in WITHOUT_METHODS:
        pytest.skip("clgauss has no method for matrices of zeros in known places")
    if np.ndim(a) < 2 and assume_a is None:
        pytest.skip("scalars, which are LinAlgErrors as in NumPy")
    try:
        x = clgauss.solve(a, b, assume_a=assume_a or "gen", transposed=transposed, **options)
    except np.linalg.LinAlgError as error:  # SciPy writes it small
        raise np.linalg.LinAlgError(str(error).lower()) from error
    if transposed and np.iscomplexobj(a):
        np.testing.assert_allclose(np.swapaxes(a, -1, -2) @ x, b, rtol=1e-9)
        raise NotImplementedError("scipy.linalg.solve can currently not do what clgauss has done")
    return x


class TestSolveOfScipy(of_scipy.TestSolve):
    @pytest.fixture(autouse=True)
    def _replace(self, monkeypatch):
        monkeypatch.setattr(of_scipy, "solve", solve)

    test_ill_condition_warning = None  # the condition is in the report
    test_diagonal = test_tridiagonal = None  # the same
    test_overwrite_args = None  # arrays of NumPy are never overwritten: test_arrays_stay_as_they_are
    test_singular_scalar = None  # numbers for b, which are ValueErrors as in NumPy

    @pytest.mark.parametrize("structure", ["symmetric", "hermitian", "general", None])
    def test_exactly_singular_gh22263(self, structure):  # of a positive definite matrix the message says that it is not
        super().test_exactly_singular_gh22263(structure)


@pytest.mark.parametrize("n", [3, 600])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("transposed", [False, True])
def test_arrays_stay_as_they_are(n, order, transposed):
    a = np.asarray(np.random.default_rng(3).standard_normal((n, n)) + n * np.eye(n), order=order)
    b = np.asarray(a[:, :2], order=order)
    given = a.copy(), b.copy()
    x = clgauss.solve(a, b, overwrite_a=True, overwrite_b=True, transposed=transposed)
    np.testing.assert_allclose((a.T if transposed else a) @ x, b, atol=1e-10)
    assert np.array_equal(a, given[0]) and np.array_equal(b, given[1])
    assert not np.shares_memory(x, b)


def lu_factor(a, check_finite=True):
    factors = clgauss.lu(a)
    return factors, factors.pivots


def lu_solve(lu_and_piv, b, check_finite=True):
    factors, pivots = lu_and_piv
    if not isinstance(factors, clgauss.LU):
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
