"""clgauss.lu against SciPy's lu_factor and lu_solve."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse.linalg
from conftest import scaled_residual

import clgauss


@pytest.mark.parametrize("n", [1, 2, 50, 129, 300])
@pytest.mark.parametrize("order", ["C", "F"])
def test_factors_solve_again_and_again(rng, n, order):
    a = np.asarray(rng.standard_normal((n, n)), order=order)
    factors = clgauss.lu(a)
    for b in (rng.standard_normal(n), rng.standard_normal((n, 5)), rng.standard_normal((5, n)).T):
        assert scaled_residual(a, factors.solve(b), b) <= 16
        assert scaled_residual(a.T, factors.solve(b, trans=1), b) <= 16
        assert factors.solve(b, trans="T").shape == b.shape
    assert (factors.n, factors.shape, factors.dtype) == (n, (n, n), np.float64)


def test_what_the_factors_say(rng):
    a = rng.standard_normal((60, 60))
    factors = clgauss.lu(a)
    assert np.array_equal(factors.pivots, scipy.linalg.lu_factor(a)[1])
    assert factors.det() == pytest.approx(np.linalg.det(a), rel=1e-11)
    sign, log = np.linalg.slogdet(a)
    assert factors.slogdet() == (sign, pytest.approx(log))
    assert 1 / factors.rcond() == pytest.approx(np.linalg.cond(a, 1), rel=2)
    np.testing.assert_allclose(factors.inv(), np.linalg.inv(a), rtol=1e-8)
    assert factors.singular_column is None
    assert "60 x 60" in repr(factors)


@pytest.mark.parametrize("n", [0, 1, 2, 50, 129, 300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cholesky_is_the_lu_of_positive_definite_matrices(rng, n, dtype):
    b = rng.standard_normal((n, n))
    a = (b @ b.T + n * np.eye(n)).astype(dtype)
    a = (a + a.T) / 2
    factors = clgauss.cholesky(a)
    right = rng.standard_normal((n, 2)).astype(dtype)
    x = factors.solve(right)
    assert x.dtype == dtype
    assert np.abs(a @ x - right).max(initial=0) <= 1e3 * max(n, 1) * np.finfo(dtype).eps
    sign, log = np.linalg.slogdet(a.astype(np.float64))
    assert factors.slogdet() == (sign, pytest.approx(log, rel=1e-4))
    assert list(factors.pivots) == list(range(n))


def test_cholesky_refuses_what_it_cannot_factor():
    with pytest.raises(np.linalg.LinAlgError, match="not symmetric"):
        clgauss.cholesky([[2.0, 1.0], [0.0, 2.0]])
    with pytest.raises(np.linalg.LinAlgError, match="column 1 .from 0. is not positive"):
        clgauss.cholesky([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(np.linalg.LinAlgError):
        clgauss.cholesky(np.ones((2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        clgauss.cholesky([[np.nan, 0.0], [0.0, 1.0]])


def test_determinants_that_no_float_holds():
    assert clgauss.lu(np.eye(400) * 1e3).det() == np.inf
    assert clgauss.lu(np.eye(401) * -1e3).det() == -np.inf
    assert clgauss.lu(np.eye(400) * 1e3).slogdet() == (1.0, pytest.approx(400 * np.log(1e3)))
    assert clgauss.lu(np.eye(400) * 1e-3).det() == 0.0


def test_singular_matrices_have_factors_that_do_not_solve():
    a = np.ones((5, 5))
    factors = clgauss.lu(a)
    assert (factors.det(), factors.rcond(), factors.singular_column) == (0, 0, 1)
    assert factors.slogdet() == (0.0, -np.inf)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        factors.solve(np.ones(5))


def test_types(rng):
    a = rng.standard_normal((20, 20)).astype(np.float32)
    factors = clgauss.lu(a)
    assert factors.dtype == np.float32
    assert factors.solve(np.ones(20, np.float32)).dtype == np.float32
    assert factors.solve(np.ones(20)).dtype == np.float64
    assert clgauss.lu(a.astype(np.int64) + 20 * np.eye(20, dtype=int)).dtype == np.float64


def test_a_device_without_double_precision_says_so(device):
    fp64 = next(known.fp64 for known in clgauss.devices() if known.spec == device)
    assert clgauss.lu(np.eye(3, dtype=np.float32), device=device).det() == 1
    if fp64:
        assert clgauss.lu(np.eye(3), device=device).det() == 1
    else:
        for refused in (clgauss.lu, clgauss.cholesky, clgauss.cond):
            with pytest.raises(clgauss.DeviceError, match="has no fp64 .*; solve in f32, or on another device$"):
                refused(np.eye(3), device=device)


def test_bad_input():
    with pytest.raises(np.linalg.LinAlgError):
        clgauss.lu(np.ones((2, 3)))
    with pytest.raises(ValueError, match="infs or NaNs"):
        clgauss.lu([[np.nan, 1], [1, 1]])
    with pytest.raises(TypeError):
        clgauss.lu(np.eye(2, dtype=np.float16))
    factors = clgauss.lu(np.eye(2))
    with pytest.raises(ValueError, match="3 rows"):
        factors.solve(np.ones(3))
    with pytest.raises(ValueError, match="dimensions"):
        factors.solve(np.ones((1, 2, 2)))
    with pytest.raises(ValueError, match="trans"):
        factors.solve(np.ones(2), trans=3)
    with pytest.raises(TypeError):
        factors.solve(np.ones(2, np.float16))


def test_empty():
    factors = clgauss.lu(np.empty((0, 0)))
    assert (factors.det(), factors.rcond(), factors.slogdet()) == (1, 1, (1, 0))
    assert factors.solve(np.empty((0, 3))).shape == (0, 3)
    assert factors.solve(np.empty(0)).shape == (0,)
    assert factors.pivots.size == 0
    assert clgauss.lu(np.eye(3)).solve(np.empty((3, 0))).shape == (3, 0)


def test_factors_outlive_their_context():
    factors = clgauss.lu(2 * np.eye(3), device=clgauss.Context("pocl"))
    assert factors.solve(np.ones(3)).tolist() == [0.5] * 3


def test_as_a_linear_operator(rng):
    a = rng.standard_normal((40, 40)) + 40 * np.eye(40)
    inverse = clgauss.aslinearoperator(clgauss.lu(a))
    assert isinstance(inverse, scipy.sparse.linalg.LinearOperator)
    b = rng.standard_normal((40, 3))
    np.testing.assert_allclose(inverse @ b, np.linalg.solve(a, b))
    np.testing.assert_allclose(inverse @ b[:, 0], np.linalg.solve(a, b[:, 0]))
    np.testing.assert_allclose(inverse.T @ b, np.linalg.solve(a.T, b))
    x, info = scipy.sparse.linalg.gmres(a, b[:, 0], M=inverse, maxiter=2)
    assert info == 0
    np.testing.assert_allclose(a @ x, b[:, 0], rtol=1e-4)
    with pytest.raises(TypeError, match="LU"):
        clgauss.aslinearoperator(a)


def growth(n):
    """Wilkinson's matrix: partial pivoting lets the last column grow to 2^(n - 1)."""
    a = np.eye(n) - np.tril(np.ones((n, n)), -1)
    a[:, -1] = 1
    return a


