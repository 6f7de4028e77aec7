#!/usr/bin/env python3
"""Writes the figures of performance_tables.md, between marks, and speed.svg, in this folder, from the raw numbers in data/runs.

  docs/performance.py            writes both
  docs/performance.py --check    fails if one of them is not what it would write
"""

import csv
import functools
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
RUNS = HERE.parent / "data" / "runs"


@functools.cache
def rows_of(name):
    with open(RUNS / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows_with(name, **keys):
    """The rows of data/runs/`name` whose columns have these values, each a text or several to choose from; an error if there are none."""
    wanted = {column: (value,) if isinstance(value, str) else value for column, value in keys.items()}
    rows = [row for row in rows_of(name) if all(row[column] in values for column, values in wanted.items())]
    if not rows:
        sys.exit(f"data/runs/{name}: no row with {keys}")
    return rows


def one(name, **keys):
    """The only such row; an error if there are several. So a new run in the file must be named here before the page tells of it."""
    rows = rows_with(name, **keys)
    if len(rows) > 1:
        sys.exit(f"data/runs/{name}: {len(rows)} rows with {keys}: name the run, or what else tells them apart")
    return rows[0]


def digits(value, count=3):
    """`value` with `count` significant digits, as 0.814, 2.68e3 never: 2680."""
    if value >= 10 ** count:
        scale = 10 ** (len(str(int(value))) - count)
        return str(round(value / scale) * scale)
    text = f"{value:#.{count}g}"
    return text.rstrip(".")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def median_ms(row):
    return float(row["median_ms"])


POCL_RUNS = ("2026-11-21T04:41:44Z", "2026-11-21T04:42:46Z")  # with OpenBLAS's COOPERLAKE and SKYLAKEX kernels


def pocl_against_openblas():
    """Each size from the run in which OpenBLAS, with either of its kernels, was faster."""
    for kind in ("f32", "f64"):
        for n in ("1000", "2048", "4096"):
            keys = {"what": "solve", "type": kind, "m": n, "n": n}
            peer = min((one("bench_pocl.csv", run=run, contestant="openblas", **keys) for run in POCL_RUNS), key=median_ms)
            own = one("bench_pocl.csv", run=peer["run"], contestant="clgauss", **keys)
            yield kind, n, median_ms(own), median_ms(peer)


def peers_of_python():
    """Medians, ms; of the peers' core types the fastest."""
    times = {}
    for row in rows_of("peers_pocl.csv"):
        times.setdefault((row["type"], int(row["n"]), row["library"], row["core_type"]), []).append(float(row["seconds"]) * 1e3)
    medians = {key: statistics.median(all_of) for key, all_of in times.items()}
    for kind in ("f32", "f64"):
        for n in sorted({key[1] for key in medians}):
            best = {library: min(ms for key, ms in medians.items() if key[:3] == (kind, n, library)) for library in ("clgauss", "openblas", "mkl")}
            own = best["clgauss"]
            yield [kind, str(n), digits(own)] + [text for peer in ("openblas", "mkl") for text in (digits(best[peer]), f"{best[peer] / own:.2f}")]


def many_cores():
    """Means of the rounds' medians: clgauss on two cores, where it was timed there, and on all, MKL on all; the ratio on all."""
    times = {}
    for row in rows_of("lu_many_cores.csv"):
        times.setdefault((row["library"].split()[0], row["cores"], row["type"], row["n"]), []).append(median_ms(row))
    for kind in ("f32", "f64"):
        for n in ("1000", "2048", "4096"):
            own, peer = (statistics.mean(times[key + (kind, n)]) for key in (("clgauss", "16"), ("MKL", "16")))
            two = times.get(("clgauss", "2", kind, n))
            yield [kind, n, digits(statistics.mean(two)) if two else "", digits(own), digits(peer), f"{peer / own:.2f}"]


HOST_RUN = "2026-11-25T17:24:38Z"


def host_rows():
    """gesv by columns and solve by rows of clgauss.h, and the peers of the same call."""
    for n in ("1000", "2000", "4000", "8000", "12000"):
        gesv, solve, numpy, torch = (median_ms(one("bench_host_h100.csv", run=HOST_RUN, type="f64", n=n, k="1", contestant=who))
                                     for who in ("clgauss", "solve", "numpy", "torch"))
        yield [n, digits(gesv), digits(solve), digits(numpy), f"{numpy / gesv:.2f}", digits(torch), f"{torch / solve:.2f}"]


H200_LU_RUNS = ("2026-11-24T03:55:12Z", "2026-11-24T03:55:43Z")  # up to n = 16384, and 32768


def h200_against_cusolver():
    """LU with tuned numbers, and cuSOLVER's of the same session, the ninth run."""
    for n in ("500", "1024", "2048", "4096", "8192", "16384", "32768"):
        cells = []
        for kind in ("f32", "f64"):
            own = one("bench_h200_tuned.csv", run=H200_LU_RUNS, device="NVIDIA H200", what="lu", type=kind, m=n, n=n, contestant="clgauss")
            peer = one("vendor_h200.csv", run="ninth", what="lu", type=kind, n=n)
            cells.append((median_ms(own), median_ms(peer)))
        yield n, cells


def beside_cusolver(name, what, sizes, own_run, peer_run, peer_detail):
    """Ours and cuSOLVER's, f64 and f32, each of the run named; the ratio."""
    for m, (n, label) in sizes.items():
        cells = [label]
        for kind in ("f64", "f32"):
            keys = {"device": "NVIDIA H200", "what": what, "type": kind, "m": m, "n": n}
            own = median_ms(one(name, run=own_run, contestant="clgauss", **keys))
            peer = median_ms(one(name, run=peer_run, contestant="cuSOLVER", detail=peer_detail, **keys))
            cells += [digits(own), digits(peer), f"{peer / own:.2f}"]
        yield cells


def of_one_call(name, what, sizes, **more):
    """Ours and cuSOLVER's of the same call, the rows that also have the values `more`, f64 and f32; the ratio."""
    for n in sizes:
        cells = [n]
        for kind in ("f64", "f32"):
            own, peer = (median_ms(one(name, what=what, type=kind, n=n, library=who, **more)) for who in ("clgauss", "cuSOLVER"))
            cells += [digits(own), digits(peer), f"{peer / own:.2f}"]
        yield cells


def cholesky_rows():
    return of_one_call("cholesky_peers_h100.csv", "cholesky", ("500", "1024", "2048", "4096", "8192", "16384"))


def cholesky_h200_rows():
    return of_one_call("cholesky_peers_h200.csv", "cholesky", ("500", "1024", "2048", "4096"), now="yes")


def invert_rows():
    return of_one_call("invert_h100.csv", "invert", ("500", "1024", "2048", "4096", "8192"))


def lstsq_rows():
    return beside_cusolver("bench_h200_lstsq.csv", "lstsq", {"4096": ("1024", "4096 x 1024"), "8192": ("2048", "8192 x 2048")},
                           "2026-11-23T06:39:33Z", "2026-11-23T06:26:27Z", "PyTorch 2.11: gels")


def gelsy_rows():
    cases = {(row["m"], row["n"], row["k"], row["type"]) for row in rows_with("bench_pocl_gelsy.csv", what="gelsy")}
    for m, n, k, kind in sorted(cases, key=lambda case: (case[3], *map(int, case[:3])), reverse=True):
        own, gelsy, gelsd = (median_ms(one("bench_pocl_gelsy.csv", m=m, n=n, k=k, type=kind, contestant=who))
                             for who in ("clgauss", "openblas", "gelsd"))
        yield [kind, f"{m} x {n}", k, digits(own), digits(gelsy), f"{gelsy / own:.2f}", digits(gelsd), f"{gelsd / own:.2f}"]


COMPLEX_SIZES = ("500", "1024", "2048", "4096", "8192")


def complex_rows():
    """c32 since its triangular solves take blocks of 32 rows."""
    for n in COMPLEX_SIZES:
        c64 = one("bench_h100_complex.csv", what="complex", type="f64", n=n)
        c32 = one("complex_peers_h100.csv", library="clgauss", turn="solves by 32 rows", what="complex", type="f32", n=n)
        cells = [n]
        for kind, own in (("f64", c64), ("f32", c32)):
            cells += times(median_ms(own), median_ms(one("complex_peers_h100.csv", library="cuSOLVER", turn="after", type=kind, n=n)))
        yield cells


GPU_PEERS = "gpu_batched_peers_h200.csv"


def gpu_median(group, kind, n, library):
    return median_ms(one(GPU_PEERS, group=group, type=kind, n=n, library=library))


def systems_of(group, n):
    return rows_with(GPU_PEERS, group=group, n=n)[0]["batch"]


def complex_h200_rows():
    """The portable kernels and those that are chosen, and how many times as long cuSOLVER takes as each."""
    for n in COMPLEX_SIZES:
        cells = [n]
        for kind in ("c64", "c32"):
            portable, own, peer = (gpu_median("portable", kind, n, who) for who in ("clgauss, portable kernels", "clgauss", "cusolver"))
            cells += [digits(portable), *times(own, peer), f"{peer / portable:.2f}"]
        yield cells


def hermitian_rows():
    for n in COMPLEX_SIZES:
        yield [n] + [cell for kind in ("c64", "c32") for cell in times(*(gpu_median("hermitian", kind, n, who) for who in ("clgauss", "cusolver")))]


def beside_magma_rows():
    """LU and Cholesky of both types from n = 129 on."""
    for n in ("129", "160", "192", "256"):
        cells = [n, systems_of("lu", n)]
        for group in ("lu", "cholesky"):
            for kind in ("f64", "f32"):
                cells += times(*(gpu_median(group, kind, n, who) for who in ("clgauss", "magma")))
        yield cells


def blocks_rows():
    """LU of large systems; the ratio is MAGMA's."""
    for n in ("512", "1024", "2048"):
        own, magma, cusolver, torch = (gpu_median("large", "f64", n, who) for who in ("clgauss", "magma", "cusolver", "torch"))
        yield [n, systems_of("large", n), *times(own, magma), digits(cusolver), digits(torch)]


# Of clgauss-bench --breakdown.
PARTS = ("panel", "laswp + trsm", "gemm", "gaps")


def breakdown_rows():
    """ms of each part of an LU; together more than the whole, for the parts run side by side in part."""
    for n in ("1024", "2048", "4096", "8192", "16384"):
        for kind in ("f64", "f32"):
            yield [n, kind] + [digits(float(one("breakdown_h200.csv", what="lu", type=kind, n=n, part=part)["ms"])) for part in PARTS]


MIXED_RUNS = ("2026-11-23T06:25:33Z", "2026-11-23T06:30:40Z")  # up to n = 16384, and 32768
MIXED_SIZES = ("1024", "2048", "4096", "8192", "16384", "32768")


def mixed_times(n):
    """lu f64, mixed and rbt, and cuSOLVER's last time (its run mixed has up to three, in the order of their sessions)."""
    own = [median_ms(one("bench_h200_mixed.csv", run=MIXED_RUNS, what="solve", type="f64", m=n, n=n, contestant=who))
           for who in ("clgauss", "mixed", "rbt")]
    return own, median_ms(rows_with("vendor_h200.csv", run="mixed", what="solve", type="f64", n=n)[-1])


def mixed_rows():
    for n in MIXED_SIZES:
        own, peer = mixed_times(n)
        yield [n] + [digits(value) for value in (*own, peer)]


def rbt_ratios():
    """How many times as long cuSOLVER takes as rbt: 1.2, 1.5 and 1.8."""
    ratios = [f"{peer / own[2]:.2f}" for own, peer in map(mixed_times, MIXED_SIZES)]
    return f"{', '.join(ratios[:-1])} and {ratios[-1]}"


def portable_rows():
    for n in ("1024", "2048", "4096", "8192", "16384"):
        cells = [n]
        for kind in ("f32", "f64"):
            portable, vendor, peer = (median_ms(one("portable_h200.csv", what="lu", type=kind, n=n, contestant=who))
                                      for who in ("clgauss, portable kernels", "clgauss", "cuSOLVER"))
            cells += [digits(portable), digits(vendor), digits(peer), f"{peer / portable:.2f}"]
        yield cells


def file_rows():
    for n in ("8010", "16384"):
        yield [n] + [f"{median_ms(one('bench_h200_file.csv', what='file', type='f64', n=n, contestant=who)) / 1e3:.2f}"
                     for who in ("clgauss", "no-rcond", "numpy", "pytorch")]


BATCHED_SIZES = ("8", "16", "32", "64", "128")


def rate(row):
    """Million systems a second."""
    return digits(int(row["m"]) / median_ms(row) / 1e3)


def beside_openblas(name):
    """For n: of f32 and f64 clgauss's rate, OpenBLAS's and their ratio."""

    def cells(n):
        for kind in ("f32", "f64"):
            mine, peer = (one(name, what="batched", type=kind, n=n, contestant=who) for who in ("clgauss", "openblas"))
            yield from (rate(mine), rate(peer), f"{median_ms(peer) / median_ms(mine):.1f}")

    return cells


def batched_cholesky_rows():
    cells = beside_openblas("bench_batched_pocl_cholesky.csv")
    return [[n, *cells(n)] for n in BATCHED_SIZES]


# On the H200 the run of each size; of f64 at n = 128 there is the kernel's time by the device's clock alone.
BATCHED_RUNS = {"8": "2026-11-27T16:25:30Z", "16": "2026-11-27T16:25:30Z", "32": "2026-11-27T16:25:30Z", "64": "2026-11-23T16:55:09Z",
                "128": ("2026-11-23T16:55:39Z", "2026-11-23T16:20:00Z")}


def batched_rows():
    """On the H200 the last run, and the median of cuBLAS's."""
    on_pocl = beside_openblas("bench_batched_pocl.csv")
    for n in BATCHED_SIZES:
        cells = []
        for kind in ("f32", "f64"):
            own = one("bench_batched_h200.csv", run=BATCHED_RUNS[n], what="batched", type=kind, n=n, contestant="clgauss")
            peer = statistics.median(float(row["million_systems_a_second"]) for row in rows_with("vendor_batched_h200.csv", type=kind, n=n))
            cells += [rate(own), digits(peer), f"{int(own['m']) / median_ms(own) / 1e3 / peer:.1f}"]
        yield [n, *cells, *on_pocl(n)]


def times(own, peer):
    """Milliseconds of both, and how many times the first one's the second is."""
    return [digits(own), digits(peer), f"{peer / own:.2f}"]


COMPLEX_BATCHES_BY_THE_C_API = ("8", "24", "160", "192")  # of cuBLAS


def batched_complex_rows():
    """By the kernels that are chosen; those of "tile" were chosen before."""
    for n in ("8", "16", "24", "32", "64", "96", "128", "160", "192", "256"):
        cells = []
        for kind in ("c64", "c32"):
            if n in COMPLEX_BATCHES_BY_THE_C_API:
                batch = systems_of("complex", n)
                cells += times(*(gpu_median("complex", kind, n, who) for who in ("clgauss", "cublas")))
                continue
            own = next(row for row in rows_with("complex_batches_h200.csv", type=kind, n=n) if not row["kernel"].startswith("tile"))
            batch = own["batch"]
            cells += times(float(own["clgauss_median_ms"]), float(own["cublas_median_ms"]))
        yield [n, batch, *cells]


def batched_beside_pytorch(what, kinds):
    """Those of batches_h200.csv, beside the fastest of PyTorch's libraries in the last call that timed them; in later calls are the kernels that were changed."""
    for n in ("8", "16", "24", "32", "64", "96", "128", "160", "192", "256"):
        cells = []
        for kind in kinds:
            first = one("batches_h200.csv", what=what, type=kind, n=n, call="first")
            same = rows_with("batches_h200.csv", what=what, type=kind, n=n, batch=first["batch"])
            own, beside = same[-1], [row for row in same if row["torch_median_ms"]][-1]
            peer = min(float(beside[f"{library}_median_ms"]) for library in ("torch", "cusolver", "magma"))
            cells += times(float(own["clgauss_median_ms"]), peer)
        yield [n, first["batch"], *cells]


def batched_inverse_rows():
    """Beside cuBLAS, and PyTorch by its own choice of library or MAGMA, whichever is faster."""
    for n in ("8", "16", "32", "64", "128"):
        cells = [n, systems_of("inverse", n)]
        for kind in ("f64", "f32"):
            own, cublas, *torch = (gpu_median("inverse", kind, n, who) for who in ("clgauss", "cublas", "torch", "magma"))
            cells += times(own, cublas) + times(own, min(torch))[1:]
        yield cells


def batched_large_rows():
    """Thousand systems a second on an H100, and MAGMA's the second time that it was asked, behind ours."""
    for n in ("160", "192", "256", "512", "1024", "2048"):
        cells = []
        for file, what in (("bench_batched_h100.csv", "batched"), ("bench_batched_cholesky_h100.csv", "batched cholesky")):
            for kind in ("f32", "f64"):
                own = one(file, what="batched", type=kind, n=n, contestant="clgauss")
                peer = one("batched_peers_h100.csv", turn="after", what=what, type=kind, n=n)
                cells += [digits(int(row["m"]) / median_ms(row), 4) for row in (own, peer)] + [f"{median_ms(peer) / median_ms(own):.2f}"]
        yield [n, own["m"], *cells]


def runs(value, count):
    """The median, and of how many runs it is; one is called a single run."""
    return f"{value:.3g} (single run)" if count == 1 else f"{value:.3g} ({count})"


def work_group_rows():
    names = {"NVIDIA H200": "H200", "pthread-skylake-avx512-AMD EPYC": "PoCL, 2 cores"}
    times, beside, last = {}, {}, None
    for row in rows_of("work_group_comparison.csv"):
        key = (names.get(row["device"], "rusticl (llvmpipe)"), int(row["n"]), row["rule"])
        times.setdefault(key, []).append((float(row["time_s"]), row["size"]))
        if row["rule"] == "lcm":  # in turns with the driver's choice
            beside.setdefault(key[:2], []).append(last)
        last = float(row["time_s"])
    for device in ("H200", "PoCL, 2 cores", "rusticl (llvmpipe)"):
        for n in sorted({key[1] for key in times if key[0] == device}):
            def median(rule):
                return statistics.median(time for time, _ in times[device, n, rule])
            driver = statistics.median(beside[device, n])
            size = times[device, n, "lcm"][0][1]
            fixed = [runs(median(rule), len(times[device, n, rule])) if (device, n, rule) in times else ""
                     for rule in ("192", "256")]
            yield [device, str(n), runs(driver, len(beside[device, n])),
                   f"{runs(median('lcm'), len(times[device, n, 'lcm']))}, size {size}", f"{driver / median('lcm'):.3g}"] + fixed


def laboratory(name):
    """What the laboratory's tables say over all n of the elimination in f64: {name.line.column: number}."""
    text = (HERE / f"laboratory_{name}_tables.md").read_text(encoding="utf-8")
    f64 = "### Elimination in f64, fixed"
    lines = text[text.index(f64 if f64 in text else "### Elimination in f32, fixed"):].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("**Over all n timed"))
    said = {}
    head = [cell.strip() for cell in next(line for line in lines if "| LCM raw |" in line).strip("|").split("|")]
    few = [cell.strip() for cell in next(line for line in lines if ", --cores-per-cu |" in line).strip("|").split("|")]
    said |= {f"{name}: few cores: n": few[0].split(",")[0], f"{name}: few cores: raw": few[head.index("LCM raw")],
             f"{name}: few cores: best": few[head.index("indistinguishable")].split(",")[0].replace("\\_", "_")}
    for line in lines[start + 4:]:
        if not line.startswith("|"):
            return said
        what, count, faster, tie, slower, over_rule, _ = (cell.strip() for cell in line.strip("|").split("|"))
        least, _, median, _, most = over_rule.split(", ")
        columns = {"n": count, "faster": faster, "tie": tie, "slower": slower, "least": least, "median": median, "most": most}
        said |= {f"{name}: {what}: {column}": value for column, value in columns.items()}


