#!/usr/bin/env python3
"""Judges searches on recorded spaces: clgauss-tune's own and Kernel Tuner's, on the same times.

    python3 -m venv venv && venv/bin/pip install kernel_tuner==1.5.0
    venv/bin/python tests/bench/search_peers.py --tune build/clgauss-tune --csv rows.csv SPACE.json.gz ..

A space is a T4 file or a cache file of Kernel Tuner (both plain or .gz); its name in the rows is its file's. Kernel Tuner's strategies
run in its simulation mode, options left alone. For all contestants a configuration counts once, and one that failed counts.
Figures are those of many searches: after so many evaluations the median and the 10th percentile of best time / best found
time; and the score of Willemsen et al. (2024, doi 10.1016/j.future.2024.05.021): time passes as the file recorded it (compilation,
checks, runs; not what the search itself computes), until random search is expected to have come 95 % of the way from the median
to the optimum; at 100 points of that time the mean of the best found times is put between what random search is expected to have
found (0) and the optimum (1), and the mean of these is the score.
"""
import argparse
import csv
import gzip
import json
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

EVALUATIONS = [10, 25, 50, 100, 200]
KERNEL_TUNER = ["brute_force", "genetic_algorithm", "adaptive_tabu_greywolf", "dual_annealing", "basinhopping", "bayes_opt"]
COLUMNS = (["space", "configurations", "contestant", "repeats"] + [f"median_{e}" for e in EVALUATIONS]
           + [f"p10_{e}" for e in EVALUATIONS] + ["score"])


class Space:
    """Configurations with what each took, in the order of the file."""

    def __init__(self, path):
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt") as file:
            content = json.load(file)
        self.name = path.name.split(".")[0].removesuffix("_T4")
        read = self.read_t4 if "results" in content else self.read_cache
        self.configurations, times, costs = map(list, zip(*read(content)))
        self.times = numpy.array(times, dtype=float)  # nan: failed
        self.costs = numpy.array(costs)               # of trying it, in the same unit
        self.best = numpy.nanmin(self.times)

    @staticmethod
    def read_t4(content):
        for result in content["results"]:
            runs = [time for time in result["times"].get("runtimes", []) if isinstance(time, (int, float))]
            time = math.nan
            if result["invalidity"] == "correct":
                measured = [m["value"] for m in result.get("measurements", []) if m["name"] == "time"]
                time = measured[0] if measured else float(numpy.median(runs))
            spent = sum(result["times"].get(part) or 0 for part in ("compilation", "validation", "framework"))
            yield result["configuration"], time, spent + sum(runs)

    @staticmethod
    def read_cache(content):
        names = content["tune_params_keys"]
        for entry in content["cache"].values():
            time = entry["time"] if isinstance(entry["time"], (int, float)) and "__error__" not in entry else math.nan
            spent = sum(entry.get(part) or 0 for part in ("compile_time", "verification_time", "benchmark_time", "framework_time"))
            yield {name: entry[name] for name in names}, time, spent

    def t4(self):
        results = [{"configuration": configuration,
                    "times": {"runtimes": [] if math.isnan(time) else [time]},
                    "invalidity": "runtime" if math.isnan(time) else "correct", "correctness": 0 if math.isnan(time) else 1,
                    "measurements": [] if math.isnan(time) else [{"name": "time", "value": time, "unit": "ms"}],
                    "objectives": ["time"]}
                   for configuration, time in zip(self.configurations, self.times)]
        return {"schema_version": "1.0.0", "metadata": {}, "results": results}


def ours(space, program, strategy, repeats):
    """The configurations that each search tried."""
    with tempfile.TemporaryDirectory() as folder:
        path, trace = Path(folder, "space_T4.json"), Path(folder, "trace.csv")
        path.write_text(json.dumps(space.t4()))
        subprocess.run([program, "replay", path, "--strategy", strategy, "--reps", str(repeats), "--evaluations",
                        str(max(EVALUATIONS)), "--trace", trace], check=True, stdout=subprocess.DEVNULL)
        with open(trace) as file:
            rows = list(csv.DictReader(file))
    searches = [[] for _ in range(repeats)]
    for row in rows:
        searches[int(row["search"])].append(int(row["configuration"]))
    return searches


class Visited(dict):
    """The set in which a simulation keeps what it has met, in its order."""

    def add(self, key):
        self[key] = None


