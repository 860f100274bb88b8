"""Real commands, all of a collection: does any raise, take too long, or bring up a wrong path?

Usage: ``python benchmarks/real_commands.py COMMANDS.jsonl.gz [WORKSPACE] [--outputs] [--part 1/2] [--sample N]``. The
collection holds one JSON object a line with a ``command``. Each is walked as if typed in WORKSPACE (default: the
current directory), with the real disk behind it. With ``--outputs`` each is classified as well, by a classifier that
has seen nothing before, with an output made for it: lines of the files that it names and of others, listings, hits
with paths, error messages, prose, rubbish. Times are of the processor (children such as ``pdftotext`` included). Other
work on the machine still counts in them (caches and cores are shared), up to twice and more: a command that took longer
than ``LIMIT_MS`` is therefore done ``TIMES`` times in all, each time by a classifier that has seen nothing before, and
the fastest counts; how many took longer the first time is told beside it. A path is wrong if nothing of that name is
there, or if none of the lines that an entry shows stands in the file. Exit status 1 where a command raised, took longer
than ``LIMIT_MS`` or brought a wrong path.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import random
import re
import resource
import sys
import time
import traceback
import zlib

from tabshell.access.classify import Classifier
from tabshell.access.command.walk import doings
from tabshell.access.disk.disk import Disk
from tabshell.access.memory import ShellMemory
from tabshell.model.records import CommandRecord
from tabshell.text.observation import excerpt_text

#: No command may take longer than this, in milliseconds.
LIMIT_MS = 50.0
#: A command that took longer is done so many times in all; the fastest counts.
TIMES = 3
#: An output is no longer than this.
LONGEST = 48_000
PROSE = "the quick report of a meeting that nobody wrote down in any file of this folder 4711 0815".split()  # noqa: SIM905


def commands(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", errors="surrogateescape") as stream:
        return [json.loads(line)["command"] for line in stream]


def spent():
    """Seconds of the processor so far, of this process and of those that it waited for."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class Outputs:
    """Makes outputs of all kinds from what lies in a workspace."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.disk = Disk(600)
        self.lines = {}
        self.files = []
        for folder, folders, names in os.walk(workspace):
            folders[:] = sorted(set(folders) - {".git"})
            self.files += [os.path.relpath(os.path.join(folder, name), workspace) for name in sorted(names)]

    def of(self, path):
        """The lines of a file, whatever its format."""
        if path not in self.lines:
            info = self.disk.info(path)
            text = self.disk.text(path) if info and info.kind == "file" and info.size < 1 << 20 else None
            self.lines[path] = (text or "").split("\n")
        return self.lines[path]

    def content(self, rng, path):
        lines = self.of(path)
        first = rng.randrange(len(lines))
        return [line[:2000] for line in lines[first : first + rng.choice((1, 3, 10, 60, 400))]]

    def piece(self, rng, named):
        """A few lines of one kind."""
        path = (
            rng.choice(named) if named and rng.random() < 0.7 else os.path.join(self.workspace, rng.choice(self.files))
        )
        shown = os.path.relpath(path, self.workspace)
        kind = rng.randrange(9)
        if kind < 3:
            return self.content(rng, path)
        if kind == 3:
            return [f"{shown}:{rng.randrange(1, 900)}:{line}" for line in self.content(rng, path)[:40]]
        if kind == 4:
            near = rng.randrange(len(self.files))
            return self.files[near : near + rng.choice((1, 8, 50, 600))]
        if kind == 5:
            near = rng.randrange(len(self.files))
            row = "-rw-r--r-- 1 root root {} May  3 12:00 {}"
            return [row.format(rng.randrange(1 << 20), os.path.basename(f)) for f in self.files[near : near + 40]]
        if kind == 6:
            return [f"cat: {shown}x: No such file or directory", f"==> {shown} <==", *self.content(rng, path)[:5]]
        if kind == 7:
            words = [[rng.choice(PROSE) for _ in range(rng.randint(1, 14))] for _ in range(rng.choice((1, 30)))]
            return [" ".join(w) + f" {rng.randrange(100_000)}" for w in words]
        return ["\x1b[32m" + "".join(chr(rng.randrange(33, 0x2FF)) for _ in range(60)) + "\x1b[0m", "42", "", "0.5"]

    def make(self, command, named):
        """One output for this command; the same each time."""
        rng = random.Random(zlib.crc32(command.encode("utf-8", "surrogateescape")))
        lines = [line for _ in range(rng.choice((0, 1, 1, 2, 3, 6))) for line in self.piece(rng, named)]
        data = "\n".join(lines).encode("utf-8", "surrogateescape")[:LONGEST]
        return (data + b"\n" * bool(data)).replace(b"\n", b"\r\n")


def wrong_paths(accesses, record, outputs):
    """Keys that name nothing (but for another version's), and those of entries of which no line is in the file."""
    workspace = outputs.workspace
    every = {*accesses.read, *accesses.searched, *accesses.listed}
    by_word = {key for r in accesses.reasons if r.rule == "the command's word" for key in r.paths}
    versions = by_word if re.search(r"\bgit\b", record.command) else set()
    wrong = {key for key in every - versions if not os.path.isfile(os.path.join(workspace, key))}
    for excerpt in accesses.excerpts:
        if len(excerpt.paths) != 1 or excerpt.paths[0] in by_word | wrong:
            continue
        shown = excerpt_text(record.output, excerpt.spans, excerpt.screen, record.columns)
        texts = outputs.disk.texts(os.path.join(workspace, excerpt.paths[0]))
        lines = [(line, own_words(line, excerpt.paths[0])) for line in shown.split("\n")]
        empty = any(line.strip() and not own.strip() for line, own in lines)  # an empty line, behind the file's name
        if texts and not empty and not any(stands(own, texts) for _, own in lines):
            wrong.add(excerpt.paths[0])
    return wrong


def own_words(line, key):
    """A shown line without what a program put before it to tell whose it is: the file's path, and a line number."""
    name = os.path.basename(key)
    at = line.find(name)
    if at < 0 or not f"/{key}".endswith("/" + line[:at].removeprefix("./") + name):
        return line
    return re.sub(r"^(?:[:=\x00-]\d+)?[:=\x00-]\s?", "", line[at + len(name) :])


def stands(line, texts):
    """Whether half of the words of a line stand in one of a file's texts; of a line of marks alone, the line."""
    words = set(re.findall(r"[^\W_]+", line.casefold()))
    if not words:
        return bool(line.strip()) and any(line.strip() in text for text in texts)
    return any(2 * len(words & set(re.findall(r"[^\W_]+", text.casefold()))) >= len(words) for text in texts)


def measure(text, workspace, outputs):
    """Milliseconds of one command, the number of its acts, and its wrong paths."""
    home = os.path.expanduser("~")
    if outputs is None:
        disk = Disk()
        begun = spent()
        result = doings(text, workspace, home, disk, ShellMemory())
        return (spent() - begun) * 1000, len(result.acts), set()
    said = doings(text, workspace, home, outputs.disk, ShellMemory())
    named = [path for act in said.acts for path in act.paths[:40] if os.path.isfile(path)]
    record = CommandRecord("pty", text, "history", workspace, outputs.make(text, named), 0, time.time(), columns=160)
    classifier = Classifier(workspace, None, Disk(), home)
    outputs.disk.refresh()
    begun = spent()
    accesses = classifier.classify(record)
    took = (spent() - begun) * 1000
    for reason in accesses.reasons:
        if reason.rule == "internal fault":
            raise RuntimeError(reason.evidence)
    return took, len(said.acts), wrong_paths(accesses, record, outputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands")
    parser.add_argument("workspace", nargs="?", default=".")
    parser.add_argument("--outputs", action="store_true")
    parser.add_argument("--part", default="1/1", help="1/2 and 2/2 for two processes")
    parser.add_argument("--sample", type=int, default=0, help="so many at random")
    parser.add_argument("--slowest", type=int, default=8)
    options = parser.parse_args()
    workspace = os.path.realpath(options.workspace)
    texts = commands(options.commands)
    if options.sample:
        texts = random.Random(1).sample(texts, options.sample)
    part, parts = map(int, options.part.split("/"))
    texts = texts[part - 1 :: parts]
    outputs = Outputs(workspace) if options.outputs else None
    for warm in ("ls", "cat a *.pdf *.docx *.xlsx *.pptx *.db *.zip", "python3 -c 'open(\"a\")'"):
        measure(warm, workspace, outputs)
    times, raised, acts, wrong, once = [], 0, 0, 0, 0
    gc.disable()
    for number, text in enumerate(texts):
        try:
            took, count, bad = measure(text, workspace, outputs)
            if took > LIMIT_MS:
                once += 1
                gc.collect()
                took = min(took, *(measure(text, workspace, outputs)[0] for _ in range(TIMES - 1)))
        except Exception:  # noqa: BLE001 - every fault is to be counted
            raised += 1
            print("raised:", repr(text[:300]))
            traceback.print_exc()
            continue
        times.append((took, text))
        acts += count
        wrong += bool(bad)
        if bad:
            print("wrong:", sorted(bad)[:4], repr(text[:200]), flush=True)
        if number % 200 == 199:
            gc.collect()
    times.sort(key=lambda item: item[0])
    count = len(times)
    over = sum(took > LIMIT_MS for took, _ in times)
    print(f"{count} commands, {acts} acts, {raised} raised, {wrong} with a wrong path")
    print(f"{over} over {LIMIT_MS:.0f} ms in the fastest of {TIMES} ({once} in the first of them)")
    print(f"ms: p50 {times[count // 2][0]:.2f}  p99 {times[int(count * 0.99)][0]:.2f}  max {times[-1][0]:.2f}")
    for took, text in times[-options.slowest :]:
        print(f"  {took:7.2f} ms  {text[:160]!r}")
    return 1 if raised or wrong or over else 0


if __name__ == "__main__":
    sys.exit(main())
