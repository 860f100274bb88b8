"""Stored text -> text that does nothing to a terminal but show.

Control characters (escape sequences begin with one), C1 controls also as undecodable bytes, and characters that
reorder what is read (bidi embeddings, overrides, isolates) become ``\\xNN`` and ``\\uNNNN``. Everything else is left
as it is, surrogate escapes of other bytes included: written with ``surrogateescape`` they are the same bytes again.
"""

from __future__ import annotations

import re

_REORDER = "\u202a-\u202e\u2066-\u2069"
_HARMFUL = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_REORDER}\ud800-\udc9f\udd00-\udfff]")
_HARMFUL_IN_LINE = re.compile(f"[\x00-\x1f\x7f-\x9f{_REORDER}\u2028\u2029\ud800-\udc9f\udd00-\udfff]")
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def visible(text: str) -> str:
    """``text`` of any number of lines; line breaks and tabs stay."""
    return _HARMFUL.sub(_escaped, text)


def visible_line(text: str) -> str:
    """``text`` on one line: line breaks and tabs are shown as well."""
    return _HARMFUL_IN_LINE.sub(_escaped, text)


def clip(text: str, width: int) -> str:
    """At most ``width`` characters, the cut marked."""
    return text if len(text) <= width else text[: max(0, width - 3)] + "..."


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    if 0xDC80 <= code <= 0xDC9F:  # an undecodable byte that 8-bit terminals take for a C1 control
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
