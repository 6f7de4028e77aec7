#!/usr/bin/env python3
"""Makes docs/which_kernels.md and which_kernels_tables.md, the tables of devices and kernels, from verdicts and compilations in data/runs.

  docs/which_kernels.py ask NAME [SPEC]   runs the self-test of every kernel on the device SPEC (else NAME), keeps the results in
                                    data/runs/kernels_NAME.json
  docs/which_kernels.py here              asks so those of the CPUs' drivers that are on this machine
  docs/which_kernels.py compile [TARGET..]   compiles what those verdicts name for devices that are not here, without running it:
                                    data/runs/kernels_compiled.csv
  docs/which_kernels.py try [TARGET..]   compiles them, and fails where one is worse than data/runs says
  docs/which_kernels.py page              writes both pages
  docs/which_kernels.py --check           fails if they are not what `page` would write

`compile` takes clang-15 with libclc (packages clang-15, libclc-15-dev), ptxas of CUDA (PATH, or $PTXAS, several
between colons: CUDA 13 knows no sm_60 and sm_70 any more) and Intel's ocloc (package
intel-opencl-icd, or $OCLOC); the targets of a compiler that is missing are left out with a note.
"""

import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs"
RUNS = ROOT / "data" / "runs"
PROGRAM = pathlib.Path(os.environ.get("CLGAUSS", ROOT / "build" / "clgauss"))
CLANG = os.environ.get("CLANG", "clang-15")
PTXAS = os.environ.get("PTXAS", "ptxas").split(":")
OCLOC = os.environ.get("OCLOC", "ocloc")
RAN = {"h200": "NVIDIA H200", "pocl": "PoCL", "rusticl": "rusticl", "intel-cpu": "Intel CPU"}
SPECS = {"intel-cpu": "intel"}  # of --device, where the name is none
NVIDIA = ["sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"]
AMD = ["gfx906", "gfx90a", "gfx1030", "gfx1100"]
INTEL = ["skl", "tgllp"]  # Gen9, with fp64, and Xe, without
# libclc has no 64-bit atomics for NVIDIA's, whose own compiler has them.
ATOM_XCHG = """ulong __attribute__((overloadable, always_inline)) atom_xchg(volatile global ulong* p, ulong v) {
  ulong old;
  __asm__ volatile("atom.global.exch.b64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
  return old;
}
"""
FIELDS = ["target", "kernel", "file", "macros", "compiled", "warnings", "registers", "spilled_bytes", "private_bytes",
          "local_bytes", "problem"]
# For CPUs alone, or of one vendor: what they are compiled for.
FOR_CPUS = {"lu_cpu.cl", "lu_columns_cpu.cl", "gemm_cpu.cl", "batched_cpu.cl", "trsm_cpu.cl", "trsv_columns_cpu.cl"}


# What is usual on a GPU, for kernels that no GPU was asked for yet: the CPUs' builds of them are for work-groups of one.
USUAL_ON_GPUS = {"complex_cholesky.cl": {"GROUP": 256, "VEC_WIDTH": 2}}


# Compute capabilities above those of all kernels with PTX; on devices below, the self-test decides.
NEEDS = {"gemm_mma_f64.cl": 90}


# Of kernels that have a way without PTX, too: the build with it.
BY_SUB_GROUPS = "SUB_GROUPS=1"


def verdicts(name):
    path = RUNS / f"kernels_{name}.json"
    return json.loads(path.read_text())[0]["kernels"] if path.exists() else []


def kernel_folders():
    return sorted(folder for folder in (ROOT / "cl").iterdir() if folder.is_dir())


def kernel_file(name):
    return next(folder / name for folder in kernel_folders() if (folder / name).exists())


def needs_ptx(file):
    return "#include \"ptx.clh\"" in kernel_file(file).read_text() or "gemm_mma.clh" in kernel_file(file).read_text()


def is_by_sub_groups(file, macros):
    return BY_SUB_GROUPS in macros and not needs_ptx(file)


def macros_of(verdict):
    return [word for word in verdict["build"].split() if re.fullmatch(r"\w+=-?\w+", word)]


def builds():
    """Every build that a GPU was asked for, or would be, once: (kernel, file, macros)."""
    found = {}
    for name in ("h200", "rusticl"):
        for verdict in verdicts(name):
            macros = macros_of(verdict)
            if macros and verdict["file"] not in FOR_CPUS:
                for build in on_gpus(verdict["file"], macros):
                    found.setdefault((verdict["file"], " ".join(build)), verdict["kernel"])
                    if is_by_sub_groups(verdict["file"], build):  # which others have without
                        found.setdefault((verdict["file"], " ".join(build).replace(BY_SUB_GROUPS, "SUB_GROUPS=0")), verdict["kernel"])
    return [(kernel, file, macros) for (file, macros), kernel in sorted(found.items())]


