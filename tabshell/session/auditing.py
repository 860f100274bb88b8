"""A session and its deliverables, read from disk and handed to the audit. Nothing here judges or prints."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tabshell.audit.audit import Audit, Deliverable, documents_of, judge
from tabshell.audit.log import evidence
from tabshell.audit.mentions import Mention, find_mentions
from tabshell.audit.missing import Missing, find_missing
from tabshell.audit.traced import Trace
from tabshell.audit.tracing import Evidence, begin, begin_trace
from tabshell.documents import extract
from tabshell.documents.document import Document
from tabshell.errors import DocumentError
from tabshell.session.excerpts import Excerpts
from tabshell.session.forked import shared
from tabshell.session.whole import all_findings, chain_state, integrity, ranked

if TYPE_CHECKING:
    from tabshell.model.beside import Share
    from tabshell.model.files import Files
    from tabshell.model.state import Tab
    from tabshell.session.session import Session


def readable(tab: Tab, paths: Sequence[str]) -> list[Deliverable]:
    """The deliverables, all of which can be read. Raises DocumentError for the first that cannot."""
    return _sound([_deliverable(tab, path, *_extracted(path)) for path in paths])


def audit_session(session: Session, paths: Sequence[str], files: Files) -> Audit:
    """The whole audit; a deliverable that cannot be read is named in it."""
    with _shared(session) as share:
        reading = share(_read, paths)
        tab = session.tab(turns=True)
        candidates = ranked(tab)
        begun = _begun(tab, session, paths, reading(), share)
        chain = chain_state(session)
        verified = all_findings(session, chain, files)
        evidence, whole = begun.evidence(), integrity(chain)
        return judge(evidence, tab, session.entry_text, candidates, whole, begun.deliverables, verified, share)


def trace_deliverables(session: Session, paths: Sequence[str]) -> list[Trace]:
    """Each value of the deliverables with its source. Raises DocumentError."""
    with _shared(session) as share:
        reading = share(_read, paths)
        begun = _begun(session.tab(turns=True), session, paths, reading(), share)
        documents, _ = documents_of(_sound(begun.deliverables))
        return begin_trace(begun.evidence(), documents, share)()


def missing_from(session: Session, paths: Sequence[str]) -> list[Missing]:
    """What requirements point at and the deliverables lack. Raises DocumentError."""
    with _shared(session) as share:
        reading = share(_read, paths)
        tab = session.tab(turns=True)
        begun = _begun(tab, session, paths, reading(), share)
        documents, _ = documents_of(_sound(begun.deliverables))
        return find_missing(tab, begun.evidence(), documents)


class _Read(NamedTuple):
    """A deliverable's document with its values, or why it could not be read."""

    document: Document | None
    problem: str | None
    mentions: tuple[Mention, ...]


class _Begun(NamedTuple):
    """The deliverables, and what ends the reading of the log that they ask for."""

    deliverables: list[Deliverable]
    evidence: Callable[[], Evidence]


def _shared(session: Session) -> AbstractContextManager[Share]:
    """Where there is a log to be read, what shares that."""
    return shared(os.path.getsize(session.store.path))


def _read(path: str) -> _Read:
    document, problem = _extracted(path)
    return _Read(document, problem, tuple(find_mentions(document)) if document is not None else ())


def _extracted(path: str) -> tuple[Document | None, str | None]:
    try:
        return extract(Path(path).read_bytes(), path), None
    except DocumentError as error:
        return None, str(error)
    except OSError as error:
        return None, f"cannot read {path}: {error.strerror}"


def _deliverable(tab: Tab, path: str, document: Document | None, problem: str | None) -> Deliverable:
    real, workspace = os.path.realpath(path), tab.session.workspace
    key = os.path.relpath(real, workspace) if real.startswith(workspace + os.sep) else None
    return Deliverable(path, key, document, problem)


def _sound(deliverables: list[Deliverable]) -> list[Deliverable]:
    for deliverable in deliverables:
        if deliverable.problem is not None:
            raise DocumentError(deliverable.problem)
    return deliverables


def _begun(tab: Tab, session: Session, paths: Sequence[str], read: Sequence[_Read], share: Share) -> _Begun:
    """Begins to read the log as the deliverables ask for it."""
    deliverables = [_deliverable(tab, path, *one[:2]) for path, one in zip(paths, read, strict=True)]
    _, keys = documents_of(deliverables)
    texts = Excerpts(session, tab)
    texts.take(evidence(tab, keys))
    mentions = [one.mentions for one in read if one.document is not None]
    return _Begun(deliverables, begin(tab, texts, mentions, keys, share))
