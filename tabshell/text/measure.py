"""How long the text of an excerpt is, and its digest, without ever holding it whole.

In: an output and spans of it. Out: characters and SHA-256 of what ``excerpt_text`` gives.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from tabshell.model.accesses import Span
from tabshell.text.observation import HARMLESS, excerpt_text, plain_bytes
from tabshell.text.plaintext import decode

#: Bytes that are measured at once: what stays in a processor's cache takes two thirds of the time of a MiB.
PIECE = 1 << 18


def measure(output: bytes, spans: tuple[Span, ...], screen: bool, columns: int = 80) -> tuple[int, str]:
    """Characters and SHA-256 in hexadecimal. ``screen``: the spans are drawn."""
    digest, chars, follows = hashlib.sha256(), 0, False
    for start, end in spans:
        for piece, complete in _pieces(output, start, end, screen):
            data = None if screen else plain_bytes(output[piece.start : piece.end])
            if data is None:
                text = excerpt_text(output, (piece,), screen, columns)
                data, count = text.encode("utf-8", "surrogateescape"), len(text)
            else:
                count = len(data) if data.isascii() else len(decode(data))
            if follows:
                chars += 1
                digest.update(b"\n")
            follows = complete
            chars += count
            digest.update(data)
    return chars, digest.hexdigest()


def _pieces(output: bytes, start: int, end: int, screen: bool) -> Iterator[tuple[Span, bool]]:
    """A span in pieces of about ``PIECE`` bytes, each with whether it ends a line; plain long lines are cut up too."""
    while not screen and end - start > PIECE:
        cut = output.rfind(b"\n", start, start + PIECE) + 1
        if cut <= start:
            line_end = output.find(b"\n", start, end) + 1 or end
            if not _is_plain(output, start, line_end):
                yield Span(start, line_end), True
                start = line_end
                continue
            while line_end - start > 2 * PIECE:
                cut = start + PIECE
                while output[cut] & 0xC0 == 0x80 and cut > start + PIECE - 4:
                    cut -= 1
                yield Span(start, cut), False
                start = cut
            cut = line_end
        yield Span(start, cut), True
        start = cut
    if start < end:
        yield Span(start, end), True


def _is_plain(output: bytes, start: int, end: int) -> bool:
    """Whether nothing but text and a last line break stands there."""
    end = start + len(output[start:end].removesuffix(b"\n").removesuffix(b"\r"))
    pieces = (output[at : min(at + PIECE, end)] for at in range(start, end, PIECE))
    return not any(piece.translate(None, HARMLESS) or b"\r" in piece for piece in pieces)
