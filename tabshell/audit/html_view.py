"""What the HTML report shows, cut into pieces that a template only has to write down. Pure.

Bounded: of long excerpts only the lines around cited ones are shown, so that a log of many megabytes still makes
a file that opens. All texts pass ``harmless``; the template escapes the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tabshell.audit.audit import Audit
from tabshell.audit.traced import Source, Trace, Traced
from tabshell.documents.document import Block
from tabshell.model.state import Turn
from tabshell.text.harmless import harmless

#: Lines before and after a cited one; lines shown of an excerpt that nothing cites.
AROUND = 3
UNCITED_LINES = 6
#: An excerpt of so few lines is shown whole.
WHOLE = 30
#: Characters of one line, of all excerpts, and of the deliverables.
MAX_LINE = 2_000
MAX_EXCERPTS = 5_000_000
MAX_DOCUMENTS = 3_000_000
MAX_COMMAND = 400


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; ``kind`` is its CSS class, ``href`` where it leads, ``title`` what the pointer says."""

    text: str
    kind: str = ""
    href: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A block of a deliverable. ``state`` is the worst of its values: none, computed, sourced or empty."""

    label: str
    pieces: tuple[Piece, ...]
    state: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Paper:
    """A deliverable as text with links."""

    name: str
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]
    counts: dict[str, int]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A line of an excerpt; ``anchor`` is empty unless something points at it. None as text: a gap."""

    anchor: str
    number: str
    pieces: tuple[Piece, ...]
    gap: bool = False


@dataclass(frozen=True, slots=True)
class ExcerptView:
    """A log entry with the lines that are shown of it."""

    id: int
    paths: str
    command: str
    note: str
    lines: tuple[ExcerptLine, ...]
    cited: bool


@dataclass(frozen=True, slots=True)
class TurnView:
    """A row of the timeline."""

    number: int
    at: float
    command: str
    status: str
    files: str
    entries: tuple[int, ...]


@dataclass(slots=True)
class Pointers:
    """Which places of which excerpts something points at: entry -> excerpt line -> spans."""

    spans: dict[int, dict[int, set[tuple[int, int]]]] = field(default_factory=dict)

    def add(self, entry: int, line: int, start: int = 0, end: int = 0) -> None:
        """A cited line and, if given, the value on it."""
        self.spans.setdefault(entry, {}).setdefault(line, set())
        if end > start:
            self.spans[entry][line].add((start, end))


def pointers(audit: Audit) -> Pointers:
    """All places that requirements and values point at."""
    found = Pointers()
    for item in audit.requirements:
        for line in item.evidence:
            found.add(line.entry, line.excerpt_line)
    for trace in audit.traces:
        for traced in trace.traced:
            for source in traced.sources:
                found.add(source.entry, source.excerpt_line, source.cut + source.start, source.cut + source.end)
    return found


def anchor_of(entry: int, excerpt_line: int) -> str:
    """The fragment of a cited line."""
    return f"L{entry}-{excerpt_line}"


def papers(audit: Audit) -> list[Paper]:
    """The deliverables with their values linked."""
    room = MAX_DOCUMENTS
    made = []
    for trace in audit.traces:
        by_block: dict[int, list[Traced]] = {}
        for item in trace.traced:
            by_block.setdefault(item.mention.block, []).append(item)
        rows: list[Row] = []
        for label, numbers in _grouped(trace.document.blocks):
            room -= sum(len(trace.document.blocks[number].text) + 60 for number in numbers)
            if room < 0:
                break
            rows.append(_row(trace, label, numbers, by_block))
        left = len(trace.document.blocks) - sum(1 for _ in rows) if room < 0 else 0
        counts = {
            "sourced": trace.count("sourced"),
            "computed": trace.count("computed"),
            "none": len(trace.alarming),
            "weak": trace.count("no source") - len(trace.alarming),
        }
        made.append(Paper(harmless(trace.document.name), tuple(rows), trace.document.remarks, counts, left))
    return made


