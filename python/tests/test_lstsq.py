"""clgauss.lstsq beside numpy.linalg.lstsq."""

import numpy as np
import pytest

import clgauss


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (3, 5), (33, 33), (300, 129), (129, 300)])
@pytest.mark.parametrize("nrhs", [None, 1, 3])
def test_answers_are_those_of_numpy(device, rng, shape, nrhs):
    a = rng.standard_normal(shape)
    b = rng.standard_normal(shape[0] if nrhs is None else (shape[0], nrhs))
    x, report = clgauss.lstsq(a, b, device=device, full_output=True)
    expected = np.linalg.lstsq(a, b, rcond=None)[0]
    assert x.shape == expected.shape
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert (report.status, report.accuracy, report.rank) == ("ok", "double", min(shape))
    assert report.scaled_residual <= 16
    norms = np.linalg.norm((b - a @ x).reshape(shape[0], -1), axis=0)
    np.testing.assert_allclose(report.residual_norms, norms, rtol=1e-6, atol=1e-9)


def test_float32_stays_float32(rng):
    a, b = rng.standard_normal((20, 4)).astype(np.float32), rng.standard_normal(20).astype(np.float32)
    assert clgauss.lstsq(a, b, accuracy="single").dtype == np.float32
    assert clgauss.lstsq(a, b.astype(float)).dtype == np.float64


def test_what_cannot_be_solved():
    with pytest.raises(np.linalg.LinAlgError, match="rank is 1, not 2"):
        clgauss.lstsq([[1, 2], [2, 4], [3, 6]], [1, 2, 4])
    with pytest.raises(ValueError, match="infs or NaNs"):
        clgauss.lstsq([[1, 2], [2, np.nan], [3, 6]], [1, 2, 4])
    with pytest.raises(ValueError, match="b has 2 rows, a has 3"):
        clgauss.lstsq(np.ones((3, 2)), np.ones(2))
    with pytest.raises(np.linalg.LinAlgError):
        clgauss.lstsq(np.ones(3), np.ones(3))
    with pytest.raises(np.linalg.LinAlgError):
        clgauss.lstsq(np.ones((2, 3, 2)), np.ones(3))
    with pytest.raises(ValueError, match="accuracy"):
        clgauss.lstsq(np.ones((3, 2)), np.ones(3), accuracy="max")
