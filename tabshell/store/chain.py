"""The hash chain over a store's events (S6). Pure.

``hash(n) = SHA-256(hash(n-1) || canonical(n))`` with the canonical form of an event being the JSON array
``[seq, kind, number, at, body, SHA-256 of the blob or null]``. The chain starts from 32 zero bytes. It finds
edits, removals, insertions and reorderings that do not recompute it; whoever recomputes it all is found only
against a head that was kept elsewhere (``verify --head``, a signature).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tabshell.model.hashes import sha256
from tabshell.model.light import NamedTuple
from tabshell.store import compact

GENESIS = bytes(32)


class StoredEvent(NamedTuple):
    """An event row with its place in the chain."""

    seq: int
    kind: str
    number: int | None
    at: float
    body: str
    blob: bytes | None
    hash: bytes


class ChainFault(NamedTuple):
    """Where the chain does not hold: ``code`` is ``chain-broken`` or ``event-missing``."""

    code: str
    seq: int
    message: str


def link(previous: bytes, seq: int, kind: str, number: int | None, at: float, body: str, blob: bytes | None) -> bytes:
    """The hash of one event after the hash ``previous``."""
    digest = sha256(blob).hex() if blob is not None else None
    canonical = compact.text([seq, kind, number, at, body, digest])
    return sha256(previous + canonical.encode("ascii"))


def check(events: Iterable[StoredEvent]) -> Iterator[ChainFault]:
    """Every place where the chain breaks. After a break it goes on from the stored hash, so that one edit is
    one finding."""
    previous, expected = GENESIS, 1
    for event in events:
        if event.seq != expected:
            missing = f"event {expected}" if event.seq == expected + 1 else f"events {expected} to {event.seq - 1}"
            yield ChainFault("event-missing", expected, f"{missing} missing before event {event.seq}")
        elif link(previous, *event[:6]) != event.hash:
            yield ChainFault(
                "chain-broken",
                event.seq,
                f"event {event.seq} ({event.kind}) is not what was recorded: edited, inserted or moved",
            )
        previous, expected = event.hash, event.seq + 1
