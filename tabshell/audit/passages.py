"""Passages: quoted sentences, and sentences long enough that sharing them word for word is no accident. Pure.

Compared with white space, quotation marks, dashes and case folded, across line breaks. Of a log of many
megabytes only those excerpts are searched that hold every plain word of the passage.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from tabshell.audit.overlaps import Overlaps
from tabshell.audit.value import Value

QUOTED = re.compile(
    '“([^“”]{8,600})”|"([^"\n]{8,600})"|«([^«»]{8,600})»|„([^„“”]{8,600})[“”]|「([^「」]{4,600})」|‘([^‘’]{12,600})’'
)
SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\d|[a-z])[^.!?。！？\n]+)*[.!?。！？]?")
#: A quotation is worth tracing from this many words (or dense characters) on, an unquoted sentence from that many.
QUOTE_WORDS = 4
QUOTE_DENSE = 8
SENTENCE_WORDS = 12
SENTENCE_DENSE = 30
DENSE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
MARKS = str.maketrans(
    {
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’", "'"),
        **dict.fromkeys("–—‐‑", "-"),
        **dict.fromkeys("\u00ad*`", ""),
        **dict.fromkeys("\u00a0_", " "),
    }
)


def find_passages(text: str) -> list[Value]:
    """The passages of a paragraph: quotations first; long sentences that are not inside one."""
    found = [_passage(text, *match.span(match.lastindex or 0)) for match in QUOTED.finditer(text)]
    quotes = [quote for quote in found if _size(quote.text) >= (QUOTE_DENSE if _dense(quote.text) else QUOTE_WORDS)]
    if text.startswith("> "):
        quotes.append(_passage(text, 2, len(text)))
    taken = Overlaps([(quote.start, quote.end) for quote in quotes])
    for match in SENTENCE.finditer(text):
        sentence = _passage(text, *match.span(), label=True)
        if taken.touch(sentence.start, sentence.end):
            continue
        if _size(sentence.text) >= (SENTENCE_DENSE if _dense(sentence.text) else SENTENCE_WORDS):
            quotes.append(sentence)
    return quotes


def _passage(text: str, start: int, end: int, label: bool = False) -> Value:
    """``label`` marks a sentence that nobody quoted: without a source it is simply the author's."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Value("quote", text[start:end], start, end, label=label)


def _dense(text: str) -> bool:
    return len(DENSE.findall(text)) * 3 > len(text)


def _size(text: str) -> int:
    return len(text) if _dense(text) else len(text.split())


def fold_passage(text: str) -> str:
    """Text as passages are compared."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(MARKS)).translate(MARKS)
    else:
        text = text.translate(MARKS)
    return " ".join(text.casefold().split())


def plain_words(text: str) -> frozenset[str]:
    """The words inside a passage that a copy must hold as they are, white space on both sides."""
    words = text.split()[1:-1]
    return frozenset(word.lower() for word in words if word.isalpha() and word.isascii() and len(word) > 2)


@dataclass(frozen=True, slots=True)
class FoldedText:
    """An excerpt folded for passages; ``ends[i]`` is where line ``i`` ends in ``text``."""

    text: str
    ends: tuple[int, ...]

    @classmethod
    def of(cls, lines: Iterator[str]) -> FoldedText:
        """Folds line by line, joined by single spaces; quote marks of Markdown and mail are dropped."""
        parts: list[str] = []
        ends: list[int] = []
        length = 0
        for line in lines:
            folded = fold_passage(line.lstrip("> "))
            if folded:
                length += len(folded) + (1 if parts else 0)
                parts.append(folded)
            ends.append(length)
        return cls(" ".join(parts), tuple(ends))
