"""A part of an output -> the ``Excerpt`` that goes into the log, with all that is known of its source."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from tabshell.access.meeting import provenance as origins
from tabshell.access.meeting.attribute import Part, spans_of
from tabshell.model.accesses import Excerpt
from tabshell.model.files import Files
from tabshell.model.records import ToolRecord
from tabshell.text.measure import measure

if TYPE_CHECKING:
    from tabshell.access.meeting.suspects import Suspect
    from tabshell.access.meeting.turn import Turn

#: Bytes of an output that is worth a thread which looks at its file meanwhile.
LONG = 4 << 20
#: Files up to this many bytes are prepared for comparing; larger ones are only looked into.
PREPARED = 12 << 20


def texts(files: Files, path: str, size: int) -> tuple[str, ...]:
    """The texts of a file for comparing, raw bytes first where the encoding is an old one."""
    if size > PREPARED:
        return ()
    every = getattr(files, "texts", None)
    if callable(every):
        found: tuple[str, ...] = tuple(every(path))
    else:
        text = files.text(path)
        found = () if text is None else (text,)
    content = files.content(path) if found and not found[0].isascii() else None
    if content is not None and b"\0" not in content[:8192]:
        raw = content.decode("utf-8", "surrogateescape")
        if raw != found[0]:  # compared and not hashed: that would take as long as decoding it
            found = (raw, *(text for text in found if text != raw))
    return found


def is_prepared(files: Files, path: str) -> bool:
    """Whether ``texts`` costs nothing."""
    ask = getattr(files, "is_prepared", None)
    return bool(ask(path)) if callable(ask) else False


def glance(files: Files, path: str) -> tuple[str, ...]:
    """The beginning of a document whose whole text is too dear, else nothing."""
    ask = getattr(files, "glance", None)
    return tuple(ask(path)) if callable(ask) else ()


def holds(files: Files, path: str, pieces: list[bytes]) -> list[bool]:
    """Which pieces stand in a large file."""
    ask = getattr(files, "holds", None)
    if callable(ask):
        return list(ask(path, pieces))
    content = files.content(path) or b""
    return [piece in content for piece in pieces]


def _sha256(files: Files, path: str) -> str | None:
    ask = getattr(files, "sha256", None)
    if callable(ask):
        found = ask(path)
        return found if isinstance(found, str) else None
    content = files.content(path)
    return None if content is None else hashlib.sha256(content).hexdigest()


def digest_aside(suspects: list[Suspect], files: Files) -> None:
    """The digest of the one file that was shown will be wanted: begins with it in a thread."""
    begin = getattr(files, "digest_aside", None)
    if len(suspects) == 1 and callable(begin):
        begin(suspects[0].path)


def excerpt(part: Part, turn: Turn) -> Excerpt:
    """The entry of one part."""
    claims = [verdict.claim for verdict in part.verdicts]
    suspects = [claim.suspect for claim in claims]
    rows, record = turn.rows, turn.record
    screen = rows.on_screen(part.rows)
    spans = spans_of(rows, part.rows)
    columns = 0 if isinstance(record, ToolRecord) else record.columns
    only = claims[0] if len(claims) == 1 else None
    if record.confirmable and sum(end - start for start, end in spans) >= LONG:
        digest_aside(suspects, turn.files)
    chars, digest = measure(record.output, spans, screen, columns or 80)
    keys = tuple(dict.fromkeys(suspect.key for suspect in suspects))
    derived = tuple(dict.fromkeys(s for key in keys for s in turn.provenance.derived.get(key, ()) if s not in keys))
    lines = [rows.texts[row] for row in sorted(part.rows)] if len(part.rows) < 20_000 else []
    own = bool(lines) and all(origins.is_own(turn.provenance, key, lines) for key in keys)
    binary = only is not None and not only.source.texts and _rubbish(lines)
    gap = record.gap
    return Excerpt(
        kind="search" if all(suspect.search for suspect in suspects) else "read",
        paths=keys + derived,
        shown_as=tuple(dict.fromkeys(suspect.shown for suspect in suspects)),
        spans=spans,
        chars=chars,
        text_sha256=digest,
        lines=_lines(part, turn) if only else None,
        line_count=only.source.line_count if only and only.source.usable else None,
        source_sha256=_sha256(turn.files, suspects[0].path) if only and record.confirmable else None,
        derived_from=derived,
        own=own,
        binary=binary,
        outside=all(key.startswith("/") for key in keys),
        unconfirmed=not record.confirmable,
        screen=screen,
        truncated=gap is not None and any(start <= gap.offset <= end for start, end in spans),
    )


def _lines(part: Part, turn: Turn) -> tuple[int, int] | None:
    """First and last source line shown: by the lines found, else by the command's words.

    Most lines shown agree on how far the output lies from the source; one that stands in the source more than once
    (a rule, a running head) may have been found at another place and must not stretch the range.
    """
    claim = part.verdicts[0].claim
    numbers = {row: number for row, number in claim.rows.items() if number}
    if numbers and 2 * len(numbers) >= len(claim.rows):
        shift, agreed = Counter(number - row for row, number in numbers.items()).most_common(1)[0]
        first, last = (row + shift for row in _ends(part, turn, shift))
        if 2 * agreed > len(numbers) and first > 0 and last <= claim.source.line_count:
            return first, last
        return min(numbers.values()), max(numbers.values())
    act = claim.suspect.act
    if act is not None and act.lines is not None and act.lines[1] is not None and claim.source.texts:
        return act.lines[0], min(act.lines[1], claim.source.line_count)
    return None


def _ends(part: Part, turn: Turn, shift: int) -> tuple[int, int]:
    """First and last row that the source may have so far away: not an empty one that it does not have there (``head``
    parts its files by one), nor a line that was found elsewhere."""
    claim, shown = part.verdicts[0].claim, turn.rows.texts
    first, last = min(part.rows), max(part.rows)

    def agrees(row: int) -> bool:
        return bool(shown[row].strip()) and claim.rows.get(row, 0) in (0, row + shift)

    if agrees(first) and agrees(last):
        return first, last
    text = next(iter(claim.source.texts), "")
    source = text.split("\n")

    def stands(row: int) -> bool:
        line = row + shift
        return agrees(row) or (0 < line <= len(source) and source[line - 1].split() == shown[row].split())

    rows = [row for row in part.rows if stands(row)]
    return (min(rows), max(rows)) if rows else (first, last)


def _rubbish(lines: list[str]) -> bool:
    """Whether what was shown is no text: one character in ten cannot be printed."""
    text = "".join(lines)[:20_000]
    odd = sum(1 for c in text if not c.isprintable() and c not in "\t\n")
    return bool(text) and odd * 10 > len(text)
