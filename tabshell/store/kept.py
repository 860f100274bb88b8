"""What was computed from the facts, kept in a file beside them so that no process need compute it from the start.

A kept file is a line of JSON (what it holds, in which format, and up to which event of the chain it is true) and a
body. It is outside the chain and may be deleted at any time: one that is missing, of another format, or true for a
store that is not this one is computed again. Written under a temporary name and moved, so that readers see all of it.
"""

from __future__ import annotations

import contextlib
import os

from tabshell.model.light import TYPE_CHECKING, NamedTuple
from tabshell.store import compact

if TYPE_CHECKING:
    from tabshell.store.database import Store

#: Bytes of the first line at most.
_HEADER = 1024


class Kept(NamedTuple):
    """``seq`` is the event up to which ``body`` is true; up to ``settled`` every ended turn was classified."""

    seq: int
    settled: int
    body: str = ""


def read(store: Store, name: str, version: str, *, body: bool = True) -> Kept | None:
    """What was kept under ``name`` for this store, or None. Without ``body`` only the first line is read."""
    try:
        with open(os.path.join(store.directory, name), encoding="ascii") as file:
            header = compact.loads(file.readline(_HEADER).strip())
            if header["version"] != version or store.link_at(header["seq"]) != header["hash"]:
                return None
            return Kept(header["seq"], header["settled"], file.read() if body else "")
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(store: Store, name: str, version: str, kept: Kept) -> None:
    """Keeps ``kept``; silently does not where the directory cannot be written: it is only a saving."""
    header = {"version": version, "seq": kept.seq, "settled": kept.settled, "hash": store.link_at(kept.seq)}
    made = os.path.join(store.directory, f".{name}.{os.getpid()}")
    try:
        descriptor = os.open(made, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(compact.text(header) + "\n" + kept.body)
        os.replace(made, os.path.join(store.directory, name))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(made)
