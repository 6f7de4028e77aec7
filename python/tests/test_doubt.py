"""No answer without a digit comes without a warning, and none with three digits comes with one."""

import warnings

import numpy as np
import pytest

import clgauss


def hilbert(n):
    return 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)


def nearly_equal_rows(rng, n):
    """All but singular in the way of real systems: an equation that says what another says, but for last bits."""
    a = rng.standard_normal((n, n))
    a[n // 2] = a[0] * (1 + 2**-52 * rng.integers(-1, 2, n))
    return a


@pytest.fixture(params=["host", "device"])
def context(request):
    context = clgauss.Context("pocl")
    context._session.solves_on_host = request.param == "host"
    return context


@pytest.mark.parametrize("n", [14, 40])
def test_hilberts_matrix_warns_by_default(context, n):
    with pytest.warns(clgauss.IllConditionedWarning, match="nearly singular .rcond .*no correct digit") as told:
        clgauss.solve(hilbert(n), np.ones(n), device=context)
    assert told[0].filename == __file__
    with pytest.warns(clgauss.IllConditionedWarning):
        x, report = clgauss.solve(hilbert(n), np.ones(n), device=context, full_output=True)
    assert report.status == "nearly_singular"
    assert issubclass(clgauss.IllConditionedWarning, RuntimeWarning)


@pytest.mark.parametrize("n", [30, 130, 257, 600])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_nearly_equal_equations_warn(rng, context, n, dtype):
    a, b = nearly_equal_rows(rng, n).astype(dtype), np.ones(n)
    with pytest.warns(clgauss.IllConditionedWarning):
        clgauss.solve(a, b, device=context)
    with pytest.warns(clgauss.IllConditionedWarning):
        clgauss.solve(a, np.ones((n, 2)), device=context)
    with pytest.warns(clgauss.IllConditionedWarning):
        clgauss.inv(a, device=context)
    factors = clgauss.lu(a, device=context)
    for _ in range(2):
        with pytest.warns(clgauss.IllConditionedWarning):
            factors.solve(b)


@pytest.mark.parametrize("n", [40, 300])
def test_a_system_of_a_stack_is_named(rng, n):
    a = rng.standard_normal((4, n, n))
    a[2] = nearly_equal_rows(rng, n)
    with pytest.warns(clgauss.IllConditionedWarning, match="matrix of system 2 is nearly singular") as told:
        x = clgauss.solve(a, np.ones((n, 1)))
    assert told[0].filename == __file__
    np.testing.assert_allclose(a[0] @ x[0], np.ones((n, 1)), atol=1e-8)
    with pytest.warns(clgauss.IllConditionedWarning, match="system 2"):
        x, report = clgauss.solve(a, np.ones((n, 1)), full_output=True)
    assert report.status == "nearly_singular"


def test_few_digits_are_not_called_none():
    with pytest.warns(clgauss.IllConditionedWarning, match="ill-conditioned"):
        x, report = clgauss.solve(hilbert(11), np.ones(11), full_output=True)
    assert report.status == "ill_conditioned"
    assert report.rcond > 2**-53


def test_a_small_rcond_alone_denies_no_digits(rng, context):
    for n in (40, 300):
        a = rng.standard_normal((n, n)) * 10.0 ** np.linspace(-20, 20, n)[:, None]
        x = rng.standard_normal(n)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found, report = clgauss.solve(a, a @ x, device=context, full_output=True)
            assert report.status == "ok"
            assert report.rcond < 2**-53
            np.testing.assert_allclose(found, x, rtol=1e-6)
            np.testing.assert_allclose(clgauss.solve(a, a @ x, device=context), x, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 5, 33, 129, 300, 600, 1700])
def test_good_systems_do_not_warn(rng, context, n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a = rng.standard_normal((n, n))
        clgauss.solve(a, np.ones(n), device=context)
        clgauss.inv(a, device=context)
        clgauss.solve(a @ a.T + np.eye(n), np.ones((n, 3)), device=context)
        clgauss.lu(a, device=context).solve(np.ones(n))
        if n < 600:
            clgauss.solve(rng.standard_normal((5, n, n)), np.ones((n, 1)), device=context)
            clgauss.solve(a + 1j * a.T, np.ones(n), device=context)


def test_single_accuracy_warns_where_single_precision_has_no_digits(rng):
    a = rng.standard_normal((200, 200))
    a[3] = a[5] + 1e-7 * rng.standard_normal(200)
    with pytest.warns(clgauss.IllConditionedWarning):
        clgauss.solve(a, np.ones(200), accuracy="single")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clgauss.solve(a, np.ones(200))
