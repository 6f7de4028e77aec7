#!/usr/bin/env python3
"""The tables of docs/performance.md and performance_tables.md against data/runs, by other means than docs/performance.py, which makes them.

Each column of times says here what it is of. Every cell must be such a row's, a ratio the quotient of its neighbours, times must grow
with n, a Cholesky factorisation must take less time than an LU, and no column may repeat one of something else.
"""

import csv
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = [SOURCE / "docs" / name for name in ("performance.md", "performance_tables.md")]


def of(file, unit="median_ms", **keys):
    """A column of times (or of `unit`, a function of a row), from the rows of `file` with these values."""
    return {"file": file, "unit": unit, "keys": keys}


def rate(row):
    return int(row["m"]) / float(row["median_ms"]) / 1e3


def thousands(row):
    return int(row["m"]) / float(row["median_ms"])


def seconds(row):
    return float(row["median_ms"]) / 1e3


def h200_batched(kind):
    return of("bench_batched_h200.csv", rate, what="batched", type=kind, contestant="clgauss")


def pocl_batched(file, kind, who):
    return of(file, rate, what="batched", type=kind, contestant=who)


def beside_cusolver(file, what, detail):
    return {1: of(file, what=what, type="f64", contestant="clgauss"), 2: of(file, what=what, type="f64", contestant="cuSOLVER", detail=detail),
            4: of(file, what=what, type="f32", contestant="clgauss"), 5: of(file, what=what, type="f32", contestant="cuSOLVER", detail=detail)}


def of_one_call(file, what, **more):
    return {column: of(file, what=what, type=kind, library=who, **more)
            for column, kind, who in ((1, "f64", "clgauss"), (2, "f64", "cuSOLVER"), (4, "f32", "clgauss"), (5, "f32", "cuSOLVER"))}


