"""Shown lines that are wanted in many files: which lines of a text are among them, white space folded.

A line is folded only where it may be one of them. All of a text are looked up first with no white space at all, as
bytes: to take that out of a whole text costs a fifth of folding each of its lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tabshell.access.output.evidence import foreign

#: White space as ``str.split`` takes it, but for the line break.
_BLANKS = b" \t\r\x0b\x0c\x1c\x1d\x1e\x1f"
_WIDE_BLANKS = frozenset("\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000").union(map(chr, range(0x2000, 0x200B)))


class Wanted:
    """Lines, white space folded in each; none is empty."""

    def __init__(self, forms: Iterable[str]) -> None:
        self.forms = frozenset(forms)
        self._bare = frozenset(map(_bare, self.forms))

    def among(self, text: str) -> Iterator[tuple[int, str]]:
        """Line number, 1-based, and folded line, of those that stand in a text."""
        lines = _bare(text).split(b"\n")
        here = self._bare.intersection(lines)
        if not here:
            return
        whole = text.split("\n")
        for number, line in enumerate(lines):
            if line in here and (folded := " ".join(whole[number].split())) in self.forms:
                yield number + 1, folded


def _bare(text: str) -> bytes:
    """A text without white space, but for its line breaks, in UTF-8."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > len(text):
        for blank in _WIDE_BLANKS & foreign(text):
            data = data.replace(blank.encode(), b"")
    return data.translate(None, _BLANKS)
