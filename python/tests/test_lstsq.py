"""clgauss.lstsq beside numpy.linalg.lstsq."""

import numpy as np
import pytest

import clgauss


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (3, 5), (33, 33), (300, 129), (129, 300)])
@pytest.mark.parametrize("nrhs", [None, 1, 3])
def test_answers_are_those_of_numpy(device, rng, shape, nrhs):
    a = rng.standard_normal(shape)
    b = rng.standard_normal(shape[0] if nrhs is None else (shape[0], nrhs))
    x, residuals, rank, singular, report = clgauss.lstsq(a, b, device=device, full_output=True)
    expected, squares, expected_rank, _ = np.linalg.lstsq(a, b, rcond=None)
    assert x.shape == expected.shape
    assert (rank, singular) == (expected_rank, None)
    assert residuals.shape == squares.shape
    np.testing.assert_allclose(residuals, squares, rtol=1e-6)
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert (report.status, report.accuracy, report.rank) == ("ok", "double", min(shape))
    assert report.scaled_residual <= 16
    norms = np.linalg.norm((b - a @ x).reshape(shape[0], -1), axis=0)
    np.testing.assert_allclose(report.residual_norms, norms, rtol=1e-6, atol=1e-9)


def test_float32_stays_float32(rng):
    a, b = rng.standard_normal((20, 4)).astype(np.float32), rng.standard_normal(20).astype(np.float32)
    x, residuals, _, _ = clgauss.lstsq(a, b, accuracy="single")
    assert x.dtype == residuals.dtype == np.float32
    assert clgauss.lstsq(a, b.astype(float))[0].dtype == np.float64


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (33, 33), (300, 129), (129, 300)])
def test_a_deficient_rank_has_the_least_x(device, rng, shape):
    rank = min(shape) - 1
    a = rng.standard_normal((shape[0], rank)) @ rng.standard_normal((rank, shape[1]))
    b = rng.standard_normal((shape[0], 2))
    x, residuals, told, _, report = clgauss.lstsq(a, b, device=device, full_output=True)
    expected, squares, expected_rank, _ = np.linalg.lstsq(a, b, rcond=None)
    assert (told, report.nullity) == (expected_rank, shape[1] - expected_rank)
    assert residuals.shape == squares.shape == (0,)
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


def test_rcond():
    a, b = [[1.0, 1.0], [1.0, 1.001], [1.0, 0.999]], [2.0, 2.0, 2.0]
    for rcond, rank in [(None, 2), (-1, 2), (0, 2), (1e-5, 2), (0.01, 1)]:
        x, _, told, _ = clgauss.lstsq(a, b, rcond)
        assert told == rank == np.linalg.lstsq(np.array(a), np.array(b), rcond)[2]
        np.testing.assert_allclose(x, [2, 0] if rank == 2 else [1, 1], atol=1e-3)
    for wrong in (1.0, float("nan")):
        with pytest.raises(ValueError, match="rcond"):
            clgauss.lstsq(a, b, wrong)


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (3, 5), (33, 33), (300, 129), (129, 300)])
@pytest.mark.parametrize("ridge", [0.0, 1e-3, 10.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_and_weights_are_those_of_the_stacked_matrix(device, rng, shape, ridge, weighted):
    m, n = shape
    a, b = rng.standard_normal(shape), rng.standard_normal((m, 2))
    weights = rng.uniform(0.1, 10, m) if weighted else None
    x, residuals, _, _, report = clgauss.lstsq(a, b, None, ridge, weights, device=device, full_output=True)
    root = np.sqrt(weights if weighted else np.ones(m))[:, np.newaxis]
    stacked, right = np.vstack([root * a, np.sqrt(ridge) * np.eye(n)]), np.vstack([root * b, np.zeros((n, 2))])
    expected = np.linalg.lstsq(stacked, right, rcond=None)[0]
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    norms = np.linalg.norm(b - a @ x, axis=0)
    np.testing.assert_allclose(report.residual_norms, norms, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(report.objective_norms, np.linalg.norm(right - stacked @ x, axis=0), rtol=1e-6, atol=1e-9)
    if ridge > 0:
        assert report.nullity == 0
        np.testing.assert_allclose(residuals, norms**2, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("shapes", [((4, 6, 3), (6,)), ((2, 3, 6, 3), (6, 2)), ((6, 3), (4, 6, 2)), ((4, 3, 6), (4, 3, 1)), ((0, 6, 3), (6,))])
@pytest.mark.parametrize("deficient", [False, True])
def test_stacks_are_problems_one_after_the_other(device, rng, shapes, deficient):
    a, b = (rng.standard_normal(shape) for shape in shapes)
    if deficient and a.size:
        a.reshape(-1, *a.shape[-2:])[-1, ..., 0] = 0
    x, residuals, rank, singular, reports = clgauss.lstsq(a, b, device=device, full_output=True)
    columns = b[:, np.newaxis] if b.ndim == 1 else b
    leading = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    assert x.shape == leading + (a.shape[-1],) + (columns.shape[-1:] if b.ndim > 1 else ())
    assert (rank.shape, len(reports), singular) == (leading, rank.size, None)
    full = rank.size == 0 or (rank == a.shape[-1]).all()
    assert residuals.shape == leading + (columns.shape[-1] if full and a.shape[-1] < a.shape[-2] else 0,)
    for place, report in zip(np.ndindex(leading), reports):
        one_a, one_b = np.broadcast_to(a, leading + a.shape[-2:])[place], np.broadcast_to(columns, leading + columns.shape[-2:])[place]
        expected, squares, expected_rank, _ = np.linalg.lstsq(one_a, one_b, rcond=None)
        assert rank[place] == report.rank == expected_rank
        np.testing.assert_allclose(x[place] if b.ndim > 1 else x[place][:, np.newaxis], expected, rtol=1e-8, atol=1e-8)
        if residuals.size:
            np.testing.assert_allclose(residuals[place], squares, rtol=1e-6)


def test_a_problem_of_a_stack_is_named():
    a = np.ones((2, 3, 2))
    a[1, 0, 0] = 1e200
    with pytest.raises(np.linalg.LinAlgError, match=r"the numbers of problem \[1\] leave the range"):
        clgauss.lstsq(a, np.ones((3, 1)), weights=[1e300, 1, 1])


def test_ridge_and_weights_that_are_none():
    a, b = np.ones((3, 1)), np.ones(3)
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="the ridge is"):
            clgauss.lstsq(a, b, ridge=wrong)
        with pytest.raises(ValueError, match=r"the weight of row 1 \(from 0\) is"):
            clgauss.lstsq(a, b, weights=[1, wrong, 1])
    for wrong in ([], [1, 1], [[1, 1, 1]], 1):
        with pytest.raises(ValueError, match=r"weights have the shape .*, not \(3,\)"):
            clgauss.lstsq(a, b, weights=wrong)


def test_what_cannot_be_solved():
    with pytest.raises(ValueError, match="infs or NaNs"):
        clgauss.lstsq([[1, 2], [2, np.nan], [3, 6]], [1, 2, 4])
    with pytest.raises(ValueError, match="b has 2 rows, a has 3"):
        clgauss.lstsq(np.ones((3, 2)), np.ones(2))
    with pytest.raises(np.linalg.LinAlgError):
        clgauss.lstsq(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="accuracy"):
        clgauss.lstsq(np.ones((3, 2)), np.ones(3), accuracy="max")