GPU_PEERS = "gpu_batched_peers_h200.csv"
COMPLEX_H200 = "n " + " ".join(f"{kind} portable {kind} cuSOLVER ratio ratio, portable" for kind in ("c64", "c32"))
BATCHES_BESIDE_MAGMA = "n systems " + " ".join(f"{what}, ms MAGMA ratio" for what in ("f64 LU", "f32 LU", "f64 Cholesky", "f32 Cholesky"))
LARGE_BATCHES = "n systems f64 LU, ms MAGMA ratio cuSOLVER PyTorch's choice"
HERMITIAN = "n Hermitian, c64 cuSOLVER ratio Hermitian, c32 cuSOLVER ratio"
COMPLEX_BATCHES = "n systems c64 cuBLAS ratio c32 cuBLAS ratio"
INVERSES = "n matrices f64 cuBLAS ratio PyTorch ratio f32 cuBLAS ratio PyTorch ratio"
# By the words of its head: what each column of times is (from 0), and (peer, own, ratio) of each ratio.
TABLES = {
    "type n clgauss OpenBLAS ratio": (
        {2: of("bench_pocl.csv", what="solve", contestant="clgauss"), 3: of("bench_pocl.csv", what="solve", contestant="openblas")}, [(3, 2, 4)]),
    "type n clgauss SciPy's OpenBLAS ratio oneMKL ratio": ({}, [(3, 2, 4), (5, 2, 6)]),
    "type n 2 cores 16 cores MKL ratio": ({}, [(4, 3, 5)]),
    "n gesv solve NumPy ratio to gesv PyTorch ratio to solve": (
        {column: of("bench_host_h100.csv", what="host", type="f64", contestant=who)
         for column, who in ((1, "clgauss"), (2, "solve"), (3, "numpy"), (5, "torch"))}, [(3, 1, 4), (5, 2, 6)]),
    "n lu f64 mixed rbt cuSOLVER": (
        {1: of("bench_h200_mixed.csv", what="solve", type="f64", contestant="clgauss"),
         2: of("bench_h200_mixed.csv", what="solve", type="f64", contestant="mixed"),
         3: of("bench_h200_mixed.csv", what="solve", type="f64", contestant="rbt"),
         4: of("vendor_h200.csv", what="solve", type="f64", run="mixed")}, []),
    "n f64 cuSOLVER ratio f32 cuSOLVER ratio": (
        of_one_call("cholesky_peers_h100.csv", "cholesky"), [(2, 1, 3), (5, 4, 6)]),
    "n H200, f64 cuSOLVER ratio H200, f32 cuSOLVER ratio": (
        of_one_call("cholesky_peers_h200.csv", "cholesky", now="yes"), [(2, 1, 3), (5, 4, 6)]),
    "n inverse, f64 cuSOLVER ratio inverse, f32 cuSOLVER ratio": (
        of_one_call("invert_h100.csv", "invert"), [(2, 1, 3), (5, 4, 6)]),
    "n c64 cuSOLVER ratio c32 cuSOLVER ratio": (
        {1: of("bench_h100_complex.csv", what="complex", type="f64"), 2: of("complex_peers_h100.csv", turn="after", what="complex", type="f64"),
         4: of("complex_peers_h100.csv", turn="solves by 32 rows", what="complex", type="f32"),
         5: of("complex_peers_h100.csv", turn="after", what="complex", type="f32")},
        [(2, 1, 3), (5, 4, 6)]),
    COMPLEX_H200: (
        {first + i: of(GPU_PEERS, group="portable", what="one system", type=kind, library=who) for first, kind in ((1, "c64"), (6, "c32"))
         for i, who in enumerate(("clgauss, portable kernels", "clgauss", "cusolver"))}, [(3, 2, 4), (3, 1, 5), (8, 7, 9), (8, 6, 10)]),
    HERMITIAN: (
        {first + i: of(GPU_PEERS, group="hermitian", what="cholesky", type=kind, library=who) for first, kind in ((1, "c64"), (4, "c32"))
         for i, who in enumerate(("clgauss", "cusolver"))}, [(2, 1, 3), (5, 4, 6)]),
    BATCHES_BESIDE_MAGMA: (
        {first + i: of(GPU_PEERS, group=group, what=group, type=kind, library=who)
         for first, group, kind in ((2, "lu", "f64"), (5, "lu", "f32"), (8, "cholesky", "f64"), (11, "cholesky", "f32"))
         for i, who in enumerate(("clgauss", "magma"))}, [(3, 2, 4), (6, 5, 7), (9, 8, 10), (12, 11, 13)]),
    COMPLEX_BATCHES: ({}, [(3, 2, 4), (6, 5, 7)]),
    LARGE_BATCHES: (
        {column: of(GPU_PEERS, group="large", what="lu", type="f64", library=who)
         for column, who in ((2, "clgauss"), (3, "magma"), (5, "cusolver"), (6, "torch"))}, [(3, 2, 4)]),
    INVERSES: (
        {first + i: of(GPU_PEERS, group="inverse", what="inverse", type=kind, library=who) for first, kind in ((2, "f64"), (7, "f32"))
         for i, who in enumerate(("clgauss", "cublas"))}, [(3, 2, 4), (5, 2, 6), (8, 7, 9), (10, 7, 11)]),
    "A f64 cuSOLVER ratio f32 cuSOLVER ratio": (
        beside_cusolver("bench_h200_lstsq.csv", "lstsq", "PyTorch 2.11: gels"), [(2, 1, 3), (5, 4, 6)]),
    "n f32 LU cuSOLVER ratio f64 LU cuSOLVER ratio": (
        {1: of("bench_h200_tuned.csv", what="lu", type="f32", contestant="clgauss"), 2: of("vendor_h200.csv", what="lu", type="f32"),
         4: of("bench_h200_tuned.csv", what="lu", type="f64", contestant="clgauss"), 5: of("vendor_h200.csv", what="lu", type="f64")},
        [(2, 1, 3), (5, 4, 6)]),
    "n f32 portable NVIDIA's kernels cuSOLVER ratio f64 portable NVIDIA's kernels cuSOLVER ratio": (
        {first + i: of("portable_h200.csv", what="lu", type=kind, contestant=who) for first, kind in ((1, "f32"), (5, "f64"))
         for i, who in enumerate(("clgauss, portable kernels", "clgauss", "cuSOLVER"))}, [(3, 1, 4), (7, 5, 8)]),
    "n clgauss without rcond NumPy PyTorch": (
        {1 + i: of("bench_h200_file.csv", seconds, what="file", type="f64", contestant=who)
         for i, who in enumerate(("clgauss", "no-rcond", "numpy", "pytorch"))}, []),
    "n H200 f32 cuBLAS ratio H200 f64 cuBLAS ratio PoCL f32 gesv ratio PoCL f64 gesv ratio": (
        {1: h200_batched("f32"), 4: h200_batched("f64"),
         7: pocl_batched("bench_batched_pocl.csv", "f32", "clgauss"), 8: pocl_batched("bench_batched_pocl.csv", "f32", "openblas"),
         10: pocl_batched("bench_batched_pocl.csv", "f64", "clgauss"), 11: pocl_batched("bench_batched_pocl.csv", "f64", "openblas")},
        [(1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)]),
    "n systems f32 LU MAGMA ratio f64 LU MAGMA ratio f32 Cholesky MAGMA ratio f64 Cholesky MAGMA ratio": (
        {first + i: of(file, thousands, type=kind, **its)
         for first, own, what, kind in ((2, "bench_batched_h100.csv", "batched", "f32"), (5, "bench_batched_h100.csv", "batched", "f64"),
                                        (8, "bench_batched_cholesky_h100.csv", "batched cholesky", "f32"),
                                        (11, "bench_batched_cholesky_h100.csv", "batched cholesky", "f64"))
         for i, (file, its) in enumerate(((own, {"what": "batched", "contestant": "clgauss"}), ("batched_peers_h100.csv", {"turn": "after", "what": what})))},
        [(2, 3, 4), (5, 6, 7), (8, 9, 10), (11, 12, 13)]),
    "n f32 posv ratio f64 posv ratio": (
        {first + i: pocl_batched("bench_batched_pocl_cholesky.csv", kind, who) for first, kind in ((1, "f32"), (4, "f64"))
         for i, who in enumerate(("clgauss", "openblas"))}, [(1, 2, 3), (4, 5, 6)]),
}
CHOLESKY = "n f64 cuSOLVER ratio f32 cuSOLVER ratio"
LU = "n f32 LU cuSOLVER ratio f64 LU cuSOLVER ratio"


