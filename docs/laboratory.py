#!/usr/bin/env python3
"""Makes the laboratory's rows and pages, for NAME h100, h200, pocl, rusticl, intel:

  data/runs/laboratory_NAME.tar.gz   the rows
  docs/laboratory_NAME.md            the page: what to use, what each document claims and whether it holds
  docs/laboratory_NAME_tables.md     every table, linked by the page
  docs/figures/laboratory_*.svg, docs/laboratory_sizes.svg, docs/laboratory_driver.svg   figures, light or dark as the reader's system is
  docs/laboratory.md                 its tables of devices and of the conditions of their measurement

  docs/laboratory.py measure NAME [--device SPEC] [--budget TIME]   measures, packs the rows, writes the pages
  docs/laboratory.py pack NAME FOLDER                               packs rows that were measured elsewhere, writes the pages
  docs/laboratory.py again NAME FOLDER                              packs experiments that were measured again on another day, in
                                                                    folders of the same names, as data/runs/laboratory_NAME_again.tar.gz
  docs/laboratory.py pages                                          writes pages and figures from the rows that are packed
  docs/laboratory.py --check                                        fails if one of them is not what `pages` would write

A measurement says before it starts how long it will take (7 minutes on a GPU, 20 on a CPU, or --budget), and goes on where it
stopped. It needs a quiet machine, and refuses another; --accept-noise measures there, and the page says so.
"""

import io
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile

import why
from performance import filled

HERE = pathlib.Path(__file__).resolve().parent
TUNE = pathlib.Path(os.environ.get("CLGAUSS_TUNE", HERE.parent / "build" / "clgauss-tune"))
TITLES = {"h100": "The laboratory on an H100", "h200": "The laboratory on an H200", "pocl": "The laboratory on PoCL, 2 cores",
          "rusticl": "The laboratory on rusticl (llvmpipe), 2 cores", "intel": "The laboratory on Intel's CPU runtime, 2 cores"}
DEVICES = {"h100": "nvidia:", "h200": "nvidia:", "pocl": "pocl", "rusticl": "rusticl", "intel": "intel"}
MOST_WORDS = 1500
# Of a page: the figure of each document, by how its id in the HTML report begins; every device has the first.
FIGURES = {"launches": "launches", "published": "published-large", "ladder": "ladder-gains-2048", "kernels": "kernels-1000", "cpu_gpu": "cpu-gpu-", "bandwidth": "bandwidth-groups-"}
ALL_FIGURES = ("h100",)
# Of all devices together.
SHARED = {"laboratory_sizes.svg": "devices-sizes", "laboratory_driver.svg": "devices-driver"}
# Paragraphs that stand with the tables alone.
WITH_TABLES = ("Size by size", "In C++", "The best launch of whole groups", "Theory:", "Means and", "n = ", "The article's tables", "Array of", "Latency by the bytes", "Control (A/A): float",
               "Control (A/A): text", "Control (A/A): blocked", "Control (A/A): sum", "Control (A/A): kernel")
DOCUMENTS = {"ladder": "Vatutin", "kernels": "Lopatin", "cpu_gpu": "Zhao", "bandwidth": "Tutubalin"}


def reports(names, title):
    """The report on the packed rows of these devices, as Markdown and as HTML."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            with tarfile.open(why.laboratory_archive(name)) as archive:
                place = pathlib.Path(folder) / name
                archive.extractall(place, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(place)
        texts = []
        for page in ("page.md", "page.html"):
            subprocess.run([TUNE, "report", folder, "-o", f"{folder}/{page}", "--title", title], check=True, stderr=subprocess.DEVNULL)
            texts.append((pathlib.Path(folder) / page).read_text(encoding="utf-8"))
        return texts


def drawing(page, begin):
    """The first figure of an HTML report whose id begins so, as an SVG file with its colours; None if it has none."""
    style = re.search(r'<style id="drawing">(.*?)</style>', page, re.DOTALL)[1]
    found = re.search(rf'<figure id="{begin}[^"]*">\n(<svg[^>]*>)(.*?</svg>\n)', page, re.DOTALL)
    return found and f"{found[1]}\n<style>{style}</style>{found[2]}"


def sections_of(text):
    """The sections of a report on one device: (title, paragraphs before the tables, {caption: lines of a table}), and what precedes."""
    first, *parts = re.split(r"^### ", text, flags=re.M)
    sections = []
    for part in parts:
        title, _, body = part.partition("\n")
        paragraphs, tables, caption = [], {}, None
        for line in body.split("\n"):
            if line.startswith("**"):
                caption = line.strip("*")
                tables[caption] = []
            elif line.startswith("|"):
                tables[caption].append(line)
            elif line and not line.startswith(("    ", "The commands behind it")) and caption is None:
                paragraphs.append(line)
        sections.append((title, paragraphs, tables))
    return first, sections


def claims_of(tables):
    """The document's claims, each with its verdict alone: the numbers stand in the file of tables."""
    lines = next((lines for caption, lines in tables.items() if caption.startswith("What the document claims")), [])
    rows = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines[2:]]
    return [re.sub(r" \(the CPU loop[^)]*\)", "", f"| {row[0]} | {row[-1]} |") for row in rows if len(row) == 4 and not row[0].startswith("not said")]


