#!/usr/bin/env python3
"""What a second method or another size costs on a device that has solved one system: programs with the caches that the first left.

  tests/bench/second_run.py CLGAUSS --device SPEC [--n 1000] [--other 2000] [--reps 3] [--pause 0] [-o FILE.csv]

For each repetition `clgauss solve` runs with empty caches (`first`), and after `--pause` seconds with these once more (`warm`); and so again, with
empty caches and a first run, before each other method, `--accuracy max`, f32 and the other n. Helper processes may go on building meanwhile; the next
repetition waits for their end. All solve a symmetric positive definite A of `clgauss generate`. A row of the file: device, what, n, seconds of pause,
repetitions, median, least and most of the whole program in ms, the report's parts of the last one. A method that refuses the system is printed with its
reason, and has no row.
"""

import argparse
import contextlib
import csv
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

COLUMNS = ["device", "what", "n", "pause_s", "reps", "median_ms", "least_ms", "most_ms", "parts"]
CACHES = ["XDG_CACHE_HOME", "CUDA_CACHE_PATH", "POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR", "NEO_CACHE_DIR"]


def run(program, caches, *words):
    """Milliseconds of the program's run, and its report."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        environment = os.environ | {name: str(caches) for name in CACHES}
        start = time.perf_counter()
        result = subprocess.run([program, "solve", "-q", "--json", report, *words], env=environment, capture_output=True, text=True, check=False)
        elapsed = (time.perf_counter() - start) * 1e3
        if result.returncode != 0:
            raise RuntimeError(f"exit code {result.returncode}: {result.stderr.strip()}")
        return elapsed, json.loads(report.read_text())


def await_helpers():
    """Waits for the processes that a program left behind, which are this one's children since main() asked for it."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def parts_of(report):
    return ", ".join(f"{part} {seconds:.3f}" for part, seconds in report["time_s"].items() if seconds >= 0.0005) + " s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clgauss")
    parser.add_argument("--device", required=True)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--other", type=int, default=2000)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--pause", type=float, default=0, help="seconds after the first run")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        for n in (given.n, given.other):
            subprocess.run([given.clgauss, "generate", "--kind", "spd", "--n", str(n), "--seed", "1", "-o", folder / f"{n}.npy"], check=True)
        device = ["-d", given.device]
        first = [*device, folder / f"{given.n}.npy", "--method", "lu"]
        seconds = {f"--method {method}": [*first[:-1], method] for method in ("mixed", "rbt", "cholesky", "ldlt", "gauss")}
        seconds |= {"--type f32": [*first, "--type", "f32"], "--accuracy max": [*first, "--accuracy", "max"],
                    f"n = {given.other}": [*device, folder / f"{given.other}.npy", "--method", "lu"]}
        times, parts, label = {}, {}, ""
        for repetition in range(given.reps):
            for what, words in {"warm": first, **seconds}.items():
                caches = folder / f"caches of {what}, {repetition}"
                try:
                    for now, arguments in {"first": first, what: words}.items():
                        if now != "first":
                            time.sleep(given.pause)
                        elapsed, report = run(given.clgauss, caches, *arguments)
                        label = report["device"]["name"]
                        times.setdefault(now, []).append(elapsed)
                        parts[now] = parts_of(report)
                except RuntimeError as error:
                    print(f"{what}: {error}", file=sys.stderr)
                await_helpers()
        rows = [[label, what, given.other if what.startswith("n = ") else given.n, f"{given.pause:g}", len(ms), f"{statistics.median(ms):.0f}", f"{min(ms):.0f}",
                 f"{max(ms):.0f}", parts[what]] for what, ms in times.items()]
    for row in rows:
        print(*row, sep="  ")
    if given.output:
        new = not given.output.exists()
        with given.output.open("a", newline="") as file:
            writer = csv.writer(file)
            writer.writerows(([COLUMNS] if new else []) + rows)


if __name__ == "__main__":
    main()
