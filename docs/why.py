#!/usr/bin/env python3
"""Writes the figures of why.md and why_tables.md from data/runs: what the model of `clgauss-tune explain` predicts beside what was measured.

  docs/why.py                     writes them
  docs/why.py --check             fails if they are not what it would write
  docs/why.py pack NAME FOLDER    packs the rows of `clgauss-tune explain -o FOLDER` as data/runs/explain_NAME.tar.gz, writes them
  docs/why.py compare NAME        prints how far the predictions in data/runs/explain_predicted_NAME.csv are off these rows
"""

import collections
import csv
import functools
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tarfile
import tempfile

from performance import HERE, RUNS, filled, table

TUNE = pathlib.Path(os.environ.get("CLGAUSS_TUNE", HERE.parent / "build" / "clgauss-tune"))
DATA = HERE.parent / "data"
NAMES = {"h100": "H100", "h200": "H200", "gt_555m": "GT 555M (2012)", "pocl": "PoCL", "intel": "Intel CPU", "rusticl": "rusticl"}
FITTED = {"gt_555m": "1000,5000"}
FITTED_ELSEWHERE = "508,1012,2002,4006"
GOOD = 1.1
MOST_ERROR, LEAST_GOOD = 0.15, 0.9
# What data/runs/explain_predicted_*.csv predict, by how NAME begins.
PREDICTED = {"": "new kernels", "n_": "a new n", "device_": "a new device"}
MOST_NOISE = 0.2  # that equal launches may differ by, as on the pages of devices
RULES = {"model": "the model's pick", "driver": "driver (NULL)", "lcm": "LCM", "divisor": "largest divisor", "256": "256"}