def page_of(name, text, figures):
    """The page of a device from the Markdown of its report."""
    first, sections = sections_of(text)
    head = [line for line in first.split("\n")[1:] if line.startswith(">") or (line and not line.startswith("#"))]
    page = [f"# {TITLES[name]}", *head, f"With intervals: [every table](laboratory_{name}_tables.md). Method: [tuner/README.md](../tuner/README.md)."]
    main = next((i for i, (title, _, _) in enumerate(sections) if title.startswith(("Elimination in f64, fixed", "Elimination in f32, fixed"))
                 and not any(other.startswith("Elimination in f64, fixed") for other, _, _ in sections[i + 1:])), 0)
    order = [sections[main], *sections[:main], *sections[main + 1:]]
    for at, (title, paragraphs, tables) in enumerate(order):
        if "shrinking" in title:  # of a few n; its tables stand with the others
            continue
        page.append(f"## {title}")
        elimination = title.startswith("Elimination")
        shown = [line for line in paragraphs if not line.startswith(WITH_TABLES) and (at == 0 or not line.startswith("Control (A/A)"))]
        page += [re.sub(r" \(one launch of whole groups [^)]*\)", "", shown[0])] if elimination and at > 0 else shown
        for key, begin in DOCUMENTS.items():
            if title.startswith(begin) and key in figures:
                page.append(f"![{begin}](figures/laboratory_{name}_{key}.svg)")
        if at == 0 and "launches" in figures:
            page.append(f"![Every launch that was timed](figures/laboratory_{name}_launches.svg)")
        if at == 0 and "published" in figures:
            page.append(f"![Figures 5 and 6, compared](figures/laboratory_{name}_published.svg)")
        claims = claims_of(tables)
        if claims and (at == 0 or not elimination):
            page.append("\n".join(["| claim | verdict |", "|---|---|", *claims]))
    result = "\n\n".join(page) + "\n"
    words = len([word for word in result.split() if re.search(r"\w", word)])
    if words > MOST_WORDS:
        sys.exit(f"docs/laboratory_{name}.md would have {words} words, {MOST_WORDS} are the most")
    return result


def label_of(name):
    return TITLES[name].replace("The laboratory on ", "").removeprefix("an ")


def conditions_table(names):
    """When and where each device was measured, and what it said of its state behind the repetitions."""
    def span(rows, column):
        values = sorted(float(row[column]) for row in rows if row[column])
        if not values:
            return "-"
        least, most = f"{values[0]:.0f}", f"{values[-1]:.0f}"
        return least if least == most else f"{least} to {most}"

    lines = ["| device | measured, UTC | driver | host | clock, MHz | temperature, C | power, W |", "|---|---|---|---|---|---|---|"]
    for name in names:
        rows = why.laboratory_rows(name)
        first, last = min(row["time"] for row in rows), max(row["time"] for row in rows)
        with tarfile.open(why.laboratory_archive(name)) as archive:
            about = json.load(archive.extractfile(next(one for one in archive if one.name.endswith("experiment.json"))))
        day, until = first[:10], last[:10]
        when = f"{day} {first[11:16]} to {'' if day == until else until + ' '}{last[11:16]}"
        lines.append(f"| {label_of(name)} | {when} | {about['device']['driver']} | {about['host']['text']} | "
                     f"{span(rows, 'clock_mhz')} | {span(rows, 'temperature_c')} | {span(rows, 'power_w')} |")
    return "\n".join(lines)