def _grouped(blocks: Sequence[Block]) -> Iterator[tuple[str, list[int]]]:
    """Blocks as rows: the cells of one spreadsheet row belong together."""
    row: list[int] = []
    key = None
    for number, block in enumerate(blocks):
        position = block.position
        this = (position.sheet, re.sub(r"\D", "", position.cell)) if position.cell is not None else None
        if row and (this is None or this != key):
            yield _label(blocks, row), row
            row = []
        if this is None:
            yield position.label(), [number]
        else:
            row, key = [*row, number], this
    if row:
        yield _label(blocks, row), row


def _label(blocks: Sequence[Block], row: Sequence[int]) -> str:
    first = blocks[row[0]].position
    return f"{first.sheet} row {re.sub(r'[^0-9]', '', first.cell or '')}"


def _row(trace: Trace, label: str, numbers: Sequence[int], by_block: dict[int, list[Traced]]) -> Row:
    pieces: list[Piece] = []
    states: set[str] = set()
    for number in numbers:
        if pieces:
            pieces.append(Piece(" │ ", "rule"))
        items = by_block.get(number, [])
        pieces.extend(_pieces(trace.document.blocks[number].text, items))
        states.update(_state(item) for item in items)
    worst = next((state for state in ("none", "computed", "weak", "sourced") if state in states), "")
    return Row(harmless(label), tuple(pieces), worst, trace.document.blocks[numbers[0]].heading)


def _state(item: Traced) -> str:
    if item.status == "no source":
        return "weak" if item.weak else "none"
    return item.status


def _pieces(text: str, items: Sequence[Traced]) -> Iterator[Piece]:
    place = 0
    notes: list[Piece] = []
    for item in sorted(items, key=lambda one: one.mention.offset):
        if item.mention.value.kind == "quote":
            notes.append(_piece("❝ source" if item.sources else "❝ no source", item))
            continue
        start, end = item.mention.offset, item.mention.offset + len(item.mention.value.text)
        if start < place:
            continue
        if start > place:
            yield Piece(harmless(text[place:start]))
        yield _piece(text[start:end], item)
        place = end
    if place < len(text):
        yield Piece(harmless(text[place:]))
    for note in notes:
        yield Piece(" ")
        yield note


def _piece(text: str, item: Traced) -> Piece:
    state = _state(item)
    if not item.sources:
        title = "no source" if state == "none" else "no source (small number or year)"
        return Piece(harmless(text), state, "", f"{title}: {item.remark}" if item.remark else title)
    source = item.sources[0]
    href = "#" + anchor_of(source.entry, source.excerpt_line)
    if item.status == "computed":
        return Piece(harmless(text), "computed", href, f"may be computed: {harmless(item.formula or '')}")
    return Piece(harmless(text), "sourced" if item.sure else "sourced unsure", href, _source_title(source, item))


def _source_title(source: Source, item: Traced) -> str:
    note = f" ({item.remark})" if item.remark else ""
    return harmless(f"L{source.entry} {source.path}:{source.line}{note}: {source.text[:MAX_LINE].strip()[:160]}")


def excerpts(audit: Audit, wanted: Pointers) -> tuple[list[ExcerptView], int]:
    """The log, newest citations whole around their lines; and how many entries were left out for size."""
    room = MAX_EXCERPTS
    views: list[ExcerptView] = []
    order = sorted(audit.tab.entries, key=lambda number: (number not in wanted.spans, number))
    for number in order:
        entry = audit.tab.entries[number]
        text = "" if entry.logged.binary else audit.entry_text(entry)
        spans = wanted.spans.get(number, {})
        lines = tuple(_excerpt_lines(number, text, spans))
        size = sum(len(piece.text) + 40 for line in lines for piece in line.pieces)
        if size > room and number not in wanted.spans:
            break
        room -= size
        views.append(_excerpt_view(audit, number, lines, bool(spans)))
    return sorted(views, key=lambda view: view.id), len(order) - len(views)


