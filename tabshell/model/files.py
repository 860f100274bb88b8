"""The one door to the disk for pure code. ``session`` hands in the real one, tests a dict."""

from __future__ import annotations

from typing import Literal, Protocol

from tabshell.model.light import dataclass

FileKind = Literal["file", "dir", "other"]


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What the disk says of a path, symlinks followed. ``real`` is the absolute resolved path."""

    kind: FileKind
    size: int
    mtime: float
    ctime: float
    real: str
    is_link: bool = False


class Files(Protocol):
    """Questions that the classifier and the audit ask of the disk. Paths are absolute strings (surrogate
    escapes for undecodable names). Nothing raises: what cannot be had is None or empty. Implementations
    cache within one turn, bound what they read, and give up after a deadline (a hanging mount)."""

    def info(self, path: str) -> FileInfo | None:
        """The file behind ``path``, or None if there is none (a broken link is none)."""

    def names(self, path: str) -> tuple[str, ...]:
        """The names in a directory, sorted; empty if it is none."""

    def content(self, path: str) -> bytes | None:
        """The bytes of a regular file up to the implementation's bound; None if unreadable or too large."""

    def text(self, path: str) -> str | None:
        """Text of the file for comparing: decoded, or extracted from docx, xlsx, pptx, pdf, zip, gz, sqlite.
        None where no extractor is installed or the file is binary."""
