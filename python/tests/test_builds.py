"""A first call, with empty caches: the programs that it needs are built together, not one after the other."""

import numpy as np
import pytest

import clgauss

# Of these depends which kernels are needed: how loops compile, and whether a product's tiles spill registers.
DECIDE = ("loop_probe.cl", "gemm_simt.cl")

CALLS = {
    "solve": lambda m, **where: clgauss.solve(m.a, m.b, **where),
    "solve many": lambda m, **where: clgauss.solve(m.a, m.many, **where),
    "solve pos": lambda m, **where: clgauss.solve(m.definite, m.b, assume_a="pos", **where),
    "solve sym": lambda m, **where: clgauss.solve(m.definite, m.b, assume_a="sym", **where),
    "solve report": lambda m, **where: clgauss.solve(m.a, m.b, full_output=True, **where),
    "solve transposed": lambda m, **where: clgauss.solve(m.a, m.b, transposed=True, **where),
    "solve complex": lambda m, **where: clgauss.solve(m.a + 1j * m.definite, m.b, **where),
    "solve stack": lambda m, **where: clgauss.solve(np.stack([m.a] * 3), np.stack([m.many] * 3), **where),
    "lu": lambda m, **where: clgauss.lu(m.a, **where).solve(m.b),
    "lu many": lambda m, **where: clgauss.lu(m.a, **where).solve(m.many),
    "lu transposed": lambda m, **where: clgauss.lu(m.a, **where).solve(m.b, trans="T"),
    "lu complex": lambda m, **where: clgauss.lu(m.a + 1j * m.definite, **where).solve(m.b),
    "cholesky": lambda m, **where: clgauss.cholesky(m.definite, **where).solve(m.b),
    "inv": lambda m, **where: clgauss.inv(m.a, **where),
    "slogdet": lambda m, **where: clgauss.slogdet(m.a, **where),
    "cond": lambda m, **where: clgauss.cond(m.a, **where),
    "lstsq": lambda m, **where: clgauss.lstsq(m.a[:, :7], m.b, **where),
    "certify": lambda m, **where: clgauss.certify(m.a, m.b, **where),
}


class Matrices:
    def __init__(self, rng, n, number):
        self.a = (rng.standard_normal((n, n)) + n * np.eye(n)).astype(number)
        self.definite = self.a + self.a.T
        self.b, self.many = self.a[0] + 1, self.a[:, :5] + 1


@pytest.mark.parametrize("n", [60, 150])
@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_built_alone(device, rng, name, n, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    context = clgauss.Context(device)
    context._session.solves_on_host = False  # as on a GPU
    if name == "certify" and not context.device.fp64:
        pytest.skip("certificates need fp64")
    CALLS[name](Matrices(rng, n, float if context.device.fp64 else np.float32), device=context)
    alone = [program for program in context._session.built_alone if not program.startswith(DECIDE)]
    assert alone == []