def filled(page, values):
    """The page with what stands between its marks <!--NAME--> and <!--/--> written anew; a table has lines of its own."""
    def value_of(mark):
        value = values[mark[1]]
        return f"<!--{mark[1]}-->" + (f"\n{value}\n" if value.startswith(("|", "- ")) else value) + "<!--/-->"
    return re.sub(r"<!--(\w[^>]*)-->.*?<!--/-->", value_of, (HERE / page).read_text(encoding="utf-8"), flags=re.S)


def write_or_check(script, pages):
    """Writes the pages, text by name, or with --check fails if one of them is not what `script` would write."""
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(f"Usage: {script} [--check]")
    wrong = []
    for name, text in pages.items():
        path = HERE / name
        if not sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(name)
    if wrong:
        sys.exit(f"docs/{', docs/'.join(wrong)} is not what data/runs says: run {script}")


def performance_tables_md():
    pocl = [[kind, n, f"{own:.2f}", f"{peer:.2f}", f"{peer / own:.2f}"] for kind, n, own, peer in pocl_against_openblas()]
    h200 = []
    for n, cells in h200_against_cusolver():
        h200.append([n] + [text for own, peer in cells for text in (digits(own), digits(peer), f"{peer / own:.2f}")])
    tables = {
        "pocl": table(["type", "n", "clgauss", "OpenBLAS", "ratio"], pocl),
        "peers": table(["type", "n", "clgauss", "SciPy's OpenBLAS", "ratio", "oneMKL", "ratio"], peers_of_python()),
        "host": table(["n", "gesv", "solve", "NumPy", "ratio to gesv", "PyTorch", "ratio to solve"], host_rows()),
        "many_cores": table(["type", "n", "2 cores", "16 cores", "MKL", "ratio"], many_cores()),
        "mixed": table(["n", "lu f64", "mixed", "rbt", "cuSOLVER"], mixed_rows()),
        "mixed: rbt": rbt_ratios(),
        "h200": table(["n", "f32 LU", "cuSOLVER", "ratio", "f64 LU", "cuSOLVER", "ratio"], h200),
        "complex": table(["n", "c64", "cuSOLVER", "ratio", "c32", "cuSOLVER", "ratio"], complex_rows()),
        "cholesky": table(["n", "f64", "cuSOLVER", "ratio", "f32", "cuSOLVER", "ratio"],
                          cholesky_rows()),
        "cholesky_h200": table(["n", "H200, f64", "cuSOLVER", "ratio", "H200, f32", "cuSOLVER", "ratio"], cholesky_h200_rows()),
        "invert": table(["n", "inverse, f64", "cuSOLVER", "ratio", "inverse, f32", "cuSOLVER", "ratio"], invert_rows()),
        "gelsy": table(["type", "A", "rank", "clgauss", "gelsy", "ratio", "gelsd", "ratio"], gelsy_rows()),
        "lstsq": table(["A", "f64", "cuSOLVER", "ratio", "f32", "cuSOLVER", "ratio"],
                       lstsq_rows()),
        "breakdown": table(["n", "type", *PARTS], breakdown_rows()),
        "portable": table(["n", "f32 portable", "NVIDIA's kernels", "cuSOLVER", "ratio", "f64 portable", "NVIDIA's kernels",
                           "cuSOLVER", "ratio"], portable_rows()),
        "files": table(["n", "clgauss", "without rcond", "NumPy", "PyTorch"], file_rows()),
        "batched": table(["n", "H200 f32", "cuBLAS", "ratio", "H200 f64", "cuBLAS", "ratio", "PoCL f32", "gesv", "ratio", "PoCL f64",
                          "gesv", "ratio"], batched_rows()),
        "batched_complex": table(["n", "systems", "c64", "cuBLAS", "ratio", "c32", "cuBLAS", "ratio"], batched_complex_rows()),
        "batched_lu": table(["n", "systems", "f64", "fastest", "ratio", "f32", "fastest", "ratio"], batched_beside_pytorch("lu", ("f64", "f32"))),
        "batched_definite": table(["n", "systems", *(cell for kind in ("f64", "f32", "c64", "c32") for cell in (kind, "fastest", "ratio"))],
                                  batched_beside_pytorch("cholesky", ("f64", "f32", "c64", "c32"))),
        "batched_inverse": table(["n", "matrices", *(cell for kind in ("f64", "f32") for cell in (kind, "cuBLAS", "ratio", "PyTorch", "ratio"))], batched_inverse_rows()),
        "complex_h200": table(["n", *(cell for kind in ("c64", "c32") for cell in (f"{kind} portable", f"{kind}", "cuSOLVER", "ratio", "ratio, portable"))],
                              complex_h200_rows()),
        "hermitian": table(["n", "Hermitian, c64", "cuSOLVER", "ratio", "Hermitian, c32", "cuSOLVER", "ratio"], hermitian_rows()),
        "batched_magma": table(["n", "systems", *(cell for what in ("LU", "Cholesky") for kind in ("f64", "f32") for cell in (f"{kind} {what}, ms", "MAGMA", "ratio"))],
                               beside_magma_rows()),
        "batched_blocks": table(["n", "systems", "f64 LU, ms", "MAGMA", "ratio", "cuSOLVER", "PyTorch's choice"], blocks_rows()),
        "batched_cholesky": table(["n", "f32", "posv", "ratio", "f64", "posv", "ratio"], batched_cholesky_rows()),
        "batched_large": table(["n", "systems", "f32 LU", "MAGMA", "ratio", "f64 LU", "MAGMA", "ratio", "f32 Cholesky", "MAGMA", "ratio",
                                "f64 Cholesky", "MAGMA", "ratio"], batched_large_rows()),
        "work_group": table(["device", "n", "driver default", "LCM rule", "ratio", "192", "256"], work_group_rows()),
    }
    for name in ("h200", "pocl", "rusticl"):
        tables |= laboratory(name)
    return filled("performance_tables.md", tables)