def unpacked(name, place):
    """The rows of the laboratory, or of probes (NAME explain_...), as a folder."""
    with tarfile.open(RUNS / f"{name}.tar.gz") as archive:
        archive.extractall(place, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(place)


def published_rows(place):
    """Baranov and Vlatskaya's own times of the whole solve, in the columns of the laboratory."""
    device = json.loads((DATA / "devices" / "gt_555m.json").read_text(encoding="utf-8"))
    about = {key: device[key] for key in ("name", "vendor", "platform", "type", "compute_units", "max_work_group_size", "preferred_multiple")}
    about |= {"driver": "", "cores": 144, "global_mem_bytes": 0, "local_mem_bytes": 49152}
    info = {"schema": 3, "experiment": "sweep", "kernel": "solve", "type": "f32", "variant": "fixed", "command": "", "version": "", "device": about}
    (place / "experiment.json").write_text(json.dumps(info), encoding="utf-8")
    with tarfile.open(RUNS / "laboratory_h100.tar.gz") as archive:
        any_rows = next(member for member in archive if member.name.endswith("rows.csv"))
        header = archive.extractfile(any_rows).readline().decode().strip().split(",")
    with open(DATA / "published" / "baranov_times.csv", newline="", encoding="utf-8") as file, \
            open(place / "rows.csv", "w", newline="", encoding="utf-8") as out:
        lines = csv.DictWriter(out, header, restval="", lineterminator="\n")
        lines.writeheader()
        for row in csv.DictReader(file):
            lines.writerow({"schema": 3, "device": device["name"], "experiment": "sweep", "kernel": "solve", "type": "f32", "variant": "fixed", "rule": "fixed",
                            "n": row["n"], "local": row["local"], "group": row["local"], "parameters": "SPLIT=exact", "status": "ok", "repetition": 0,
                            "repetitions": 1, "estimated": 0, "time_ns": float(row["median_ms"]) * 1e6})


def folder_of(name, parent):
    place = pathlib.Path(parent) / name
    place.mkdir()
    published_rows(place) if name == "gt_555m" else unpacked(name, place)
    return place


@functools.cache
def explained(name, *arguments, other=None):
    """What explain says of packed rows, as JSON, and its predictions, by constants from the rows of `other` where it is given."""
    with tempfile.TemporaryDirectory() as folder:
        place = folder_of(name, folder)
        if other:
            arguments = (*arguments, "--fit-rows", folder_of(other, folder))
        lines = pathlib.Path(folder) / "lines.csv"
        run = subprocess.run([TUNE, "explain", "--rows", place, "--predictions", lines, "--json", *arguments], check=True, capture_output=True, text=True)
        with open(lines, newline="", encoding="utf-8") as file:
            return json.loads(run.stdout), list(csv.DictReader(file))


def laboratory(name):
    return name if name == "gt_555m" else f"laboratory_{name}"


def control(name):
    """By how much equal launches, timed in the same rounds under two names, differ: their number and median."""
    measured, differences = medians_of(name), []
    for (kernel, n, rule, local, parameters), time in measured.items():
        same = measured.get((kernel, n, "fixed", local, parameters))
        if rule in ("lcm", "divisor") and same:
            differences.append(max(same / time, time / same) - 1)
    return len(differences), statistics.median(differences)


def medians_of(name):
    """Nanoseconds of each launch of packed rows of probes, by (kernel, n, rule, local, parameters)."""
    times = collections.defaultdict(list)
    with tarfile.open(RUNS / f"explain_{name}.tar.gz") as archive:
        for row in csv.DictReader(io.TextIOWrapper(archive.extractfile("rows.csv"), encoding="utf-8")):
            if row["status"] == "ok":
                times[row["kernel"], row["n"], row["rule"], row["local"], row["parameters"]].append(float(row["time_ns"]))
    return {key: statistics.median(values) for key, values in times.items()}


def key_of(line):
    return line["kernel"], line["n"], line["rule"], "" if line["local"] == "0" else line["local"], line["parameters"]


def compared(lines, measured):
    """(times, median error, picks, share of picks within 10 % of the fastest, median of predicted / measured) of predictions."""
    ratios, cases = [], collections.defaultdict(list)
    for line in lines:
        time = measured.get(key_of(line))
        if time is None:
            continue
        predicted = float(line["predicted_ns"])
        ratios.append(predicted / time)
        cases[line["kernel"], line["n"]].append((predicted, time))
    if not ratios:
        return None
    fastest = {case: min(time for key, time in measured.items() if key[:2] == case) for case in cases}
    good = [min(launches)[1] <= GOOD * fastest[case] for case, launches in cases.items()]
    return len(ratios), statistics.median(abs(ratio - 1) for ratio in ratios), len(good), sum(good) / len(good), statistics.median(ratios)


def predicted_lines(name):
    path = RUNS / f"explain_predicted_{name}.csv"
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def percent(share):
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def marked(share, holds, noise=0.0):
    """In bold where it does not hold, in brackets where equal launches differ by too much to tell."""
    if noise > MOST_NOISE:
        return f"({percent(share)})"
    return percent(share) if holds else f"**{percent(share)}**"


def repeatability(name):
    """By how much the same launch of gauss_fwd differs between two experiments of the laboratory: their number and median."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in laboratory_rows(name) if name != "gt_555m" else []:
        if row["kernel"] == "gauss_fwd" and row["variant"] == "fixed" and not row["part"] and row["rule"] != "control" and row["status"] == "ok":
            group = row.get("group") or row["local"]
            way = row["parameters"] if int(group or 0) < int(row["n"]) + 1 else ""
            times[row["type"], row["n"], group, way][row["folder"]].append(float(row["time_ns"]))
    medians = [[statistics.median(of_one) for of_one in of.values()] for of in times.values() if len(of) > 1]
    differences = [max(of) / min(of) - 1 for of in medians]
    return (len(differences), statistics.median(differences)) if differences else (0, 0)


def constants_table():
    rows = []
    for name, title in NAMES.items():
        of = explained(laboratory(name))[0]["constants"]
        held = f"{of['unit_items']} / {of['unit_groups']}" if of["unit_items"] > 1 else "1 group"
        rows.append([title, f"{of['launch_ns'] / 1e3:.2f}", f"{of['start_ns'] / 1e3:.2f}", f"{of['groups_per_ns'] * 1e3:.0f}", held,
                     f"{of['latency_ns']:.0f} + {of['item_ns']:.2f} s", f"{of['bytes_per_ns']:.0f}" if of["bytes_per_ns"] >= 100 else f"{of['bytes_per_ns']:.1f}"])
    return table(["device", "a launch, us", "start and tail, us", "groups/us", "work-items / groups a unit", "ns a group of s waits", "GB/s"], rows)


def held_out_table():
    rows = []
    for name, title in NAMES.items():
        sizes = FITTED.get(name, FITTED_ELSEWHERE)
        error = explained(laboratory(name), "--fit-sizes", sizes)[0]["held_out"]
        launches, differs = repeatability(name)
        of_time = marked(error["median_error"], error["median_error"] <= MOST_ERROR, differs)
        of_picks = marked(error["within_10_percent"], error["within_10_percent"] >= LEAST_GOOD)
        rows.append([title, sizes.replace(",", ", "), str(error["times"]), of_time, str(error["picks"]), of_picks, f"{percent(differs)} ({launches})" if launches else "-"])
    return table(["device", "constants from n =", "other times", "median error", "picks", "within 10 %", "the same launch in two experiments differs by"], rows)


def probed():
    return [name for name in NAMES if (RUNS / f"explain_{name}.tar.gz").exists()]


def predictions_table(*kinds):
    rows = []
    for name in probed():
        measured = medians_of(name)
        for kind in kinds:
            lines = predicted_lines(kind + name)
            for n in sorted({line["n"] for line in lines}, key=int):
                result = compared([line for line in lines if line["n"] == n], measured)
                if result:
                    times, error, picks, good, ratio = result
                    rows.append([NAMES[name], PREDICTED[kind], n, str(times), marked(error, error <= MOST_ERROR, control(name)[1]), f"{ratio:.2f}", str(picks),
                                 marked(good, good >= LEAST_GOOD, control(name)[1]), percent(control(name)[1])])
    return table(["device", "predicted beforehand", "n", "times", "median error", "predicted / measured", "picks", "within 10 %", "equal launches differ by"], rows)


def losses_of(name):
    """How many times the fastest's time each rule takes, by rule: of each kernel and n; the model's constants are from other kernels' rows."""
    measured, picks = medians_of(name), {}
    for line in explained(f"explain_{name}", "--each-kernel")[1]:
        case = line["kernel"], line["n"]
        if key_of(line) in measured:
            picks[case] = min(picks.get(case, (float("inf"), 0)), (float(line["predicted_ns"]), measured[key_of(line)]))
    losses = collections.defaultdict(list)
    for case, (_, time) in picks.items():
        of_case = {key[2:]: value for key, value in measured.items() if key[:2] == case}
        fastest = min(of_case.values())
        losses["model"].append(time / fastest)
        for (rule, local, parameters), value in of_case.items():
            if rule in RULES or (local == "256" and not parameters and rule == "fixed"):
                losses[rule if rule in RULES else "256"].append(value / fastest)
    return losses


def losses_in_laboratory(name):
    """The same of eliminations: of each type and n that the constants are not from."""
    times = collections.defaultdict(dict)
    for row in laboratory_rows(name):
        if row["kernel"] == "gauss_fwd" and row["variant"] == "fixed" and not row["part"] and row["rule"] != "control" and row["status"] == "ok":
            key = row["rule"], row["local"], row["parameters"]
            times[row["type"], row["n"]].setdefault(key, []).append(float(row["time_ns"]) / (int(row["n"]) - 1))
    picks = {}
    for line in explained(laboratory(name), "--fit-sizes", FITTED_ELSEWHERE)[1]:
        if line["kernel"] == "gauss_fwd" and line["fitted"] == "0":
            case = line["type"], line["n"]
            picks[case] = min(picks.get(case, (float("inf"), 0)), (float(line["predicted_ns"]), float(line["measured_ns"])))
    losses = collections.defaultdict(list)
    for case, (_, time) in picks.items():
        medians = {key: statistics.median(values) for key, values in times[case].items()}
        if not any(rule == "driver" for rule, _, _ in medians):
            continue  # a sweep of sizes alone
        fastest = min(medians.values())
        losses["model"].append(time / fastest)
        for rule in RULES:
            of_rule = [value for (name_of, _, parameters), value in medians.items() if name_of == rule and "SPLIT" not in parameters]
            if of_rule:
                losses[rule].append(min(of_rule) / fastest)
    return losses


def laboratory_archive(name):
    return RUNS / f"laboratory_{name}.tar.gz"


@functools.cache
def laboratory_rows(name):
    rows = []
    with tarfile.open(laboratory_archive(name)) as archive:
        for member in archive:
            if member.name.endswith("rows.csv"):
                lines = csv.DictReader(io.TextIOWrapper(archive.extractfile(member), encoding="utf-8"))
                rows += [row | {"folder": str(pathlib.PurePath(member.name).parent)} for row in lines]
    return rows


def line_of_losses(title, what, losses):
    cases = max(len(of_rule) for of_rule in losses.values())
    cells = []
    for rule in RULES:
        of_rule = losses.get(rule, [])
        good = sum(loss <= GOOD for loss in of_rule) / max(1, len(of_rule))
        count = f" ({len(of_rule)})" if len(of_rule) < cases else ""
        cells.append(f"{statistics.median(of_rule):.2f}, {max(of_rule):.3g}, {100 * good:.0f}%{count}" if of_rule else "-")
    return [title, what, str(cases), *cells]


def rules_table():
    rows = []
    for name in NAMES:
        if name != "gt_555m":
            rows.append(line_of_losses(NAMES[name], "gauss_fwd", losses_in_laboratory(name)))
        if name in probed() and control(name)[1] <= MOST_NOISE:
            rows.append(line_of_losses(NAMES[name], "14 kernels", losses_of(name)))
    return table(["device", "of", "cases", *RULES.values()], rows)


def kernels_table():
    """Each kernel of the laboratory by constants from the others' rows; without gauss_fwd, whose rows are nearly all of them."""
    rows = []
    for name in ("h100", "h200"):
        ratios, cases = collections.defaultdict(list), collections.defaultdict(lambda: collections.defaultdict(list))
        for line in explained(laboratory(name), "--each-kernel")[1]:
            predicted, time = float(line["predicted_ns"]), float(line["measured_ns"])
            ratios[line["kernel"]].append(abs(predicted / time - 1))
            cases[line["kernel"]][line["type"], line["n"]].append((predicted, time))
        for kernel in sorted(set(ratios) - {"gauss_fwd"}):
            error = statistics.median(ratios[kernel])
            good = [min(of)[1] <= GOOD * min(time for _, time in of) for of in cases[kernel].values()]
            share = sum(good) / len(good)
            rows.append([NAMES[name], kernel, str(len(ratios[kernel])), marked(error, error <= MOST_ERROR), str(len(good)), marked(share, share >= LEAST_GOOD)])
    return table(["device", "kernel left out", "times", "median error", "picks", "within 10 %"], rows)


def devices_table():
    rows = []
    for name, other in (("h100", "h200"), ("h200", "h100"), ("pocl", "intel"), ("intel", "pocl")):
        error = explained(laboratory(name), other=laboratory(other))[0]["held_out"]
        rows.append([NAMES[name], NAMES[other], str(error["times"]), marked(error["median_error"], error["median_error"] <= MOST_ERROR), str(error["picks"]),
                     marked(error["within_10_percent"], error["within_10_percent"] >= LEAST_GOOD)])
    return table(["device", "constants of", "times", "median error", "picks", "within 10 %"], rows)


def pages():
    """The text of each page, by its name."""
    values = {"constants": constants_table(), "held_out": held_out_table(), "devices": devices_table(), "kernels": kernels_table(),
              "predictions": predictions_table("", "n_"), "device_predictions": predictions_table("device_"), "rules": rules_table()}
    return {name: filled(name, values) for name in ("why.md", "why_tables.md")}


def pack(name, folder):
    with tarfile.open(RUNS / f"explain_{name}.tar.gz", "w:gz") as archive:
        for file in ("experiment.json", "rows.csv"):
            content = (pathlib.Path(folder) / file).read_bytes().replace(str(folder).encode(), f"results/explain_{name}".encode())
            info = tarfile.TarInfo(file)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["pack"] and len(arguments) == 3 and arguments[1] in NAMES:
        pack(arguments[1], arguments[2])
    elif arguments[:1] == ["compare"] and len(arguments) == 2:
        for kind in PREDICTED:
            lines = predicted_lines(kind + arguments[1])
            for n in sorted({line["n"] for line in lines}, key=int):
                print(kind + arguments[1], n, compared([line for line in lines if line["n"] == n], medians_of(arguments[1])))
        return
    elif arguments == ["--check"]:
        for name, text in pages().items():
            if (HERE / name).read_text(encoding="utf-8") != text:
                sys.exit(f"docs/{name} is not what data/runs says, run docs/why.py")
        return
    elif arguments:
        sys.exit(__doc__)
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
