# ruff: noqa: E501
"""Of values that stood on the terminal, how many does the log hold? ``values_held.py WORKSPACES [--seed N]``.

Twenty generated sessions over the four workspaces are run live on a terminal; from what they showed of files, 300
numbers and phrases are drawn at random. A value is held if it stands in the excerpt of an entry of that turn that
names the right file: one that the command was made to show and whose content has the value.
"""

from __future__ import annotations

import argparse
import random
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import openpyxl
from livecases import Case, fresh, records
from pptx import Presentation
from scores import folded

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.text.observation import excerpt_text, plain

WORKSPACES = ("agency", "datadesk", "treasury", "zoo")
TEXTS = (".txt", ".md", ".csv", ".log", ".tsv", ".rst", ".json", ".jsonl", ".yml", ".py", ".eml", ".ics", ".html", ".R")


@dataclass(frozen=True)
class Shown:
    """A command, the files that it was made to show."""

    command: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Value:
    """A value that stood on the terminal, and where."""

    command: str
    files: tuple[str, ...]
    text: str
    held: bool


class Generator:
    """Makes commands that show files, with random files and ranges."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.rng = rng
        files = [p for p in root.rglob("*") if p.is_file() and not p.is_symlink() and ".git" not in p.parts]
        self.names = {suffix: [] for suffix in (*TEXTS, ".xlsx", ".docx", ".pdf", ".gz", ".zip", ".sqlite", ".pptx")}
        self.lengths: dict[str, int] = {}
        for path in sorted(files):
            if path.suffix in self.names and 0 < path.stat().st_size < 3_000_000:
                name = str(path.relative_to(root))
                self.names[path.suffix].append(name)
                if path.suffix in TEXTS:
                    self.lengths[name] = max(1, path.read_bytes().count(b"\n"))
        self.texts = list(self.lengths)
        self.root = root

    def some(self, suffix: str) -> str | None:
        return self.rng.choice(self.names[suffix]) if self.names.get(suffix) else None

    def word(self, name: str) -> str:
        """A word that stands in a file."""
        words = re.findall(r"[A-Za-z]{5,}", (self.root / name).read_bytes().decode("utf-8", "replace"))
        return self.rng.choice(words) if words else "the"

    def command(self) -> Shown | None:
        return self.rng.choice(MAKERS)(self)


def _text(g: Generator) -> Shown:
    name = g.rng.choice(g.texts)
    q, n = shlex.quote(name), g.rng.randint(3, 40)
    first = g.rng.randint(1, max(1, g.lengths[name] - 5))
    word = shlex.quote(g.word(name))
    form = g.rng.choice([
        f"head -{n} {q}", f"tail -n {n} {q}", f"sed -n '{first},{first + n}p' {q}", f"cat {q} | head -{n + 20}",
        f"grep -n {word} {q} | head -{n}", f"grep -i -C2 {word} {q} | head -{n}", f"nl -ba {q} | sed -n '{first},{first + n}p'",
        f"awk 'NR>={first} && NR<={first + n}' {q}", f"cat -n {q} | tail -{n}", f"cut -c1-70 {q} | sed -n '{first},{first + n}p'",
        f"sort {q} | head -{n}", f"tr a-z A-Z < {q} | tail -{n}", f"less -FX {q} | head -{n}", f"rg -n {word} {q} | head -{n}",
        f"python3 -c \"for i,l in enumerate(open({name!r},errors='replace')):\n    if {first}<=i<{first + n}: print(l.rstrip())\"",
        f"cd {shlex.quote(str(Path(name).parent))} && head -{n} {shlex.quote(Path(name).name)}; cd - >/dev/null",
    ])  # fmt: skip
    return Shown(form, (name,))


def _csv(g: Generator) -> Shown | None:
    name = g.some(".csv")
    if not name:
        return None
    q, n = shlex.quote(name), g.rng.randint(3, 15)
    form = g.rng.choice([
        f"cut -d, -f1-3 {q} | head -{n}", f"awk -F, '{{print $1, $2}}' {q} | head -{n}",
        f"python3 -c \"import csv\nfor i,r in enumerate(csv.DictReader(open({name!r},errors='replace'))):\n    if i<{n}: print(dict(list(r.items())[:5]))\"",
        f"python3 -c \"import pandas as pd; print(pd.read_csv({name!r},encoding='latin-1',on_bad_lines='skip').head({n}).to_string())\"",
        f"csvlook {q} 2>/dev/null | head -{n + 2}", f"sort -t, -k2 {q} | tail -{n}", f"column -s, -t {q} | head -{n}",
    ])  # fmt: skip
    return Shown(form, (name,))


def _several(g: Generator) -> Shown:
    names = tuple(g.rng.sample(g.texts, g.rng.randint(2, 4)))
    qs, n = " ".join(map(shlex.quote, names)), g.rng.randint(3, 12)
    form = g.rng.choice([
        f"head -{n} {qs}", f"tail -q -n {n} {qs}", f'for f in {qs}; do echo "== $f"; head -{n} "$f"; done',
        f"cat {qs} | head -{n * 20}", f"grep -n {shlex.quote(g.word(names[0]))} {qs} | head -{n * 3}",
        f"printf '%s\\n' {qs} | xargs -d '\\n' head -{n}", f"awk 'FNR<={n}' {qs}", f"sed -sn '1,{n}p' {qs}",
    ])  # fmt: skip
    return Shown(form, names)


def _office(g: Generator) -> Shown | None:
    kind = g.rng.choice([".xlsx", ".docx", ".pdf", ".pptx"])
    name = g.some(kind)
    if not name:
        return None
    q, n = shlex.quote(name), g.rng.randint(3, 25)
    form = {
        ".xlsx": f"python3 -c \"import openpyxl\nfor s in openpyxl.load_workbook({name!r},data_only=True).worksheets[:2]:\n    for r in s.iter_rows(max_row={n},values_only=True): print(r)\"",
        ".docx": f"docx2txt {q} - | head -{n}",
        ".pdf": f"pdftotext -layout {q} - 2>/dev/null | head -{n * 3}",
        ".pptx": f"python3 -c \"from pptx import Presentation\nfor s in Presentation({name!r}).slides:\n    for x in s.shapes:\n        if x.has_text_frame: print(x.text_frame.text)\" | head -{n}",
    }[kind]  # fmt: skip
    return Shown(form, (name,))


def _packed(g: Generator) -> Shown | None:
    kind = g.rng.choice([".gz", ".zip", ".sqlite", ".json"])
    name = g.some(kind)
    if not name or name.endswith(".tar.gz"):
        return None
    q, n = shlex.quote(name), g.rng.randint(2, 10)
    form = {
        ".gz": f"zcat {q} | head -{n}", ".zip": f"unzip -p {q} | head -c {n * 100}",
        ".sqlite": f"sqlite3 {q} 'select * from drinks limit {n}'", ".json": f"jq . {q} 2>/dev/null | head -{n * 3}",
    }[kind]  # fmt: skip
    return Shown(form, (name,))


def _derived(g: Generator) -> Shown:
    name = g.rng.choice(g.texts)
    q, n = shlex.quote(name), g.rng.randint(3, 15)
    return Shown(f"sort {q} > /tmp/values_held_copy; tail -{n} /tmp/values_held_copy", (name,))


MAKERS = (_text, _text, _text, _text, _csv, _csv, _several, _several, _office, _office, _packed, _derived)


def content(path: Path) -> str:
    """The text of a file by other means than the classifier's."""
    data = path.read_bytes()
    if path.suffix == ".pdf":
        data = subprocess.run(["pdftotext", "-layout", str(path), "-"], capture_output=True, check=False).stdout
    elif path.suffix == ".docx":
        data = subprocess.run(["docx2txt", str(path), "-"], capture_output=True, check=False).stdout
    elif path.suffix == ".gz":
        data = subprocess.run(["zcat", str(path)], capture_output=True, check=False).stdout
    elif path.suffix == ".zip":
        data = subprocess.run(["unzip", "-p", str(path)], capture_output=True, check=False).stdout
    elif path.suffix == ".sqlite":
        data = subprocess.run(["sqlite3", str(path), ".dump"], capture_output=True, check=False).stdout
    elif path.suffix in (".xlsx", ".pptx"):
        return cells(path)
    return folded(data.decode("utf-8", "surrogateescape")).casefold()


