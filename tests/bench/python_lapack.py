#!/usr/bin/env python3
"""A program that calls LAPACK, as users have it: numpy.linalg.solve, and SciPy's dgesv, f64, one right-hand side.

usage: clgauss run -- python3 tests/bench/python_lapack.py run [--sizes 1000,2000]
       python3 tests/bench/python_lapack.py system [--sizes 1000,2000]
Prints rows of CSV: who,call,n,median_ms, of five calls behind a first one. Both forms in turns, on one machine.
"""
import argparse
import time

import numpy as np
from scipy.linalg import lapack

parser = argparse.ArgumentParser()
parser.add_argument("who")
parser.add_argument("--sizes", default="1000,2000,4000,8000,12000")
arguments = parser.parse_args()
random = np.random.default_rng(3)


def median_ms(prepare, call):
    times = []
    for _ in range(6):
        given = prepare()
        start = time.perf_counter()
        call(given)
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times[1:])[2]


for n in map(int, arguments.sizes.split(",")):
    a, b = random.standard_normal((n, n)), random.standard_normal(n)
    by_columns = np.asfortranarray(a)
    for name, ms in (
        ("numpy.linalg.solve", median_ms(lambda: a, lambda given: np.linalg.solve(given, b))),
        ("scipy.linalg.lapack.dgesv",
         median_ms(lambda: by_columns.copy(order="F"), lambda given: lapack.dgesv(given, b, overwrite_a=1))),
    ):
        print(f"{arguments.who},{name},{n},{ms:.2f}", flush=True)
