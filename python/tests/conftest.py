"""Tests of the installed package clgauss; CLGAUSS_DEVICE says on which device."""

import os
import signal

import numpy as np
import pytest

import clgauss

signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background is told to ignore it


@pytest.fixture(scope="session", params=["fp64", "fp32"])
def device(request):
    """A device that computes in double precision, and one that does not."""
    for device in clgauss.devices():
        if device.fp64 == (request.param == "fp64"):
            return device.spec
    if "rusticl:" in os.environ.get("CLGAUSS_REQUIRED_DEVICES", ""):
        pytest.fail(f"no device with {request.param}")
    pytest.skip(f"no device with {request.param}")


@pytest.fixture
def rng():
    return np.random.default_rng(20261122)


def scaled_residual(a, x, b):
    """As the HPL benchmark has it, in float64."""
    a, x, b = (np.asarray(array, dtype=np.float64) for array in (a, x, b))
    size = np.abs(a).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
    return np.abs(a @ x - b).max() / (size * a.shape[0] * 2.0**-53)