def cells(path: Path) -> str:
    try:
        return _cells(path)
    except Exception:  # noqa: BLE001 - a broken workbook shows nothing
        return ""


def _cells(path: Path) -> str:
    if path.suffix == ".pptx":
        shapes = (x for s in Presentation(str(path)).slides for x in s.shapes if x.has_text_frame)
        return folded(" ".join(x.text_frame.text for x in shapes)).casefold()
    book = openpyxl.load_workbook(path, data_only=True)
    return " ".join(str(c) for s in book.worksheets for r in s.iter_rows(values_only=True) for c in r).casefold()


def values_of(output: str, text: str, names: tuple[str, ...], rng: random.Random) -> list[str]:
    """Numbers and phrases of an output that stand in a file's text."""
    prefixes = re.compile(f"^(?:{'|'.join(map(re.escape, names))})[:-][0-9]+[:-]")
    found: list[str] = []
    for line in output.split("\n"):
        line = prefixes.sub("", line)  # noqa: PLW2901 - a path and a line number are no content
        if line.startswith("=="):
            continue
        words = line.split()
        number = rng.choice(re.findall(r"\d[\d.,]*\d|\d", line) or [""])
        start = rng.randint(0, max(0, len(words) - 3))
        drawn = (number, " ".join(words[start : start + 3]))
        found += [v for v in drawn if len(v) >= 2 and re.search(r"\w", v) and folded(v).casefold() in text]
    return found


