"""Shapes, strides and types as hypothesis thinks them up; and the array API's rules for solve."""

import numpy as np
from conftest import scaled_residual
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clgauss


@st.composite
def arrays_laid_out(draw, shape, dtype):
    """Random numbers in an array of this shape whose axes have been permuted, widened and turned round."""
    axes = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in shape]
    big = [shape[axis] * abs(step) for axis, step in zip(axes, steps)]
    seed = draw(st.integers(0, 2**32 - 1))
    array = np.random.default_rng(seed).standard_normal(big).astype(dtype)
    array = array[tuple(slice(None, None, step) for step in steps)]
    return array.transpose(np.argsort(axes))


@st.composite
def systems(draw):
    n = draw(st.integers(1, 40))
    leading = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3)).input_shapes
    dtypes = [draw(st.sampled_from([np.float32, np.float64, ">f8"])) for _ in range(2)]
    a = draw(arrays_laid_out((*leading[0], n, n), dtypes[0]))
    vector = draw(st.booleans())
    b = draw(arrays_laid_out((n,) if vector else (*leading[1], n, draw(st.integers(1, 4))), dtypes[1]))
    return a, b


@settings(max_examples=150, deadline=None, derandomize=True)
@given(systems())
def test_any_shape_and_strides(system):
    a, b = system
    kept = a.copy(), b.copy()
    x = clgauss.solve(a, b)
    assert np.array_equal(a, kept[0])
    assert np.array_equal(b, kept[1])
    columns = b[:, np.newaxis] if b.ndim == 1 else b
    leading = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    assert x.shape == (leading + b.shape if b.ndim == 1 else leading + b.shape[-2:])
    assert x.dtype == np.result_type(a, b).newbyteorder("=")
    answers = x[..., np.newaxis] if b.ndim == 1 else x
    bound = 16 if x.dtype == np.float64 else 16 * 2.0**29
    for place in np.ndindex(leading):
        one_a = np.broadcast_to(a, leading + a.shape[-2:])[place]
        one_b = np.broadcast_to(columns, leading + columns.shape[-2:])[place]
        assert scaled_residual(one_a, answers[place], one_b) <= bound


@settings(max_examples=40, deadline=None, derandomize=True)
@given(arrays_laid_out((30, 30), np.float64), arrays_laid_out((30, 2), np.float64))
def test_factors_of_any_strides(a, b):
    factors = clgauss.lu(a)
    assert scaled_residual(a, factors.solve(b), b) <= 16
    assert scaled_residual(a.T, factors.solve(b, trans=1), b) <= 16


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_bad_shapes_are_errors(data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    other = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    a, b = np.ones(shape), np.ones(other)
    if a.ndim >= 2 and a.shape[-1] == a.shape[-2]:
        a = a + 3 * np.eye(a.shape[-1])
    try:
        expected = np.linalg.solve(a, b)
    except (ValueError, np.linalg.LinAlgError) as error:
        try:
            clgauss.solve(a, b)
        except type(error):
            return
        raise AssertionError(f"no {type(error).__name__} for {shape}, {other}") from error
    x = clgauss.solve(a, b)
    assert x.shape == expected.shape
    np.testing.assert_allclose(x, expected)


def test_the_array_apis_rules():
    """A stack of vectors is a stack of matrices with one column; only one dimension makes a vector; types are promoted."""
    xp = np  # the array API's namespace that NumPy 2 is
    a = xp.asarray([[[2.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]])
    assert clgauss.solve(a, xp.asarray([2.0, 4.0])).tolist() == [[1, 1], [2, 4]]
    assert clgauss.solve(a, xp.asarray([[2.0, 4.0], [4.0, 8.0]])).shape == (2, 2, 2)  # not two vectors
    mixed = clgauss.solve(a.astype(xp.float32), xp.asarray([2.0, 4.0]))
    assert mixed.dtype == xp.result_type(xp.float32, xp.float64)
