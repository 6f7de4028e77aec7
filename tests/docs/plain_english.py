#!/usr/bin/env python3
"""How README.md and docs/*.md read: words a page, words a sentence on average, and words that are not the field's.

  tests/docs/plain_english.py [PROGRAM ..]

Prints a line a page, then every private word with its page and line; also those in what `PROGRAM --help` and its commands' help say.
Exits with 1 if there is one, or a page of more than 1,500 words. Pages *_tables.md, which are numbers alone, are left out; so are tables and code where sentences are counted.
"""

import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = [SOURCE / "README.md", *sorted(page for page in (SOURCE / "docs").glob("*.md") if not page.stem.endswith("_tables"))]
MOST_WORDS = 1500
# What not to say, and what to say instead.
PRIVATE = {
    r"known answers?": "self-test",
    r"passed over": "skipped",
    r"cannot be told from|told from": "statistically tied",
    r"\bin turns\b": "interleaved",
    r"\btwins?\b": "control",
    r"brought to one size": "equilibrated",
    r"\btakes? (?:it |them )?up\b|\btaken up\b": "uses",
    r"last word": "decides",
    r"behind the scenes": "in the background",
    r"polish": "refine",
    r"five documents": "the five source papers",
    r"\btrust\b": "error estimate",
}
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z`*\[(0-9])|\n\n+|\n(?=- |\d+\. )")


def prose_of(text):
    """The text without code, tables, headings, comments and the addresses of links; lines stay where they are."""
    def blank(found):
        return "\n" * found[0].count("\n")

    text = re.sub(r"^```.*?^```$", blank, text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.DOTALL)
    text = re.sub(r"^(\||#).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return text


def words_in(text):
    return len(re.findall(r"[A-Za-z0-9][^\s]*", text))


def average(text):
    """Words a sentence."""
    sentences = [words for part in SENTENCE_END.split(text) if (words := words_in(part)) > 2]
    return sum(sentences) / len(sentences) if sentences else 0


def private_words(name, text):
    for word, better in PRIVATE.items():
        for found in re.finditer(word.replace(" ", r"\s+"), text, flags=re.IGNORECASE):
            yield f"{name}:{text.count(chr(10), 0, found.start()) + 1}: '{' '.join(found[0].split())}': say '{better}'"


def help_of(program):
    """All help of a program, by command."""
    first = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    yield f"{program} --help", first
    for command in re.findall(r"^  ([a-z]+)  +\S", first, flags=re.MULTILINE):
        yield f"{program} help {command}", subprocess.run([program, "help", command], capture_output=True, text=True).stdout


def main():
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        prose = prose_of(text)
        print(f"{page.relative_to(SOURCE)}: {words_in(text)} words, {average(prose):.0f} a sentence")
        if words_in(text) > MOST_WORDS:
            found.append(f"{page.relative_to(SOURCE)}: more than {MOST_WORDS} words: move a subject to a page of its own")
        found += private_words(str(page.relative_to(SOURCE)), prose)
    for program in sys.argv[1:]:
        for name, text in help_of(program):
            found += private_words(name, text)
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
