#!/usr/bin/env python3
"""Whether two builds of clgauss give the same answers: the same bits of x and the same report but for times.

Usage: tests/long/same_answers.py OLD NEW [--device SPEC]... [--sizes 5,60,300,700]

OLD and NEW are clgauss programs, each with its clgauss-builder beside it. Every kind of `clgauss generate`, and the .mtx files in the
folder that CLGAUSS_TEST_MATRICES names, are solved by every method with what else changes an answer. Exit code 1 where anything differs.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

KINDS = ("random", "integer", "zero-pivot", "graded", "spd", "hilbert", "permuted-identity", "singular",
         "rank-deficient", "wilkinson")
OPTIONS = ("", "--method lu", "--method mixed", "--method rbt", "--method cholesky", "--method ldlt", "--method gauss",
           "--method jacobi", "--method seidel", "--pivot tournament", "--pivot none", "--type f32",
           "--accuracy max", "--accuracy max --method mixed", "--accuracy max --method cholesky",
           "--accuracy single", "--accuracy single --method cholesky", "--method cholesky --type f32 --accuracy double",
           "--equilibrate on --method lu --determinant", "--equilibrate off", "--check device",
           "--check device --method mixed", "--no-rcond", "--no-rcond --method mixed", "--determinant --method lu",
           "--in-place", "--in-place --method mixed", "--strict", "--certify")
WITHOUT = ("time_s", "kernels", "transfers", "version", "launches", "repeated")


def without_times(text):
    lines = (line for line in text.splitlines() if not re.match(r"time|compare|note", line))
    return "\n".join(lines)


def run(program, system, options, device, scratch):
    """Exit code, bits of x, the summary and the report of one solve."""
    x, report = scratch / "x.npy", scratch / "report.json"
    for file in (x, report):
        file.unlink(missing_ok=True)
    done = subprocess.run([program, "solve", str(system), *options.split(), "--device", device, "-o", str(x),
                           "--json", str(report)], capture_output=True, text=True)
    said = json.loads(report.read_text()) if report.exists() else {}
    for key in WITHOUT:
        said.pop(key, None)
    return {"exit code": done.returncode, "x": x.read_bytes() if x.exists() else None,
            "summary": without_times(done.stdout + done.stderr).replace(str(scratch), ""), "report": said}


def compare(arguments, system, options, device):
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for program in (arguments.old, arguments.new):
            answers.append(run(program, system, options, device, pathlib.Path(folder)))
    old, new = answers
    return [f"{device} {system.name} {options}: {part} differs: {old[part] if part != 'x' else ''} "
            f"{new[part] if part != 'x' else ''}" for part in old if old[part] != new[part]]


def make_systems(program, folder, sizes):
    for kind in KINDS:
        for n in sizes:
            for nrhs in (1, 3):
                file = folder / f"{kind}_{n}_{nrhs}.npz"
                rhs = ["--rhs", "row-sums"] if nrhs == 1 else ["--rhs", "random", "--nrhs", "3"]
                subprocess.run([program, "generate", "--kind", kind, "--n", str(n), *rhs, "-o", str(file)], check=True)
                yield file
    matrices = os.environ.get("CLGAUSS_TEST_MATRICES")
    yield from sorted(pathlib.Path(matrices).glob("*.mtx")) if matrices else []


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--device", action="append")
    parser.add_argument("--sizes", default="5,60,300,700")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        systems = list(make_systems(arguments.new, pathlib.Path(folder), [int(n) for n in arguments.sizes.split(",")]))
        cases = [(system, options + (" --rhs ones" if system.suffix == ".mtx" else ""), device)
                 for device in arguments.device or ["auto"] for system in systems for options in OPTIONS]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            different = 0
            for faults in pool.map(lambda case: compare(arguments, *case), cases):
                different += len(faults)
                for fault in faults:
                    print(fault, flush=True)
    print(f"{len(cases)} solves by each program, {different} differences")
    sys.exit(1 if different or not cases else 0)


if __name__ == "__main__":
    main()