def kernel_tuner(space, strategy, repeats):
    if strategy == "brute_force":  # its default: the space in order
        return [list(range(min(max(EVALUATIONS), len(space.times))))]
    from kernel_tuner import util
    from kernel_tuner.interface import Options, strategy_map
    from kernel_tuner.runners.simulation import SimulationRunner
    from kernel_tuner.searchspace import Searchspace

    names = list(space.configurations[0])
    cache = {}
    for configuration, time in zip(space.configurations, space.times):
        entry = dict(configuration)
        if math.isnan(time):
            entry["time"] = entry["__error__"] = util.RuntimeFailedConfig()
        else:
            entry["time"] = float(time)
        cache[",".join(str(configuration[name]) for name in names)] = entry
    numbers = {key: number for number, key in enumerate(cache)}
    values = {name: list(dict.fromkeys(c[name] for c in space.configurations)) for name in names}
    if all(isinstance(v, (int, float)) for options in values.values() for v in options):
        values = {name: sorted(options) for name, options in values.items()}
    searchspace = Searchspace(None, None, None, from_cache={"tune_params": values, "cache": cache})
    searches = []
    for repeat in range(repeats):
        random.seed(repeat)
        numpy.random.seed(repeat)
        runner = SimulationRunner(None, Options(kernel_name="recorded"), Options(quiet=True), 1, [])
        runner.visited_results = Visited()
        options = Options(cache=cache, cachefile=None, tune_params=values, restrictions=None, objective=["time"],
                          objective_higher_is_better=[False], metrics=None, verbose=False, quiet=True, simulation_mode=True,
                          strategy_options=Options({"max_fevals": max(EVALUATIONS)}), max_fevals=max(EVALUATIONS), eps=0,
                          snap=True, simulated_time=0,
                          budget=util.TuningBudget(None, min(max(EVALUATIONS), len(cache))))
        strategy_map[strategy].tune(searchspace, runner, options)
        searches.append([numbers[key] for key in runner.visited_results])
    return searches


def score(space, searches):
    """Of Willemsen et al. (2024)."""
    descending = numpy.sort(space.times[~numpy.isnan(space.times)])[::-1]
    count = len(descending)
    target = space.best + 0.05 * (numpy.median(descending) - space.best)
    last = int(numpy.argmax(descending <= target))
    if descending[last] == space.best:
        last = max(0, last - 1)
    budget = math.ceil(last / (count + 1 - last)) * float(numpy.median(space.costs))
    points = numpy.linspace(budget / 100, budget, 100)
    draws = numpy.maximum(1, numpy.round(points / space.costs.mean())).astype(int)
    expected = descending[numpy.minimum(count - 1, numpy.round(draws * (count + 1) / (draws + 1)).astype(int))]
    found = []
    for search in searches:
        ends = numpy.cumsum(space.costs[search])
        best = numpy.fmin.accumulate(space.times[search])
        done = numpy.searchsorted(ends, points, side="right")
        # Before anything was measured, a search has no more than the median configuration.
        found.append([numpy.median(descending) if d == 0 or math.isnan(best[d - 1]) else best[d - 1] for d in done])
    gained = (numpy.mean(found, axis=0) - expected) / (space.best - expected)
    return float(numpy.mean(gained[expected > space.best]))


def row_of(space, contestant, searches):
    row = {"space": space.name, "configurations": len(space.times), "contestant": contestant, "repeats": len(searches)}
    for evaluations in EVALUATIONS:
        shares = []
        for search in searches:
            tried = space.times[search[:evaluations]]
            shares.append(0 if numpy.isnan(tried).all() else space.best / numpy.nanmin(tried))
        row[f"median_{evaluations}"] = f"{numpy.median(shares):.4f}"
        row[f"p10_{evaluations}"] = f"{numpy.quantile(shares, 0.1):.4f}"
    row["score"] = f"{score(space, searches):.4f}"
    return row


def judged(job):
    path, contestant, repeats, program = job
    space = Space(path)
    whose, strategy = contestant.split(" ")
    searches = ours(space, program, strategy, repeats) if whose == "clgauss" else kernel_tuner(space, strategy, repeats)
    return row_of(space, contestant, searches)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spaces", nargs="+", type=Path, metavar="SPACE")
    parser.add_argument("--csv", required=True, help="rows are added to this file; those it has are not made again")
    parser.add_argument("--tune", default="build/clgauss-tune", help="the program clgauss-tune")
    parser.add_argument("--ours", default="model", help="its strategies, or an empty word")
    parser.add_argument("--kernel-tuner", default=",".join(KERNEL_TUNER), help="its strategies, or an empty word")
    parser.add_argument("--repeats", type=int, default=100, help="searches a strategy")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    contestants = [f"clgauss {name}" for name in given.ours.split(",") if name]
    contestants += [f"kernel_tuner {name}" for name in given.kernel_tuner.split(",") if name]
    there = set()
    if os.path.exists(given.csv):
        with open(given.csv) as file:
            there = {(row["space"], row["contestant"]) for row in csv.DictReader(file)}
    jobs = [(path, contestant, given.repeats, given.tune) for path in given.spaces for contestant in contestants
            if (path.name.split(".")[0].removesuffix("_T4"), contestant) not in there]
    with open(given.csv, "a", newline="") as file, multiprocessing.Pool(given.processes) as pool:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not there:
            writer.writeheader()
        for row in pool.imap_unordered(judged, jobs):
            writer.writerow(row)
            file.flush()
            print(row["space"], row["contestant"], row["median_50"], row["score"], file=sys.stderr)


if __name__ == "__main__":
    main()
