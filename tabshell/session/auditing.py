"""A session and its deliverables, read from disk and handed to the audit. Nothing here judges or prints."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tabshell.audit.audit import Audit, Deliverable, documents_of, judge
from tabshell.audit.log import evidence
from tabshell.audit.missing import Missing, find_missing
from tabshell.audit.traced import Trace
from tabshell.audit.tracing import Evidence, begin, begin_trace
from tabshell.documents import extract
from tabshell.errors import DocumentError
from tabshell.session.excerpts import Excerpts
from tabshell.session.forked import shared
from tabshell.session.whole import all_findings, chain_state, integrity, ranked

if TYPE_CHECKING:
    from tabshell.documents.document import Document
    from tabshell.model.beside import Share
    from tabshell.model.files import Files
    from tabshell.model.state import Tab
    from tabshell.session.session import Session


def read_deliverable(tab: Tab, path: str) -> Deliverable:
    """One deliverable; where it cannot be read its ``problem`` says why."""
    real, workspace = os.path.realpath(path), tab.session.workspace
    key = os.path.relpath(real, workspace) if real.startswith(workspace + os.sep) else None
    try:
        return Deliverable(path, key, extract(Path(path).read_bytes(), path))
    except DocumentError as error:
        return Deliverable(path, key, None, str(error))
    except OSError as error:
        return Deliverable(path, key, None, f"cannot read {path}: {error.strerror}")


def readable(tab: Tab, paths: Sequence[str]) -> list[Deliverable]:
    """The deliverables, all of which can be read. Raises DocumentError for the first that cannot."""
    found = [read_deliverable(tab, path) for path in paths]
    for deliverable in found:
        if deliverable.problem is not None:
            raise DocumentError(deliverable.problem)
    return found


def audit_session(session: Session, paths: Sequence[str], files: Files) -> Audit:
    """The whole audit; a deliverable that cannot be read is named in it."""
    tab = session.tab(turns=True)
    deliverables = [read_deliverable(tab, path) for path in paths]
    with shared(_characters(tab)) as share:
        waiting, _ = _begun(tab, session, deliverables, share)
        chain = chain_state(session)
        verified = all_findings(session, chain, files)
        candidates, whole = ranked(tab), integrity(chain)
        return judge(waiting(), tab, session.entry_text, candidates, whole, deliverables, verified, share)


def trace_deliverables(session: Session, paths: Sequence[str]) -> list[Trace]:
    """Each value of the deliverables with its source. Raises DocumentError."""
    tab = session.tab(turns=True)
    with shared(_characters(tab)) as share:
        waiting, documents = _begun(tab, session, readable(tab, paths), share)
        return begin_trace(waiting(), documents, share)()


def missing_from(session: Session, paths: Sequence[str]) -> list[Missing]:
    """What requirements point at and the deliverables lack. Raises DocumentError."""
    tab = session.tab(turns=True)
    with shared(_characters(tab)) as share:
        waiting, documents = _begun(tab, session, readable(tab, paths), share)
        return find_missing(tab, waiting(), documents)


def _begun(
    tab: Tab, session: Session, deliverables: Sequence[Deliverable], share: Share
) -> tuple[Callable[[], Evidence], list[Document]]:
    """Begins to read the log as the deliverables ask for it (what it gives ends it); and their documents."""
    documents, keys = documents_of(deliverables)
    texts = Excerpts(session, tab)
    texts.take(evidence(tab, keys))
    return begin(tab, texts, documents, keys, share), documents


def _characters(tab: Tab) -> int:
    return sum(entry.logged.chars for entry in tab.entries.values())
