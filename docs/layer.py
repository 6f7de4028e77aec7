#!/usr/bin/env python3
"""Writes the tables of layer.md, in this folder, from data/runs/layer_*.csv and layer_overhead.csv.

  docs/layer.py            writes them
  docs/layer.py --check    fails if they are not what it would write
"""

import sys

from performance import HERE, RUNS, filled, rows_of, table


DRIVERS = {"pocl": "PoCL", "intel": "Intel", "rusticl": "rusticl"}  # by the end of a file's name; others go by their device


def launches_table():
    """A row for each kernel and range, of every device that was measured."""
    rows = []
    for file in sorted(RUNS.glob("layer_launches_*.csv")):
        driver = DRIVERS.get(file.stem.removeprefix("layer_launches_"))
        for row in rows_of(file.name):
            size = row["columns"] if row["rows"] == "1" else f"{row['columns']} x {row['rows']}"
            rows.append([f"{driver}, 2 CPU cores" if driver else row["device"], row["kernel"], size, row["alone_us"], row["layer_us"],
                         f"{float(row['gain']):.2f} ({float(row['least']):.2f} to {float(row['most']):.2f})", row["same"]])
    return table(["device", "kernel", "range", "alone, us", "repaired, us", "gain", "same bits"], rows)


def overhead_table():
    rows = [[row["queue"], row["kernels"], row["size"], f"{float(row['layer_ns']) - float(row['alone_ns']):.0f}"]
            for row in rows_of("layer_overhead.csv")]
    return table(["queue", "kernels in turn", "size", "ns more a launch"], rows)


def page():
    return filled("layer.md", {"launches": launches_table(), "overhead": overhead_table()})


def main():
    target = HERE / "layer.md"
    if "--check" not in sys.argv[1:]:
        target.write_text(page(), encoding="utf-8")
    elif target.read_text(encoding="utf-8") != page():
        sys.exit("layer.md is not what docs/layer.py writes")


if __name__ == "__main__":
    main()