def on_gpus(file, macros):
    """The builds that a GPU has of these macros: where they are a CPU's, those that are usual there, in both types."""
    if file not in USUAL_ON_GPUS or any(verdict["file"] == file for verdict in verdicts("h200")):
        return [macros]
    usual = dict(macro.split("=") for macro in macros) | USUAL_ON_GPUS[file]
    return [[f"{name}={value}" for name, value in (usual | {"REAL_BITS": bits}).items()] for bits in (32, 64)]


def run(command, **more):
    words = [str(word) for word in command]
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=600, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", "error: more than 10 minutes")


def source_options(macros):
    return ["-x", "cl", "-cl-std=CL1.2", "-O3", *(f"-I{folder}" for folder in kernel_folders()),
            "-Wno-linker-warnings", "-Xclang", "-finclude-default-header", "-Xclang", "-cl-ext=+cl_khr_fp64,+cl_khr_int64_base_atomics"] + [
        f"-D{macro}" for macro in macros.split()]


def library(name):
    found = sorted(pathlib.Path("/usr/lib/clc").glob(name)) + sorted(pathlib.Path("/usr/share/clc").glob(name))
    return ["-nogpulib", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", found[0]]


def largest(pattern, text):
    return max((int(number) for number in re.findall(pattern, text)), default=0)


def warnings_in(text):
    return len(re.findall(r"\bwarning:", text))


def on_amd(target, file, macros, folder):
    out = folder / "out.s"
    done = run([CLANG, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}"] + source_options(macros) + library("amdgcn--amdhsa.bc") +
               ["-Wall", "-Wno-unused-function", "-Wno-unused-variable", "-S", "-o", out, kernel_file(file)])
    if done.returncode != 0:
        return {"problem": done.stderr}
    text = out.read_text()
    lanes = 4 * (32 if target.startswith("gfx1") else 64)  # bytes of a vector register of a wave
    return {"compiled": 1, "warnings": warnings_in(done.stderr), "registers": largest(r"\.vgpr_count:\s+(\d+)", text),
            "spilled_bytes": 4 * largest(r"\.vgpr_spill_count:\s+(\d+)", text),
            "private_bytes": largest(r"\.private_segment_fixed_size:\s+(\d+)", text),
            "local_bytes": largest(r"\.group_segment_fixed_size:\s+(\d+)", text)}


def ptx_of(file, macros, folder):
    out, atomics = folder / "out.ptx", folder / "atomics.h"
    atomics.write_text(ATOM_XCHG)
    done = run([CLANG, "-include", atomics, "-target", "nvptx64-nvidia-nvcl", "-Xclang", "-target-cpu", "-Xclang", "sm_60", "-Xclang", "-target-feature", "-Xclang",
                "+ptx75", "-D__NV_CL_C_VERSION=120", "-Dasm=__asm__"] + source_options(macros) + library("nvptx64--nvidiacl.bc") +
               ["-Wall", "-Wno-unused-function", "-Wno-unused-variable", "-S", "-o", out, kernel_file(file)])
    return done, out


def on_nvidia(targets, file, macros, folder):
    """By ptxas, for every target, from one translation to PTX."""
    done, ptx = ptx_of(file, macros, folder)
    if done.returncode != 0:
        return {target: {"problem": done.stderr} for target in targets}
    found = {}
    text = ptx.read_text()
    for target in targets:
        name = target + ("a" if int(target[3:]) >= 90 and needs_ptx(file) else "")
        at = folder / f"{target}.ptx"
        at.write_text(re.sub(r"\.target \w+", f".target {name}", re.sub(r"\.version [\d.]+", ".version 8.7", text)))
        for ptxas in PTXAS:
            made = run([ptxas, "-v", f"-arch={name}", at, "-o", folder / "out.cubin"])
            if made.returncode == 0:
                break
        if made.returncode != 0:
            found[target] = {"problem": made.stderr}
            continue
        found[target] = {"compiled": 1, "warnings": warnings_in(done.stderr) + warnings_in(made.stderr),
                         "registers": largest(r"Used (\d+) registers", made.stderr),
                         "spilled_bytes": largest(r"(\d+) bytes spill stores", made.stderr),
                         "private_bytes": largest(r"(\d+) bytes stack frame", made.stderr),
                         "local_bytes": largest(r"(\d+) bytes smem", made.stderr)}
    return found


def on_intel(target, file, macros, folder):
    done = run([OCLOC, "compile", "-q", "-file", kernel_file(file), "-device", target, "-output", "out", "-out_dir", folder, "-options",
                " ".join(["-cl-std=CL1.2", *(f"-I {folder}" for folder in kernel_folders())] + [f"-D{macro}" for macro in macros.split()])])
    text = done.stdout + done.stderr
    if done.returncode != 0:
        return {"problem": text}
    spilled = largest(r"spilled around (\d+)", text)
    return {"compiled": 1, "warnings": warnings_in(text) - len(re.findall(r"warning: kernel .* spill", text)), "spilled_bytes": spilled}


def compile_one(build, targets):
    kernel, file, macros = build
    rows = []
    ptx = needs_ptx(file) or is_by_sub_groups(file, macros.split())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        least = NEEDS.get(file, 80) if ptx else 0
        nvidia = [target for target in targets if target in NVIDIA and int(target[3:]) >= least]
        found = on_nvidia(nvidia, file, macros, folder) if nvidia else {}
        for target in targets:
            if target in AMD and not ptx:
                found[target] = on_amd(target, file, macros, folder)
            if target in INTEL and not ptx and not (target == "tgllp" and "REAL_BITS=64" in macros):
                found[target] = on_intel(target, file, macros, folder)
    for target, row in found.items():
        problem = next((line for line in row.get("problem", "").splitlines() if "error" in line.lower()), row.get("problem", ""))
        rows.append({"target": target, "kernel": kernel, "file": file, "macros": macros, "compiled": 0} | row | {"problem": problem[:200]})
    return rows


def compiled_for(wanted):
    """The targets among `wanted` (none: all) whose compiler is here, and a row for each of their compilations."""
    targets = [target for targets, compiler in ((NVIDIA, PTXAS[0]), (AMD, CLANG), (INTEL, OCLOC))
             for target in targets if not wanted or target in wanted
             if shutil.which(compiler) or print(f"{target}: no {compiler}, left out", file=sys.stderr)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return targets, [row for found in pool.map(lambda build: compile_one(build, targets), builds()) for row in found]


def recorded():
    path = RUNS / "kernels_compiled.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def try_all(wanted):
    """Ends with 1 if a build does not compile that did, warns, or spills more than it did."""
    def key(row):
        return row["target"], row["file"], row["macros"]

    targets, rows = compiled_for(wanted)
    if not targets:
        sys.exit("none of the compilers is here")
    before = {key(row): row for row in recorded()}
    worse = [f"{' '.join(key(row))}: {row.get('problem') or row}" for row in rows
             if (not int(row["compiled"]) and not lacks_local(row)) or int(row.get("warnings") or 0) > 0
             or int(row.get("spilled_bytes") or 0) > int(before.get(key(row), {}).get("spilled_bytes") or 0)]
    print(f"{len(rows)} compilations for {', '.join(targets)}, {len(worse)} worse than data/runs says")
    if worse:
        sys.exit("\n".join(worse))


def compile_all(wanted):
    targets, rows = compiled_for(wanted)
    rows += [row for row in recorded() if row["target"] not in targets]
    path = RUNS / "kernels_compiled.csv"
    order = NVIDIA + AMD + INTEL
    rows.sort(key=lambda row: (row["file"], row["macros"], order.index(row["target"])))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    failed = [row for row in rows if not int(row["compiled"])]
    print(f"{len(rows)} compilations, {len(failed)} failed: {RUNS / 'kernels_compiled.csv'}")


def ask(name, spec):
    done = run([PROGRAM, "devices", "--kernels", "--device", spec, "--json"], env=os.environ | {"CLGAUSS_TUNED": "off", "CLGAUSS_CACHE": "off"})
    if done.returncode != 0:
        sys.exit(done.stderr)
    (RUNS / f"kernels_{name}.json").write_text(done.stdout)
    print(f"data/runs/kernels_{name}.json written")


def ask_here():
    """No GPU is asked: what a page says of one is of the machine that its name says."""
    for name in [name for name in RAN if name != "h200"]:
        if run([PROGRAM, "devices", "--device", SPECS.get(name, name)]).returncode == 0:
            ask(name, SPECS.get(name, name))


def cell_ran(found):
    """Of the verdicts of one kernel on one device."""
    if not found:
        return ""
    usable = sum(verdict["usable"] for verdict in found)
    if usable == len(found):
        return "runs"
    return f"{usable} of {len(found)} run" if usable else "not"


def lacks_local(row):
    """Whether it takes more local memory than there is: such a build is never tried on a device, another takes its place."""
    return not int(row["compiled"]) and re.search(r"shared data|local memory", row["problem"]) is not None


def cell_compiled(found):
    if not found:
        return ""
    if all(map(lacks_local, found)):
        return "local memory"
    found = [row for row in found if not lacks_local(row)]
    right = [row for row in found if int(row["compiled"]) and int(row["warnings"] or 0) == 0]
    if len(right) < len(found):
        return f"{len(right)} of {len(found)}" if right else "not"
    spilled = max(int(row["spilled_bytes"] or 0) for row in found)
    return f"compiles, {spilled} B spilled" if spilled else "compiles"


def operation(file):
    return file.removesuffix(".cl")


def table():
    """Header and rows: what became of every kernel file on every device and target."""
    ran = {name: verdicts(name) for name in RAN}
    compiled = recorded()
    files = sorted({verdict["file"] for found in ran.values() for verdict in found if verdict["file"]})
    targets = [target for target in NVIDIA + AMD + INTEL if any(row["target"] == target for row in compiled)]
    rows = []
    for file in files:
        row = [operation(file)]
        row += [cell_ran([verdict for verdict in ran[name] if verdict["file"] == file and (macros_of(verdict) or not verdict["usable"])]) for name in RAN]
        row += [cell_compiled([one for one in compiled if one["file"] == file and one["target"] == target]) for target in targets]
        rows.append(row)
    return ["kernel"] + list(RAN.values()) + targets, rows, compiled


def markdown(header, rows):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def short(header, rows):
    """The devices at hand, and for how many others of a vendor a kernel compiles."""
    return markdown(header[:1 + len(RAN)] + ["compiles for"], [row[:1 + len(RAN)] + [", ".join(
        f"{vendor} {sum(cell.startswith('compiles') for cell in cells)} of {len(cells)}"
        for vendor, targets in (("NVIDIA", NVIDIA), ("AMD", AMD), ("Intel", INTEL))
        if (cells := [cell for name, cell in zip(header, row) if name in targets and cell not in ("", "local memory")]))] for row in rows])


def pages():
    """The text of each page, by its name."""
    header, rows, compiled = table()
    return {"which_kernels.md": answer_page(header, rows, compiled), "which_kernels_tables.md": targets_page(header, rows, compiled)}


def answer_page(header, rows, compiled):
    return f"""# Which kernels run where

`solve` skips a kernel that does not build or fails its self-test, and uses the next suitable one.
`clgauss devices --kernels` tests every kernel on your device. The table has the devices that were at hand:

- **runs**: the kernel passed its self-test on that device.
- **not**: the kernel is skipped there; `clgauss devices --kernels` says why.
- **compiles for**: how many compilers' targets of that vendor it compiles for without a warning, on machines without such a device.
- An empty cell: the kernel was not tested there, or is not for such devices.

{short(header, rows)}
`docs/which_kernels.py` makes this page from `data/runs/kernels_*.json`, the self-tests with the parameters that are usual on each device, and from
`data/runs/kernels_compiled.csv`, {len(compiled)} compilations: by clang and libclc for AMD's GPUs, by clang and CUDA's ptxas for NVIDIA's, by ocloc for Intel's.

Every target on its own, which builds spill registers, and which need too much local memory: [which_kernels_tables.md](which_kernels_tables.md).
"""


def targets_page(header, rows, compiled):
    worst = sorted((row for row in compiled if int(row["compiled"])), key=lambda row: -int(row["spilled_bytes"] or 0))[:12]
    failed = [row for row in compiled if not int(row["compiled"]) and not lacks_local(row)]
    large = sorted({(row["kernel"], row["macros"]) for row in compiled if lacks_local(row)})
    text = f"""# What each kernel compiles for

One column is one target of a compiler. The short answer, with devices that ran the kernels: [which_kernels.md](which_kernels.md).
"local memory": the kernel needs more than there is, or than the compiler allows without a driver's help; another kernel or block size is used instead.

{markdown(header[:1] + header[1 + len(RAN):], [row[:1] + row[1 + len(RAN):] for row in rows])}
## What spills

The compilations that spill the most bytes of registers to memory, of a work-item:

{markdown(["kernel", "target", "macros", "registers", "spilled", "private", "local memory"],
          [[row["kernel"], row["target"], row["macros"], row["registers"] or "", row["spilled_bytes"], row["private_bytes"] or "", row["local_bytes"] or ""] for row in worst if int(row["spilled_bytes"] or 0)])}
## What does not compile

""" + ("Everything does.\n" if not failed else markdown(["kernel", "target", "macros", "problem"],
       [[row["kernel"], row["target"], row["macros"], row["problem"].replace("|", "\\|").strip()] for row in failed]))
    return text + "\n## What takes too much local memory somewhere\n\n" + markdown(["kernel", "macros"], [list(one) for one in large])


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["ask"] and len(arguments) in (2, 3) and arguments[1] in RAN:
        ask(arguments[1], arguments[-1])
    elif arguments == ["here"]:
        ask_here()
    elif arguments[:1] == ["compile"]:
        compile_all(arguments[1:])
    elif arguments[:1] == ["try"]:
        try_all(arguments[1:])
    elif arguments == ["page"]:
        for name, text in pages().items():
            (PAGES / name).write_text(text)
    elif arguments == ["--check"]:
        for name, text in pages().items():
            if (PAGES / name).read_text() != text:
                sys.exit(f"docs/{name}: not what data/runs says, run docs/which_kernels.py page")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
