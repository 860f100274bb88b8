"""One raw line of a terminal stream -> the text that a reader saw on that line.

In: the bytes between two line breaks. Out: text without escape sequences (CSI, OSC, DCS, APC, PM, charset),
with carriage return, backspace, "erase to end of line" and sideways cursor moves replayed. Invalid UTF-8 becomes
surrogate escapes. Limits: a string sequence (OSC, DCS) that is not closed on its line is dropped up to the
line's end; wide characters count as one cell; moves to other lines are ignored (``text.screen`` draws those).
"""

from __future__ import annotations

from tabshell.text.late import late

#: Bytes that need more than decoding: every C0 control but tab, and DEL.
SPECIAL = late(rb"[\x00-\x08\x0a-\x1f\x7f]")

_SEQUENCE = late(
    r"\x1b\[(?P<csi>[0-?]*)[ -/]*(?P<final>[@-~])"  # CSI … final
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # OSC, DCS, SOS, PM, APC … BEL or ST
    r"|\x1b[ -/]+[0-~]"  # charset and other nF sequences
    r"|\x1b[0-~]"  # two-byte escapes
    r"|\x1b"
)
_MOVE = late(r"\x1b|[\r\b]")
_LIFELESS = {ord(c): None for c in map(chr, range(32)) if c not in "\t\r\b\x1b\a"} | {127: None}


def decode(raw: bytes) -> str:
    """UTF-8 with surrogate escapes: encodes back to the same bytes."""
    return raw.decode("utf-8", "surrogateescape")


def seen(raw: bytes) -> str:
    """The text that the bytes of one line (line break included or not) left on the screen."""
    if raw.endswith(b"\n"):
        raw = raw[:-1]
    raw = raw.rstrip(b"\r")
    text = decode(raw)
    if not SPECIAL.search(raw):
        return text
    text = text.translate(_LIFELESS)
    if "\r" in text or "\b" in text or "\x1b" in text:
        text = _replay(text)
    return text.replace("\a", "")


def _replay(text: str) -> str:
    """Replays cursor moves within the line; a plain colour sequence just vanishes."""
    if "\r" not in text and "\b" not in text and not _moves(text):
        return _SEQUENCE.sub("", text)
    row = _Row()
    position = 0
    for match in _MOVE.finditer(text):
        if match.start() < position:
            continue
        row.write(text[position : match.start()])
        position = match.end()
        if match.group() == "\r":
            row.at = 0
        elif match.group() == "\b":
            row.at = max(0, row.at - 1)
        else:
            sequence = _SEQUENCE.match(text, match.start())
            if sequence:
                position = sequence.end()
                row.control(sequence.group("final"), sequence.group("csi"))
    row.write(text[position:])
    return "".join(row.cells)


def _moves(text: str) -> bool:
    """Whether a sequence of the line does more than set colours."""
    return any(m.group("final") in "KDCGPX@" for m in _SEQUENCE.finditer(text) if m.group("final"))


class _Row:
    """The cells of one line under replay. A cursor never runs further than 10,000 cells past the text."""

    LIMIT = 10_000

    def __init__(self) -> None:
        self.cells: list[str] = []
        self.at = 0

    def write(self, text: str) -> None:
        """Puts ``text`` at the cursor, over what was there."""
        if not text:
            return
        if self.at > len(self.cells):
            self.cells.extend(" " * (self.at - len(self.cells)))
        self.cells[self.at : self.at + len(text)] = text
        self.at += len(text)

    def control(self, final: str | None, parameters: str | None) -> None:
        """Obeys erase and sideways moves; everything else draws nothing."""
        if final is None:
            return
        first = (parameters or "").split(";")[0]
        number = int(first) if first.isdigit() and len(first) < 6 else 0
        step = max(1, number)
        if final == "K":
            self._erase(number)
        elif final == "C":
            self.at = min(self.at + step, len(self.cells) + self.LIMIT)
        elif final == "D":
            self.at = max(0, self.at - step)
        elif final == "G":
            self.at = min(step - 1, len(self.cells) + self.LIMIT)
        elif final == "P":
            del self.cells[self.at : self.at + step]

    def _erase(self, what: int) -> None:
        """CSI K: 0 to the end, 1 from the start, 2 the whole line."""
        if what == 0:
            del self.cells[self.at :]
        elif what == 1:
            end = min(self.at + 1, len(self.cells))
            self.cells[:end] = " " * end
        else:
            self.cells.clear()
