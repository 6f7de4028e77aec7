#!/usr/bin/env python3
"""Times batches, single complex systems and single inverses on a GPU: clgauss-bench beside cuBLAS, cuSOLVER and MAGMA (by PyTorch) on the same card.

  tests/bench/gpu_batched_peers.py --bench build/clgauss-bench --csv rows.csv --parts parts.csv [--seconds 600] [GROUP ..]

The groups are inverse, portable, hermitian, invert, large, complex, lu and cholesky. In each the peers take half of their calls before
clgauss-bench and half after it. All are timed by wall clock until the host knows that the device has finished. The peers have their
matrices by columns, as they want them; what a routine of cuBLAS overwrites is restored outside the time. A row of --csv is a contestant:
its median and least time in ms, and the scaled residual of its worst system (the bound is 16). Where clgauss misses what is expected of
it, --parts has what `clgauss-bench --breakdown` says, of 1024 systems at most. What would begin after --seconds is left out.
"""

import argparse
import csv
import ctypes
import dataclasses
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

REAL = {"f32": torch.float32, "f64": torch.float64, "c32": torch.float32, "c64": torch.float64}
LETTER = {"f32": "S", "f64": "D", "c32": "C", "c64": "Z"}
BOUND = 16
MOST_BROKEN_DOWN = 1024
CASE = ["device", "group", "what", "type", "n", "batch", "library"]
COLUMNS = [*CASE, "detail", "reps", "median_ms", "least_ms", "scaled_residual"]
PARTS = [*CASE, "part", "launches", "ms"]
OURS, OURS_PORTABLE = "clgauss", "clgauss, portable kernels"


@dataclasses.dataclass
class Group:
    """What is timed together."""

    what: str
    kinds: tuple  # types of numbers
    cases: list  # (n, systems)
    words: list  # of clgauss-bench, beside sizes, systems and types
    libraries: tuple
    reps: int
    expected: dict  # how many times as long a library takes, at least, by (ours, library)

    def types(self):
        """As clgauss-bench has them."""
        return ",".join(f"f{kind[1:]}" for kind in self.kinds)


LIBRARIES = ("torch", "cusolver", "magma")
ONE_SYSTEM = [(n, 1) for n in (500, 1024, 2048, 4096, 8192)]
FROM_129 = [(129, 8192), (160, 8192), (192, 8192), (256, 4096)]
GROUPS = {
    "inverse": Group("inverse", ("f64", "f32"), [(8, 100000), (16, 100000), (32, 100000), (64, 8000), (128, 2000)],
                     ["batched", "--nrhs", "0"], ("cublas", "torch", "magma"), 9, {(OURS, "cublas"): 1.0}),
    "portable": Group("one system", ("c64", "c32"), ONE_SYSTEM, ["complex"], ("cusolver",), 7,
                      {(OURS, "cusolver"): 1.0, (OURS_PORTABLE, "cusolver"): 0.6}),
    "hermitian": Group("cholesky", ("c64", "c32"), ONE_SYSTEM, ["hermitian"], ("cusolver",), 15, {(OURS, "cusolver"): 1.0}),
    "invert": Group("inverse", ("f64", "f32"), ONE_SYSTEM, ["invert"], ("cusolver",), 15, {(OURS, "cusolver"): 1.2}),
    "large": Group("lu", ("f64",), [(512, 256), (1024, 64), (2048, 16)], ["batched"], LIBRARIES, 5, {(OURS, "magma"): 1.3}),
    "complex": Group("lu", ("c64", "c32"), [(8, 20000), (24, 20000), (160, 1000), (192, 500)], ["batched", "--complex"],
                     ("cublas",), 15, {(OURS, "cublas"): 1.5}),
    "lu": Group("lu", ("f64", "f32"), FROM_129, ["batched"], LIBRARIES, 5, {(OURS, "magma"): 1.5}),
    "cholesky": Group("cholesky", ("f64", "f32"), FROM_129, ["batched", "--definite"], LIBRARIES, 5, {(OURS, "magma"): 1.5}),
}


def uniform(kind, *shape):
    """Numbers, or both parts of complex ones, in [-1, 1)."""
    parts = torch.rand(*shape, 2 if kind[0] == "c" else 1, dtype=REAL[kind], device="cuda").mul_(2).sub_(1)
    return torch.view_as_complex(parts) if kind[0] == "c" else parts.squeeze(-1)


def problem(what, kind, n, batch):
    """A by columns, and B: one right-hand side, of an inverse none."""
    a = uniform(kind, batch, n, n).mT
    if what == "cholesky":
        below = a.tril(-1)
        a = (below + below.mH).mT
        a.diagonal(dim1=1, dim2=2).fill_(n)
    return a, None if what == "inverse" else uniform(kind, batch, n, 1)