def tables_of(text):
    """{words of the head: rows of cells} of the tables named above."""
    tables = {}
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines())
        if " ".join(head) in TABLES:
            tables[" ".join(head)] = rows
    return tables


def half_a_digit(cell):
    """By how much the number in the cell may be off: half of its last digit, of an integer of its third."""
    if "." in cell:
        return 0.5 * 10.0 ** -len(cell.split(".")[1])
    return 0.5 * 10.0 ** max(len(cell) - 3, 0)


def same(cell, value):
    return abs(float(cell) - value) <= 1.001 * half_a_digit(cell)


def size_of(head, row):
    """What the rows of the raw file have as n (of least squares the unknowns), and the type where the table has a column for it."""
    kind = {"type": row[0]} if head.startswith("type") else {}
    return row[1 if kind else 0].split(" x ")[-1], kind


def wrong_cells(head, rows):
    columns, ratios = TABLES[head]
    for column, what in columns.items():
        with open(SOURCE / "data" / "runs" / what["file"], newline="", encoding="utf-8") as file:
            raw = list(csv.DictReader(file))
        unit = what["unit"] if callable(what["unit"]) else lambda row: float(row["median_ms"])
        for row in rows:
            n, kind = size_of(head, row)
            keys = what["keys"] | kind | {"n": n}
            if not any(same(row[column], unit(one)) for one in raw if all(one[key] == value for key, value in keys.items())):
                yield f"{head}: {row[column]}: no row of {what['file']} with {keys} says so"
    for peer, own, ratio in ratios:
        for row in rows:
            p, o, said = (float(row[column]) for column in (peer, own, ratio))
            least = (p - half_a_digit(row[peer])) / (o + half_a_digit(row[own])) - half_a_digit(row[ratio])
            most = (p + half_a_digit(row[peer])) / (o - half_a_digit(row[own])) + half_a_digit(row[ratio])
            if not least <= said <= most:
                yield f"{head}: {row[ratio]} is not {row[peer]} / {row[own]}"


def columns_of(head, rows):
    """(column, type or "", [(n, cell)]) of every column of times."""
    columns, ratios = TABLES[head]
    of_ratios = {column for ratio in ratios for column in ratio[:2]}
    for column in sorted(columns.keys() | of_ratios):
        kinds = {}
        for row in rows:
            n, kind = size_of(head, row)
            if row[column]:
                kinds.setdefault(kind.get("type", ""), []).append((int(n), row[column]))
        for kind, cells in kinds.items():
            yield column, kind, cells


