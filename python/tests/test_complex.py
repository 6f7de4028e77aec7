"""clgauss.solve of complex numbers beside numpy.linalg.solve."""

import numpy as np
import pytest

import clgauss


def random(rng, *shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


@pytest.mark.parametrize("n", [1, 2, 33, 129, 300])
@pytest.mark.parametrize("nrhs", [None, 1, 3])
def test_answers_are_those_of_numpy(device, rng, n, nrhs):
    a = random(rng, n, n)
    b = random(rng, n) if nrhs is None else random(rng, n, nrhs)
    double = clgauss.Context(device).device.fp64
    x, report = clgauss.solve(a, b, device=device, full_output=True)
    expected = np.linalg.solve(a, b)
    assert x.shape == expected.shape
    assert x.dtype == np.complex128
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    assert (report.status, report.method, report.factors) == ("ok", *(("lu", "c64") if double else ("mixed", "c32")))
    assert report.scaled_residual <= 1
    exact = 1 / np.linalg.cond(a, 1)
    assert exact * 0.999 <= report.rcond <= 2 * exact
    assert len(report.forward_error) == (nrhs or 1)
    assert np.abs(x - expected).max() <= 2 * max(report.forward_error) * np.abs(expected).max()
    np.testing.assert_array_equal(clgauss.solve(a, b, device=device), x)


def test_every_digit_of_an_ill_conditioned_system(rng):
    n = 10

    def triangle():
        return np.tril(rng.integers(-4, 5, (n, n)) + 1j * rng.integers(-4, 5, (n, n)), -1) + np.eye(n)

    a = triangle() @ triangle().T  # whole numbers, det 1
    x = np.arange(1, n + 1) * (1 + 2j)
    found, report = clgauss.solve(a, a @ x, accuracy="max", full_output=True)
    assert report.rcond < 1e-8
    assert report.accuracy == "max"
    np.testing.assert_allclose(found, x, rtol=2.3e-16)


def test_one_real_operand_orders_and_stacks(rng):
    a, b = random(rng, 20, 20), rng.standard_normal(20)
    expected = np.linalg.solve(a, b)
    np.testing.assert_allclose(clgauss.solve(a, b), expected, rtol=1e-9)
    np.testing.assert_allclose(clgauss.solve(np.asfortranarray(a), b), expected, rtol=1e-9)
    np.testing.assert_allclose(clgauss.solve(a.astype(">c16"), b), expected, rtol=1e-9)
    np.testing.assert_allclose(clgauss.solve(a.real, b * 1j), np.linalg.solve(a.real, b * 1j), rtol=1e-9)
    assert clgauss.solve(np.empty((0, 0), complex), np.empty(0, complex)).shape == (0,)


@pytest.mark.parametrize("n", [1, 5, 40])
def test_stacks_are_solved_together(rng, n):
    stack, b = random(rng, 3, 2, n, n), random(rng, n, 2)
    x, report = clgauss.solve(stack, b, full_output=True)
    np.testing.assert_allclose(x, np.linalg.solve(stack, np.broadcast_to(b, (3, 2, n, 2))), rtol=1e-9)
    assert isinstance(report, clgauss.BatchReport)
    assert report.factors == "c64"
    worst = max(np.linalg.cond(matrix, 1) for matrix in stack.reshape((-1, n, n)))
    assert report.rcond == pytest.approx(1 / worst, rel=1e-9)
    single = clgauss.solve(stack.astype(np.complex64), b.astype(np.complex64), accuracy="single")
    assert single.dtype == np.complex64
    np.testing.assert_allclose(single, x, rtol=1e-2)
    np.testing.assert_allclose(clgauss.solve(stack.real, b * 1j)[0, 0], np.linalg.solve(stack.real[0, 0], b * 1j), rtol=1e-9)
    assert clgauss.solve(stack, np.empty((n, 0))).shape == (3, 2, n, 0)


def test_stacks_name_their_singular_and_doubtful_systems(rng):
    stack = random(rng, 4, 6, 6)
    stack[2, :, 3] = 0
    with pytest.raises(np.linalg.LinAlgError, match="of system 2 the pivot of column 3"):
        clgauss.solve(stack, np.ones((6, 1)))
    stack[2, :, 3] = 1j * stack[2, :, 0] * (1 + 1e-15 * rng.standard_normal(6))
    with pytest.warns(clgauss.IllConditionedWarning, match="of system 2"):
        clgauss.solve(stack, np.ones((6, 1)))
    with pytest.raises(ValueError, match="NaN"):
        clgauss.solve(np.full((2, 3, 3), complex(0, np.nan)), np.ones((3, 1)))


def test_large_and_refined_systems_of_stacks_are_solved_one_after_the_other(rng):
    stack, b = random(rng, 2, 257, 257), random(rng, 257, 1)
    x, reports = clgauss.solve(stack, b, full_output=True)
    assert len(reports) == 2
    np.testing.assert_allclose(x, np.linalg.solve(stack, np.stack([b, b])), rtol=1e-8)
    assert [report.accuracy for report in clgauss.solve(stack[:, :5, :5], b[:5], accuracy="max", full_output=True)[1]] == ["max"] * 2


def test_complex64_stays_complex64(rng):
    a, b = random(rng, 20, 20).astype(np.complex64), random(rng, 20).astype(np.complex64)
    assert clgauss.solve(a, b, accuracy="single").dtype == np.complex64
    assert clgauss.solve(a, b.astype(complex)).dtype == np.complex128
    _, report = clgauss.solve(a, b, accuracy="single", full_output=True)
    assert report.factors == "c32"


def test_what_cannot_be_solved():
    with pytest.raises(np.linalg.LinAlgError, match="column 1"):
        clgauss.solve([[1j, 2j], [2j, 4j]], [1, 1])
    with pytest.raises(ValueError, match="infs or NaNs"):
        clgauss.solve([[1j, 2], [2, np.nan]], [1, 1])
    with pytest.raises(TypeError):
        clgauss.lstsq([[1j]], [1])
    with pytest.raises(np.linalg.LinAlgError, match="not Hermitian"):
        clgauss.cholesky([[1j]])
    with pytest.raises(np.linalg.LinAlgError, match="column 1 .from 0. is not positive"):
        clgauss.cholesky([[1, 2j], [-2j, 1]])
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite: the pivot of column 1 "):
        clgauss.solve([[1, 2j], [-2j, 1]], [1, 1], assume_a="pos")
    with pytest.raises(ValueError, match="not Hermitian"):
        clgauss.solve([[1, 2j], [2j, 9]], [1, 1], method="cholesky")
    with pytest.raises(ValueError, match="lu, mixed, cholesky and ldlt"):
        clgauss.solve([[1j]], [1], method="rbt")
    with pytest.raises(ValueError, match="not Hermitian"):
        clgauss.solve([[1, 2j], [2j, 9]], [1, 1], method="ldlt")


@pytest.mark.parametrize("n", [1, 2, 50, 150])
def test_ldlt_solves_hermitian_indefinite_systems(device, rng, n):
    a = random(rng, n, n)
    a = a + a.conj().T
    b = random(rng, n, 2)
    x, report = clgauss.solve(a, b, device=device, method="ldlt", full_output=True)
    assert report.method == "ldlt"
    np.testing.assert_allclose(a @ x, b, atol=1e-9)
    values = np.linalg.eigvalsh(a)
    assert report.inertia == ((values > 0).sum(), (values < 0).sum(), 0)
    for lower in (False, True):  # the other triangle is not read
        half = np.tril(a) if lower else np.triu(a)
        x = clgauss.solve(half, b, device=device, method="ldlt", assume_a="her", lower=lower)
        np.testing.assert_allclose(a @ x, b, atol=1e-9)


def definite(rng, n, dtype):
    b = random(rng, n, n)
    a = (b @ b.conj().T / max(n, 1) + np.eye(n)).astype(dtype)
    return (a + a.conj().T) / 2


@pytest.mark.parametrize("n", [1, 2, 33, 129, 200])
@pytest.mark.parametrize("lower", [True, False])
def test_hermitian_positive_definite_systems(device, rng, n, lower):
    a, b = definite(rng, n, complex), random(rng, n, 2)
    given = np.tril(a) if lower else np.triu(a)
    expected = np.linalg.solve(a, b)
    x, report = clgauss.solve(given, b, assume_a="pos", lower=lower, device=device, full_output=True)
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert (report.status, report.method) == ("ok", "cholesky")
    np.testing.assert_array_equal(clgauss.solve(a, b, method="cholesky", device=device), x)
    stack = clgauss.solve(np.stack([given, given]), b, assume_a="positive definite", lower=lower, device=device)
    np.testing.assert_allclose(stack, np.stack([expected, expected]), rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("n", [0, 1, 2, 33, 129, 200])
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_cholesky_is_that_of_numpy(device, rng, n, dtype):
    if dtype == np.complex128 and not clgauss.Context(device).device.fp64:
        return
    scale = 2.0 ** (np.arange(n) % 7)  # so that rows are scaled
    a = definite(rng, n, dtype) * (scale[:, None] * scale).astype(np.float32)
    right = random(rng, n, 3).astype(dtype)
    factors = clgauss.cholesky(a, device=device)
    tolerance = 1e3 * max(n, 1) * np.finfo(dtype).eps
    lower = factors.L
    assert lower.dtype == dtype
    np.testing.assert_allclose(lower, np.linalg.cholesky(a.astype(complex)), atol=tolerance * (np.abs(a).max(initial=0) + 1))
    np.testing.assert_array_equal(np.triu(lower, 1), 0)
    for trans, matrix in (("N", a), ("T", a.T), ("C", a)):
        x = factors.solve(right, trans=trans)
        assert x.dtype == dtype
        assert np.abs(matrix @ x - right).max(initial=0) <= tolerance * (np.abs(a).max(initial=0) + 1)
    sign, log = np.linalg.slogdet(a.astype(complex))
    found = factors.slogdet()
    assert abs(found[0] - sign) <= tolerance
    assert found[1] == pytest.approx(log, rel=1e-4, abs=1e-4)
    assert list(factors.pivots) == list(range(n))


@pytest.mark.parametrize("n", [1, 2, 33, 129, 200])
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_factors_are_those_of_scipy(device, rng, n, dtype):
    linalg = pytest.importorskip("scipy.linalg")
    single = dtype == np.complex64
    a, b = random(rng, n, n).astype(dtype), random(rng, n, 20).astype(dtype)
    if not single and not clgauss.Context(device).device.fp64:
        with pytest.raises(clgauss.DeviceError, match="fp64"):
            clgauss.lu(a, device=device)
        return
    factors = clgauss.lu(a, device=device)
    assert factors.dtype == dtype
    theirs, pivots = linalg.lu_factor(a.astype(complex))
    if not single:
        np.testing.assert_array_equal(factors.pivots, pivots)
    wide, tolerance = a.astype(complex), 3e-3 if single else 1e-9
    for trans, matrix in ((0, wide), ("T", wide.T), (2, wide.conj().T)):
        for right in (b, b[:, 0], b.real):
            x, expected = factors.solve(right, trans=trans), np.linalg.solve(matrix, right)
            assert x.dtype == dtype
            assert x.shape == right.shape
            assert np.abs(x - expected).max() <= tolerance * np.abs(expected).max()
    sign, logarithm = np.linalg.slogdet(wide)
    found = factors.slogdet()
    assert abs(found[0] - sign) <= tolerance
    assert abs(found[1] - logarithm) <= tolerance
    exact = 1 / np.linalg.cond(wide, 1)
    assert exact * (1 - tolerance) <= factors.rcond() <= 3 * exact
    inverse = factors.inv()
    assert inverse.dtype == dtype
    assert np.abs(inverse - np.linalg.inv(wide)).max() <= tolerance * np.abs(inverse).max()


def test_determinants_beyond_a_double_and_of_a_wide_range(rng):
    a = np.diag([2j, 3.0, -1.0]) * 1e150
    factors = clgauss.lu(a)
    sign, logarithm = factors.slogdet()
    assert abs(sign + 1j) <= 1e-15
    assert logarithm == pytest.approx(np.log(6) + 450 * np.log(10))
    assert factors.det().imag == -np.inf
    assert clgauss.lu([[0, 2j], [1, 1]]).det() == -2j
    assert clgauss.lu(np.empty((0, 0), complex)).det() == 1


def test_singular_complex_factors():
    factors = clgauss.lu([[1j, 2j], [2j, 4j]])
    assert factors.singular_column == 1
    assert factors.det() == 0
    assert factors.slogdet() == (0, -np.inf)
    assert factors.rcond() == 0
    with pytest.raises(np.linalg.LinAlgError):
        factors.solve([1, 1])
    with pytest.raises(np.linalg.LinAlgError):
        clgauss.inv([[1j, 2j], [2j, 4j]])
    with pytest.raises(ValueError, match="infs or NaNs"):
        clgauss.lu([[np.nan * 1j, 2j], [2j, 4j]])
    with pytest.raises(ValueError, match="trans"):
        clgauss.lu([[1j]]).solve([1], trans="H")


def test_inverses_one_and_many(rng):
    for shape in ((40, 40), (3, 5, 5)):
        a = random(rng, *shape)
        inverse = clgauss.inv(a)
        assert inverse.dtype == np.complex128
        np.testing.assert_allclose(inverse, np.linalg.inv(a), rtol=1e-8, atol=1e-9)
    assert clgauss.inv(np.array([[2j]], np.complex64)).dtype == np.complex64


def test_real_factors_with_complex_right_hand_sides(rng):
    a, b = rng.standard_normal((30, 30)), random(rng, 30, 2)
    factors = clgauss.lu(a)
    np.testing.assert_allclose(factors.solve(b), np.linalg.solve(a, b), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(factors.solve(b, trans="C"), np.linalg.solve(a.T, b), rtol=1e-8, atol=1e-10)


def test_scipy_takes_the_inverse_as_an_operator(rng):
    pytest.importorskip("scipy")
    a, b = random(rng, 20, 20), random(rng, 20)
    operator = clgauss.aslinearoperator(clgauss.lu(a))
    np.testing.assert_allclose(operator @ b, np.linalg.solve(a, b), rtol=1e-8)
    np.testing.assert_allclose(operator.H @ b, np.linalg.solve(a.conj().T, b), rtol=1e-8)


@pytest.mark.parametrize("status", ["overflow", "singular"])
def test_the_message_names_only_what_is_known(monkeypatch, status):
    from clgauss import _linalg

    for failed in (None, 3):
        where = _linalg._where(status, failed)
        assert "None" not in where
        with pytest.raises(np.linalg.LinAlgError) as told:
            _linalg._judge(status, where, 0.0, np.eye(2), np.eye(2))
        assert (" 3 " in str(told.value)) == (failed == 3)
    assert _linalg._where("overflow", None) == ""


def test_numbers_that_leave_the_range_are_told_in_words():
    a = np.full((2, 2), 1e-300 + 0j)
    a[0, 1] = 2e-300
    with pytest.raises(np.linalg.LinAlgError, match="^the numbers leave the range of the type$"):
        clgauss.solve(a, np.array([1e300, 1e300 + 0j]))