def medians_of(rows):
    """The median time of each launch, by its experiment, its type and n, and what it is."""
    times = {}
    for row in rows:
        if row["status"] == "ok" and row["time_ns"]:
            case = (row["folder"], row["type"], row["n"], row["part"])
            launch = tuple(row[column] for column in ("kernel", "variant", "rule", "local", "parameters"))
            times.setdefault(case, {}).setdefault(launch, []).append(float(row["time_ns"]))
    return {case: {launch: statistics.median(all_times) for launch, all_times in launches.items()} for case, launches in times.items()}


def again_table(names):
    """What was measured on two days: how the times differ, and whether what was the fastest is so again."""
    lines = ["| device | again, UTC | n | launches | the second day's times over the first's: median (lowest to highest tenth) | what was fastest, over what is now: median, worst | within 10 % |",
             "|---|---|---|---|---|---|---|"]
    for name in names:
        if not why.laboratory_archive(f"{name}_again").exists():
            continue
        rows = why.laboratory_rows(f"{name}_again")
        then, now = medians_of(why.laboratory_rows(name)), medians_of(rows)
        for title, has in (("below 1000", lambda n: n < 1000), ("from 1000 on", lambda n: n >= 1000)):
            ratios, losses = [], []
            for case in now.keys() & then.keys():
                both = now[case].keys() & then[case].keys()
                if not both or not has(int(case[2])):
                    continue
                ratios += [now[case][launch] / then[case][launch] for launch in both]
                losses.append(now[case][min(both, key=then[case].get)] / min(now[case][launch] for launch in both))
            if not ratios:
                continue
            ratios.sort()
            tenth = len(ratios) // 10
            good = 100 * sum(loss <= why.GOOD for loss in losses) / len(losses)
            lines.append(f"| {label_of(name)} | {min(row['time'] for row in rows)[:16].replace('T', ' ')} | {title} | {len(ratios)} | "
                         f"{statistics.median(ratios):.2f} ({ratios[tenth]:.2f} to {ratios[-1 - tenth]:.2f}) | "
                         f"{statistics.median(losses):.2f}, {max(losses):.2f} | {good:.0f} % of {len(losses)} |")
    return "\n".join(lines)


def devices_table(text, names):
    """The table of devices of a report on all of them, each line with a link to its page."""
    lines = [line for line in text.split("\n## ")[0].split("\n") if line.startswith("|")]
    linked = lines[:2]
    for line, name in zip(lines[2:], names):
        rest = line[2:].split(" | ", 1)[1]
        linked.append(f"| [{label_of(name)}](laboratory_{name}.md) | {rest}")
    return "\n".join(linked)


def files_of(names):
    """Every page and figure that the packed rows make, by its name."""
    for name in names:
        text, html = reports([name], TITLES[name])
        wanted = FIGURES if name in ALL_FIGURES else ["launches"]
        drawn = {key: drawing(html, FIGURES[key]) for key in wanted}
        drawn = {key: svg for key, svg in drawn.items() if svg}
        for key, svg in drawn.items():
            yield f"figures/laboratory_{name}_{key}.svg", svg
        yield f"laboratory_{name}_tables.md", text
        yield f"laboratory_{name}.md", page_of(name, text, drawn)
    text, html = reports(names, "All devices")
    for file, figure in SHARED.items():
        yield file, drawing(html, figure)
    yield "laboratory.md", filled("laboratory.md", {"devices": devices_table(text, names), "conditions": conditions_table(names), "again": again_table(names)})


def write_files(names):
    (HERE / "figures").mkdir(exist_ok=True)
    for file, text in files_of(names):
        (HERE / file).write_text(text, encoding="utf-8")
        print(f"docs/{file} written")


def pack(name, folder):
    """rows.csv and experiment.json of every experiment below `folder`, which their commands call results/NAME, always in the same order."""
    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        return info

    with tarfile.open(why.laboratory_archive(name), "w:gz") as archive:
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
    noise = ["--accept-noise"] if "--accept-noise" in arguments else []
    subprocess.run(command + (["--budget", budget] if budget else []) + noise, check=True)
    pack(name, folder)


def packed():
    return [name for name in sorted(TITLES) if why.laboratory_archive(name).exists()]


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["measure"] and arguments[1:2] and arguments[1] in TITLES:
        measure(arguments[1], arguments[2:])
    elif arguments[:1] == ["pack"] and len(arguments) == 3 and arguments[1] in TITLES:
        pack(arguments[1], arguments[2])
    elif arguments[:1] == ["again"] and len(arguments) == 3 and arguments[1] in TITLES:
        pack(f"{arguments[1]}_again", arguments[2])
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