def _excerpt_view(audit: Audit, number: int, lines: tuple[ExcerptLine, ...], cited: bool) -> ExcerptView:
    logged = audit.tab.entries[number].logged
    notes = [f"turn {logged.turn}", f"{logged.chars:,} chars"]
    if logged.lines is not None:
        whole = f" of {logged.line_count}" if logged.line_count else ""
        notes.append(f"lines {logged.lines[0]}-{logged.lines[1]}{whole}")
    notes += [name for name in ("own", "binary", "outside", "unconfirmed", "truncated") if getattr(logged, name)]
    if logged.kind == "search":
        notes.append("search hits")
    if logged.derived_from:
        notes.append("derived from " + ", ".join(logged.derived_from[:3]))
    paths = ", ".join(logged.paths[:4]) + (" …" if len(logged.paths) > 4 else "")
    command = logged.command if len(logged.command) <= MAX_COMMAND else logged.command[:MAX_COMMAND] + "…"
    return ExcerptView(number, harmless(paths), harmless(command), harmless(", ".join(notes)), lines, cited)


def _excerpt_lines(number: int, text: str, spans: dict[int, set[tuple[int, int]]]) -> Iterator[ExcerptLine]:
    given = text.split("\n")
    count = len(given) - (1 if text.endswith("\n") else 0)
    if count <= WHOLE:
        shown: list[int] = list(range(1, count + 1))
    elif spans:
        near = {n for line in spans for n in range(line - AROUND, line + AROUND + 1)}
        shown = sorted({1} | {n for n in near if 1 <= n <= count})
    else:
        shown = list(range(1, UNCITED_LINES + 1))
    previous = 0
    for line in shown:
        if line > previous + 1:
            yield ExcerptLine("", "", (), gap=True)
        content = given[line - 1].rstrip("\r")
        anchor = anchor_of(number, line) if line in spans else ""
        yield ExcerptLine(anchor, str(line), tuple(_marked(content, spans.get(line, set()))))
        previous = line
    if previous < count:
        yield ExcerptLine("", "", (), gap=True)


def _marked(content: str, spans: set[tuple[int, int]]) -> Iterator[Piece]:
    """A line with its cited values marked; of a very long line the part around the first of them."""
    shift = 0
    if len(content) > MAX_LINE:
        first = min((start for start, _ in spans), default=0)
        shift = max(0, first - MAX_LINE // 2)
        content = content[shift : shift + MAX_LINE]
        if shift:
            yield Piece("…")
    place = 0
    for start, end in sorted((start - shift, end - shift) for start, end in spans):
        if start < place or start >= len(content):
            continue
        yield Piece(harmless(content[place:start], lines=True))
        yield Piece(harmless(content[start:end], lines=True), "hit")
        place = end
    yield Piece(harmless(content[place:], lines=True))


def timeline(audit: Audit) -> list[TurnView]:
    """The turns, with what each did to files."""
    return [_turn(turn) for turn in audit.tab.turns.values()]


def _turn(turn: Turn) -> TurnView:
    ended, files = turn.ended, turn.files
    status = "running" if ended is None else "" if ended.exit_code in (0, None) else f"exit {ended.exit_code}"
    parts = []
    if files is not None:
        kinds = {"read": files.read, "searched": files.searched, "listed": files.listed}
        parts = [f"{name} {_some(paths)}" for name, paths in kinds.items() if paths]
        if files.wrote:
            parts.append(f"wrote {_some(tuple(write.path for write in files.wrote))}")
    command = turn.started.command
    command = command if len(command) <= MAX_COMMAND else command[:MAX_COMMAND] + "…"
    text = harmless(command, lines=True)
    return TurnView(turn.started.turn, turn.started_at, text, status, harmless("; ".join(parts)), turn.entries)


def _some(paths: tuple[str, ...]) -> str:
    shown = ", ".join(paths[:2])
    return shown if len(paths) <= 2 else f"{shown} and {len(paths) - 2} more"
