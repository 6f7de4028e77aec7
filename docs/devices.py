#!/usr/bin/env python3
"""Writes the tables of devices_measured.md, in this folder, from data/devices/reports/*.json, which `clgauss-tune report-device` wrote.

  docs/devices.py            writes them
  docs/devices.py --check    fails if they are not what it would write
"""

import json

from performance import HERE, filled, table, write_or_check

REPORTS = HERE.parent / "data" / "devices" / "reports"
# What a report measures is a column; of what it measures at several n, the largest.
SPEEDS = [("lu", "f64"), ("lu", "f32"), ("gemm", "f64"), ("gemm", "f32")]
BATCHES = [("batch of 8192", "f64"), ("batch of 512", "f64"), ("batch of 8192", "f32"), ("batch of 512", "f32")]
CONSTANTS = ["launch of one group", "copy", "read by rows", "latency of global memory", "latency of local memory", "upload", "download"]


def reports():
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(REPORTS.glob("*.json"))]


def name_of(report):
    return report["device"]["name"].replace("|", "/")


def rows_of(report, what, kind=None):
    return [row for row in report["measured"] if row["what"].startswith(what) and (kind is None or row.get("type") == kind)]


def cell(rows, with_n=False):
    """The one of the largest n."""
    rows = [row for row in rows if "value" in row]
    if not rows:
        return "-"
    row = max(rows, key=lambda row: row.get("n", 0))
    value = f"{row['value']:.0f}" if row["value"] >= 1000 else f"{row['value']:.3g}"
    return value + (f" ({row['n']})" if with_n else "")


def devices_table():
    rows = []
    for report in reports():
        kernels = report["kernels"]
        rows.append([name_of(report), f"{report['device']['platform']}, {report['device']['driver']}", report["host"]["text"],
                     f"{report['host']['busy_cores']:.1f}", str(kernels["usable"]), str(kernels["skipped"]), str(len(kernels["wrong"]))])
    return table(["device", "platform and driver", "host", "cores busy with others", "kernels that give right answers", "skipped", "wrong or not built"], rows)


def speeds_table():
    head = ["device"] + [f"{what} {kind}" for what, kind in SPEEDS]
    return table(head, [[name_of(report)] + [cell(rows_of(report, what, kind), with_n=True) for what, kind in SPEEDS] for report in reports()])


def batches_table():
    head = ["device"] + [f"{what} {kind}" for what, kind in BATCHES]
    return table(head, [[name_of(report)] + [cell(rows_of(report, what, kind), with_n=True) for what, kind in BATCHES] for report in reports()])


def constants_table():
    def unit(what):
        return next(row["unit"] for report in reports() for row in rows_of(report, what) if "unit" in row)
    head = ["device"] + [f"{what}, {unit(what)}" for what in CONSTANTS]
    return table(head, [[name_of(report)] + [cell(rows_of(report, what)) for what in CONSTANTS] for report in reports()])


def wrong_list():
    wrong = [f"- {name_of(report)}: {fault['kernel']} {fault['build']}: {' '.join(fault['reason'].split())}"
             for report in reports() for fault in report["kernels"]["wrong"]]
    return "\n".join(wrong or ["- none"])


def page():
    return filled("devices_measured.md", {"devices": devices_table(), "speeds": speeds_table(), "batches": batches_table(),
                                          "constants": constants_table(), "wrong": wrong_list()})


def main():
    write_or_check("docs/devices.py", {"devices_measured.md": page()})


if __name__ == "__main__":
    main()
