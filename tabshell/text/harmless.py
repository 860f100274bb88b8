"""Stored text made harmless for a terminal: what would act is shown instead. Pure.

Control characters become their picture (``␛``), C1 codes and bidirectional overrides ``<U+202E>``; tabs and line
breaks stay where ``lines`` says so. Bytes that were no UTF-8 (surrogate escapes) become ``\\xNN``.
``harmless_excerpt`` changes no more than it must: written with ``surrogateescape`` the rest is the same bytes again.
"""

from __future__ import annotations

from tabshell.model.light import TYPE_CHECKING
from tabshell.text.late import late

if TYPE_CHECKING:
    import re

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ACTING = late(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")
_ACTING_LINES = late(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")
_ACTING_EXCERPT = late("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udc9f\udd00-\udfff]")


def harmless(text: str, *, lines: bool = False) -> str:
    """``text`` with nothing in it that a terminal would obey; ``lines`` keeps line breaks and tabs."""
    if _idle(text, lines=lines):
        return text
    return (_ACTING_LINES if lines else _ACTING).sub(_shown, text)


def harmless_excerpt(text: str) -> str:
    """``text`` of many lines for the agent that read it before; only what a terminal would obey is shown instead.

    Bytes that were no UTF-8 stay, but those that 8-bit terminals take for C1 controls.
    """
    return text if _idle(text, lines=True) else _ACTING_EXCERPT.sub(_shown, text)


def _idle(text: str, *, lines: bool) -> bool:
    """Whether nothing in ``text`` can act, for most of it: Python prints no control, no format character, no separator
    but the blank and no surrogate. Patterns cost more than a short text's whole showing."""
    return (text.replace("\n", "").replace("\t", "") if lines else text).isprintable()


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"<U+{code:04X}>"
