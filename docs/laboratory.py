#!/usr/bin/env python3
"""Makes the laboratory's rows and pages: data/runs/laboratory_NAME.tar.gz and docs/laboratory_NAME.md, for NAME h200, pocl, rusticl.

  docs/laboratory.py measure NAME [--device SPEC] [--budget TIME]   measures, packs the rows, writes the page
  docs/laboratory.py pack NAME FOLDER                               packs rows that were measured elsewhere, writes the page
  docs/laboratory.py pages                                          writes the pages from the rows that are packed
  docs/laboratory.py --check                                        fails if a page is not what `pages` would write

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
DEVICES = {"h200": "nvidia:", "pocl": "pocl", "rusticl": "rusticl"}


def page_of(name):
    """The page's text, from the packed rows."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(RUNS / f"laboratory_{name}.tar.gz") as archive:
            archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
        page = pathlib.Path(folder) / "page.md"
        subprocess.run([TUNE, "report", folder, "-o", page, "--title", TITLES[name]], check=True,
                       stderr=subprocess.DEVNULL)
        return page.read_text(encoding="utf-8")


def write_page(name):
    (HERE / f"laboratory_{name}.md").write_text(page_of(name), encoding="utf-8")
    print(f"docs/laboratory_{name}.md written")


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
    write_page(name)


def option(arguments, name, otherwise):
    return arguments[arguments.index(name) + 1] if name in arguments else otherwise


def measure(name, arguments):
    folder = HERE.parent / "build" / f"laboratory_{name}"
    command = [TUNE, "laboratory", "--device", option(arguments, "--device", DEVICES[name]), "-o", folder]
    budget = option(arguments, "--budget", None)
    subprocess.run(command + (["--budget", budget] if budget else []), check=True)
    pack(name, folder)


def main():
    arguments = sys.argv[1:]
    names = [name for name in TITLES if (RUNS / f"laboratory_{name}.tar.gz").exists()]
    if arguments[:1] == ["measure"] and arguments[1:2] and arguments[1] in TITLES:
        measure(arguments[1], arguments[2:])
    elif arguments[:1] == ["pack"] and len(arguments) == 3 and arguments[1] in TITLES:
        pack(arguments[1], arguments[2])
    elif arguments == ["pages"]:
        for name in names:
            write_page(name)
    elif arguments == ["--check"]:
        wrong = [f"docs/laboratory_{name}.md" for name in names
                 if not (HERE / f"laboratory_{name}.md").exists()
                 or (HERE / f"laboratory_{name}.md").read_text(encoding="utf-8") != page_of(name)]
        if wrong:
            sys.exit(f"{', '.join(wrong)}: not what data/runs says, run docs/laboratory.py pages")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
