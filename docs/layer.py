#!/usr/bin/env python3
"""Writes the tables of layer_measured.md, in this folder, from data/runs/layer_*.csv.

  docs/layer.py            writes them
  docs/layer.py --check    fails if they are not what it would write
"""

from performance import RUNS, filled, rows_of, table, write_or_check


# By the end of a file's name; others go by their device.
DRIVERS = {"pocl": "PoCL, 2 CPU cores", "pocl16": "PoCL, 16 CPU cores", "intel": "Intel, 2 CPU cores",
           "rusticl": "rusticl (llvmpipe), 2 CPU cores"}


def measured(kind):
    """(name of the device, row) of each row of data/runs/layer_`kind`_*.csv."""
    for file in sorted(RUNS.glob(f"layer_{kind}_*.csv")):
        for row in rows_of(file.name):
            yield DRIVERS.get(file.stem.removeprefix(f"layer_{kind}_"), row["device"]), row


def launches_table():
    """A row for each kernel and range, of every device that was measured."""
    rows = []
    for device, row in measured("launches"):
        size = row["columns"] if row["rows"] == "1" else f"{row['columns']} x {row['rows']}"
        rows.append([device, row["kernel"], size, row["alone_us"], row["layer_us"],
                     f"{float(row['gain']):.2f} ({float(row['least']):.2f} to {float(row['most']):.2f})", row["same"]])
    return table(["device", "kernel", "range", "alone, us", "repaired, us", "gain", "same bits"], rows)


def interval(row, name):
    """1.00 [0.99, 1.01], without the interval where a row has none."""
    if not row[f"{name}_median"]:
        return "-"
    text = f"{float(row[f'{name}_median']):.3f}"
    return text + (f" [{float(row[f'{name}_low']):.3f}, {float(row[f'{name}_high']):.3f}]" if row.get(f"{name}_low") else "")


def programs_table():
    rows = [[device, row["program"], f"{row['null_launches']}, {row['changed_launches']}", row["pairs"], interval(row, "processor"), interval(row, "control"),
             f"{float(row['median']):.2f} ({float(row['least']):.2f} to {float(row['most']):.2f})" if row["median"] else "-", row["same"]]
            for device, row in measured("programs")]
    return table(["device", "program", "launches with NULL, changed", "turns", "processor time, with / without", "without / without",
                  "elapsed time (least to most)", "same answers"], rows)


def overhead_table():
    rows = [[row["queue"], row["kernels"], row["size"], f"{float(row['layer_ns']) - float(row['alone_ns']):.0f}"]
            for row in rows_of("layer_overhead.csv")]
    return table(["queue", "kernels in turn", "size", "ns more a launch"], rows)


def page():
    return filled("layer_measured.md", {"launches": launches_table(), "programs": programs_table(), "overhead": overhead_table()})


def main():
    write_or_check("docs/layer.py", {"layer_measured.md": page()})


if __name__ == "__main__":
    main()
