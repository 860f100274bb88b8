"""What is fuzzed: each target takes any bytes and raises where a law of its part does not hold.

``run.py`` gives them millions of inputs, ``test_targets.py`` the kept seeds and some that lie near them. A target gets
its inputs and its choices from the same bytes, so that a finding is one file. Nothing here needs a file or a clock but
to measure how long one input took: at most ``PATIENCE`` seconds of CPU time, or a pattern has run away.
"""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable
from itertools import pairwise

from office_boxes import boxed

from tabshell.access.classify import Classifier
from tabshell.documents.containers import beginning, texts
from tabshell.documents.reading import extract
from tabshell.errors import DocumentError, RecordingError
from tabshell.model.files import FileInfo
from tabshell.model.records import CommandRecord, Gap, ToolRecord
from tabshell.recordings.all_recordings import READERS, detect, read
from tabshell.shell.marks import LONGEST, Mark, MarkScanner, encode
from tabshell.shell.report import Report, parse_prompt, parse_start
from tabshell.shell.segment import CommandStart, Segmenter
from tabshell.shim.inbox import MAGIC
from tabshell.shim.intake import parse
from tabshell.text.harmless import harmless, harmless_excerpt
from tabshell.text.measure import measure
from tabshell.text.observation import excerpt_text, observe
from tabshell.text.plaintext import seen
from tabshell.text.terms import terms
from tabshell.text.unwrap import unwrap

#: Seconds of CPU time that one input of some kilobytes may take.
PATIENCE = 5.0


class Choices:
    """Numbers and pieces taken off the front of some bytes; zeros and nothing when they are used up."""

    def __init__(self, data: bytes) -> None:
        self.rest = data

    def byte(self) -> int:
        taken, self.rest = self.rest[:1], self.rest[1:]
        return taken[0] if taken else 0

    def pick(self, choices):
        return choices[self.byte() % len(choices)]

    def piece(self, longest: int = 64) -> bytes:
        size = self.byte() % longest
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken


# -- the terminal's stream ------------------------------------------------------------------------------------


def marks(data: bytes) -> None:
    """However the stream is cut: the same pieces, no byte lost, little kept back."""
    choices = Choices(data)
    cuts = sorted({choices.byte() for _ in range(4)})
    stream = choices.rest
    whole = _scan([stream])
    edges = [0, *(cut for cut in cuts if 0 < cut < len(stream)), len(stream)]
    assert _scan([stream[a:b] for a, b in pairwise(edges)]) == whole
    assert b"".join(piece if isinstance(piece, bytes) else encode(piece) for piece in whole) == stream


def _scan(chunks: list[bytes]) -> list[bytes | Mark]:
    scanner = MarkScanner()
    joined: list[bytes | Mark] = []
    for chunk in chunks:
        for piece in scanner.feed(chunk):
            assert piece != b""
            _join(joined, piece)
        assert len(scanner.kept) < LONGEST
    _join(joined, scanner.flush())
    return joined


def _join(joined: list[bytes | Mark], piece: bytes | Mark) -> None:
    if isinstance(piece, bytes) and joined and isinstance(joined[-1], bytes):
        joined[-1] += piece
    elif piece:
        joined.append(piece)


def segmenter(data: bytes) -> None:
    """Starts and ends alternate, their offsets never go back and never lie beyond what was shown."""
    choices = Choices(data)
    follows = Segmenter(choices.byte())
    shown, at, told = 0, 0, []
    while choices.rest:
        at += 1
        step = choices.byte() % 6
        if step == 0:
            piece = choices.piece()
            follows.shown(piece)
            shown += len(piece)
        elif step == 1:
            follows.typed(choices.piece(), at_fresh_prompt=follows.needs_prompt_end and choices.byte() % 2 == 0)
        elif step == 2:
            told += follows.started(_report(choices), at)
        elif step == 3:
            told += follows.prompted(_report(choices), at)
            follows.prompt_begins()
        elif step == 4:
            follows.lost_sight()
        else:
            report = parse_start(choices.piece()) or parse_prompt(choices.piece().decode("latin-1"), b"", None)
            told += follows.started(report, at) if report else ()
        assert follows.offset == shown
        assert len(follows.prompt) <= shown
    told += follows.ended(choices.byte(), at + 1)
    _alternate(told, shown)


def _report(choices: Choices) -> Report:
    entry = choices.piece()
    return Report(choices.byte(), choices.piece(8), choices.byte() % 4, "h", entry if choices.byte() % 3 else None)