def scaled_residual(kind, a, x, b):
    """Of the worst system; NaN if there is one."""
    n = a.shape[-1]
    if b is None:
        b = torch.eye(n, dtype=a.dtype, device="cuda").expand_as(a)
    largest = [(a @ x - b).abs().amax((-2, -1)), a.abs().sum(-1).amax(-1), x.abs().amax((-2, -1)), b.abs().amax((-2, -1))]
    residual, norm_a, size_x, size_b = (value.double() for value in largest)
    return (residual / ((norm_a * size_x + size_b) * n * torch.finfo(REAL[kind]).eps / 2)).max().item()


class ByTorch:
    """Factors and a solve, or an inverse, by PyTorch, with one of its libraries preferred."""

    def __init__(self, library, what, a, b):
        self.library, self.what, self.a, self.b = library, what, a, b
        self.detail = f"PyTorch {torch.__version__}"

    def restore(self):
        torch.backends.cuda.preferred_linalg_library("default" if self.library == "torch" else self.library)

    def run(self):
        if self.what == "inverse":
            self.x = torch.linalg.inv_ex(self.a)[0]
        elif self.what == "cholesky":
            self.x = torch.cholesky_solve(self.b, torch.linalg.cholesky_ex(self.a)[0])
        else:
            lu, pivots, _ = torch.linalg.lu_factor_ex(self.a)
            self.x = torch.linalg.lu_solve(lu, pivots, self.b)


def pointers(matrices):
    """Addresses of the matrices of a contiguous batch, on the device."""
    step = matrices[0].numel() * matrices.element_size()
    return torch.arange(len(matrices), device="cuda", dtype=torch.int64) * step + matrices.data_ptr()


class ByCublas:
    """matinvBatched up to n = 32, else getrfBatched and getriBatched; with right-hand sides getrfBatched and getrsBatched."""

    def __init__(self, kind, a, b):
        self.kind, self.a, self.b, (self.batch, self.n) = kind, a, b, a.shape[:2]
        self.handle = ctypes.c_void_p(torch.cuda.current_blas_handle())
        self.library = next(filter(None, map(self.loaded, ("13", "12"))))
        self.original = a.mT.contiguous()
        self.inverts_at_once = b is None and self.n <= 32
        self.work = self.original if self.inverts_at_once else self.original.clone()
        self.out = torch.empty_like(self.original) if b is None else b.clone()
        self.pivots = torch.empty(self.batch, self.n, device="cuda", dtype=torch.int32)
        self.info = torch.empty(self.batch, device="cuda", dtype=torch.int32)
        self.of_work, self.of_out = pointers(self.work), pointers(self.out)
        self.detail = "matinvBatched" if self.inverts_at_once else "getrfBatched, getriBatched" if b is None else "getrfBatched, getrsBatched"

    @staticmethod
    def loaded(version):
        try:
            return ctypes.CDLL(f"libcublas.so.{version}")
        except OSError:
            return None

    def call(self, name, *arguments):
        given = [ctypes.c_void_p(one.data_ptr()) if isinstance(one, torch.Tensor) else one for one in arguments]
        status = getattr(self.library, f"cublas{LETTER[self.kind]}{name}Batched")(self.handle, *given, self.batch)
        if status:
            raise RuntimeError(f"cuBLAS's {name} says {status}")

    def restore(self):
        if not self.inverts_at_once:
            self.work.copy_(self.original)
        if self.b is not None:
            self.out.copy_(self.b)

    def run(self):
        n = self.n
        if self.inverts_at_once:
            self.call("matinv", n, self.of_work, n, self.of_out, n, self.info)
            return
        self.call("getrf", n, self.of_work, n, self.pivots, self.info)
        if self.b is None:
            self.call("getri", n, self.of_work, n, self.pivots, self.of_out, n, self.info)
        else:
            wrong = ctypes.c_int(0)
            self.call("getrs", 0, n, 1, self.of_work, n, self.pivots, self.of_out, n, ctypes.byref(wrong))

    @property
    def x(self):
        return self.out.mT if self.b is None else self.out


