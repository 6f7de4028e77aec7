#!/usr/bin/env python3
"""Runs the commands of README.md and docs/*.md.

  tests/docs/run_commands.py BUILD_DIR [--long]

Each block of code stands under a mark, and the block of a kind that is not marked fails:

  <!-- run: 5 s -->           run by bash, in the order of the page, in one new folder with build, data and examples; so many seconds
                              are about what it takes, and ten times as many end it
  <!-- run: long, 600 s -->   the same, with --long alone
  <!-- not run: REASON -->    not run
  <!-- file: PATH -->         the text of that file, word for word

Blocks of ```text are what programs print; they need no mark, neither do blocks that speak of the marks. Besides, every relative link leads somewhere.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>[a-z]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = re.compile(r"run: (?P<long>long, )?(?P<seconds>\d+) s")
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")


def environment(home):
    """A device for the tests, and nothing of the user's."""
    return os.environ | {"XDG_DATA_HOME": f"{home}/data-home", "CLGAUSS_DEVICE": os.environ.get("CLGAUSS_DEVICE", "pocl")}


def run(text, seconds, folder):
    """Why the commands fail, or None."""
    try:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=10 * seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"still running after {10 * seconds} s"
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr[-2000:]}"
    return None


def faults_of(page, build, long):
    """Runs the blocks of a page; yields what is wrong."""
    content = page.read_text(encoding="utf-8")
    for link in LINK.findall(content):
        if not (page.parent / link).exists():
            yield f"the link {link} leads nowhere"
    with tempfile.TemporaryDirectory() as folder:
        for name, place in {"build": build, "data": SOURCE / "data", "examples": SOURCE / "examples"}.items():
            os.symlink(place, f"{folder}/{name}")
        for block in BLOCK.finditer(content):
            line = content.count("\n", 0, block.start("text"))
            mark, text = block["mark"] or "", block["text"]
            if mark.startswith("file: "):
                if (SOURCE / mark[len("file: "):]).read_text(encoding="utf-8") != text:
                    yield f"line {line}: is not {mark[len('file: '):]}"
            elif wanted := RUN.fullmatch(mark):
                if wanted["long"] and not long:
                    continue
                start = time.monotonic()
                reason = run(text, int(wanted["seconds"]), folder)
                print(f"{page.relative_to(SOURCE)}:{line}: {time.monotonic() - start:.1f} s, {wanted['seconds']} s stated", flush=True)
                if reason:
                    yield f"line {line}: {reason}"
            elif block["language"] != "text" and not mark.startswith("not run: "):
                yield f"line {line}: a block without a mark"


def main():
    arguments = sys.argv[1:]
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--long"]):
        sys.exit(__doc__)
    build = pathlib.Path(arguments[0]).resolve()
    faults = [f"{page.relative_to(SOURCE)}: {fault}" for page in PAGES for fault in faults_of(page, build, len(arguments) == 2)]
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
