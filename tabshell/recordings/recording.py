"""What a reader of a foreign format gives back, and how it tells where a file is at fault.

A reader goes as far as it can: the records before a fault are kept, and the fault names its line. Times are
seconds since the epoch; texts become UTF-8 bytes (lone surrogates kept).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from tabshell.errors import RecordingError
from tabshell.model.records import Record

UNKNOWN_WORKSPACE = "/workspace"
"""Where work is taken to have been done if a recording does not say; no directory of this machine."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A foreign recording as records, in the order in which the agent made its calls.

    ``workspace`` is the directory the work was done in, as the recording says (or ``UNKNOWN_WORKSPACE``).
    ``fault`` is what stopped the reading; the records before it are whole. ``started_at`` is 0.0 and
    ``ended_at`` None where the recording holds no times.
    """

    format: str
    agent: str
    records: tuple[Record, ...] = ()
    workspace: str = UNKNOWN_WORKSPACE
    task: str | None = None
    agent_session: str | None = None
    model: str | None = None
    started_at: float = 0.0
    ended_at: float | None = None
    fault: RecordingError | None = None


def encode(text: str) -> bytes:
    """The bytes of a text as it was shown; what is no character any more stays what it was."""
    return text.encode("utf-8", "surrogatepass")


def epoch(value: object) -> float:
    """Seconds since the epoch of an ISO 8601 text or of a number (milliseconds where it is that large);
    0.0 where there is no time."""
    if isinstance(value, bool):
        return 0.0
    if isinstance(value, (int, float)):
        return float(value) / 1000 if value > 1e11 else float(value)
    if not isinstance(value, str):
        return 0.0
    text = value.strip()
    if text.endswith(("Z", "z")):
        text = text[:-1] + "+00:00"
    text = re.sub(r"\.(\d{1,6})\d*", lambda found: "." + found[1].ljust(6, "0"), text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def settled(records: Iterable[Record], first: str) -> tuple[Record, ...]:
    """The records, those from before the directory was first told put where it was told to be first."""
    result, told = [], False
    for item in records:
        told = told or item.cwd != UNKNOWN_WORKSPACE
        result.append(item if told else replace(item, cwd=first))
    return tuple(result)


def placed(recording: Recording) -> Recording:
    """The recording with directories that can be one, absolute and without a NUL; a relative one counts from the
    workspace."""
    workspace = _directory(UNKNOWN_WORKSPACE, recording.workspace)
    records = tuple(
        item if _is_directory(item.cwd) else replace(item, cwd=_moved(item.cwd, recording.workspace, workspace))
        for item in recording.records
    )
    return replace(recording, workspace=workspace, records=records)


def _moved(told: str, old: str, new: str) -> str:
    return new if told == old else _directory(new, told)


def _directory(base: str, told: str) -> str:
    return told if _is_directory(told) else os.path.normpath(os.path.join(base, told.replace("\0", "")))


def _is_directory(told: str) -> bool:
    return told.startswith("/") and "\0" not in told


def common_directory(directories: Iterable[str]) -> str:
    """The directory named most often, the first of them on a tie; ``UNKNOWN_WORKSPACE`` without any."""
    counts: dict[str, int] = {}
    for directory in directories:
        counts[directory] = counts.get(directory, 0) + 1
    return max(counts, key=lambda name: counts[name], default=UNKNOWN_WORKSPACE)


def leading_directories(commands: Iterable[str]) -> Iterator[str]:
    """The absolute directories that commands go to first (``cd /app && …``): a hint where work was done."""
    for command in commands:
        found = re.match(r"""\s*cd\s+(['"]?)(/[^\s'";&|]*)\1\s*(?:&&|;|\Z)""", command)
        if found is not None:
            yield found[2].rstrip("/") or "/"
