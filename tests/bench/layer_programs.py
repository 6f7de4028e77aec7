#!/usr/bin/env python3
"""Whole programs with `clgauss-tune watch --repair` and without: whether they answer the same, and what the layer costs them.

  tests/bench/layer_programs.py LAYER [--programs opencv,ffmpeg,clgauss,tests] [--clgauss PROGRAM] [--opencv PROGRAM] [--platform TEXT]
                                [--pairs 15] [--limit 300] [-o FILE.csv]
  tests/bench/layer_programs.py LAYER --answers [--programs opencv,ffmpeg,pyopencl,piglit,clpeak,clgauss,tests] [--pyopencl FOLDER] ..

LAYER is libclgauss_layer.so. --platform is part of a platform's name ("Portable", "rusticl"); without it, all that are in
OCL_ICD_VENDORS, a folder (/etc/OpenCL/vendors), each by itself. rusticl needs RUSTICL_ENABLE=llvmpipe. Programs:
  opencv    layer_opencv of this folder over 1013 x 769 and 1280 x 720; it is built here, or given (Debian: libopencv-imgproc-dev)
  ffmpeg    five filters over 509 x 383, and program_opencl over 1283 x 383 (ffmpeg)
  clgauss   `clgauss solve` by three methods, n = 251; for times, `--method gauss --local driver`, n = 1012 (on rusticl 251)
  pyopencl  pyopencl's own tests, of the folder test of its sources (python3-pyopencl, python3-pytest)
  piglit    its OpenCL tests, most of them a kernel each (piglit)
  clpeak    its tests, one after the other; its answer is which of them work, not what they measure (clpeak)
  tests     clgauss's own tests of kernels, device_tests beside clgauss

--answers: each program runs twice without the layer, once with the layer watching, twice with it repairing, and once with all sizes forced
that may be replaced, so that launches are changed for certain. Lines of its output that
are the same in both runs without the layer must be the same in all others; results of piglit that are missing are asked for once more. What
does not run without the layer, or not within --limit seconds, is left out, with the reason. Ends with 1 where an answer differs.

Times: a program first runs with the layer until it decides nothing more. Then come turns: one run with the layer and two without, started
together in random order, so that what else the machine does meets all three alike; the second one without is the control, A/A. The median of
the turns' ratios of processor time (user and system) has a 95 % interval by order statistics, which supposes nothing about the noise; turns go
on, at least --pairs of them, until it is within 0.02 of the median, or for --limit seconds and six turns. A row of the file, in which rows of
others stay: device, program, launches with NULL, launches that were changed, turns; median, least and most of the ratios of elapsed time (with /
without), empty here, as runs that share a machine have no elapsed time of their own; median and interval of those of processor time, and of the
control's; whether all answers were the same, "unstable" where the runs without differ among themselves.
"""

import argparse
import collections
import contextlib
import csv
import importlib.util
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ["device", "program", "null_launches", "changed_launches", "pairs", "median", "least", "most",
           "processor_median", "processor_low", "processor_high", "control_median", "control_low", "control_high", "same"]
ENOUGH = 0.02  # of the median to each end of its interval
FEWEST = 6  # turns that can hold the median between them with 95 %
BRIGHTER = """
kernel void brighter(write_only image2d_t to, unsigned int index, read_only image2d_t from) {
  const sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
  int2 here = {get_global_id(0), get_global_id(1)};
  float4 sum = 0;
  for (int row = -2; row <= 2; ++row)
    for (int column = -2; column <= 2; ++column) sum += read_imagef(from, at, here + (int2)(column, row));
  write_imagef(to, here, sum / 20);
}
"""


PIGLIT_GROUPS = {  # regular expressions of tests' names
    "API and builds": "^(?!program@execute@)",
    "built-in functions": "^program@execute@builtin@",
    "loads and stores": "^program@execute@v?(load|store)@",
    "other kernels": "^program@execute@(?!builtin@|v?load@|v?store@)",
}
PIGLIT_LEFT_OUT = {"rusticl": "-x clcreateprogramwithbinary"}  # fails, and crashes once in 15 runs, without the layer, too


