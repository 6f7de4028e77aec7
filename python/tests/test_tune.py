"""Kernels of one's own, tuned by the program clgauss-tune."""

import shutil
import warnings

import numpy as np
import pytest

import clgauss

pytestmark = [pytest.mark.skipif(shutil.which("clgauss-tune") is None, reason="clgauss-tune is not on the PATH"),
              pytest.mark.filterwarnings("ignore:.*may be chance:RuntimeWarning")]

ADD = """
kernel void add(global float* c, global const float* a, global const float* b, int n) {
  for (int e = 0; e < ELEMENTS; ++e) {
    const int i = get_global_id(0) + e * get_global_size(0);
    if (i < n) c[i] = a[i] + b[i];
  }
}"""


@pytest.fixture
def vectors(rng):
    return [rng.standard_normal(1000).astype(np.float32) for _ in range(2)]


def tune(arguments, tune_params=None, **options):
    options = {"grid_div_x": ["block_size_x", "ELEMENTS"], "device": "pocl", "iterations": 2} | options
    return clgauss.tune_kernel("add", ADD, 1000, arguments, tune_params or {"block_size_x": [8, 32], "ELEMENTS": [1, 4]}, **options)


def test_arrays_of_numpy(vectors):
    a, b = vectors
    c = np.zeros_like(a)
    results, env = tune([c, a, b, np.int32(1000)], answer=[a + b, None, None, None], restrictions="block_size_x * ELEMENTS < 100")
    assert {(result["block_size_x"], result["ELEMENTS"]) for result in results} == {(8, 1), (8, 4), (32, 1)}
    assert all(result["time"] > 0 and len(result["times"]) >= 1 for result in results)
    assert env["best"]["median_s"] > 0
    assert env["failures"] == {}
    assert not c.any()  # what was given stays as it is


def test_wrong_answers_are_told(vectors):
    a, b = vectors
    arguments = [np.zeros_like(a), a, b, np.int32(1000)]
    with pytest.raises(clgauss.DeviceError, match="none of 4 configurations works"):
        tune(arguments, answer=[a - b, None, None, None])
    results, _ = tune(arguments, answer=[a - b, None, None, None], atol=1e3)
    assert len(results) == 4
    with pytest.warns(RuntimeWarning, match="2 of 3 launches fail"):
        results, _ = tune(arguments, {"block_size_x": [8], "ELEMENTS": ["1", "no", "number"]}, answer=[a + b, None, None, None],
                          grid_div_x=None)
    assert [result["time"] for result in results if isinstance(result["time"], str)] == ["compile"] * 2


def test_what_cannot_be_is_refused(vectors):
    a, b = vectors
    c = np.zeros_like(a)
    for arguments, error, message in [([c, a, b], ValueError, "takes 4 arguments"), ([c, a, b, np.int64(5)], ValueError, "not one long"),
                                      ([c, a, b, 5], TypeError, "is a int"), ([c.astype(np.float16), a, b, np.int32(5)], TypeError, "float16")]:
        with pytest.raises(error, match=message):
            tune(arguments)
    good = [c, a, b, np.int32(1000)]
    with pytest.raises(ValueError, match="3 entries for 4 arguments"):
        tune(good, answer=[a + b, None, None])
    with pytest.raises(ValueError, match="excluded by the constraint"):
        tune(good, restrictions=["block_size_x < 8"])
    with pytest.raises(TypeError, match="expressions in strings"):
        tune(good, restrictions=[lambda p: True])
    with pytest.raises(FileNotFoundError, match="program="):
        tune(good, program="no-such-program")


def test_arrays_of_pyopencl(vectors):
    cl = pytest.importorskip("pyopencl")
    cl_array = pytest.importorskip("pyopencl.array")
    platform = next((platform for platform in cl.get_platforms() if "Portable" in platform.name), None)
    if platform is None:
        pytest.skip("no PoCL")
    queue = cl.CommandQueue(cl.Context(platform.get_devices()[:1]))
    a, b = vectors
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays = [cl_array.to_device(queue, array) for array in (np.zeros_like(a), a, b)]
    results, _ = tune([*arrays, np.int32(1000)], answer=[a + b, None, None, None], max_fevals=2)
    assert len(results) == 2