def not_growing(head, rows):
    if head in (INVERSES, BATCHES_BESIDE_MAGMA, COMPLEX_BATCHES, LARGE_BATCHES):  # their numbers of systems differ
        return
    falls = any(word in head for word in ("H200 f32", "posv", "f32 LU MAGMA"))  # systems a second
    for column, _, cells in columns_of(head, rows):
        values = [float(cell) for _, cell in sorted(cells)]
        if values != sorted(values, reverse=falls) or len(set(values)) < len(values):
            yield f"{head}: column {column} does not {'fall' if falls else 'grow'} with n: {values}"


def repeated_columns(tables):
    """Columns of something else (`what` or type) that have two cells or more in common for the same n, which no two measurements have."""
    seen = []
    for head, rows in tables.items():
        for column, kind, cells in columns_of(head, rows):
            keys = TABLES[head][0].get(column, {"keys": {"what": head}})["keys"]
            measured = (keys["what"], keys.get("type", kind))
            for other, others, name in seen:
                if other != measured and len(set(cells) & set(others)) >= 2:
                    yield f"{head}: column {column} {kind} repeats {name}"
            seen.append((measured, cells, f"column {column} {kind} of {head}"))


def cholesky_above_lu(tables):
    for kind, own in (("f64", (1, 4)), ("f32", (4, 1))):
        times = {row[0]: float(row[own[1]]) for row in tables[LU]}
        for row in tables[CHOLESKY]:
            if not float(row[own[0]]) < times[row[0]]:
                yield f"Cholesky {kind} n = {row[0]} takes {row[own[0]]} ms, LU alone {times[row[0]]}: it has half the operations"


OVERVIEW = re.compile(r"^\| what \| device \| beside \| n \| times as fast \|\n\|[-|]+\n((?:\|.*\|\n)+)", re.MULTILINE)
# Rows of the page's first table, by their first two cells: the table below it, the columns of its ratios, and what its first cells must say.
OVERVIEW_ROWS = {
    ("LU, f64", "H200"): (LU, [6]),
    ("LU, f32", "H200"): (LU, [3]),
    ("LU, f64, portable kernels", "H200"): ("n f32 portable NVIDIA's kernels cuSOLVER ratio f64 portable NVIDIA's kernels cuSOLVER ratio", [8]),
    ("LU, f32, portable kernels", "H200"): ("n f32 portable NVIDIA's kernels cuSOLVER ratio f64 portable NVIDIA's kernels cuSOLVER ratio", [4]),
    ("Cholesky, f64 and f32", "H100"): (CHOLESKY, [3, 6]),
    ("Cholesky, f64 and f32", "H200"): ("n H200, f64 cuSOLVER ratio H200, f32 cuSOLVER ratio", [3, 6]),
    ("inverse, f64 and f32", "H100"): ("n inverse, f64 cuSOLVER ratio inverse, f32 cuSOLVER ratio", [3, 6]),
    ("complex, c64 and c32", "H100"): ("n c64 cuSOLVER ratio c32 cuSOLVER ratio", [3, 6]),
    ("batches of n > 128, f64 and f32", "H200"): (BATCHES_BESIDE_MAGMA, [4, 7]),
    ("batches, f64 and f32", "H200"): ("n H200 f32 cuBLAS ratio H200 f64 cuBLAS ratio PoCL f32 gesv ratio PoCL f64 gesv ratio", [3, 6]),
    ("complex, c64 and c32", "H200"): (COMPLEX_H200, [4, 9]),
    ("complex, c64 and c32, portable kernels", "H200"): (COMPLEX_H200, [5, 10]),
    ("Cholesky, c64 and c32", "H200"): (HERMITIAN, [3, 6]),
    ("batches, c64 and c32", "H200"): (COMPLEX_BATCHES, [4, 7]),
    ("large batches, f64", "H200"): (LARGE_BATCHES, [4]),
    ("batches by Cholesky, f64 and f32", "H200"): (BATCHES_BESIDE_MAGMA, [10, 13]),
    ("batches of inverses, f64 and f32", "H200"): (INVERSES, [4, 9]),
    ("batches, f64 and f32", "2 CPU cores"): ("n H200 f32 cuBLAS ratio H200 f64 cuBLAS ratio PoCL f32 gesv ratio PoCL f64 gesv ratio", [9, 12]),
    ("batches by Cholesky, f64 and f32", "2 CPU cores"): ("n f32 posv ratio f64 posv ratio", [3, 6]),
    ("LU and solve, f64", "2 CPU cores"): ("type n clgauss OpenBLAS ratio", [4], "f64"),
    ("LU and solve, f32", "2 CPU cores"): ("type n clgauss OpenBLAS ratio", [4], "f32"),
    ("LU, f64", "16 CPU cores"): ("type n 2 cores 16 cores MKL ratio", [5], "f64"),
    ("LU, f32", "16 CPU cores"): ("type n 2 cores 16 cores MKL ratio", [5], "f32"),
}