@pytest.mark.parametrize("trans", [0, 1])
def test_an_answer_by_factors_that_grew_is_corrected_or_told(rng, trans):
    a = growth(60)
    factors = clgauss.lu(a)
    matrix = a.T if trans else a
    for columns in ((), (3,)):
        b = matrix @ rng.standard_normal((60, *columns))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            x = factors.solve(b, trans=trans)
        good = scaled_residual(matrix, x, b) <= 16
        assert good != any(issubclass(each.category, clgauss.AccuracyWarning) for each in told)
    with warnings.catch_warnings():  # another matrix in the same array changes nothing
        warnings.simplefilter("error")
        well = rng.standard_normal((60, 60))
        kept = clgauss.lu(well)
        b = well @ np.ones(60)
        well[:] = 0
        np.testing.assert_allclose(kept.solve(b), np.ones(60), rtol=1e-9)


def test_an_answer_that_no_correction_mends_warns():
    a = growth(200)
    with pytest.warns(clgauss.AccuracyWarning, match="scaled residual is") as told:
        x = clgauss.lu(a).solve(a @ np.linspace(-1, 1, 200) ** 3)
    assert told[0].filename == __file__
    assert x.shape == (200,)


def test_the_inverse_is_checked_too():
    a = growth(200)
    inverse = clgauss.inv(np.eye(40) + growth(40))
    assert np.abs((np.eye(40) + growth(40)) @ inverse - np.eye(40)).max() < 1e-3
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        inverse = clgauss.lu(a).inv()
    good = np.abs(a @ inverse - np.eye(200)).max() <= 1e-9
    assert good != any(issubclass(each.category, clgauss.AccuracyWarning) for each in told)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
def test_good_answers_do_not_warn(rng, dtype, size):
    a = (rng.standard_normal((150, 150)) * size).astype(dtype)
    b = rng.standard_normal((150, 4)).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        factors = clgauss.lu(a)
        for trans in (0, 1):
            x = factors.solve(b, trans=trans)
            assert x.dtype == dtype
        factors.inv()
        factors.solve(np.zeros(150, dtype))
