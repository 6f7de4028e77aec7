#!/usr/bin/env python3
"""Writes the figures of distributed_measured.md, in this folder, from the raw numbers in data/runs and the model that the page describes.

  docs/distributed.py            writes it
  docs/distributed.py --check    fails if it is not what it would write
"""

import math
import statistics

from performance import digits, filled, rows_of, table, write_or_check

W, WORD = 1024, 8
COLUMN_S, ROW_S = 2.87e-6, 2.84e-11  # of a panel: a column, and each of its rows
WIRE, NETWORK, PER_HOST, MESSAGE_S = 55e9, 50e9, 8, 5e-6
DEVICES = [1, 2, 4, 8, 32, 128, 512, 4096]
SIZES = [32768, 65536, 131072, 262144, 1048576]


def lu_seconds(n, devices, speed, rows_of_grid=1):
    """Of an LU in f64; `rows_of_grid`: devices that share a column of the grid."""
    total = 0.0
    columns_of_grid = devices / rows_of_grid
    hosts = math.ceil(devices / PER_HOST)
    for m in range(n, 0, -W):
        w = min(W, m)
        rows = m / rows_of_grid
        blocks = math.ceil((m - w) / W / columns_of_grid) if m > w else 0
        update = 2 * rows * w * blocks * W / speed
        panel = w * (COLUMN_S + ROW_S * rows) + rows * w * w / speed
        if rows_of_grid > 1:
            panel += w * MESSAGE_S * math.log2(rows_of_grid)
        move = 0.0 if devices == 1 else 2 * rows * w * WORD / WIRE
        if rows_of_grid == 1:
            move += rows * w * WORD * (hosts - 1) / NETWORK
        elif hosts > 1:
            move += rows * w * WORD / NETWORK
        if devices == 1:
            total += update + panel
        else:
            total += max(update + panel / columns_of_grid, panel + move + 2 * rows * w * W / speed)
    return total


def calibrated_speed():
    """Of products, so that n = 32768 on one device takes what was measured."""
    low, high = 1e13, 1e14
    while high / low > 1.0001:
        middle = math.sqrt(low * high)
        if lu_seconds(32768, 1, middle) > 0.640:
            low = middle
        else:
            high = middle
    return low


def model_table(speed, grid):
    rows = []
    for n in SIZES:
        one = lu_seconds(n, 1, speed)
        cells = [str(n)]
        for devices in DEVICES:
            seconds = lu_seconds(n, devices, speed, math.sqrt(devices) if grid and devices > 2 else 1)
            cells.append(f"{round(100 * one / (devices * seconds))} % {digits(seconds)}")
        rows.append(cells)
    return table(["n"] + [str(d) for d in DEVICES], rows)


def pocl_times():
    """Seconds by n, run and ranks."""
    times = {}
    for row in rows_of("distributed_pocl.csv"):
        times.setdefault((row["n"], row["run"], row["ranks"]), []).append(float(row["solve_s"]))
    return times


def measured():
    times = pocl_times()
    names = {("plain", "1"): "`solve` on one device", ("all", "1"): "`--devices`, one rank of two cores",
             ("all", "2"): "two ranks of one core", ("pdgesv", "2"): "ScaLAPACK's pdgesv on two ranks, OpenBLAS"}
    lines = []
    for n in ("4096", "8192"):
        one = statistics.median(times[n, "plain", "1"])
        for (run, ranks), name in names.items():
            values = times[n, run, ranks]
            lines.append([n, name, str(len(values)), digits(statistics.median(values)),
                          f"{digits(min(values))} .. {digits(max(values))}",
                          digits(one / statistics.median(values)) + " times"])
    return table(["n", "what", "runs", "s", "from .. to", "speed of `solve`"], lines)


def limits():
    times = pocl_times()
    lines = []
    for n, limit in (("4096", "100"), ("8192", "200")):
        one, less = (statistics.median(times[n, run, "1"]) for run in ("all", "all@" + limit))
        lines.append([n, str(len(times[n, "all", "1"])), digits(one), f"{digits(less)} ({limit} MB)",
                      digits(one / less) + " times"])
    return table(["n", "runs", "`--devices`, one", "the same with less memory", "of its speed"], lines)


SINCE_H200 = "2026-11-22T22:02"  # rows of distributed_h200.csv by the present code: panels first, blocks of 1024 columns


def measured_on_h200():
    """Medians; where there are several runs without the first, which builds kernels."""
    times = {}
    for row in rows_of("distributed_h200.csv"):
        if row["date"] >= SINCE_H200:
            times.setdefault((row["n"], row["run"]), []).append(float(row["solve_s"]))
    lines = []
    for n, limit in (("8192", ""), ("16384", ""), ("32768", "4000"), ("65536", "16000")):
        def median(run, n=n):
            values = times.get((n, run), [])
            return statistics.median(values[1:] or values) if values else None

        plain, one, two = median("plain"), median("0:0"), median("all")
        less = median(f"0:0@{limit}")
        lines.append([n, str(max(1, len(times[n, "0:0"]) - 1)), digits(plain) if plain else "-", digits(one),
                      digits(plain / one) + " times" if plain else "-", digits(two), f"{round(100 * one / (2 * two))} %",
                      f"{digits(less)} ({int(limit) // 1000} GB), {digits(one / less)} times" if less else "-"])
    return table(["n", "runs", "`solve`", "`--devices`, one", "its speed", "two", "efficiency", "one with less memory, its speed"],
                 lines)


def largest_on_h200():
    """The largest n on two devices."""
    return max((row for row in rows_of("distributed_h200.csv") if row["date"] >= SINCE_H200 and row["run"] == "all"),
               key=lambda row: int(row["n"]))


def page():
    largest = largest_on_h200()
    speed = calibrated_speed()
    hide = 4 * speed / WIRE
    values = dict(
        measured=measured(), limits=limits(), h200=measured_on_h200(), large_n=largest["n"], large_s=digits(float(largest["solve_s"])),
        large_tflops=digits(float(largest["gflops"]) / 1e3), g=digits(speed / 1e12), a=f"{COLUMN_S * 1e6:.2f}", b=f"{ROW_S * 1e9:.4f}",
        one_d=model_table(speed, False), two_d=model_table(speed, True), hide=round(hide),
        gb=digits(hide * WORD * 65536 / 1e9, 2), ooc=round(16e9 / (WORD * 65536)),
        slack=digits(16e9 / (WORD * 65536) / hide, 2))
    return filled("distributed_measured.md", {name: str(value) for name, value in values.items()})


def main():
    write_or_check("docs/distributed.py", {"distributed_measured.md": page()})


if __name__ == "__main__":
    main()
