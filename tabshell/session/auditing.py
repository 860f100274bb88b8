"""A session and its deliverables, read from disk and handed to the audit. Nothing here judges or prints."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tabshell.audit.audit import Audit, Deliverable, judge
from tabshell.audit.log import evidence
from tabshell.audit.missing import Missing, find_missing
from tabshell.audit.traced import Trace
from tabshell.audit.tracing import Evidence, begin, begin_trace
from tabshell.session.deliverables import Reading, readable
from tabshell.session.excerpts import Excerpts
from tabshell.session.whole import all_findings, chain_state, integrity, ranked

if TYPE_CHECKING:
    from tabshell.model.files import Files
    from tabshell.model.state import Tab
    from tabshell.session.session import Session


def audit_session(session: Session, reading: Reading, files: Files) -> Audit:
    """The whole audit; a deliverable that cannot be read is named in it."""
    tab = session.tab(turns=True)
    candidates, keys = ranked(tab), _keys(tab, reading.paths)
    waiting = _begun(session, tab, reading)
    chain = chain_state(session)
    verified = all_findings(session, chain, files)
    deliverables = [
        Deliverable(path, key, one.document, one.problem)
        for path, key, one in zip(reading.paths, keys, reading.read(), strict=True)
    ]
    found, whole = waiting(), integrity(chain)
    return judge(found, tab, session.entry_text, candidates, whole, deliverables, verified, reading.share)


def trace_deliverables(session: Session, reading: Reading) -> list[Trace]:
    """Each value of the deliverables with its source. Raises DocumentError."""
    waiting = _begun(session, session.tab(turns=True), reading)
    documents = readable(reading.read())
    return begin_trace(waiting(), documents, reading.share)()


def missing_from(session: Session, reading: Reading) -> list[Missing]:
    """What requirements point at and the deliverables lack. Raises DocumentError."""
    tab = session.tab(turns=True)
    waiting = _begun(session, tab, reading)
    documents = readable(reading.read())
    return find_missing(tab, waiting(), documents)


def _begun(session: Session, tab: Tab, reading: Reading) -> Callable[[], Evidence]:
    """Begins to read the log as the deliverables ask for it."""
    keys = [key for key in _keys(tab, reading.paths) if key is not None]
    texts = Excerpts(session, tab)
    texts.take(evidence(tab, keys))
    mentions = [one.mentions for one in reading.read() if one.document is not None]
    return begin(tab, texts, mentions, keys, reading.share)


def _keys(tab: Tab, paths: Sequence[str]) -> list[str | None]:
    """The deliverables' paths in the workspace, where they lie in it."""
    workspace = tab.session.workspace
    real = [os.path.realpath(path) for path in paths]
    return [os.path.relpath(path, workspace) if path.startswith(workspace + os.sep) else None for path in real]
