#!/usr/bin/env python3
"""Whole programs with `clgauss-tune watch --repair` and without, in turns, and whether they answer the same.

  tests/bench/layer_programs.py LAYER [--programs opencv,ffmpeg,clgauss] [--clgauss PROGRAM] [--opencv PROGRAM] [--platform TEXT]
                                [--pairs 15] [-o FILE.csv]

LAYER is libclgauss_layer.so. --platform is part of a platform's name ("Portable", "NVIDIA"); without it, the first one. Programs:
  opencv   layer_opencv of this folder over 1013 x 769 and 1280 x 720; it is built here, or given (Debian: libopencv-imgproc-dev)
  ffmpeg   five filters over 509 x 383, and program_opencl over 1283 x 383 (ffmpeg)
  clgauss  `clgauss solve --method gauss --local driver`, n = 1012
Each runs by itself first, then with the layer until it decides nothing more. A pair is one run with and one without, in random order; beside
them stand pairs of two runs without, as the noise. A row of the file: device, program, launches with NULL, launches that were changed, pairs,
the median, least and most of the pairs' ratios of elapsed time (with / without), the median of the ratios of processor time, the median of
the ratios of two runs without, and whether all answers were the same; "unstable" where the runs without differ among themselves.
"""

import argparse
import csv
import hashlib
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ["device", "program", "null_launches", "changed_launches", "pairs", "median", "least", "most", "processor_median", "control_median",
           "same"]
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


class Program:
    """A command, its environment, and what of its output is its answer."""

    def __init__(self, name, command, environment=None):
        self.name, self.command, self.environment = name, [str(word) for word in command], environment or {}

    def run(self, layer=()):
        """(elapsed s, processor s, hash of the output)"""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        result = subprocess.run(self.command, env=os.environ | self.environment | dict(layer), capture_output=True, check=False)
        elapsed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if result.returncode != 0:
            sys.exit(f"{' '.join(self.command)}: exit code {result.returncode}\n{result.stderr.decode(errors='replace')[-2000:]}")
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return elapsed, processor, hashlib.sha1(result.stdout).hexdigest()


def opencv(given, folder):
    program = given.opencv
    if program is None:
        program = folder / "layer_opencv"
        subprocess.run(["g++", "-std=c++20", "-O1", "-isystem", "/usr/include/opencv4", HERE / "layer_opencv.cpp", "-o", program,
                        "-lopencv_imgproc", "-lopencv_core"], check=True)
    device = {"OPENCV_OPENCL_DEVICE": f"{given.platform_name}::"}
    return [Program(f"OpenCV, 32 UMat functions, {size[0]} x {size[1]}", [program, *size, 10], device) for size in ((1013, 769), (1280, 720))]


def ffmpeg(given, folder):
    (folder / "brighter.cl").write_text(BRIGHTER, encoding="utf-8")
    start = ["ffmpeg", "-hide_banner", "-v", "error", "-init_hw_device", f"opencl=gpu:{given.platform_index}.0", "-filter_hw_device", "gpu",
             "-f", "lavfi"]
    five = "format=yuv420p,hwupload,avgblur_opencl=3,unsharp_opencl,sobel_opencl,dilation_opencl,boxblur_opencl=2:1,hwdownload,format=yuv420p"
    own = f"format=rgba,hwupload,program_opencl=kernel=brighter:source={folder / 'brighter.cl'},hwdownload,format=rgba"
    return [Program(f"ffmpeg, {name}, {size}", [*start, "-i", f"testsrc2=size={size}:rate=25", "-frames:v", 40, "-vf", filters, "-f", "md5", "-"])
            for name, size, filters in (("five filters", "509x383", five), ("program_opencl", "1283x383", own))]


def clgauss(given, folder):
    system = folder / "system.txt"
    subprocess.run([given.clgauss, "generate", "--kind", "random", "--n", "1012", "-o", system], check=True)
    return [Program("clgauss solve --method gauss --local driver, n = 1012",
                    [given.clgauss, "solve", system, "--method", "gauss", "--local", "driver", "--device", f"{given.platform_index}:0", "--quiet"])]


def layer_of(given, folder, json_file="/dev/null"):
    return {"OPENCL_LAYERS": str(given.layer), "CLGAUSS_LAYER_REPAIR": "1", "CLGAUSS_LAYER_JSON": str(json_file),
            "XDG_CACHE_HOME": str(folder / "cache")}


def decided(program, given, folder):
    """Runs with the layer until a run has tried nothing: launches of that run with NULL, and those that were changed."""
    for _ in range(6):
        program.run(layer_of(given, folder, folder / "launches.json"))
        launches = [one for one in json.loads((folder / "launches.json").read_text())["launches"] if one["group"] is None]
        if not any(one["tried"] for one in launches):
            break
    return sum(one["launches"] for one in launches), sum(one["launches"] for one in launches if one["way"] is not None)


def judged(program, given, folder):
    program.run()
    null, changed = decided(program, given, folder)
    ratios, processor, control, answers, without_answers = [], [], [], set(), set()
    for _ in range(given.pairs):
        runs = ["with", "without", "again"]
        random.shuffle(runs)
        timed = {run: program.run(layer_of(given, folder) if run == "with" else {}) for run in runs}
        ratios.append(timed["with"][0] / timed["without"][0])
        processor.append(timed["with"][1] / timed["without"][1])
        control.append(timed["again"][0] / timed["without"][0])
        answers.add(timed["with"][2])
        without_answers |= {timed["without"][2], timed["again"][2]}
    same = "unstable" if len(without_answers) > 1 else "yes" if answers == without_answers else "no"
    return [null, changed, given.pairs, *(f"{value:.3f}" for value in (statistics.median(ratios), min(ratios), max(ratios),
                                                                      statistics.median(processor), statistics.median(control))), same]


def platform(given):
    """Index, name and first device of the platform."""
    listed = json.loads(subprocess.run([given.clgauss, "devices", "--json"], check=True, capture_output=True, text=True).stdout)
    for device in listed:
        if (given.platform or "").lower() in device["platform"].lower():
            return device["spec"].split(":")[0], device["platform"], device["name"]
    sys.exit(f"no platform has '{given.platform}' in its name")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layer", type=pathlib.Path)
    parser.add_argument("--programs", default="opencv,ffmpeg,clgauss")
    parser.add_argument("--clgauss", default="build/clgauss")
    parser.add_argument("--opencv", type=pathlib.Path)
    parser.add_argument("--platform")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    given = parser.parse_args()
    given.layer, given.clgauss = given.layer.resolve(), shutil.which(given.clgauss) or sys.exit(f"{given.clgauss}: not there")
    given.clgauss = pathlib.Path(given.clgauss).resolve()
    given.platform_index, given.platform_name, device = platform(given)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for what in given.programs.split(","):
            for program in {"opencv": opencv, "ffmpeg": ffmpeg, "clgauss": clgauss}[what](given, pathlib.Path(name)):
                rows.append([device, program.name, *judged(program, given, pathlib.Path(name))])
                print(", ".join(str(cell) for cell in rows[-1]), flush=True)
    if given.output:
        with open(given.output, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
