"""Commands in the bytes of a terminal, by the marks that shells leave there.

Two kinds: the semantic prompt marks (OSC 133 A to D), and bracketed paste, which line editors switch on while
they wait at a prompt and off when a line was entered. Marks on the alternate screen belong to full-screen
programs. Recorded input, where there is some, tells the typed text best.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tabshell.recordings.prompts import prompt_line
from tabshell.text.observation import observe, stretches

_OSC = re.compile(rb"\x1b\]133;([ABCD])(?:;([^\x07\x1b]*))?(?:\x07|\x1b\\)")
_PASTE = re.compile(rb"\x1b\[\?2004([hl])")
_WRAP = re.compile(rb" \r(?!\n)")


@dataclass(frozen=True, slots=True)
class Marked:
    """A command whose output are the bytes ``start`` to ``end``; it was entered at offset ``entered``."""

    command: str
    entered: int
    start: int
    end: int
    exit_code: int | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """Keys that were pressed when ``offset`` bytes had been shown."""

    offset: int
    text: str


def by_semantic_marks(raw: bytes) -> list[Marked]:
    """The commands between OSC 133 marks: typed from B to C, output from C to D (or to the next prompt)."""
    found: list[Marked] = []
    typed: int | None = None
    running: tuple[str, int] | None = None
    for mark in _OSC.finditer(raw):
        kind = mark[1]
        if kind in (b"A", b"D") and running is not None:
            command, start = running
            code = mark[2].split(b";")[0] if kind == b"D" and mark[2] else b""
            exit_code = int(code) if code.isdigit() else None
            found.append(Marked(command, start, start, mark.start(), exit_code))
            running = None
        if kind == b"B":
            typed = mark.end()
        elif kind == b"C" and typed is not None:
            running = (_drawn(raw[typed : mark.start()]).strip(), mark.end())
            typed = None
    if running is not None:
        found.append(Marked(running[0], running[1], running[1], len(raw)))
    return [item for item in found if item.command]


def by_bracketed_paste(raw: bytes, inputs: Sequence[Input] = ()) -> list[Marked]:
    """The commands entered while bracketed paste was on; continuation lines join the line before."""
    waits, rest = _waits(raw)
    regions = [(start, end) for _, start, end in waits]
    texts = [_drawn(raw[start:end]) for start, end in regions]
    prompts = [_prompt(raw, region, text, inputs) for region, text in zip(regions, texts, strict=True)]
    shared = _shared_prompt(texts)
    found: list[Marked] = []
    for index, (start, end) in enumerate(regions):
        following = waits[index + 1][0] if index + 1 < len(waits) else rest
        text, output = texts[index], _after(raw, end)
        if found and text.startswith("> ") and not _drawn(raw[found[-1].start : start]).strip():
            command = f"{found[-1].command}\n{text[2:]}"
            found[-1] = Marked(command, end, output, following, cwd=found[-1].cwd)
            continue
        prompt, cwd = prompts[index] or (shared if text.startswith(shared) else "", None)
        typed = _typed(inputs, start, end)
        command = typed if typed is not None else text.removeprefix(prompt).strip()
        found.append(Marked(command, end, output, following, cwd=cwd))
    return [item for item in found if item.command]


def _waits(raw: bytes) -> tuple[list[tuple[int, int, int]], int]:
    """The stretches in which a line editor waited, none on the alternate screen: where paste was switched on,
    the byte behind that, and where it was switched off. And where the last prompt stands, at which nothing was
    entered any more (else the end)."""
    screens = [(start, end) for start, end, drawn in stretches(raw) if drawn]
    waits: list[tuple[int, int, int]] = []
    opened: re.Match[bytes] | None = None
    for mark in _PASTE.finditer(raw):
        if any(start <= mark.start() < end for start, end in screens):
            continue
        if mark[1] == b"h":
            opened = mark
        elif opened is not None:
            if not any(opened.end() <= start < mark.start() for start, _ in screens):
                waits.append((opened.start(), opened.end(), mark.start()))
            opened = None
    return waits, opened.start() if opened is not None else len(raw)


def _after(raw: bytes, end: int) -> int:
    """Where the output begins: behind the mark and the carriage return that follows it."""
    mark = _PASTE.match(raw, end)
    at = mark.end() if mark is not None else end
    return at + 1 if raw[at : at + 1] == b"\r" and raw[at + 1 : at + 2] != b"\n" else at


def _drawn(piece: bytes) -> str:
    """What a piece drew, long lines that the editor wrapped joined again."""
    return "\n".join(observe(_WRAP.sub(b"", piece), 0).lines)


def _prompt(raw: bytes, region: tuple[int, int], text: str, inputs: Sequence[Input]) -> tuple[str, str | None] | None:
    """The prompt of a region and its directory: by its form, else what stood there before the first key."""
    known = prompt_line(text)
    if known is not None:
        return known.prompt, known.cwd
    start, end = region
    first = next((key.offset for key in inputs if start <= key.offset <= end), None)
    return (_drawn(raw[start:first]), None) if first is not None else None


def _shared_prompt(texts: Sequence[str]) -> str:
    """What all regions begin with, up to the last prompt character and its space."""
    if len(texts) < 2:
        return ""
    least, most = min(texts), max(texts)
    same = next((i for i, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), len(least))
    found = re.match(r".*[$#%>❯] ", least[:same], re.DOTALL)
    return found[0] if found is not None else ""


def _typed(inputs: Sequence[Input], start: int, end: int) -> str | None:
    """The text typed in a region; None if there is none, or keys that edit in ways not followed here."""
    text = "".join(key.text for key in inputs if start <= key.offset <= end)
    if not text:
        return None
    line = re.split(r"[\r\n]", text)[0] if text.rstrip("\r\n").count("\r") == 0 else text.rstrip("\r\n")
    while "\x7f" in line:
        line = re.sub(r"[^\x7f]?\x7f", "", line, count=1)
    line = line.replace("\r", "\n")
    return line.strip() if all(character.isprintable() or character == "\n" for character in line) else None
