"""asciinema's recordings (``.cast``), versions 2 and 3: a header line, then one event a line.

An event is ``[time, code, data]``: seconds since the start (2) or since the event before (3); ``o`` is output,
``i`` input, ``r`` a new size, ``x`` the exit status; other codes are passed over. The commands are found by the
marks of the shell, by recorded input, or by the form of the prompts (``marks``, ``prompts``). A recording
without any prompt is one command: the one that the header names, or an unknown one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from tabshell.errors import RecordingError
from tabshell.model.records import CommandRecord
from tabshell.recordings.calls import join
from tabshell.recordings.fields import Node, decode, parse
from tabshell.recordings.marks import Input, Marked, by_bracketed_paste, by_semantic_marks
from tabshell.recordings.prompts import spoken
from tabshell.recordings.recording import UNKNOWN_WORKSPACE, Recording, encode
from tabshell.text.observation import observe
from tabshell.text.unwrap import unwrap

AGENT = "terminal"
_SIZE = re.compile(r"([1-9]\d{0,4})x([1-9]\d{0,4})")
_SHELL = re.compile(r"(?:.*[ /])?(?:ba|z|fi|da|k|tc)?sh(?: -[a-z]+)*\Z")


@dataclass(slots=True)
class Cast:
    """The events of a cast. ``times[i]`` is when output from byte ``offsets[i]`` on was shown."""

    columns: int
    timestamp: float = 0.0
    command: str | None = None
    title: str | None = None
    output: bytearray = field(default_factory=bytearray)
    offsets: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    sizes: list[tuple[int, int]] = field(default_factory=list)
    exit_code: int | None = None
    fault: RecordingError | None = None

    def time(self, offset: int) -> float:
        """Seconds after the start at which the byte at ``offset`` was shown."""
        index = bisect_right(self.offsets, offset) - 1
        return self.times[index] if index >= 0 else 0.0

    def width(self, offset: int) -> int:
        """Columns of the terminal at that byte."""
        return next((width for at, width in reversed(self.sizes) if at <= offset), self.columns)


def read(data: bytes) -> Recording:
    """The recording in a cast. Raises if it has no header."""
    cast = events(data)
    raw = bytes(cast.output)
    marked = by_semantic_marks(raw) or by_bracketed_paste(raw, cast.inputs) or _by_lines(raw, cast)
    told = [item.cwd for item in marked if item.cwd]
    cwd = told[0] if told else UNKNOWN_WORKSPACE
    workspace = next((name for name in told if name != "/"), UNKNOWN_WORKSPACE)
    records = []
    for item in marked:
        cwd = item.cwd or cwd
        records.append(_record(item, cast, cwd))
        cwd = _followed(item.command, cwd)
    end = cast.times[-1] if cast.times else 0.0
    return Recording(
        "asciicast",
        AGENT,
        tuple(records),
        workspace,
        started_at=cast.timestamp,
        ended_at=cast.timestamp + end if cast.timestamp else None,
        fault=cast.fault,
    )


def events(data: bytes) -> Cast:
    """Header and events; a line that is none becomes the fault, and ends the reading."""
    cast: Cast | None = None
    clock, third = 0.0, False
    for number, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip() or (third and raw.startswith(b"#")):
            continue
        if cast is None:
            header = _header_node(raw, number)
            third, cast = header.get("version") == 3, _header(header)
            continue
        try:
            clock = _event(raw, number, clock if third else None, cast)
        except RecordingError as fault:
            cast.fault = fault
            break
    if cast is None:
        raise RecordingError("line 1: an empty file, no asciicast header")
    return cast


def _header_node(raw: bytes, number: int) -> Node:
    value = parse(decode(raw), number)
    if not isinstance(value, dict):
        raise RecordingError(f"line {number}: no asciicast header")
    return Node(value, number)


def _header(node: Node) -> Cast:
    version = node.number("version")
    if version not in (2, 3):
        raise node.fault(f"asciicast version {version:g}; versions 2 and 3 can be read")
    columns = node.number("width") if version == 2 else node.node("term").number("cols")
    stamp = node.get("timestamp")
    return Cast(
        columns=int(columns),
        timestamp=float(stamp) if isinstance(stamp, (int, float)) else 0.0,
        command=node.text_or_none("command"),
        title=node.text_or_none("title"),
    )


def _event(raw: bytes, number: int, before: float | None, cast: Cast) -> float:
    """Takes up one event; gives its time."""
    value = parse(decode(raw), number)
    if not isinstance(value, list) or len(value) != 3:
        raise RecordingError(f"line {number}: an event is [time, code, data]")
    at, code, data = value
    if isinstance(at, bool) or not isinstance(at, (int, float)) or at < 0:
        raise RecordingError(f"line {number}: the time of an event is a number of seconds, not {at!r}")
    if not isinstance(code, str) or not isinstance(data, str):
        raise RecordingError(f"line {number}: code and data of an event are texts")
    now = float(at) if before is None else before + float(at)
    if code == "o":
        cast.offsets.append(len(cast.output))
        cast.times.append(now)
        cast.output += encode(data)
    elif code == "i":
        cast.inputs.append(Input(len(cast.output), data))
    elif code == "r":
        size = _SIZE.fullmatch(data)
        if size is None:
            raise RecordingError(f"line {number}: a size is COLUMNSxROWS, not {data!r}")
        cast.sizes.append((len(cast.output), int(size[1])))
    elif code == "x":
        cast.exit_code = int(data) if data.isdigit() else None
    return now


def _by_lines(raw: bytes, cast: Cast) -> list[Marked]:
    """By the form of prompts in the drawn lines; the whole recording as one command if there is none."""
    seen = observe(raw, cast.columns)
    found = []
    for item in spoken(seen.lines):
        start = seen.starts[item.first] if item.first < len(seen.starts) else len(raw)
        end = seen.starts[item.end] if item.end < len(seen.starts) else len(raw)
        found.append(Marked(item.command, start, start, end, cwd=item.cwd))
    if not found and any(line.strip() for line in seen.lines):
        named = cast.command if cast.command and not _SHELL.match(cast.command) else ""
        found.append(Marked(named, 0, 0, len(raw), cast.exit_code))
    return found


def _record(item: Marked, cast: Cast, cwd: str) -> CommandRecord:
    bare = unwrap(item.command).command
    started, ended = cast.time(item.entered), cast.time(max(item.start, item.end - 1))
    return CommandRecord(
        door="import",
        command=item.command if bare is None else bare,
        text_from="import" if item.command else "unknown",
        cwd=cwd,
        output=bytes(cast.output[item.start : item.end]),
        exit_code=item.exit_code,
        started_at=cast.timestamp + started if cast.timestamp else started,
        duration_s=max(0.0, ended - started),
        agent=AGENT,
        columns=cast.width(item.start),
        confirmable=False,
    )


def _followed(command: str, cwd: str) -> str:
    """The directory after a plain ``cd DIR``, for prompts that do not tell it."""
    found = re.fullmatch(r"""cd\s+(['"]?)([^\s'";&|$`~]+)\1""", command)
    return join(cwd, found[2]) if found is not None else cwd