def _alternate(told: list, shown: int) -> None:
    begun, last = False, 0
    for event in told:
        assert isinstance(event, CommandStart) != begun
        begun = not begun
        assert last <= event.offset <= shown, (last, event, shown)
        last = event.offset
        if begun:
            event.command.encode("utf-8", "surrogateescape")
    assert not begun


# -- texts ----------------------------------------------------------------------------------------------------


def plaintext(data: bytes) -> None:
    """Nothing that a terminal would obey is left, and what is printed again harmlessly stays so."""
    text = seen(data)
    assert not {character for character in text if character < " " and character not in "\t\n"}
    for shown in (harmless(text), harmless(data.decode("utf-8", "surrogateescape"))):
        assert not {c for c in shown if c < " " or "\x7f" <= c <= "\x9f" or "\u202a" <= c <= "\u202e"}
        shown.encode("utf-8")
    excerpt = harmless_excerpt(text)
    assert harmless_excerpt(excerpt) == excerpt
    terms(text)
    unwrap(data.decode("utf-8", "surrogateescape"))


def observation(data: bytes) -> None:
    """Lines lie where they say, in order and without holes; an excerpt measures what it is."""
    choices = Choices(data)
    columns, gap = choices.pick((0, 1, 80, 200)), choices.byte()
    output = choices.rest
    found = observe(output, columns, gap if gap < len(output) and gap % 2 else None)
    assert len(found.lines) == len(found.starts) == len(found.ends)
    assert all(0 <= a <= b <= len(output) for a, b in zip(found.starts, found.ends, strict=True))
    assert list(found.starts) == sorted(found.starts)
    if found.lines:
        assert found.starts[0] == 0
        assert found.ends[-1] == len(output)
    if b"\x1b[?" not in output:
        spans = tuple(_span(a, b) for a, b in zip(found.starts, found.ends, strict=True) if a < b)
        text = excerpt_text(output, spans, False, columns)
        assert measure(output, spans, False, columns)[0] == len(text)


def _span(start: int, end: int):
    from tabshell.model.accesses import Span  # noqa: PLC0415

    return Span(start, end)


# -- the classifier -------------------------------------------------------------------------------------------

TEXTS = {
    "notes.txt": "alpha foo\nbeta\ngamma foo\n",
    "report.md": "# Report\n\nfoo 12\nbar 15\n",
    "data.csv": "name,age\nann,31\nbob,42\n",
    "list.txt": "notes.txt\ndocs/a.md\n",
    "with space.txt": "one\n",
    "docs/a.md": "a foo\n",
    "docs/deep/c.md": "c\n",
    "logs/app.log": "x\n" * 50,
    "scripts/run.sh": '#!/bin/bash\ncat "$1"\nhead -2 report.md\n',
    "odd/-n": "minus\n",
    "odd/new\nline.txt": "broken\n",
    "odd/caf\udce9.txt": "latin\n",
    "odd/\u202egnp.exe": "bidi\n",
    "odd/[a]*?.txt": "glob\n",
}


class Tree:
    """``Files`` over ``TEXTS`` below ``/ws``."""

    def __init__(self) -> None:
        self.files = {f"/ws/{name}": text for name, text in TEXTS.items()}
        self.folders: dict[str, set[str]] = {"/": set()}
        for path in self.files:
            here = path
            while here != "/":
                parent = posixpath.dirname(here)
                self.folders.setdefault(parent, set()).add(posixpath.basename(here))
                here = parent

    def info(self, path: str) -> FileInfo | None:
        if path in self.files:
            return FileInfo("file", len(self.files[path]), 1.0, 1.0, path)
        return FileInfo("dir", 0, 0.0, 0.0, path) if path in self.folders else None

    def names(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(self.folders.get(path, ())))

    def content(self, path: str) -> bytes | None:
        text = self.files.get(path)
        return None if text is None else text.encode("utf-8", "surrogateescape")

    def text(self, path: str) -> str | None:
        return self.files.get(path)


LISTERS = (
    "ls", "ls -l", "ls -laR", "ls -1 docs", "ls -d */", "find . -type f", "find . -print0", "find docs -ls", "tree",
    "git ls-files", "git status", "rg -l foo", "grep -rn foo .", "grep -c foo *", "rg foo", "wc -l *", "du -a",
    "stat *", "md5sum *", "file *", "unzip -l a.zip", "tar tvf a.tar", "cat *", "head -n 2 *.txt", "cat list.txt",
    "xargs cat < list.txt", "sed -n 1,2p notes.txt", "nl report.md", "python3 x.py", "for f in *; do echo $f; done",
)  # fmt: skip


