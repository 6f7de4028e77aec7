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
    stack = random(rng, 3, 5, 5)
    x, reports = clgauss.solve(stack, random(rng, 5, 2), full_output=True)
    assert x.shape == (3, 5, 2)
    assert len(reports) == 3
    assert clgauss.solve(np.empty((0, 0), complex), np.empty(0, complex)).shape == (0,)


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
    with pytest.raises(TypeError):
        clgauss.lu([[1j]])


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
