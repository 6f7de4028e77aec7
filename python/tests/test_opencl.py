"""Arrays and queues of pyopencl's."""

import numpy as np
import pytest
from conftest import scaled_residual

import clgauss

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")


@pytest.fixture(scope="module")
def queue():
    for platform in cl.get_platforms():
        if "Portable" in platform.name:
            return cl.CommandQueue(cl.Context(platform.get_devices()[:1]))
    pytest.skip("no PoCL")


@pytest.fixture(scope="module")
def context(queue):
    return clgauss.Context(queue)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_are_factored_where_they_lie(queue, context, rng, dtype):
    a, b = rng.standard_normal((200, 200)).astype(dtype), rng.standard_normal((200, 3)).astype(dtype)
    a_device, b_device = cl_array.to_device(queue, a), cl_array.to_device(queue, b)
    factors = clgauss.lu(a_device, device=context)
    assert factors.solve(b_device) is b_device
    bound = 16 if dtype is np.float64 else 16 * 2.0**29
    assert scaled_residual(a, b_device.get(), b) <= bound
    packed = a_device.get()  # L and U
    rows = np.arange(200)
    for j, row in enumerate(factors.pivots):
        rows[[j, row]] = rows[[row, j]]
    lower, upper = np.tril(packed, -1) + np.eye(200), np.triu(packed)
    np.testing.assert_allclose(lower @ upper, a[rows], atol=1e-3 if dtype is np.float32 else 1e-12)
    vector = cl_array.to_device(queue, b[:, 0].copy())
    factors.solve(vector, trans="T")
    assert scaled_residual(a.T, vector.get(), b[:, 0]) <= bound
    assert scaled_residual(a, factors.solve(b), b) <= bound  # and arrays of NumPy's
    with pytest.raises(ValueError, match="in place"):
        factors.rcond()


def test_views_of_a_larger_array(queue, context, rng):
    whole = rng.standard_normal((60, 100))
    device = cl_array.to_device(queue, whole)
    part = device[5:45, 30:70]
    factors = clgauss.lu(part, device=context)
    b = np.ones(40)
    assert scaled_residual(whole[5:45, 30:70], factors.solve(b), b) <= 16
    after = device.get()
    after[5:45, 30:70] = whole[5:45, 30:70]
    assert np.array_equal(after, whole)


def test_work_of_other_queues_is_waited_for(queue, context, rng):
    other = cl.CommandQueue(queue.context)
    a = cl_array.to_device(other, rng.standard_normal((500, 500)), async_=True)
    for _ in range(20):
        a += 1  # enqueued there, and not finished
    expected = a.get()
    for _ in range(20):
        a -= 1
    factors = clgauss.lu(a, device=context)
    assert scaled_residual(expected - 20, factors.solve(np.ones(500)), np.ones(500)) <= 1e4  # a + 20 - 20 has rounded


def test_ordinary_arrays_on_a_queue(context, rng):
    a, b = rng.standard_normal((50, 50)), rng.standard_normal(50)
    assert scaled_residual(a, clgauss.solve(a, b, device=context), b) <= 1


def test_bad_arrays(queue, context):
    eye = np.eye(4)
    with pytest.raises(TypeError, match="Context"):
        clgauss.lu(cl_array.to_device(queue, eye))
    with pytest.raises(ValueError, match="C order"):
        clgauss.lu(cl_array.to_device(queue, np.asfortranarray(eye + np.triu(np.ones((4, 4))))), device=context)
    with pytest.raises(TypeError, match="unsupported"):
        clgauss.lu(cl_array.to_device(queue, eye.astype(complex)), device=context)
    with pytest.raises(TypeError, match="unsupported"):
        clgauss.lu(cl_array.to_device(queue, eye.astype(int)), device=context)
    with pytest.raises(np.linalg.LinAlgError):
        clgauss.lu(cl_array.to_device(queue, np.ones((3, 4))), device=context)
    with pytest.raises(ValueError, match="another OpenCL context"):
        stranger = cl.CommandQueue(cl.Context([queue.device]))
        clgauss.lu(cl_array.to_device(stranger, eye), device=context)
    read_only = cl.Buffer(queue.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=eye)
    with pytest.raises(ValueError, match="read-only"):
        clgauss.lu(cl_array.Array(queue, eye.shape, eye.dtype, data=read_only), device=context)
    small = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 64)
    with pytest.raises(ValueError, match="buffer of 64"):
        clgauss.lu(cl_array.Array(queue, eye.shape, eye.dtype, data=small), device=context)

    factors = clgauss.lu(cl_array.to_device(queue, eye), device=context)
    with pytest.raises(TypeError, match="float32"):
        factors.solve(cl_array.to_device(queue, np.ones(4, np.float32)))
    with pytest.raises(ValueError, match="shape"):
        factors.solve(cl_array.to_device(queue, np.ones(5)))
    with pytest.raises(ValueError, match="C order"):
        factors.solve(cl_array.to_device(queue, np.asfortranarray(np.ones((4, 2)))))
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        clgauss.lu(cl_array.zeros(queue, (4, 4), np.float64), device=context).solve(cl_array.to_device(queue, np.ones(4)))


def test_queues_out_of_order_are_refused(queue):
    properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    with pytest.raises(ValueError, match="order"):
        clgauss.Context(cl.CommandQueue(queue.context, properties=properties))
    with pytest.raises(TypeError, match="CommandQueue"):
        clgauss.Context(queue.context)


def test_empty_arrays(queue, context):
    factors = clgauss.lu(np.eye(4), device=context)
    empty = cl_array.zeros(queue, (4, 0), np.float64)
    assert factors.solve(empty) is empty


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transposed", [False, True])
def test_solve_takes_and_gives_arrays(queue, context, rng, dtype, transposed):
    a, b = rng.standard_normal((200, 200)).astype(dtype), rng.standard_normal((200, 3)).astype(dtype)
    a_device, b_device = cl_array.to_device(queue, a), cl_array.to_device(queue, b)
    x = clgauss.solve(a_device, b_device, device=context, transposed=transposed)
    assert isinstance(x, cl_array.Array)
    bound = 16 if dtype is np.float64 else 16 * 2.0**29
    assert scaled_residual(a.T if transposed else a, x.get(), b) <= bound
    np.testing.assert_array_equal(a_device.get(), a)
    np.testing.assert_array_equal(b_device.get(), b)
    assert clgauss.solve(a_device, b_device, device=context, overwrite_a=True, overwrite_b=True) is b_device
    assert not np.array_equal(a_device.get(), a)


def test_solve_of_arrays_refuses(queue, context):
    a, b = cl_array.to_device(queue, np.ones((5, 5))), cl_array.to_device(queue, np.ones(5))
    with pytest.raises(np.linalg.LinAlgError, match="ingular"):
        clgauss.solve(a, b, device=context)
    with pytest.raises(TypeError, match="must both be arrays of pyopencl"):
        clgauss.solve(a, np.ones(5), device=context)
    with pytest.raises(TypeError, match="its own queue"):
        clgauss.solve(a, b)
