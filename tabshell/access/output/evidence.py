"""How much a shown line proves about a file: words, numbers and their weights.

A text is brought to *terms* (lower case, numbers without a trailing ``.0``); punctuation, quotes and layout fall
away, so that a CSV cell, a Python tuple, a JSON object and a table drawn by a program compare alike. Long words
and long numbers prove much, short ones little, terms that the command itself wrote nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_POINT = re.compile(rb"\.(?<=[0-9]\.)(?=[0-9])")
_GROUPED = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")
_ESCAPE = re.compile(r"((?:\\x[0-9a-fA-F]{2})+)|\\u([0-9a-fA-F]{4})|\\[ntr]")
#: A literal of bytes, as Python prints it.
_BYTES = re.compile(r"\bb'((?:[^'\\]|\\.)*)'")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the a and or of to in on for with is are was were be been by at as from this that it its not no all has have "
        "will would can could should may which who what when where how than then there their them they you your our "
        "we true false none null yes nan id name date type file files line lines total count rows columns error",
    )
)


#: Characters beyond ASCII of a text that are replaced one after the other.
SEVERAL = 60


class _Folded(dict[str, str]):
    """A character beyond ASCII -> what it is in terms: its lower case, or a blank."""

    def __missing__(self, char: str) -> str:
        self[char] = folded = "".join(c if c.isalnum() else " " for c in char.casefold())
        return folded


_FOLDED = _Folded()
_EVERY_ASCII = bytes(range(128))
#: Letters and digits stay, and all bytes of characters beyond ASCII; what else there is becomes blanks.
_LETTERS = bytes(byte if byte > 127 or chr(byte).isalnum() else 32 for byte in range(256))
#: The same, but a point within a number comes in as ``\x01``.
_POINTED = bytes(46 if byte == 1 else other for byte, other in enumerate(_LETTERS))


def foreign(text: str) -> frozenset[str]:
    """The characters beyond ASCII in a text."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _EVERY_ASCII)
    return frozenset(rest.decode("utf-8", "surrogatepass"))


def casefolded(text: str) -> str:
    """As ``str.casefold``, in half of the time for long texts that are not all ASCII."""
    if text.isascii():
        return text.casefold()
    others = {char: other for char in foreign(text) if (other := char.casefold()) != char}
    if len(others) > SEVERAL:
        return text.casefold()
    data = text.encode("utf-8", "surrogatepass").lower()
    for char, other in others.items():
        data = data.replace(char.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))
    return data.decode("utf-8", "surrogatepass")


def _lowered(text: str) -> bytes:
    """A text in lower case, with blanks for the marks beyond ASCII, in UTF-8. Bytes are handled all at once, where
    characters would be looked up one by one: that takes a quarter of the time."""
    if text.isascii():
        return text.encode().lower()
    folded = {char: _FOLDED[char] for char in foreign(text)}
    if not any(map(str.strip, folded.values())):
        return text.encode("ascii", "replace").lower()
    others = {char: other for char, other in folded.items() if other != char}
    if len(others) > SEVERAL:
        return "".join([others.get(char, char) for char in text]).encode().lower()
    data = text.encode("utf-8", "surrogatepass").lower()
    for char, other in others.items():
        data = data.replace(char.encode("utf-8", "surrogatepass"), other.encode())
    return data


def terms(text: str) -> list[str]:
    """The terms of a text in order."""
    data = _lowered(text)
    if b"." in data:
        data = _POINT.sub(b"\x01", data.replace(b"\x01", b" ")).translate(_POINTED)
        found = data.decode().split()
        return [_number(term) if "." in term else term for term in found] if b"." in data else found
    return data.translate(_LETTERS).decode().split()


def words(lowered: str) -> frozenset[bytes]:
    """The runs of letters and digits of a text in lower case, in UTF-8: as ``terms``, but numbers are cut at the point.
    They stay bytes, for long texts."""
    return frozenset(_lowered(lowered).translate(_LETTERS).split())


def _number(term: str) -> str:
    """``200000.0`` and ``4.50`` as ``200000`` and ``4.5``; versions and addresses stay."""
    if term.count(".") > 1:
        return term
    return term.rstrip("0").rstrip(".")


def readings(text: str) -> list[str]:
    """The ways a shown line may be read: as it is, without thousands separators, with escapes resolved."""
    found = [text]
    if "," in text and _GROUPED.search(text):
        found.append(_GROUPED.sub(lambda m: m.group().replace(",", ""), text))
    if "\\" in text and _ESCAPE.search(text):
        found.append(unescaped(text))
    found += [unescaped(literal[1]) for literal in _BYTES.finditer(text) if literal[1]] if "b'" in text else []
    return found


def unescaped(text: str) -> str:
    """``\\xa0``, ``\\u00e9`` and ``\\n`` as the characters that they stand for; bytes in a row as UTF-8 if they are."""
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    if escape[2]:
        return chr(int(escape[2], 16))
    if not escape[1]:
        return " "
    data = bytes.fromhex(escape[1].replace("\\x", ""))
    data = data.replace(b"\0\0", b" ").replace(b"\0", b"")  # a single one is every other byte of UTF-16
    data = data.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


@lru_cache(maxsize=1 << 16)
def weight(term: str) -> float:
    """What one term proves by itself, from 0 to 1."""
    if term in _COMMON:
        return 0.05
    size = len(term)
    if term[0].isdecimal():
        digits = sum(c.isdecimal() for c in term)
        if digits >= 5:
            return 1.0
        if digits == 4:
            return 0.3 if term[:2] in ("19", "20") and size == 4 else 0.6
        return (0.05, 0.05, 0.1, 0.3)[digits] + (0.15 if "." in term else 0.0)
    if not term.isascii():
        return min(1.0, 0.35 * size)
    return (0.0, 0.05, 0.1, 0.35, 0.6)[size] if size < 5 else 1.0


def worth(text_terms: Iterable[str], known: frozenset[str] | set[str]) -> float:
    """The summed weight of the terms that the command did not write itself."""
    return sum(weight(term) for term in text_terms if term not in known)


def sampled(count: int, limit: int) -> Sequence[int]:
    """At most ``limit`` of ``count`` places: the first, the last, and some spread between them."""
    if count <= limit:
        return range(count)
    third = limit // 3
    step = max(1, (count - 2 * third) // third)
    return sorted({*range(third), *range(third, count - third, step), *range(count - third, count)})
