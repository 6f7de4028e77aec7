#!/usr/bin/env python3
"""Times clgauss.solve and clgauss.inv against those of numpy.linalg, whose wheels bring OpenBLAS, in turns.

  [OPENBLAS_NUM_THREADS=1] tests/bench/python_numpy.py [--sizes 10,50,100,200,300,500,1000,2048,4096] [--reps 9] [--device pocl] [-o FILE.csv]

Both take the same random matrix of float64 from NumPy arrays to NumPy arrays. Each solve comes after a pause in which the other's threads go to sleep; below n = 100, where
OpenBLAS has one, 100 calls are timed together. Answers are checked before anything is timed. A row of the file is one solve, or the mean of 100: device, n, nrhs, solver,
repetition, seconds, and NumPy's threads. To the terminal goes, for every n, the ratio of the medians and the middle half of the ratios of neighbours.
"""

import argparse
import csv
import os
import sys
import time

import numpy as np

import clgauss


# OpenBLAS's threads wait for more work by turning, and would take a core from whoever is timed next.
UNTIL_THREADS_SLEEP = 0.2
WITH_THREADS = 100  # n from which it has several
LARGEST_INVERTED = 2048


def seconds_of(solve, a, b, calls):
    start = time.perf_counter()
    for _ in range(calls):
        solve(a, b)
    return (time.perf_counter() - start) / calls


def residual(a, x, b):
    size = np.abs(a).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
    return np.abs(a @ x - b).max() / (size * len(a) * 2.0**-53)


def compare(n, reps, device, solvers, rows, nrhs=1):
    """Two solvers in turns: A B, B A, ..."""
    rng = np.random.default_rng(n)
    a, b = rng.standard_normal((n, n)), rng.standard_normal(n) if nrhs == 1 else np.eye(nrhs)
    calls = 1 if n >= WITH_THREADS else 100
    for name, solve in solvers.items():  # and warm up
        worst = residual(a, solve(a, b), b)
        if not worst <= 16:
            sys.exit(f"{name} left a scaled residual of {worst} at n = {n}")
    times = {name: [] for name in solvers}
    for repetition in range(reps):
        for name in solvers if repetition % 2 == 0 else reversed(solvers):
            time.sleep(UNTIL_THREADS_SLEEP if calls == 1 else 0)
            times[name].append(seconds_of(solvers[name], a, b, calls))
            rows.append([device, n, nrhs, name, repetition, times[name][-1]])
    (ours, our_times), (theirs, their_times) = times.items()
    ratio = np.median(their_times) / np.median(our_times)
    low, high = np.percentile(np.divide(their_times, our_times), [25, 75])
    print(
        f"n = {n:5}: {ours} {np.median(our_times):.4g} s, {theirs} {np.median(their_times):.4g} s: "
        f"{ratio:.2f} times as long ({low:.2f} .. {high:.2f})",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10,50,100,200,300,500,1000,2048,4096", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--reps", default=9, type=int)
    parser.add_argument("--device", default="auto")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    context, rows = clgauss.Context(options.device), []
    print(f"{context.device.name}, NumPy {np.__version__}")
    threads = os.environ.get("OPENBLAS_NUM_THREADS", os.cpu_count())
    solvers = {"clgauss": lambda a, b: clgauss.solve(a, b, device=context), "numpy": np.linalg.solve}
    inverters = {"clgauss.inv": lambda a, _: clgauss.inv(a, device=context), "numpy.inv": lambda a, _: np.linalg.inv(a)}
    for n in options.sizes:
        compare(n, options.reps, context.device.name, solvers, rows)
        if n <= LARGEST_INVERTED:
            compare(n, options.reps, context.device.name, inverters, rows, nrhs=n)
    if options.output:
        with open(options.output, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["device", "n", "nrhs", "solver", "repetition", "seconds", "threads"])
            writer.writerows([*row, threads] for row in rows)


if __name__ == "__main__":
    main()
