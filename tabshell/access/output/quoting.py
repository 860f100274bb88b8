"""How programs write odd names: shell quotes, C escapes, git's octal form, ``?`` for what cannot be shown.

In: a piece of a shown line. Out: the names that it may mean, the likeliest first.
"""

from __future__ import annotations

import re

_OCTAL = re.compile(r"\\([0-3][0-7]{2})")
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", '"': '"', "'": "'"}
#: One quoted piece: '…', "…", $'…', also joined as GNU ls writes them ('a'$'\\n''b'), typographic quotes.
QUOTED = re.compile(
    r"(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|\"(?:[^\"\\]|\\.)*\")(?:\\'|\$'(?:[^'\\]|\\.)*'|'[^']*'|\"(?:[^\"\\]|\\.)*\")*"
    r"|‘[^’]*’|“[^”]*”|`[^`']*'"
)
_PIECE = re.compile(r"\$'((?:[^'\\]|\\.)*)'|'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.S)


def unescape_c(text: str) -> str:
    """C escapes resolved; octal ones are bytes of UTF-8."""
    if "\\" not in text:
        return text
    out = bytearray()
    at = 0
    while at < len(text):
        octal = _OCTAL.match(text, at)
        if octal:
            out.append(int(octal.group(1), 8) & 255)
            at = octal.end()
        elif text[at] == "\\" and at + 1 < len(text):
            following = text[at + 1]
            out += _SIMPLE.get(following, following).encode("utf-8", "surrogateescape")
            at += 2
        else:
            out += text[at].encode("utf-8", "surrogateescape")
            at += 1
    return out.decode("utf-8", "surrogateescape")


def unquoted(piece: str) -> list[str]:
    """The names that a quoted piece may mean."""
    if piece[0] in "‘“`":
        return [piece[1:-1]]
    names: list[str] = []
    shell = "".join(
        unescape_c(m.group(1)) if m.group(1) is not None else (m.group(2) or m.group(3) or m.group(4) or "")
        for m in _PIECE.finditer(piece)
    )
    names.append(shell)
    if piece[0] in "'\"" and piece.find(piece[0], 1) == len(piece) - 1:
        names += [unescape_c(piece[1:-1]), piece[1:-1]]
    elif piece[0] == '"':
        names.append(unescape_c(piece[1:-1]))
    return list(dict.fromkeys(names))


def spellings(name: str) -> list[str]:
    """How a name may stand in a line that is not quoted: as it is, escaped, or with ``?`` for controls."""
    if name.isprintable() and "\\" not in name:
        return [name, name.replace(" ", "\\ ")] if " " in name else [name]
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace(" ", "\\ ")
    question = "".join(c if c.isprintable() else "?" for c in name)
    octal = "".join(
        chr(b) if 32 <= b < 127 and b != 92 else f"\\{b:03o}" for b in name.encode("utf-8", "surrogateescape")
    )
    return list(dict.fromkeys([name, escaped, escaped.replace("\\ ", " "), question, octal]))