def rows_of_overview(text):
    return OVERVIEW.search(text)[1].splitlines()


def overview_faults(text):
    """The "least to most" of each row of the first table, and its first and last n, beside the tables below it."""
    tables = tables_of(text)
    seen = set()
    for line in rows_of_overview(text):
        what, device, _, sizes, said = (cell.strip() for cell in line.strip("|").split("|"))
        if (what, device) not in OVERVIEW_ROWS:
            continue
        seen.add((what, device))
        head, columns, *kind = OVERVIEW_ROWS[what, device]
        first, _, last = sizes.partition(" to ")
        ratios = []
        for row in tables[head]:
            if (not kind or row[0] == kind[0]) and int(first) <= int(size_of(head, row)[0]) <= int(last or first):
                ratios += [float(row[column]) for column in columns]
        if [float(word) for word in said.split(" to ")] != [min(ratios), max(ratios)]:
            yield f"{what}, {device}, n = {sizes}: {said}, but the tables have {min(ratios)} to {max(ratios)}"
    for row in OVERVIEW_ROWS.keys() - seen:
        yield f"no row {row} in the first table"


def text_of_pages():
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def faults(text):
    tables = tables_of(text)
    for head in TABLES.keys() - tables.keys():
        yield f"no table {head}"
    for head, rows in tables.items():
        yield from wrong_cells(head, rows)
        yield from not_growing(head, rows)
    yield from repeated_columns(tables)
    yield from cholesky_above_lu(tables)


class Performance(unittest.TestCase):
    maxDiff = None

    def test_page(self):
        self.assertEqual(list(faults(text_of_pages())), [])

    def test_overview(self):
        self.assertEqual(list(overview_faults(text_of_pages())), [])

    def test_wrong_overview_is_found(self):
        text = text_of_pages().replace("| 1.16 to 1.84 |", "| 1.16 to 1.94 |")
        self.assertTrue(any("1.94" in fault for fault in overview_faults(text)))

    def test_readme(self):
        rows = rows_of_overview(text_of_pages())
        self.assertEqual([row for row in rows_of_overview((SOURCE / "README.md").read_text(encoding="utf-8")) if row not in rows], [])

    def test_times_of_something_else_are_found(self):
        """LU's times in the table of Cholesky's."""
        text = re.sub(r"^\| 4096 \| 2\.52 \| 2\.89 \| 1\.15 ", "| 4096 | 11.4 | 2.89 | 0.25 ", text_of_pages(), flags=re.MULTILINE)
        found = list(faults(text))
        self.assertTrue(any("no row of cholesky_peers_h100.csv" in fault for fault in found), found)
        self.assertTrue(any(fault.startswith("Cholesky f64 n = 4096") for fault in found), found)

    def test_wrong_ratio_is_found(self):
        text = text_of_pages().replace("| 10.4 | 1.65 |", "| 10.4 | 1.56 |")
        self.assertTrue(any("1.56 is not" in fault for fault in faults(text)))

    def test_fall_and_repetition_are_found(self):
        head = "n f64 cuSOLVER ratio f32 cuSOLVER ratio"
        rows = [["1024", "2.0", "1.0", "0.50", "3.0", "1.5", "0.50"], ["2048", "1.9", "1.9", "1.00", "4.0", "2.0", "0.50"]]
        self.assertEqual(len(list(not_growing(head, rows))), 1)
        again = {head: rows, "n f32 LU cuSOLVER ratio f64 LU cuSOLVER ratio": rows}
        self.assertEqual(len(list(repeated_columns(again))), 4)


if __name__ == "__main__":
    unittest.main()
