#!/usr/bin/env python3
"""Times clgauss.solve on a GPU against torch.linalg.solve on the same GPU, from NumPy arrays to NumPy arrays, uploads included, in turns.

  tests/bench/python_torch.py [--sizes 1000,2048,4096,8192,16384] [--reps 9] [--device gpu] [--accuracy double] [-o FILE.csv]

Both solve the same random system of float64. Answers are checked before anything is timed. A row of the file is one solve: device, n,
nrhs, solver, repetition, seconds. To the terminal goes, for every n, the ratio of the medians and the middle half of the ratios of neighbours.
"""

import argparse
import csv

import numpy as np
import torch
from python_numpy import compare

import clgauss


def torch_solve(a, b):
    """Pageable memory to the device, the solve, and back, which waits."""
    on_device = torch.from_numpy(a).cuda()
    return torch.linalg.solve(on_device, torch.from_numpy(b).cuda()).cpu().numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,2048,4096,8192,16384", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--reps", default=9, type=int)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--accuracy", default="double")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    context, rows = clgauss.Context(options.device), []
    print(f"{context.device.name}, torch {torch.__version__} on {torch.cuda.get_device_name()}")

    def clgauss_solve(a, b):
        return clgauss.solve(a, b, device=context, accuracy=options.accuracy)

    for n in options.sizes:
        compare(n, options.reps, context.device.name, {"clgauss": clgauss_solve, "torch": torch_solve}, rows)
    if options.output:
        with open(options.output, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["device", "n", "nrhs", "solver", "repetition", "seconds"], *rows])


if __name__ == "__main__":
    main()
