#!/usr/bin/env python3
"""Makes the laboratory's rows and pages: data/runs/laboratory_NAME.tar.gz and docs/laboratory_NAME.md, for NAME h200, pocl, rusticl,
and of all of them the figures docs/laboratory_sizes.svg and docs/laboratory_driver.svg.

  docs/laboratory.py measure NAME [--device SPEC] [--budget TIME]   measures, packs the rows, writes the page
  docs/laboratory.py pack NAME FOLDER                               packs rows that were measured elsewhere, writes the page
  docs/laboratory.py pages                                          writes pages and figures from the rows that are packed
  docs/laboratory.py --check                                        fails if one of them is not what `pages` would write

A measurement says before it starts how long it will take (6 minutes on a GPU, 20 on a CPU, or --budget), and goes on where it
stopped. It needs a quiet machine, and refuses another.
"""

import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RUNS = HERE.parent / "data" / "runs"
TUNE = pathlib.Path(os.environ.get("CLGAUSS_TUNE", HERE.parent / "build" / "clgauss-tune"))
TITLES = {"h200": "The laboratory on an H200", "pocl": "The laboratory on PoCL, 2 cores",
          "rusticl": "The laboratory on rusticl (llvmpipe), 2 cores"}
FIGURES = {"laboratory_sizes.svg": "devices-sizes", "laboratory_driver.svg": "devices-driver"}
DEVICES = {"h200": "nvidia:", "pocl": "pocl", "rusticl": "rusticl"}


def report(names, title, page):
    """The text of `page`, made of the packed rows of these devices."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            with tarfile.open(RUNS / f"laboratory_{name}.tar.gz") as archive:
                place = pathlib.Path(folder) / name
                archive.extractall(place, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(place)
        subprocess.run([TUNE, "report", folder, "-o", f"{folder}/{page}", "--title", title], check=True, stderr=subprocess.DEVNULL)
        return (pathlib.Path(folder) / page).read_text(encoding="utf-8")


def files_of(names):
    """Every page and figure that the packed rows make, by its name."""
    for name in names:
        yield f"laboratory_{name}.md", report([name], TITLES[name], "page.md")
    page = report(names, "", "page.html")
    style = re.search(r'<style id="drawing">(.*?)</style>', page, re.DOTALL)[1]
    for file, figure in FIGURES.items():
        drawing = re.search(rf'<figure id="{figure}">\n(<svg[^>]*>)(.*?</svg>\n)', page, re.DOTALL)
        yield file, f"{drawing[1]}\n<style>{style}</style>{drawing[2]}"


def write_files(names):
    for file, text in files_of(names):
        (HERE / file).write_text(text, encoding="utf-8")
        print(f"docs/{file} written")


def pack(name, folder):
    """rows.csv and experiment.json of every experiment below `folder`, which their commands call results/NAME, always in the same order."""
    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        return info

    with tarfile.open(RUNS / f"laboratory_{name}.tar.gz", "w:gz") as archive:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.name not in ("rows.csv", "experiment.json"):
                continue
            place = rb'-o [^ "]*/' + re.escape(pathlib.Path(folder).name).encode() + b"/"
            content = re.sub(place, f"-o results/{name}/".encode(), path.read_bytes())
            info = plain(archive.gettarinfo(path, path.relative_to(folder)))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    print(f"data/runs/laboratory_{name}.tar.gz written")
    write_files(packed())


def option(arguments, name, otherwise):
    return arguments[arguments.index(name) + 1] if name in arguments else otherwise


def measure(name, arguments):
    folder = HERE.parent / "build" / f"laboratory_{name}"
    command = [TUNE, "laboratory", "--device", option(arguments, "--device", DEVICES[name]), "-o", folder]
    budget = option(arguments, "--budget", None)
    subprocess.run(command + (["--budget", budget] if budget else []), check=True)
    pack(name, folder)


def packed():
    return [name for name in TITLES if (RUNS / f"laboratory_{name}.tar.gz").exists()]


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["measure"] and arguments[1:2] and arguments[1] in TITLES:
        measure(arguments[1], arguments[2:])
    elif arguments[:1] == ["pack"] and len(arguments) == 3 and arguments[1] in TITLES:
        pack(arguments[1], arguments[2])
    elif arguments == ["pages"]:
        write_files(packed())
    elif arguments == ["--check"]:
        wrong = [f"docs/{file}" for file, text in files_of(packed())
                 if not (HERE / file).exists() or (HERE / file).read_text(encoding="utf-8") != text]
        if wrong:
            sys.exit(f"{', '.join(wrong)}: not what data/runs says, run docs/laboratory.py pages")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
