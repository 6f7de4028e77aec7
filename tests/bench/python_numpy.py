#!/usr/bin/env python3
"""Times clgauss.solve against numpy.linalg.solve, whose wheels bring OpenBLAS, in turns; and what one call costs at n = 10.

  tests/bench/python_numpy.py [--sizes 1000,2048,4096] [--reps 9] [--device pocl] [-o FILE.csv]

Both solve the same random system of float64 from NumPy arrays to NumPy arrays, after a pause in which the other's threads go to sleep. Answers are checked before anything is timed. A row of the
file is one solve (at n = 10 every 100th): device, n, nrhs, solver, repetition, seconds. To the terminal goes, for every n, the ratio of the medians and the
middle half of the ratios of neighbours.
"""

import argparse
import csv
import sys
import time

import numpy as np

import clgauss


# OpenBLAS's threads wait for more work by turning, and would take a core from whoever is timed next.
UNTIL_THREADS_SLEEP = 0.2


def seconds_of(solve, a, b):
    start = time.perf_counter()
    solve(a, b)
    return time.perf_counter() - start


def residual(a, x, b):
    size = np.abs(a).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
    return np.abs(a @ x - b).max() / (size * len(a) * 2.0**-53)


def compare(n, reps, device, solvers, rows):
    """Two solvers in turns: A B, B A, ..."""
    rng = np.random.default_rng(n)
    a, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    for name, solve in solvers.items():  # and warm up
        worst = residual(a, solve(a, b), b)
        if not worst <= 16:
            sys.exit(f"{name} left a scaled residual of {worst} at n = {n}")
    times = {name: [] for name in solvers}
    for repetition in range(reps):
        for name in solvers if repetition % 2 == 0 else reversed(solvers):
            time.sleep(UNTIL_THREADS_SLEEP)
            times[name].append(seconds_of(solvers[name], a, b))
            rows.append([device, n, 1, name, repetition, times[name][-1]])
    (ours, our_times), (theirs, their_times) = times.items()
    ratio = np.median(their_times) / np.median(our_times)
    low, high = np.percentile(np.divide(their_times, our_times), [25, 75])
    print(
        f"n = {n:5}: {ours} {np.median(our_times):.4g} s, {theirs} {np.median(their_times):.4g} s: "
        f"{ratio:.2f} times as long ({low:.2f} .. {high:.2f})",
        flush=True,
    )


def overhead(device, solvers, rows, calls=20000):
    """What a call costs where there is next to nothing to compute."""
    rng = np.random.default_rng(10)
    a, b = rng.standard_normal((10, 10)), rng.standard_normal(10)
    for name, solve in solvers.items():
        times = [seconds_of(solve, a, b) for _ in range(calls)]
        rows += [[device, 10, 1, name, repetition, seconds] for repetition, seconds in enumerate(times) if repetition % 100 == 0]
        print(f"n =    10: {name} {1e6 * np.median(times):.1f} us a call (95th percentile {1e6 * np.percentile(times, 95):.1f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,2048,4096", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--reps", default=9, type=int)
    parser.add_argument("--device", default="auto")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    context, rows = clgauss.Context(options.device), []
    print(f"{context.device.name}, NumPy {np.__version__}")
    solvers = {"clgauss": lambda a, b: clgauss.solve(a, b, device=context), "numpy": np.linalg.solve}
    overhead(context.device.name, solvers, rows)
    for n in options.sizes:
        compare(n, options.reps, context.device.name, solvers, rows)
    if options.output:
        with open(options.output, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["device", "n", "nrhs", "solver", "repetition", "seconds"], *rows])


if __name__ == "__main__":
    main()
