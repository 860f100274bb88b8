"""Pieces of text as HTML: what the report has ten thousands of, so no template writes them. Pure.

Every text and attribute is escaped; what is returned says of itself that it is HTML (``__html__``), which jinja2 heeds.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabshell.audit.html_view import ExcerptLine, Piece


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()

    def __html__(self) -> str:
        """As it is."""
        return self


def run(pieces: Iterable[Piece]) -> Html:
    """Pieces of one line: links, marks, classes."""
    return Html("".join(map(_piece, pieces)))


def _piece(piece: Piece) -> str:
    text = _escaped(piece.text)
    if piece.href:
        return f'<a class="v {piece.kind}" href="{_escaped(piece.href)}" title="{_escaped(piece.title)}">{text}</a>'
    if piece.kind == "hit":
        return f"<mark>{text}</mark>"
    if piece.kind:
        title = f' title="{_escaped(piece.title)}"' if piece.title else ""
        return f'<span class="v {piece.kind}"{title}>{text}</span>'
    return text


def in_lines(lines: Iterable[ExcerptLine]) -> Html:
    """Lines of an excerpt, for a ``pre``: numbered, those that are cited with their anchors."""
    return Html("".join(map(_line, lines)))


def _line(line: ExcerptLine) -> str:
    if line.gap:
        return '<span class="gap">⋮</span>\n'
    content = f'<span class="n">{_escaped(line.number)}</span>{run(line.pieces)}'
    return f'<span class="line" id="{_escaped(line.anchor)}">{content}</span>\n' if line.anchor else f"{content}\n"


def _escaped(text: str) -> str:
    """As jinja2 escapes: quotation marks by their numbers."""
    return escape(text).replace("&quot;", "&#34;").replace("&#x27;", "&#39;") if _needs(text) else text


def _needs(text: str) -> bool:
    return not text.isalnum() and any(mark in text for mark in "&<>\"'")