def listing(data: bytes) -> None:
    """Any output of a command that lists or reads is classified without a fault; only what exists is found."""
    choices = Choices(data)
    command, agent = choices.pick(LISTERS), choices.pick((None, "claude-code", "codex"))
    gap = choices.byte()
    output = choices.rest
    hole = Gap(gap, 10) if gap % 3 == 1 and gap <= len(output) else None
    columns = choices.pick((0, 80)) if hole else 80
    _classify(CommandRecord("pty", command, "history", "/ws", output, 0, agent=agent, columns=columns, gap=hole))


def commands(data: bytes) -> None:
    """Any command text, with any output, a tool's call as well."""
    choices = Choices(data)
    kind, size = choices.byte(), choices.byte()
    text = choices.rest[: 1 + 4 * size].replace(b"\0", b"").decode("utf-8", "surrogateescape")
    output = choices.rest[1 + 4 * size :]
    if kind % 4:
        _classify(CommandRecord("pty", text, "history", "/ws", output, kind % 3, cwd_after="/ws/docs", columns=80))
    else:
        action = ("read", "search", "list", "write", "other")[kind // 4 % 5]
        numbered, first = kind % 32 < 16, size or None
        paths = tuple(text.split("\n"))
        _classify(
            ToolRecord("hook", "a", "Read", action, text, "/ws", paths, output, numbered=numbered, first_line=first)
        )


def _classify(record: CommandRecord | ToolRecord) -> None:
    tree = Tree()
    classifier = Classifier("/ws", "/ws/out", tree, "/home/u")
    found = classifier.classify(record)
    faults = [reason for reason in found.reasons if reason.rule == "internal fault"]
    assert not faults, faults
    for path in (*found.read, *found.searched, *found.listed):
        assert tree.info(posixpath.join("/ws", path)) is not None, path
    for excerpt in found.excerpts:
        assert excerpt.paths
        last = 0
        for start, end in excerpt.spans:
            assert last <= start < end <= len(record.output), excerpt
            last = end
    again = classifier.classify(record)
    assert not [reason for reason in again.reasons if reason.rule == "internal fault"]


# -- files of others ------------------------------------------------------------------------------------------


def importers(data: bytes) -> None:
    """A recording is read, as far as it goes, or refused in words; its records can be stored."""
    detect(data)
    for name in (None, *READERS):
        try:
            recording = read(data, name)
        except RecordingError:
            continue
        for record in recording.records:
            record.command.encode("utf-8", "surrogatepass")
            assert isinstance(record.output, bytes)
            assert record.duration_s >= 0
            assert record.cwd.startswith("/"), record.cwd


def inbox(data: bytes) -> None:
    """A damaged record of the shim gives what can be read of it."""
    for whole in (data, MAGIC + b"command 2\nls\ncwd 1\n/\n.\n" + data):
        run = parse(whole, f"{1:020d}-77.rec")
        if run is not None:
            assert sum(size for _, size, _ in run.pieces) == len(run.record.output)
            assert run.record.duration_s >= 0


#: What the reader of a document is told its name is; with ``+`` the bytes are one part of a container that is well made.
NAMED = (
    "a.txt", "a.md", "a.csv", "a.html", "a.docx", "a.xlsx", "a.pptx", "a.pdf", "a", "+a.docx", "+a.xlsx", "+a.pptx",
)  # fmt: skip


def _whole(name: str, choices: Choices) -> bytes:
    return boxed(name[1:], choices.byte(), choices.rest) if name[0] == "+" else choices.rest


def documents(data: bytes) -> None:
    """A document is read or refused in words."""
    choices = Choices(data)
    name = choices.pick(NAMED)
    whole = _whole(name, choices)
    try:
        document = extract(whole, name.removeprefix("+"))
    except DocumentError:
        return
    assert all(isinstance(block.text, str) for block in document.blocks)


def containers(data: bytes) -> None:
    """Whatever bytes a file of the workspace holds: texts to compare with, or none."""
    choices = Choices(data)
    name = choices.pick((*NAMED, "a.zip", "a.tar", "a.tgz", "a.gz", "a.db", "a.odt", "a.epub", "a.xls", "a.rtf"))
    whole = _whole(name, choices)
    for text in (*texts(whole, name.removeprefix("+")), *beginning(whole, name.removeprefix("+"))):
        assert isinstance(text, str)


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        marks, segmenter, plaintext, observation, listing, commands, importers, inbox, documents, containers,
    )
}  # fmt: skip


def timed(name: str) -> Callable[[bytes], None]:
    """The target, which also fails where one input takes too long."""
    target = TARGETS[name]

    def run(data: bytes) -> None:
        before = time.process_time()
        target(data)
        took = time.process_time() - before
        assert took < PATIENCE, f"{took:.1f} s of CPU time for {len(data)} bytes"

    return run
