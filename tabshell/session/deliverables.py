"""The documents that an audit is about, read from disk: in a large session by another process, while this one loads
the audit's modules and folds the log. What reads them is loaded there, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tabshell.documents import extract
from tabshell.errors import DocumentError
from tabshell.session.forked import shared

if TYPE_CHECKING:
    from tabshell.audit.mentions import Mention
    from tabshell.documents.document import Document
    from tabshell.model.beside import Share
    from tabshell.session.session import Session


class Read(NamedTuple):
    """A document with its values, or why it could not be read."""

    document: Document | None
    problem: str | None
    mentions: tuple[Mention, ...] = ()


class Reading(NamedTuple):
    """Documents that are being read: ``read`` waits for them. ``share`` is for further work on the session."""

    paths: Sequence[str]
    read: Callable[[], list[Read]]
    share: Share


@contextmanager
def reading(session: Session, paths: Sequence[str]) -> Iterator[Reading]:
    """Begins to read the documents."""
    with shared(os.path.getsize(session.store.path)) as share:
        yield Reading(paths, cache(share(_with_values, paths)), share)


def documents(paths: Sequence[str]) -> list[Document]:
    """The documents. Raises DocumentError for the first that cannot be read."""
    return readable([_extracted(path) for path in paths])


def readable(found: Sequence[Read]) -> list[Document]:
    """The documents, all of which could be read. Raises DocumentError for the first that could not."""
    for one in found:
        if one.problem is not None:
            raise DocumentError(one.problem)
    return [one.document for one in found if one.document is not None]


def _with_values(path: str) -> Read:
    from tabshell.audit.mentions import find_mentions  # noqa: PLC0415 - loaded by who reads

    read = _extracted(path)
    return read._replace(mentions=tuple(find_mentions(read.document))) if read.document is not None else read


def _extracted(path: str) -> Read:
    try:
        return Read(extract(Path(path).read_bytes(), path), None)
    except DocumentError as error:
        return Read(None, str(error))
    except OSError as error:
        return Read(None, f"cannot read {path}: {error.strerror}")