def time_peers(group, reps, samples):
    """Adds times in ms to `samples`, lists by (kind, n, batch, library, detail), and the residual of the worst answer."""
    for kind in group.kinds:
        for n, batch in group.cases:
            a, b = problem(group.what, kind, n, batch)
            for library in group.libraries:
                try:
                    peer = ByCublas(kind, a, b) if library == "cublas" else ByTorch(library, group.what, a, b)
                    peer.restore()
                    peer.run()
                    residual = scaled_residual(kind, a, peer.x, b)
                    taken = []
                    for _ in range(reps):
                        peer.restore()
                        torch.cuda.synchronize()
                        start = time.perf_counter()
                        peer.run()
                        torch.cuda.synchronize()
                        taken.append((time.perf_counter() - start) * 1e3)
                except RuntimeError as error:
                    print(f"{library}, {kind}, n = {n}: {error}", file=sys.stderr)
                    continue
                times, residuals = samples.setdefault((kind, n, batch, library, peer.detail), ([], []))
                times += taken
                residuals.append(residual)
            a = b = peer = None
            torch.cuda.empty_cache()


def bench_rows(command, group, cases):
    """The rows of clgauss-bench, which runs once for each number of systems: (kind, n, batch), row."""
    for batch in sorted({systems for _, systems in cases}, reverse=True):
        sizes = ",".join(str(n) for n, systems in cases if systems == batch)
        of_batch = ["--batch", str(batch)] if "batched" in group.words else []
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "rows.csv"
            subprocess.run([command[0], *group.words, *command[1:], *of_batch, "--sizes", sizes, "--types", group.types(), "--csv", str(file)],
                           check=True, stdout=subprocess.DEVNULL)
            with open(file, newline="", encoding="utf-8") as rows:
                for row in csv.DictReader(rows):
                    if row.get("contestant", "clgauss") != "clgauss":
                        continue  # from host memory
                    yield (group.kinds[0][0] + row["type"][1:], int(row["n"]), batch), row


def contestants(group):
    """Ours: the name and the option."""
    return {OURS: []} | ({OURS_PORTABLE: ["--kernels", "portable"]} if "complex" in group.words else {})


def rows_of(command, group):
    """One list a contestant: kind, n, batch, library, detail, reps, median, least, residual."""
    samples, rows = {}, []
    time_peers(group, math.ceil(group.reps / 2), samples)
    for ours, option in contestants(group).items():
        timed = bench_rows([*command, *option, "--peers", "none", "--reps", str(group.reps)], group, group.cases)
        rows += [[*case, ours, *(row[column] for column in ("detail", "reps", "median_ms", "min_ms", "error"))] for case, row in timed]
    time_peers(group, math.ceil(group.reps / 2), samples)
    for case, (times, residuals) in samples.items():
        rows.append([*case, len(times), f"{statistics.median(times):.4f}", f"{min(times):.4f}", f"{max(residuals):.4g}"])
    return sorted(rows, key=lambda row: (row[0], row[1], row[3]))


def parts_of(command, group, rows):
    """Where our time goes in the cases in which a library does not take as many times as long as is expected."""
    times = {(row[0], row[1], row[3]): float(row[6]) for row in rows}
    for ours, option in contestants(group).items():
        slow = {n for (us, peer), factor in group.expected.items() for kind, n, library in times
                if us == ours and library == peer and times[kind, n, peer] < factor * times[kind, n, ours]}
        cases = [(n, min(batch, MOST_BROKEN_DOWN)) for n, batch in group.cases if n in slow]
        for case, row in bench_rows([*command, *option, "--breakdown"], group, cases):
            yield [*case, ours, row["part"], row["launches"], row["ms"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", default=list(GROUPS))
    parser.add_argument("--bench", default="build/clgauss-bench")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--seconds", default=600, type=float)
    parser.add_argument("--csv", required=True)
    parser.add_argument("--parts", required=True)
    options = parser.parse_args()
    command, device, begin, wrong = [options.bench, "--device", options.device], torch.cuda.get_device_name(), time.monotonic(), False
    with open(options.csv, "w", newline="", encoding="utf-8") as rows_file, open(options.parts, "w", newline="", encoding="utf-8") as parts_file:
        rows_csv, parts_csv = (csv.writer(file, lineterminator="\n") for file in (rows_file, parts_file))
        rows_csv.writerow(COLUMNS)
        parts_csv.writerow(PARTS)
        for name in options.groups:
            group, elapsed = GROUPS[name], time.monotonic() - begin
            if elapsed > options.seconds:
                print(f"{name} is left out: {elapsed:.0f} s have passed")
                continue
            try:
                rows = rows_of(command, group)
                rows_csv.writerows([device, name, group.what, *row] for row in rows)
                rows_file.flush()
                wrong |= any(not float(row[-1]) <= BOUND for row in rows)
                if time.monotonic() - begin < options.seconds:
                    parts_csv.writerows([device, name, group.what, *row] for row in parts_of(command, group, rows))
                    parts_file.flush()
            except subprocess.CalledProcessError as error:
                print(f"{name}: {error}", file=sys.stderr)
                wrong = True
            print(f"{name}: {time.monotonic() - begin - elapsed:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
