#!/usr/bin/env python3
"""A program that calls LAPACK, as users have it: numpy.linalg.solve, and SciPy's LAPACK by columns, f64.

usage: clgauss run -- python3 tests/bench/python_lapack.py run [--sizes 1000,2000] [--calls dgesv,dgetri]
       python3 tests/bench/python_lapack.py system [--sizes 1000,2000] [--calls dgesv,dgetri]
Prints rows of CSV: who,call,n,median_ms, of five calls behind a first one. Both forms in turns, on one machine.
dgesv has one right-hand side, dgetrs and dpotrs as many as unknowns.
"""
import argparse
import time

import numpy as np
from scipy.linalg import lapack

random = np.random.default_rng(3)


def median_ms(given, call):
    """Of `call` with copies of the arrays `given`, which are not timed."""
    times = []
    for _ in range(6):
        copies = [array.copy(order="K") for array in given]
        start = time.perf_counter()
        call(*copies)
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times[1:])[2]


def general(n):
    return np.asfortranarray(random.standard_normal((n, n)))


def definite(n):
    a = general(n)
    return np.asfortranarray(a + a.T + 8 * np.sqrt(n) * np.eye(n))


def solve(n):
    return median_ms([random.standard_normal((n, n)), random.standard_normal(n)], np.linalg.solve)


def dgesv(n):
    return median_ms([general(n), random.standard_normal(n)], lambda a, b: lapack.dgesv(a, b, overwrite_a=1))


def dgetrf(n):
    return median_ms([general(n)], lambda a: lapack.dgetrf(a, overwrite_a=1))


def dgetri(n):
    lu, pivots, _ = lapack.dgetrf(general(n))
    return median_ms([lu], lambda a: lapack.dgetri(a, pivots, overwrite_lu=1))


def dgetrs(n):
    lu, pivots, _ = lapack.dgetrf(general(n))
    return median_ms([general(n)], lambda b: lapack.dgetrs(lu, pivots, b, overwrite_b=1))


def dgecon(n):
    a = general(n)
    lu, _, _ = lapack.dgetrf(a)
    norm = np.linalg.norm(a, 1)
    return median_ms([lu], lambda factors: lapack.dgecon(factors, norm))


def dpotrf(n):
    return median_ms([definite(n)], lambda a: lapack.dpotrf(a, overwrite_a=1, clean=0))


def dpotri(n):
    factor, _ = lapack.dpotrf(definite(n))
    return median_ms([factor], lambda a: lapack.dpotri(a, overwrite_c=1))


def dpotrs(n):
    factor, _ = lapack.dpotrf(definite(n))
    return median_ms([general(n)], lambda b: lapack.dpotrs(factor, b, overwrite_b=1))


CALLS = {"numpy.linalg.solve": solve} | {
    call.__name__: call for call in (dgesv, dgetrf, dgetri, dgetrs, dgecon, dpotrf, dpotri, dpotrs)}
parser = argparse.ArgumentParser()
parser.add_argument("who")
parser.add_argument("--sizes", default="1000,2000,4000,8000,12000")
parser.add_argument("--calls", default="numpy.linalg.solve,dgesv", help=", ".join(CALLS))
arguments = parser.parse_args()
for n in map(int, arguments.sizes.split(",")):
    for name in arguments.calls.split(","):
        label = name if "." in name else f"scipy.linalg.lapack.{name}"
        print(f"{arguments.who},{label},{n},{CALLS[name](n):.2f}", flush=True)