def session(root: Path, workspace: str, rng: random.Random, commands: int, verbose: bool) -> list[Value]:
    """Runs one session and judges every value it could draw, a few of each turn."""
    generator = Generator(root / workspace, rng)
    shown = [s for s in (generator.command() for _ in range(commands)) if s]
    case = Case("values", workspace, ".", [s.command for s in shown], {}, [], [], [], True)
    judged: list[Value] = []
    with fresh(root / workspace) as places:
        classifier = Classifier(str(places[0]), None, Disk(deadline=60))
        for made, record in zip(shown, records(case, places, "pty", True), strict=True):
            accesses = classifier.classify(record)
            entries = [
                (e.paths, folded(excerpt_text(record.output, e.spans, e.screen, record.columns)))
                for e in accesses.excerpts
            ]
            for name in made.files:
                text = content(root / workspace / name)
                drawn = values_of(plain(record.output), text, made.files, rng)
                for value in rng.sample(drawn, min(4, len(drawn))):
                    right = [
                        n for n in made.files if n == name or folded(value).casefold() in content(root / workspace / n)
                    ]
                    held = any(folded(value) in body and set(right) & set(paths) for paths, body in entries)
                    judged.append(Value(made.command, tuple(right), value, held))
                    if verbose and not held:
                        print(
                            f"LOST {workspace}: {value!r} of {name}\n   $ {made.command[:300]}\n   read {accesses.read + accesses.searched}"
                        )
    return judged


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspaces", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--commands", type=int, default=14)
    parser.add_argument("--draw", type=int, default=300)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    judged: list[Value] = []
    for number in range(options.sessions):
        judged += session(options.workspaces, WORKSPACES[number % 4], rng, options.commands, options.verbose)
    drawn = rng.sample(judged, min(options.draw, len(judged)))
    held = sum(value.held for value in drawn)
    print(
        f"values that stood on the terminal: {len(judged)}; drawn: {len(drawn)}; held: {held} ({held / len(drawn):.1%})"
    )
    print(f"of all: {sum(v.held for v in judged) / len(judged):.2%}")


if __name__ == "__main__":
    main()
