#!/usr/bin/env python3
"""Times the LAPACK that a user would pick today: dgesv and sgesv of SciPy's bundled OpenBLAS and of oneMKL; run by peers.sh.

  peers.py (openblas | mkl) --sizes 1000,2048,4096 --reps 7

Each solves a random system of n unknowns with one right-hand side, its matrix by columns as LAPACK wants it, copied anew outside the
time; the scaled residual is checked first. Prints CSV: library, core type, type, n, repetition, seconds.
"""

import argparse
import ctypes
import glob
import os
import sys
import time

import numpy as np


def openblas_gesv():
    from scipy.linalg import lapack

    def solve(kind, a, b):
        routine = lapack.dgesv if kind == "f64" else lapack.sgesv
        return routine(a, b, overwrite_a=True, overwrite_b=True)[2]

    return solve, os.environ.get("OPENBLAS_CORETYPE", "its own")


def mkl_gesv():
    library = ctypes.CDLL(glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so*"))[0])

    def solve(kind, a, b):
        routine = library.dgesv_ if kind == "f64" else library.sgesv_
        n, one, info = ctypes.c_int(len(a)), ctypes.c_int(1), ctypes.c_int(0)
        pivots = np.empty(len(a), dtype=np.intc)

        def address(array):
            return array.ctypes.data_as(ctypes.c_void_p)

        routine(ctypes.byref(n), ctypes.byref(one), address(a), ctypes.byref(n), address(pivots),
                address(b), ctypes.byref(n), ctypes.byref(info))
        if info.value != 0:
            sys.exit(f"gesv says {info.value}")
        return b

    return solve, os.environ.get("MKL_ENABLE_INSTRUCTIONS", "its own")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=["openblas", "mkl"])
    parser.add_argument("--sizes", default="1000,2048,4096")
    parser.add_argument("--reps", type=int, default=7)
    options = parser.parse_args()
    solve, core = openblas_gesv() if options.library == "openblas" else mkl_gesv()
    for kind, real in (("f32", np.float32), ("f64", np.float64)):
        for n in map(int, options.sizes.split(",")):
            rng = np.random.default_rng(n)
            a = np.asfortranarray(rng.uniform(-1, 1, (n, n)), dtype=real)
            b = np.asfortranarray(rng.uniform(-1, 1, (n, 1)), dtype=real)
            x = solve(kind, a.copy(order="F"), b.copy(order="F")).astype(float)
            size = np.abs(a).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
            residual = np.abs(a.astype(float) @ x - b).max() / (size * n * np.finfo(real).eps / 2)
            if not residual <= 16:
                sys.exit(f"{options.library}: a scaled residual of {residual} at n = {n}")
            for repetition in range(options.reps):
                a_copy, b_copy = a.copy(order="F"), b.copy(order="F")
                start = time.perf_counter()
                solve(kind, a_copy, b_copy)
                seconds = time.perf_counter() - start
                print(f"{options.library},{core},{kind},{n},{repetition},{seconds:.6f}", flush=True)


if __name__ == "__main__":
    main()