Run = collections.namedtuple("Run", "processor code lines errors")
Platform = collections.namedtuple("Platform", "name device environment")


class Program:
    """A command, its environment, and which part of a line of its output belongs to its answer; None: no part. With `loses`, a line is
    NAME: OUTCOME, and some may be missing."""

    def __init__(self, name, command, environment=None, answer=lambda line: line, may_fail=False, loses=False):
        self.name, self.command, self.environment = name, [str(word) for word in command], environment or {}
        self.answer, self.may_fail, self.loses = answer, may_fail, loses

    def outcomes(self, run):
        """The lines of a run, by their names or numbers."""
        return dict(line.rsplit(": ", 1) for line in run.lines) if self.loses else dict(enumerate(run.lines))

    def run(self, given, layer=None):
        return self.run_at_once(given, [layer or {}])[0]

    def run_at_once(self, given, layers):
        """A run for each of `layers`, variables of the environment. Raises TimeoutExpired and, unless the program may fail,
        CalledProcessError."""
        with contextlib.ExitStack() as files:
            started = []
            for layer in layers:
                out, errors = (files.enter_context(tempfile.TemporaryFile()) for _ in range(2))
                process = subprocess.Popen(self.command, env=os.environ | self.environment | layer, stdout=out, stderr=errors)
                killer = threading.Timer(given.limit, process.kill)
                killer.start()
                started.append((process, killer, out, errors))
            return [self.end_of(given, *one) for one in started]

    def end_of(self, given, process, killer, out, errors):
        _, status, used = os.wait4(process.pid, 0)
        is_late = not killer.is_alive()
        killer.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
        for file in (out, errors):
            file.seek(0)
        errors = errors.read()
        if is_late:
            raise subprocess.TimeoutExpired(self.command, given.limit)
        if code != 0 and not self.may_fail:
            raise subprocess.CalledProcessError(code, self.command, stderr=errors)
        answers = (self.answer(line) for line in out.read().decode(errors="replace").splitlines())
        return Run(used.ru_utime + used.ru_stime, code, [line for line in answers if line is not None], errors)


def opencv(given, platform, folder):
    program = given.opencv
    if program is None:
        program = given.opencv = folder.parent / "layer_opencv"
        subprocess.run(["g++", "-std=c++20", "-O1", "-isystem", "/usr/include/opencv4", HERE / "layer_opencv.cpp", "-o", program,
                        "-lopencv_imgproc", "-lopencv_core"], check=True)
    device = platform.environment | {"OPENCV_OPENCL_DEVICE": f"{platform.name}::"}
    return [Program(f"OpenCV, 32 UMat functions, {size[0]} x {size[1]}", [program, *size, 2 if given.answers else 10], device) for size in ((1013, 769), (1280, 720))]


def ffmpeg(given, platform, folder):
    (folder / "brighter.cl").write_text(BRIGHTER, encoding="utf-8")
    start = ["ffmpeg", "-hide_banner", "-v", "error", "-init_hw_device", "opencl=gpu:0.0", "-filter_hw_device", "gpu", "-f", "lavfi"]
    five = "format=yuv420p,hwupload,avgblur_opencl=3,unsharp_opencl,sobel_opencl,dilation_opencl,boxblur_opencl=2:1,hwdownload,format=yuv420p"
    own = f"format=rgba,hwupload,program_opencl=kernel=brighter:source={folder / 'brighter.cl'},hwdownload,format=rgba"
    return [Program(f"ffmpeg, {name}, {size}", [*start, "-i", f"testsrc2=size={size}:rate=25", "-frames:v", 10 if given.answers else 40, "-vf", filters, "-f", "md5", "-"],
                    platform.environment)
            for name, size, filters in (("five filters", "509x383", five), ("program_opencl", "1283x383", own))]