def speed_svg():
    """How many times longer the peer takes, a bar each."""
    bars = [(f"PoCL {kind} n = {n}", peer / own) for kind, n, own, peer in pocl_against_openblas()]
    for n, cells in h200_against_cusolver():
        if n in ("1024", "4096", "16384", "32768"):
            bars += [(f"H200 {kind} n = {n}", peer / own) for kind, (own, peer) in zip(("f32", "f64"), cells)]
    left, width, step, top = 150, 460, 22, 52
    scale = width / 2.0
    height = top + step * len(bars) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        "<style>text { fill: #1f2328; } .soft { fill: #59636e; } .paper { fill: #fff; } .one { stroke: #1f2328; } .value { stroke: #fff; stroke-width: 4px; paint-order: stroke; }",
        "@media (prefers-color-scheme: dark) {",
        "  text { fill: #e6edf3; } .soft { fill: #9da7b1; } .paper { fill: #14171c; } .one { stroke: #e6edf3; } .value { stroke: #14171c; }",
        "}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
        '<text x="12" y="22" font-size="15" font-weight="bold">LU: how many times as long the vendor\'s library takes</text>',
        '<text x="12" y="40" class="soft">OpenBLAS 0.3.21, factor + solve, 2 cores; cuSOLVER, LU, H200</text>',
    ]
    bottom = top + step * len(bars)
    words = []
    for i, (label, ratio) in enumerate(bars):
        y = top + step * i
        color = "#2a6fb0" if label.startswith("PoCL") else "#4f9d4f"
        parts.append(f'<rect x="{left}" y="{y + 3}" width="{ratio * scale:.1f}" height="{step - 6}" fill="{color}"/>')
        words += [
            f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{label}</text>',
            f'<text x="{left + ratio * scale + 6:.1f}" y="{y + 15}" class="value">{ratio:.2f}</text>',
        ]
    parts += [
        f'<line x1="{left + scale:.1f}" y1="{top}" x2="{left + scale:.1f}" y2="{bottom}" class="one" stroke-dasharray="4 3"/>',
        *words,
        f'<text x="{left + scale:.1f}" y="{bottom + 18}" text-anchor="middle">1: as fast</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main():
    write_or_check("docs/performance.py", {"performance_tables.md": performance_tables_md(), "speed.svg": speed_svg()})


if __name__ == "__main__":
    main()
