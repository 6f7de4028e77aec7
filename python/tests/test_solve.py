"""clgauss.solve as numpy.linalg.solve: values, types, shapes, strides, errors."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.linalg
from conftest import scaled_residual

import clgauss


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 127, 128, 129, 300])
@pytest.mark.parametrize("nrhs", [None, 1, 3])
def test_answers_have_a_small_residual(rng, n, nrhs):
    a = rng.standard_normal((n, n))
    b = rng.standard_normal(n if nrhs is None else (n, nrhs))
    x = clgauss.solve(a, b)
    assert x.shape == b.shape
    assert scaled_residual(a, x, b) <= 1


@pytest.mark.parametrize("n", [10, 150])
def test_any_device_solves_to_double_accuracy(device, rng, n):
    a, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    x, report = clgauss.solve(a, b, device=device, full_output=True)
    assert scaled_residual(a, x, b) <= 16
    assert (report.status, report.accuracy) == ("ok", "double")
    inverse = np.linalg.inv(a)
    rcond = 1 / (np.abs(a).sum(axis=0).max() * np.abs(inverse).sum(axis=0).max())
    assert rcond / 3.1 <= report.rcond <= 3.1 * rcond
    assert report.times["total"] == pytest.approx(sum(report.times.values()) / 2)
    if report.factors == "f64":
        assert report.pivots.tolist() == scipy.linalg.lu_factor(a)[1].tolist()


@pytest.mark.parametrize("by_host", [True, False])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 31, 128, 150, 320, 321, 512, 513])
def test_small_systems_by_the_host_and_by_the_device(rng, n, by_host):
    context = clgauss.Context("pocl")
    context._session.solves_on_host = by_host
    a = rng.standard_normal((n, n))
    for b in (rng.standard_normal(n), rng.standard_normal((n, 1)), rng.standard_normal((n, min(n, 9)))):
        x = clgauss.solve(a, b, device=context)
        assert x.shape == b.shape
        assert scaled_residual(a, x, b) <= 1
    assert (context._session.solve_at_once(a, b) is not None) == (by_host and n <= 512)
    inverse = clgauss.inv(a, device=context)
    assert np.abs(a @ inverse - np.eye(n)).max() <= 1e-15 * n * np.abs(a).sum(axis=1).max() * np.abs(inverse).sum(axis=1).max()
    assert (context._session.invert_at_once(a) is not None) == (by_host and n <= 320)
    single = clgauss.inv(a.astype(np.float32), device=context)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, inverse, rtol=1e-2, atol=1e-2 * np.abs(inverse).max())


def test_what_the_host_does_not_answer_at_once():
    session = clgauss.Context("pocl")._session
    session.solves_on_host = True
    one = np.ones(2)
    for a in ([[1.0, 0.0], [0.0, 1.0]], np.eye(2, dtype=int), np.eye(2, dtype=complex), np.eye(2, dtype=">f8"), np.ones((2, 2)), np.eye(3)[:2],
              np.stack([np.eye(2)] * 2), np.eye(2) * np.nan, np.eye(0), [[1e-300, 0.0], [0.0, 1e-300]]):  # fmt: skip
        assert session.solve_at_once(a, one) is None
        assert session.invert_at_once(a) is None or isinstance(a, list)
    for b in (1.0, np.ones(3), np.ones((2, 0)), np.ones((2, 3)), np.ones(2, complex), one * np.inf, np.zeros(2), None):
        assert session.solve_at_once(np.eye(2), b) is None
    assert session.solve_at_once(np.eye(2), one).tolist() == [1, 1]
    hilbert = 1 / (np.arange(12)[:, None] + np.arange(12) + 1.0)
    assert session.solve_at_once(hilbert, np.ones(12)) is None
    assert session.invert_at_once(hilbert) is None


def test_zero_leading_pivots():
    assert clgauss.solve([[0, 1], [1, 0]], [2, 3]).tolist() == [3, 2]
    assert clgauss.solve(np.eye(200)[::-1], np.arange(200.0)).tolist() == list(range(199, -1, -1))


@pytest.mark.parametrize("a_type", ["f4", "f8", ">f4", ">f8", "i1", "i8", "u2", "?"])
@pytest.mark.parametrize("b_type", ["f4", "f8", ">f8", "i4"])
def test_types_are_those_of_numpy(a_type, b_type):
    a = np.array([[1, 1], [0, 1]], dtype=a_type)
    b = np.array([3, 2], dtype=b_type)
    x = clgauss.solve(a, b)
    assert x.dtype == np.linalg.solve(a, b).dtype
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize("bad", ["f2", "g", "O", "U1", "M8[s]"])
def test_other_types_are_type_errors(bad):
    a = np.eye(2) if bad == "M8[s]" else np.eye(2).astype(bad)
    other = a.astype(bad) if bad == "M8[s]" else a
    with pytest.raises(TypeError, match="unsupported"):
        clgauss.solve(other, np.ones(2))
    with pytest.raises(TypeError, match="unsupported"):
        clgauss.solve(np.eye(2), other)


SHAPES = [
    ((3, 3), (3,)), ((3, 3), (3, 1)), ((3, 3), (3, 5)), ((4, 3, 3), (3,)), ((4, 3, 3), (3, 2)), ((4, 3, 3), (4, 3, 2)),
    ((4, 3, 3), (1, 3, 2)), ((3, 3), (4, 3, 2)), ((2, 1, 3, 3), (4, 3, 2)), ((2, 4, 3, 3), (2, 4, 3, 1)),
    ((0, 0), (0,)), ((0, 0), (0, 2)), ((3, 3), (3, 0)), ((0, 3, 3), (0, 3, 2)), ((0, 3, 3), (3,)), ((2, 0, 0), (2, 0, 5)),
    ((3, 130, 130), (130,)), ((130, 130), (2, 130, 3)),
    ((3, 260, 260), (260,)), ((260, 260), (2, 260, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("a_shape", "b_shape"), SHAPES)
def test_shapes_are_those_of_numpy(rng, a_shape, b_shape):
    a, b = rng.standard_normal(a_shape), rng.standard_normal(b_shape)
    expected = np.linalg.solve(a, b)
    x = clgauss.solve(a, b)
    assert x.shape == expected.shape
    assert x.dtype == expected.dtype
    np.testing.assert_allclose(x, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "error"),
    [
        (np.ones(3), np.ones(3), np.linalg.LinAlgError),
        (1.0, 1.0, np.linalg.LinAlgError),
        (np.ones((2, 3)), np.ones(2), np.linalg.LinAlgError),
        (np.ones((4, 2, 3)), np.ones(2), np.linalg.LinAlgError),
        (np.eye(3), np.ones(2), ValueError),
        (np.eye(3), np.ones((2, 3)), ValueError),
        (np.eye(3), 1.0, ValueError),
        (np.ones((2, 3, 3)), np.ones((3, 3, 1)), ValueError),
        (np.ones((2, 2)), np.ones(2), np.linalg.LinAlgError),
        (np.zeros((200, 200)), np.ones(200), np.linalg.LinAlgError),
        (np.stack([np.eye(2), np.zeros((2, 2))]), np.ones(2), np.linalg.LinAlgError),
    ],
)
def test_errors_are_those_of_numpy(a, b, error):
    with pytest.raises(error) as numpys:
        np.linalg.solve(a, b)
    with pytest.raises(error) as ours:
        clgauss.solve(a, b)
    assert ours.type is numpys.type


def test_a_singular_system_of_a_stack_is_named():
    a = np.stack([np.eye(3)] * 5)
    a[3, 1] = a[3, 0]
    with pytest.raises(np.linalg.LinAlgError, match="system 3 the pivot of column 1"):
        clgauss.solve(a, np.ones(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [4, 140, 260])
def test_what_is_not_finite_is_a_value_error(bad, n):
    for of_a in (True, False):
        a, b = np.eye(n), np.ones(n)
        (a if of_a else b)[-1] = bad
        with pytest.raises(ValueError, match="infs or NaNs"):
            clgauss.solve(a, b)
        with pytest.raises(ValueError, match="infs or NaNs"):
            clgauss.solve(np.stack([a, np.eye(n)]), b)


def test_overflow_is_an_error_and_no_infinity():
    with pytest.raises(np.linalg.LinAlgError, match="range"):
        clgauss.solve([[1e-300]], [1e300])
    with pytest.raises(np.linalg.LinAlgError, match="range"):
        clgauss.solve(np.full((3, 1, 1), 1e-300), np.full((1, 1), 1e300))


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_a_number_too_large_for_single_is_an_error_and_no_infinity(dtype):
    a, b = np.full((1, 1), 1e-30, dtype), np.full(1, 1e30, dtype)
    stack = np.repeat(a[None], 3, axis=0)
    with pytest.raises(np.linalg.LinAlgError, match="range"):
        clgauss.solve(a, b)
    with pytest.raises(np.linalg.LinAlgError, match="range"):
        clgauss.solve(stack, np.repeat(b[None, :, None], 3, axis=0))
    if dtype == np.complex64:
        with pytest.raises(np.linalg.LinAlgError, match="range"):
            clgauss.lu(a).solve(b)
    else:
        with pytest.warns(clgauss.AccuracyWarning):
            clgauss.lu(a).solve(b)


def test_a_number_too_large_for_float32_in_other_calls():
    a, b = np.full((1, 1), 1e-30, np.float32), np.full(1, 1e30, np.float32)
    with pytest.raises(np.linalg.LinAlgError, match="system 1 leave the range"):
        clgauss.solve_many([np.eye(1, dtype=np.float32), a], [b, b])
    x, reports = clgauss.solve_many([np.eye(1, dtype=np.float32), a], [b, b], full_output=True)
    assert [report.status for report in reports] == ["ok", "overflow"] and x[0] == b and np.isnan(x[1])
    with pytest.raises(np.linalg.LinAlgError, match="range"):
        clgauss.lstsq(a, b)
    assert clgauss.solve(a.astype(float), b).dtype == np.float64  # which holds it


def test_badly_scaled_systems_are_solved(rng):
    a = rng.standard_normal((20, 20)) * 10.0 ** rng.integers(-150, 150, (20, 1))
    x = rng.standard_normal(20)
    np.testing.assert_allclose(clgauss.solve(a, a @ x), x, rtol=1e-8)


def test_bad_arguments():
    eye, one = np.eye(2), np.ones(2)
    with pytest.raises(ValueError, match="accuracy is"):
        clgauss.solve(eye, one, accuracy="half")
    with pytest.raises(clgauss.DeviceError, match="no such thing"):
        clgauss.solve(eye, one, device="no such thing")
    with pytest.raises(TypeError, match="device is"):
        clgauss.solve(eye, one, device=7)
    with pytest.raises(TypeError):
        clgauss.solve(eye, one, None, "pocl")


def test_a_system_beyond_all_memory_is_an_error():
    a = np.broadcast_to(np.float64(1), (1 << 20, 1 << 20))
    with pytest.raises(MemoryError):
        clgauss.solve(a, np.broadcast_to(np.float64(1), 1 << 20))
    with pytest.raises(MemoryError):
        clgauss.lu(a)


def layouts(array):
    """The same numbers, laid out in other ways."""
    yield "C", np.ascontiguousarray(array)
    yield "F", np.asfortranarray(array)
    yield "reversed", np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    wide = np.full((array.shape[0] * 2, array.shape[1] * 3), np.nan, array.dtype)
    wide[::2, ::3] = array
    yield "strided", wide[::2, ::3]
    packed = np.zeros(array.shape, dtype=[("pad", "i1"), ("value", array.dtype)])
    packed["value"] = array
    yield "unaligned", packed["value"]
    read_only = array.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [5, 70, 257])
def test_layouts_make_no_difference(rng, n, dtype):
    a, b = rng.standard_normal((n, n)).astype(dtype), rng.standard_normal((n, 3)).astype(dtype)
    expected = clgauss.solve(a, b)
    for (a_name, a_laid), (b_name, b_laid) in zip(layouts(a), reversed(list(layouts(b)))):
        before = a_laid.copy(), b_laid.copy()
        x = clgauss.solve(a_laid, b_laid)
        assert np.array_equal(x, expected), (a_name, b_name)
        assert np.array_equal(a_laid, before[0])
        assert np.array_equal(b_laid, before[1])
        assert x.flags.owndata or x.base.flags.owndata


def test_a_matrix_and_its_broadcast_copies(rng):
    a = np.broadcast_to(rng.standard_normal((9, 9)), (4, 2, 9, 9))
    b = rng.standard_normal((4, 1, 9, 2))
    np.testing.assert_allclose(clgauss.solve(a, b), np.linalg.solve(a, b), rtol=1e-10)
    np.testing.assert_allclose(clgauss.solve(np.broadcast_to(3.0, (1, 1)), [6.0]), [2.0])


def test_float32_is_solved_to_its_own_digits(rng):
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in [(100, 100), 100])
    exact = np.linalg.solve(a.astype(float), b)
    assert np.array_equal(clgauss.solve(a, b), exact.astype(np.float32))
    with warnings.catch_warnings():  # a random matrix leaves float32 few digits
        warnings.simplefilter("ignore", clgauss.IllConditionedWarning)
        rough = clgauss.solve(a, b, accuracy="single")
    assert 0 < np.abs(rough - exact).max() / np.abs(exact).max() < 1e-3


def test_accuracy_max_gives_all_digits():
    n = 10
    hilbert = 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    a = np.round(hilbert * 2520 * 11 * 13 * 17 * 19)  # integers, so that a @ 1 is exact
    x, report = clgauss.solve(a, a.sum(axis=1), accuracy="max", full_output=True)
    assert np.abs(x - 1).max() <= 2**-52
    assert report.accuracy == "max"
    assert np.abs(clgauss.solve(a, a.sum(axis=1)) - 1).max() > 2**-52


def test_an_inaccurate_answer_warns(monkeypatch):
    class Told:
        @staticmethod
        def solve_at_once(a, b):
            return None

        @staticmethod
        def solve(a, b, x, accuracy, report, method):
            x[:] = 1
            return {"status": "inaccurate", "doubt": "unknown", "failed_column": None, "scaled_residual": 17.0, "pivots": []} | dict.fromkeys(
                "method passed_over factors accuracy pivoting backward_error rcond forward_error corrections inertia times".split()
            )

    context = clgauss.Context("pocl")
    monkeypatch.setattr(context, "_session", Told)
    monkeypatch.setattr(clgauss.Context, "device", clgauss.devices()[0])
    with pytest.warns(clgauss.AccuracyWarning, match="scaled residual is 17") as told:
        assert clgauss.solve(np.eye(2), np.ones(2), device=context).tolist() == [1, 1]
    assert told[0].filename == __file__


def test_reports_of_stacks(rng):
    a = np.stack([np.eye(4) * scale for scale in (1, 2, 4)])
    x, report = clgauss.solve(a, np.ones(4), full_output=True)
    assert isinstance(report, clgauss.BatchReport)
    assert (report.status, report.rcond) == ("ok", 1.0)
    a = rng.standard_normal((3, 200, 200))
    x, report = clgauss.solve(a, np.ones(200), full_output=True)
    assert isinstance(report, clgauss.BatchReport)
    np.testing.assert_allclose(a @ x[..., None], np.ones((3, 200, 1)), atol=1e-8)
    a = rng.standard_normal((2, 260, 260))
    x, report = clgauss.solve(a, np.ones(260), full_output=True)
    assert isinstance(report, clgauss.BatchReport)
    np.testing.assert_allclose(a @ x[..., None], np.ones((2, 260, 1)), atol=1e-8)
    x, reports = clgauss.solve(a, np.ones(260), accuracy="max", full_output=True)
    assert [type(report) for report in reports] == [clgauss.Report] * 2
    assert clgauss.solve(np.empty((0, 0)), np.empty(0), full_output=True)[1].status == "ok"


@pytest.mark.parametrize("n", [2, 50, 150])
def test_ldlt_solves_symmetric_indefinite_systems(device, rng, n):
    a = rng.uniform(-1, 1, (n, n))
    a = a + a.T
    np.fill_diagonal(a, 0)
    b = rng.uniform(-1, 1, (n, 2))
    x, report = clgauss.solve(a, b, device=device, method="ldlt", full_output=True)
    assert report.method == "ldlt"
    assert scaled_residual(a, x, b) <= 16
    values = np.linalg.eigvalsh(a)
    assert report.inertia == ((values > 0).sum(), (values < 0).sum(), 0)
    assert scaled_residual(a, clgauss.solve(a, b, device=device, method="ldlt"), b) <= 16
    a[0, 1] += 1
    with pytest.raises(ValueError, match="not symmetric"):
        clgauss.solve(a, b, device=device, method="ldlt")


def test_ldlt_takes_rook_pivoting_where_pivots_grow(device, rng):
    n = 100
    w = np.eye(n) - np.tril(np.ones((n, n)), -1)
    w[:, -1] = 1  # its pivots grow to 2^99 with partial pivoting
    a = np.zeros((2 * n, 2 * n))
    a[1::2, 0::2] = w
    a[0::2, 1::2] = w.T
    b = rng.uniform(-1, 1, 2 * n)
    x, report = clgauss.solve(a, b, device=device, accuracy="single", method="ldlt", full_output=True)  # refined it might be good
    assert (report.status, report.pivoting, report.inertia) == ("ok", "rook", (n, n, 0))
    assert "left a scaled residual of" in report.passed_over
    assert scaled_residual(a, x, b) <= 16 * 2.0**29
    x, report = clgauss.solve(np.stack([np.eye(2 * n), a]), b, device=device, method="ldlt", full_output=True)
    assert scaled_residual(a, x[1], b) <= 16
    if isinstance(report, clgauss.BatchReport):
        assert (report.status, report.solved_again, report.inertias[1]) == ("ok", [1], (n, n, 0))


@pytest.mark.parametrize("n", [1, 2, 33, 129, 257])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ldlt_solves_stacks(device, rng, n, dtype):
    a = rng.uniform(-1, 1, (2, 3, n, n))
    a = (a + np.swapaxes(a, -1, -2)).astype(dtype)
    b = rng.uniform(-1, 1, (3, n, 2)).astype(dtype)
    x, report = clgauss.solve(a, b, device=device, method="ldlt", full_output=True)
    assert x.dtype == dtype
    for place in np.ndindex(2, 3):
        assert scaled_residual(a[place], x[place], b[place[1]]) <= (16 if dtype is np.float64 else 16 * 2.0**29)
    if n <= 256 and clgauss.Context(device).device.fp64:
        assert isinstance(report, clgauss.BatchReport)
        values = np.linalg.eigvalsh(a.astype(float).reshape((-1, n, n)))
        assert report.inertias == [((row > 0).sum(), (row < 0).sum(), 0) for row in values]
        assert clgauss.solve(np.eye(2)[None], np.ones(2), device=device, full_output=True)[1].inertias is None
    if n == 1:
        return
    a[1, 2, 0, 1] += 1
    with pytest.raises(ValueError, match="not symmetric"):
        clgauss.solve(a, b, device=device, method="ldlt")


def test_ldlt_names_the_singular_system_of_a_stack(device):
    a = np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, -1.0]]])
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix: of system 1 the pivot of column 0"):
        clgauss.solve(a, np.ones(2), device=device, accuracy="single", method="ldlt")


def test_stacks_by_cholesky_and_complex_ones_by_ldlt(device, rng):
    a = rng.uniform(-1, 1, (3, 12, 12))
    definite, b = a @ np.swapaxes(a, -1, -2) + np.eye(12), rng.uniform(-1, 1, (3, 12, 2))
    np.testing.assert_allclose(clgauss.solve(definite, b, device=device, method="cholesky"), np.linalg.solve(definite, b), rtol=1e-6)
    hermitian = a + 1j * np.swapaxes(a, -1, -2)
    hermitian = hermitian + np.swapaxes(hermitian.conj(), -1, -2)
    x, reports = clgauss.solve(hermitian, b, device=device, method="ldlt", full_output=True)
    np.testing.assert_allclose(x, np.linalg.solve(hermitian, b), rtol=1e-6)
    for one, report in zip(hermitian, reports, strict=True):
        values = np.linalg.eigvalsh(one)
        assert report.inertia == ((values > 0).sum(), (values < 0).sum(), 0)


def test_a_method_of_a_stack_is_refused_by_name():
    with pytest.raises(ValueError, match="the method of a stack"):
        clgauss.solve(np.ones((2, 2, 2)), np.ones((2, 2, 1)), method="lu")
    with pytest.raises(ValueError, match="method is one of"):
        clgauss.solve(np.eye(2), [1, 1], method="qr")
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        clgauss.solve([[1.0, 2.0], [2.0, 1.0]], [1.0, 1.0], method="cholesky")
    assert clgauss.solve([[2.0, 1.0], [1.0, 2.0]], [3.0, 3.0], full_output=True)[1].inertia is None


@pytest.mark.parametrize("shape", [(4, 4), (3, 4, 4), (200, 200), (0, 0)])
def test_inv(rng, shape):
    a = rng.standard_normal(shape)
    np.testing.assert_allclose(clgauss.inv(a), np.linalg.inv(a), rtol=1e-7, atol=1e-9)
    assert clgauss.inv(a.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("n", [3, 200])
def test_inv_of_a_singular_matrix(n):
    with pytest.raises(np.linalg.LinAlgError, match="ingular"):
        clgauss.inv(np.ones((n, n)))


PEAK = """
import sys, numpy as np, clgauss
n, order = 2500, sys.argv[1]
a = np.asarray(np.random.default_rng(1).standard_normal((n, n)), order=order)
b = np.ones(n)
clgauss.solve(np.eye(n)[:600, :600].copy() + 1e-3, b[:600])   # kernels and threads
clgauss.solve(a, b)
now = int([l for l in open('/proc/self/status') if l.startswith('VmRSS')][0].split()[1])
open('/proc/self/clear_refs', 'w').write('5')
clgauss.solve(a, b)
peak = int([l for l in open('/proc/self/status') if l.startswith('VmHWM')][0].split()[1])
print((peak - now) * 1024 / a.nbytes)
"""


def test_rows_and_columns_of_float64_are_not_copied_on_the_host():
    def peak(order):  # in sizes of A, beyond what was there: the device's, which on PoCL is the host's, and workspace
        return float(subprocess.run([sys.executable, "-c", PEAK, order], capture_output=True, text=True, check=True).stdout)

    rows, columns = peak("C"), peak("F")
    assert rows < 2
    assert abs(columns - rows) < 0.2


def test_nothing_warns(rng):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clgauss.solve(rng.standard_normal((40, 40)), np.ones(40))