def clgauss(given, platform, folder):
    n = 251 if given.answers or platform.name == "rusticl" else 1012
    system = folder / "system.txt"
    subprocess.run([given.clgauss, "generate", "--kind", "random", "--n", str(n), "-o", system], check=True)
    solve = [given.clgauss, "solve", system, "--device", "0:0", "--quiet", "--method"]
    methods = [["gauss", "--local", "driver"], *([["lu"], ["mixed"]] if given.answers else [])]
    return [Program(f"clgauss solve --method {' '.join(method)}, n = {n}", [*solve, *method], platform.environment) for method in methods]


def pyopencl(given, platform, _):
    """A test's outcome, without addresses and without what a failure says."""

    def outcome(line):
        found = re.match(r"(PASSED|FAILED|ERROR|SKIPPED) (.*?)( - .*)?$", line)
        return found and f"{found[1]} {re.sub('0x[0-9a-f]+', '', found[2])}"

    return [Program(f"pyopencl, {file.name}", [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider", file],
                    platform.environment | {"PYOPENCL_NO_CACHE": "1"}, outcome, may_fail=True)
            for file in sorted(given.pyopencl.glob("test_*.py"))]


def piglit(given, platform, folder):
    """Each test's outcome, by groups of some minutes each."""
    results = folder / "piglit"
    left_out = PIGLIT_LEFT_OUT.get(platform.name, "")
    return [Program(f"piglit, {group}", ["sh", "-c", f"piglit run -o -t '{tests}' {left_out} cl {results} >&2 && piglit summary console {results}"],
                    platform.environment, lambda line: line if re.search(": (pass|fail|crash|skip|timeout|warn|incomplete)$", line) else None,
                    loses=True)  # one result in some thousands, in any run
            for group, tests in PIGLIT_GROUPS.items()]


def clpeak(_, platform, __):
    """Its lines without what they measure."""
    return [Program(f"clpeak --{test}", ["clpeak", "-p", 0, f"--{test}"], platform.environment,
                    lambda line: re.sub(r"(: +)[\d.]+(e[+-]\d+)?", r"\1", line))
            for test in ("global-bandwidth", "compute-sp", "compute-dp", "compute-integer", "compute-intfast", "transfer-bandwidth",
                         "kernel-latency")]


def tests(given, platform, _):
    """Test cases and how many of their assertions hold."""
    return [Program("clgauss's tests of kernels", [given.clgauss.parent / "device_tests", "-r=xml"], platform.environment,
                    lambda line: line.strip() if re.search("<TestCase |<OverallResults", line) else None, may_fail=True)]


PROGRAMS = {"opencv": opencv, "ffmpeg": ffmpeg, "clgauss": clgauss, "pyopencl": pyopencl, "piglit": piglit, "clpeak": clpeak, "tests": tests}


def missing(what, given):
    """Why the programs cannot be tried on this machine; None where they can."""
    if what in ("ffmpeg", "piglit", "clpeak"):
        return None if shutil.which(what) else "not installed"
    if what == "opencv":
        return None if given.opencv or pathlib.Path("/usr/include/opencv4").exists() else "libopencv-imgproc-dev is not installed"
    if what != "pyopencl":
        return None
    if given.pyopencl is None:
        return "--pyopencl is not given"
    absent = [name for name in ("pyopencl", "pytest") if importlib.util.find_spec(name) is None]
    return f"{sys.executable} has no {absent[0]}" if absent else None


def watching(given, folder):
    """Without what the run before reported."""
    for file in folder.glob("launches.*.json"):
        file.unlink()
    return {"OPENCL_LAYERS": str(given.layer), "CLGAUSS_LAYER_JSON": str(folder / "launches.%p.json"), "XDG_CACHE_HOME": str(folder / "cache")}


def repairing(given, folder):
    return watching(given, folder) | {"CLGAUSS_LAYER_REPAIR": "1"}


def forcing(given, folder):
    """Every size that may be replaced is, the program's own as well."""
    return watching(given, folder) | {"CLGAUSS_LAYER_REPAIR": "force"}


def launches(folder):
    """Of all processes of the last run with the layer; nothing where it reported nothing."""
    return [one for file in folder.glob("launches.*.json") for one in json.loads(file.read_text())["launches"]]


def count(folder, is_counted=lambda one: True):
    """How many launches of the last run with the layer are counted."""
    return sum(one["launches"] for one in launches(folder) if is_counted(one))


def is_null(one):
    return one["group"] is None


def is_changed(one):
    return one["way"] is not None


def why_not(code, errors):
    """Why a run came to nothing, in a line."""
    said = errors.decode(errors="replace").strip().splitlines()
    return f"exit code {code}, {said[-1] if said else 'says nothing'}"


def checked(program, given, folder):
    """What came of the program with the layer, and whether that is right."""
    try:
        alone = [program.run(given) for _ in range(2)]
    except subprocess.TimeoutExpired:
        return f"left out, without the layer: longer than {given.limit} s", True
    except subprocess.CalledProcessError as error:
        return f"left out, without the layer: {why_not(error.returncode, error.stderr)}", True
    if not alone[0].lines:
        return f"left out, without the layer: {why_not(alone[0].code, alone[0].errors)}", True
    first, second = (program.outcomes(run) for run in alone)
    steady = {name: outcome for name, outcome in first.items() if second.get(name) == outcome}
    for how, layer in (("watching", watching), ("repairing", repairing), ("repaired", repairing), ("forced", forcing)):
        try:
            run = program.run(given, layer(given, folder))
            mine = program.outcomes(run)
            if program.loses and steady.keys() - mine.keys():
                mine = program.outcomes(program.run(given, layer(given, folder))) | mine
        except subprocess.TimeoutExpired:
            return f"DIFFERS, {how}: longer than {given.limit} s", False
        except subprocess.CalledProcessError as error:
            return f"DIFFERS, {how}: {why_not(error.returncode, error.stderr)}", False
        if run.code != alone[0].code:
            return f"DIFFERS, {how}: exit code {run.code} for {alone[0].code}", False
        for name, outcome in steady.items():
            if mine.get(name) != outcome:
                return f"DIFFERS, {how}: {name}: '{mine.get(name)}' for '{outcome}'", False
        if not program.loses and len(mine) > len(first):
            return f"DIFFERS, {how}: {len(mine)} lines for {len(first)}", False
    unsteady = len(first.keys() | second.keys()) - len(steady)
    return (f"the same, {len(steady)} lines" + (f", {unsteady} differ without the layer, too" if unsteady else "") +
            f"; launches {count(folder)}, with NULL {count(folder, is_null)}, changed where forced {count(folder, is_changed)}"), True


def decide(program, given, folder):
    """Runs with the layer until a run has tried nothing; its launches with NULL, and those that were changed."""
    for _ in range(6):
        program.run(given, repairing(given, folder))
        if not any(one["tried"] for one in launches(folder)):
            break
    else:
        print(f"{program.name}: not all is decided after six runs", flush=True)
    return count(folder, is_null), count(folder, is_changed)


def median_with_interval(values):
    """(median, low, high): the median is between them with 95 %, whatever the values' distribution, from FEWEST values on."""
    ordered, below = sorted(values), 0
    count = len(ordered)
    while sum(math.comb(count, i) for i in range(below + 1)) / 2**count <= 0.025:
        below += 1
    return statistics.median(ordered), ordered[max(below - 1, 0)], ordered[count - max(below, 1)]


def judged(program, given, folder):
    program.run(given)
    null, changed = decide(program, given, folder)
    ratios, control, answers, without_answers = [], [], set(), set()
    start = time.perf_counter()
    while True:
        runs = ["with", "without", "again"]
        random.shuffle(runs)
        turn = program.run_at_once(given, [repairing(given, folder) if run == "with" else {} for run in runs])
        used = dict(zip(runs, turn))
        ratios.append(used["with"].processor / used["without"].processor)
        control.append(used["again"].processor / used["without"].processor)
        answers.add(tuple(used["with"].lines))
        without_answers |= {tuple(used["without"].lines), tuple(used["again"].lines)}
        median, low, high = median_with_interval(ratios)
        is_narrow = len(ratios) >= given.pairs and max(median - low, high - median) <= ENOUGH
        if is_narrow or (len(ratios) >= FEWEST and time.perf_counter() - start > given.limit):
            break
    same = "unstable" if len(without_answers) > 1 else "yes" if answers == without_answers else "no"
    return [null, changed, len(ratios), "", "", "", *(f"{value:.3f}" for value in (median, low, high, *median_with_interval(control))), same]


def with_older(path, rows):
    """`rows` in the places that rows of the same device and program have in the file, if there is one; the file's others stay."""
    new = {(row[0], row[1]): row for row in rows}
    older = []
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            older = list(csv.reader(file))[1:]
    return [new.pop((row[0], row[1]), row) for row in older] + list(new.values())


def platforms(given):
    """Each platform that has a device, with what a program needs to find it alone."""
    for icd in sorted(pathlib.Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")).glob("*.icd")):
        library = pathlib.Path(icd.read_text(encoding="utf-8").strip())
        environment = {"OCL_ICD_VENDORS": str(icd)}
        tbb = library.parent / "libtbb.so.12"
        if library.is_absolute() and tbb.exists():  # Intel's, before an older one that OpenCV brings
            environment["LD_PRELOAD"] = str(tbb)
        listed = subprocess.run([given.clgauss, "devices", "--json"], capture_output=True, text=True, check=False, env=os.environ | environment)
        devices = json.loads(listed.stdout) if listed.returncode == 0 else []
        if not devices:
            print(f"{icd.stem}: left out, no device", flush=True)
        elif (given.platform or "").lower() in devices[0]["platform"].lower():
            yield Platform(devices[0]["platform"], devices[0]["name"], environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layer", type=pathlib.Path)
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--programs")
    parser.add_argument("--clgauss", default="build/clgauss")
    parser.add_argument("--opencv", type=pathlib.Path)
    parser.add_argument("--pyopencl", type=pathlib.Path)
    parser.add_argument("--platform")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    given = parser.parse_args()
    given.programs = given.programs or ("opencv,ffmpeg,pyopencl,piglit,clpeak,clgauss,tests" if given.answers else "opencv,ffmpeg,clgauss")
    given.layer, given.clgauss = given.layer.resolve(), shutil.which(given.clgauss) or sys.exit(f"{given.clgauss}: not there")
    given.clgauss = pathlib.Path(given.clgauss).resolve()
    rows, is_right, there = [], True, 0
    with tempfile.TemporaryDirectory() as name:
        for there, platform in enumerate(platforms(given), 1):
            folder = pathlib.Path(name) / str(there)
            (folder / "cache").mkdir(parents=True)  # OpenCV takes the user's own where this one is missing
            for what in given.programs.split(","):
                if why := missing(what, given):
                    print(f"{platform.name}, {what}: left out, {why}", flush=True)
                    continue
                for program in PROGRAMS[what](given, platform, folder):
                    if given.answers:
                        said, is_same = checked(program, given, folder)
                        is_right = is_right and is_same
                        print(f"{platform.name}, {program.name}: {said}", flush=True)
                        continue
                    try:
                        rows.append([platform.device, program.name, *judged(program, given, folder)])
                        print(", ".join(str(cell) for cell in rows[-1]), flush=True)
                    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
                        print(f"{platform.name}, {program.name}: left out: {error}", flush=True)
    if there == 0:
        sys.exit(f"no platform has '{given.platform or ''}' in its name")
    if given.output:
        rows = with_older(given.output, rows)
        with open(given.output, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    sys.exit(not is_right)


if __name__ == "__main__":
    main()
