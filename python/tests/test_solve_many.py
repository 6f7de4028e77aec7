"""clgauss.solve_many: systems of different sizes in one call, as clgauss.solve has each."""

import warnings

import numpy as np
import pytest
from conftest import scaled_residual

import clgauss

SIZES = [3, 20, 1, 33, 20, 9, 64, 2, 150, 20, 7, 129]


def systems(rng, sizes=SIZES, nrhs=None, dtype=np.float64):
    a = [rng.standard_normal((n, n)).astype(dtype) for n in sizes]
    b = [rng.standard_normal(n if nrhs is None else (n, nrhs)).astype(dtype) for n in sizes]
    return a, b


@pytest.mark.parametrize("by_host", [True, False])
@pytest.mark.parametrize("nrhs", [None, 1, 5])
def test_answers_are_those_of_single_solves_in_order(rng, by_host, nrhs):
    context = clgauss.Context("pocl")
    context._session.solves_on_host = by_host
    a, b = systems(rng, nrhs=nrhs)
    x = clgauss.solve_many(a, b, device=context)
    assert len(x) == len(a)
    for one_a, one_x, one_b in zip(a, x, b):
        assert one_x.shape == one_b.shape and one_x.dtype == np.float64
        assert scaled_residual(one_a, one_x, one_b) <= 1
        np.testing.assert_allclose(one_x, clgauss.solve(one_a, one_b), rtol=1e-9, atol=1e-9 * np.abs(one_x).max())


def test_any_device_solves_to_double_accuracy(device, rng):
    a, b = systems(rng, [5, 6, 7, 30])
    x, reports = clgauss.solve_many(a, b, device=device, full_output=True)
    assert [report.status for report in reports] == ["ok"] * 4
    assert all(scaled_residual(*system) <= 16 for system in zip(a, x, b))


def test_types_orders_and_iterables(rng):
    a, b = systems(rng, [4, 5, 6])
    x = clgauss.solve_many(
        (one for one in (a[0].astype("f4"), np.asfortranarray(a[1]), a[2][::-1], np.eye(2, dtype=int), [[2.0]])),
        iter((b[0].astype("f4"), b[1][:, np.newaxis], b[2][::-1], [3, 4], [[1.0, 4.0]])),
    )
    assert [one.dtype for one in x] == [np.float32] + [np.float64] * 4
    assert [one.shape for one in x] == [(4,), (5, 1), (6,), (2,), (1, 2)]
    np.testing.assert_allclose(x[0], np.linalg.solve(a[0], b[0]), rtol=1e-3)
    np.testing.assert_allclose(x[1][:, 0], np.linalg.solve(a[1], b[1]), rtol=1e-9)
    np.testing.assert_allclose(x[2], np.linalg.solve(a[2], b[2]), rtol=1e-9)
    assert x[3].tolist() == [3, 4] and x[4].tolist() == [[0.5, 2.0]]


@pytest.mark.parametrize("accuracy", ["single", "max"])
def test_accuracy(rng, accuracy):
    a, b = systems(rng, [4, 5, 40], dtype=np.float32)
    x, reports = clgauss.solve_many(a, b, accuracy=accuracy, full_output=True)
    assert all(report.status == "ok" for report in reports)
    assert all(one.dtype == np.float32 for one in x)
    for one_a, one_x, one_b in zip(a, x, b):
        assert scaled_residual(one_a, one_x, one_b) <= 2.0**30


def test_empty():
    assert clgauss.solve_many([], []) == []
    assert clgauss.solve_many([], [], full_output=True) == ([], [])
    x = clgauss.solve_many([np.empty((0, 0)), np.eye(2)], [np.empty(0), np.empty((2, 0))])
    assert [one.shape for one in x] == [(0,), (2, 0)]


@pytest.mark.parametrize("by_host", [True, False])
def test_a_singular_system_fails_alone(rng, by_host):
    context = clgauss.Context("pocl")
    context._session.solves_on_host = by_host
    a, b = systems(rng)
    a[4][:, 6] = 0
    a[9][3, 3] = np.nan
    b[5][2] = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x, reports = clgauss.solve_many(a, b, device=context, full_output=True)
    for i in range(len(a)):
        if i in (4, 5, 9):
            assert reports[i].status != "ok" and not np.isfinite(x[i]).all()
        else:
            assert reports[i].status == "ok" and scaled_residual(a[i], x[i], b[i]) <= 1
    assert reports[4].status == "singular" and np.isnan(x[4]).all()
    with pytest.raises(np.linalg.LinAlgError, match=r"Singular matrix of system 4: the pivot of column 6 \(from 0\)"):
        clgauss.solve_many(a, b, device=context)
    with pytest.raises(ValueError, match="system 1: array must not contain infs or NaNs"):
        clgauss.solve_many([a[0], a[9]], [b[0], b[9]], device=context)


@pytest.mark.parametrize("by_host", [True, False])
def test_ill_conditioned_systems_warn_with_their_number(rng, by_host):
    context = clgauss.Context("pocl")
    context._session.solves_on_host = by_host
    a, b = systems(rng, [11, 12, 13])
    a[1] = 1 / (np.arange(12)[:, None] + np.arange(12) + 1.0)
    with pytest.warns(clgauss.IllConditionedWarning, match="the matrix of system 1 is"):
        x, reports = clgauss.solve_many(a, b, device=context, full_output=True)
    assert [report.rcond is not None for report in reports] == [False, True, False]
    assert reports[1].status in ("ill_conditioned", "nearly_singular")
    with pytest.warns(clgauss.IllConditionedWarning, match="the matrix of system 1 is"):
        clgauss.solve_many(a, b, device=context)


def test_refused_input(rng):
    with pytest.raises(ValueError, match="a has 1 matrices, b has 2"):
        clgauss.solve_many([np.eye(2)], [[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="system 1: b has 3 rows, a has 2"):
        clgauss.solve_many([np.eye(2), np.eye(2)], [[1, 2], [1, 2, 3]])
    with pytest.raises(np.linalg.LinAlgError, match="system 0: Last 2 dimensions"):
        clgauss.solve_many([np.ones((2, 3))], [[1, 2]])
    with pytest.raises(ValueError, match="system 0: a stack"):
        clgauss.solve_many([np.ones((2, 2, 2))], [[1, 2]])
    with pytest.raises(TypeError, match="system 0: .*complex128 is unsupported"):
        clgauss.solve_many([np.eye(2, dtype=complex)], [[1, 2]])
    with pytest.raises(ValueError, match="accuracy"):
        clgauss.solve_many([np.eye(2)], [[1, 2]], accuracy="triple")
