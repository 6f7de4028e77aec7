"""det, slogdet, cond, stacks of factors, and what solve takes of scipy.linalg.solve's arguments."""

import math
import pydoc

import numpy as np
import pytest
import scipy.linalg

import clgauss


def matrices(rng, shape, dtype):
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if dtype(0).dtype.kind == "c" else a).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (9, 9), (3, 4, 4), (2, 3, 5, 5), (0, 4, 4), (2, 0, 0), (130, 130), (600, 600)])
def test_determinants_are_numpys(rng, shape, dtype):
    a = matrices(rng, shape, dtype)
    rtol = 1e-9 if a.dtype in (np.float64, np.complex128) else 5e-2
    sign, logarithm = clgauss.slogdet(a)
    expected = np.linalg.slogdet(a.astype(np.result_type(a, np.float64)))
    np.testing.assert_allclose(sign, expected.sign, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(logarithm, expected.logabsdet, rtol=rtol, atol=rtol)
    assert np.shape(sign) == np.shape(logarithm) == shape[:-2]
    with np.errstate(over="ignore"):
        det = np.linalg.det(a.astype(expected.sign.dtype))
    found = clgauss.det(a)
    assert np.shape(found) == shape[:-2]
    if np.isfinite(det).all():
        np.testing.assert_allclose(found, det, rtol=rtol, atol=rtol * np.abs(det).max(initial=0))


def test_determinants_by_host_and_device_agree(rng):
    context = clgauss.Context("pocl")
    a = rng.standard_normal((3, 40, 40))
    a[1, 5] = a[1, 6]
    by_host = clgauss.slogdet(a, device=context)
    context._session.solves_on_host = False
    by_device = clgauss.slogdet(a, device=context)
    np.testing.assert_array_equal(by_host.sign[[0, 2]], by_device.sign[[0, 2]])
    np.testing.assert_allclose(by_host.logabsdet[[0, 2]], by_device.logabsdet[[0, 2]], rtol=1e-12)
    assert clgauss.slogdet(np.ones((3, 3))) == (0, -np.inf)
    assert clgauss.det(np.ones((3, 3))) == 0
    assert clgauss.det(np.eye(400) * 1e3) == np.inf
    assert clgauss.det(np.stack([np.eye(401) * -1e3, np.eye(401) * 1e-3])).tolist() == [-np.inf, 0]
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="infs or NaNs"):
            clgauss.det(np.diag([1.0, bad, 2.0]))
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        clgauss.det(np.ones((2, 3)))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_conditions(rng, dtype):
    a = matrices(rng, (3, 30, 30), dtype)
    found, expected = clgauss.cond(a), np.linalg.cond(a, 1)
    assert (found <= expected * 1.001).all()
    assert (found >= expected / 3.1).all()
    assert clgauss.cond(np.ones((2, 2))) == np.inf
    assert isinstance(clgauss.cond(np.eye(2)), float)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_stacks_of_factors(rng, dtype):
    a = matrices(rng, (2, 3, 6, 6), dtype)
    factors = clgauss.lu(a)
    assert (factors.shape, factors.n, len(factors)) == (a.shape, 6, 2)
    for b in (matrices(rng, (6,), dtype), matrices(rng, (6, 2), dtype), matrices(rng, (2, 3, 6, 1), dtype), matrices(rng, (3, 6, 2), np.float64)):
        expected = np.linalg.solve(a, b)
        found = factors.solve(b)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(factors.solve(b, trans="T"), np.linalg.solve(np.swapaxes(a, -1, -2), b), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(factors.det(), np.linalg.det(a), rtol=1e-9)
    np.testing.assert_allclose(factors.slogdet()[1], np.linalg.slogdet(a)[1], rtol=1e-9)
    np.testing.assert_allclose(factors.inv(), np.linalg.inv(a), rtol=1e-7, atol=1e-9)
    assert factors.rcond().shape == (2, 3)
    assert factors.pivots.shape == (2, 3, 6)
    assert isinstance(factors[1, 2], clgauss.LU)
    assert factors[1].shape == (3, 6, 6)


@pytest.mark.parametrize("n", [1, 2, 50, 150])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_choleskys_factor_is_numpys(rng, n, dtype):
    b = rng.standard_normal((2, n, n))
    a = (b @ np.swapaxes(b, 1, 2) + n * np.eye(n)).astype(dtype)
    a = (a + np.swapaxes(a, 1, 2)) / 2
    expected = np.linalg.cholesky(a)
    found = clgauss.cholesky(a[0])
    assert isinstance(found, clgauss.Cholesky)
    assert found.L.dtype == dtype
    np.testing.assert_allclose(found.L, expected[0], rtol=1e-4 if dtype is np.float32 else 1e-10, atol=1e-4 if dtype is np.float32 else 1e-10)
    np.testing.assert_allclose(clgauss.cholesky(a).L, expected, rtol=1e-4 if dtype is np.float32 else 1e-10, atol=1e-4 if dtype is np.float32 else 1e-10)


@pytest.mark.parametrize("n", [1, 5, 40, 600])
@pytest.mark.parametrize("assume_a", ["gen", "sym", "her", "pos", "symmetric", "positive definite"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_assumptions_are_scipys(rng, n, assume_a, lower, dtype):
    a = matrices(rng, (n, n), dtype)
    if assume_a in ("her", "pos", "positive definite"):
        a = a @ a.conj().T + n * np.eye(n)
    elif assume_a != "gen":
        a = a + a.T
    if assume_a != "gen":  # the other triangle is not read
        a = (np.tril if lower else np.triu)(a) + (np.triu if lower else np.tril)(np.full((n, n), 7.0), 1 if lower else -1)
    b = matrices(rng, (n, 2), dtype)
    before = a.copy()
    found = clgauss.solve(a, b, assume_a=assume_a, lower=lower, overwrite_a=True, overwrite_b=True)
    np.testing.assert_allclose(found, scipy.linalg.solve(a, b, assume_a=assume_a, lower=lower), rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(a, before)


def definite_stack(rng, shape, dtype):
    b = matrices(rng, shape, dtype)
    a = (b @ np.swapaxes(b.conj(), -1, -2) / shape[-1] + np.eye(shape[-1])).astype(dtype)
    return (a + np.swapaxes(a.conj(), -1, -2)) / 2


@pytest.mark.parametrize("n", [1, 2, 33, 129, 200])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_stacks_of_positive_definite_systems_are_solved_together(device, rng, n, lower, dtype):
    a, b = definite_stack(rng, (2, 3, n, n), dtype), matrices(rng, (3, n, 2), dtype)
    given = a + (np.triu if lower else np.tril)(np.full((n, n), 7.0, dtype), 1 if lower else -1)  # the other triangle is not read
    rtol = 1e-4 if a.dtype in (np.float32, np.complex64) else 1e-10
    for accuracy in ("double", "single"):
        x, report = clgauss.solve(given, b, assume_a="pos", lower=lower, device=device, accuracy=accuracy, full_output=True)
        rtol = max(rtol, 1e-4 if accuracy == "single" else 0)
        np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=rtol, atol=rtol)
        for place in np.ndindex(2, 3):
            expected = scipy.linalg.cho_solve(scipy.linalg.cho_factor(a[place]), b[place[1]])
            np.testing.assert_allclose(x[place], expected, rtol=rtol, atol=rtol)
        if accuracy == "single" or clgauss.Context(device).device.fp64:
            assert isinstance(report, clgauss.BatchReport)
            assert report.status == "ok"


@pytest.mark.parametrize("n", [1, 2, 33, 129, 300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_choleskys_of_stacks_are_numpys(rng, monkeypatch, n, dtype):
    a = definite_stack(rng, (2, 3, n, n), dtype)
    rtol = 1e-4 if a.dtype in (np.float32, np.complex64) else 1e-10
    monkeypatch.setattr(clgauss._lu, "_NUMBERS_AT_ONCE", 4 * n * n)  # two parts
    factors = clgauss.cholesky(a)
    assert len(factors) == 2
    assert factors.shape == a.shape
    assert factors.L.dtype == dtype
    np.testing.assert_allclose(factors.L, np.linalg.cholesky(a), rtol=rtol, atol=rtol)
    expected = np.linalg.slogdet(a)
    sign, logarithm = factors.slogdet()
    np.testing.assert_allclose(sign, np.ones((2, 3)), rtol=1e-14)
    np.testing.assert_allclose(logarithm, expected.logabsdet, rtol=10 * rtol, atol=10 * rtol)
    if n < 100:
        np.testing.assert_allclose(factors.det(), np.linalg.det(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)), rtol=n * rtol)
    np.testing.assert_array_equal(factors.pivots, np.broadcast_to(np.arange(n), (2, 3, n)))
    b = matrices(rng, (3, n, 2), dtype)
    np.testing.assert_allclose(factors.solve(b), np.linalg.solve(a, b), rtol=100 * rtol, atol=100 * rtol)
    np.testing.assert_allclose(factors[1].L, factors.L[1], rtol=rtol, atol=rtol)
    a[1, 2, 0, 0] = -1
    with pytest.raises(np.linalg.LinAlgError, match=r"the pivot of column 0 \(from 0\) is not positive, in matrix \[1, 2\] of the stack"):
        clgauss.cholesky(a)
    a[1, 2, 0, 0] = np.nan
    with pytest.raises(ValueError, match="infs or NaNs"):
        clgauss.cholesky(a)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_choleskys_of_stacks_of_tiny_numbers_are_those_of_each(dtype):
    tiny = (np.array([[3, 1], [1, 3]]) * np.finfo(dtype).smallest_subnormal).astype(dtype)
    factors, one = clgauss.cholesky(np.stack([np.eye(2, dtype=dtype), tiny])), clgauss.cholesky(tiny)
    np.testing.assert_array_equal(factors.L[1], one.L)
    assert factors.slogdet()[1][1] == one.slogdet()[1] == pytest.approx(math.log(8) + 2 * float(np.log2(np.finfo(dtype).smallest_subnormal)) * math.log(2))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_stacks_that_are_not_positive_definite(rng, dtype):
    a, b = definite_stack(rng, (4, 5, 5), dtype), np.ones((4, 5, 1))
    a[2, 3, 3] = -1
    with pytest.raises(np.linalg.LinAlgError, match=r"not positive definite: the pivot of column 3 \(from 0\) of system 2 is not positive"):
        clgauss.solve(a, b, assume_a="pos")
    a[2, 3, 3] = np.inf
    with pytest.raises(ValueError, match="infs or NaNs"):
        clgauss.solve(a, b, assume_a="pos")
    single = np.stack([np.eye(2), np.eye(2) * 1e-30]).astype(np.float32).astype(np.complex64 if dtype is np.complex128 else np.float32)
    with pytest.raises(np.linalg.LinAlgError, match="leave the range of the type"):  # x = 1e60
        clgauss.solve(single, np.full(2, 1e30, np.float32), assume_a="pos")
    nearly = np.stack([np.eye(2), [[1, 1], [1, 1 + 2.0**-52]]]).astype(dtype)
    with pytest.warns(clgauss.IllConditionedWarning, match="of system 1"):
        clgauss.solve(nearly, np.eye(2), assume_a="pos")


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(7, 7), (600, 600), (3, 4, 4)])
def test_transposed(rng, shape, dtype):
    a, b = matrices(rng, shape, dtype), matrices(rng, (shape[-1], 2), dtype)
    np.testing.assert_allclose(clgauss.solve(a, b, transposed=True), np.linalg.solve(np.swapaxes(a, -1, -2), b), rtol=1e-6, atol=1e-8)


def test_what_is_not_as_assumed():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite: the pivot of column 1 "):
        clgauss.solve([[1.0, 2.0], [2.0, 1.0]], [1.0, 1.0], assume_a="pos")
    with pytest.raises(ValueError, match='assume_a is "gen"'):
        clgauss.solve(np.eye(2), np.ones(2), assume_a="diagonally dominant")
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="infs or NaNs"):
            clgauss.solve(np.diag([1.0, bad]), np.ones(2))
        with pytest.raises(np.linalg.LinAlgError):
            clgauss.solve(np.diag([1.0, bad]), np.ones(2), check_finite=False)


def test_messages_say_what_is_taken():
    taking = (lambda a: clgauss.solve(a, np.ones(2)), clgauss.lu, clgauss.det, clgauss.inv, clgauss.certify_inv, clgauss.certify_det)
    for call in taking:
        with pytest.raises(TypeError, match="float16 is unsupported here: it takes float32, float64, complex64, complex128 and integers"):
            call(np.eye(2, dtype=np.float16))
    with pytest.raises(TypeError, match="complex128 is unsupported here: it takes float32, float64 and integers"):
        clgauss.lstsq(np.eye(2, dtype=complex), np.ones(2))


def test_help_begins_with_what_to_call():
    text = pydoc.plain(pydoc.render_doc(clgauss))
    assert "solve(a, b)" in text[:600]
    for name in ("solve", "certify", "certify_inv", "certify_det", "lstsq", "lu", "cholesky", "inv", "det", "slogdet", "cond", "devices"):
        assert name + "(" in clgauss.__doc__
        assert getattr(clgauss, name).__doc__


def test_kernels_come_with_the_package():
    source = clgauss.kernel_source("gauss.cl")
    assert "kernel void gauss_fwd" in source
    assert "#include" not in source
    with pytest.raises(ValueError, match="no such"):
        clgauss.kernel_source("none.cl")
