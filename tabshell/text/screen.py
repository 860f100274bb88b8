"""What a full-screen program showed: the bytes of one alternate-screen stretch -> the lines that stood on it.

A page of ``less`` that was scrolled away counts as much as the last one: whenever something is about to leave
the screen (a scroll, an erase), the picture is kept, and the pictures are laid over each other, so that scrolling
through a file gives the file once, in order. Drawing is done by pyte. Limits: at most ``DRAWN`` bytes of a stretch
are drawn (the first and the last half of that), at most ``PICTURES`` pictures are kept; the number of rows is
guessed from the cursor addresses (without any: 50, where a program that only scrolls leaves nothing out).
"""

from __future__ import annotations

import re
from typing import Any

import pyte

#: Bytes of one stretch that are drawn; pyte manages about one MiB a second.
DRAWN = 1 << 20
PICTURES = 4000
_ADDRESS = re.compile(rb"\x1b\[([0-9]{1,3})(?:;[0-9]{0,3})?[Hfd]|\x1b\[[0-9]{0,3};([0-9]{1,3})r")
#: A prompt of ``less`` or ``more`` or vim's empty-line marks at the foot of a picture.
_CHROME = re.compile(r"^(:|\(END\)|~|--More--.*|lines \d+-\d+.*|.* \(END\)|Log file is already.*|\.\.\.skipping.*)$")


class _Watched(pyte.Screen):
    """A screen that keeps its picture before lines are lost."""

    def __init__(self, columns: int, rows: int) -> None:
        self.pictures: list[list[str]] = []
        super().__init__(columns, rows)

    def keep(self) -> None:
        """Keeps the picture if it is a new one."""
        if len(self.pictures) >= PICTURES:
            return
        columns = range(self.columns)
        picture = ["".join(self.buffer[y][x].data for x in columns).rstrip() for y in range(self.lines)]
        while picture and (not picture[-1] or _CHROME.match(picture[-1])):
            picture.pop()
        if picture and (not self.pictures or self.pictures[-1] != picture):
            self.pictures.append(picture)

    def index(self) -> None:
        """A line feed at the last row pushes the first row out."""
        _, bottom = self.margins or (0, self.lines - 1)
        if self.cursor.y == bottom:
            self.keep()
        super().index()

    def reverse_index(self) -> None:
        """A reverse line feed at the first row pushes the last row out."""
        top, _ = self.margins or (0, self.lines - 1)
        if self.cursor.y == top:
            self.keep()
        super().reverse_index()

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - pyte's own signature
        """Erasing takes a picture away."""
        self.keep()
        super().erase_in_display(how, *args, **kwargs)

    def delete_lines(self, count: int | None = None) -> None:
        """Deleting lines takes them away."""
        self.keep()
        super().delete_lines(count)

    def insert_lines(self, count: int | None = None) -> None:
        """Inserting lines pushes others out."""
        self.keep()
        super().insert_lines(count)


def draw(stretch: bytes, columns: int) -> list[str]:
    """The union of the lines that stood on a screen ``columns`` wide while ``stretch`` was written."""
    addressed = max([0, *(int(a or b) for a, b in _ADDRESS.findall(stretch[:DRAWN]))])
    rows = addressed if addressed >= 10 else 50
    screen = _Watched(max(1, min(columns, 1000)), min(rows, 300))
    stream = pyte.ByteStream(screen)
    if len(stretch) > DRAWN:
        stretch = stretch[: DRAWN // 2] + b"\x1b[2J\x1b[H" + stretch[-DRAWN // 2 :]
    for piece in re.split(rb"(?=\x1b\[(?:[0-9]*;?[0-9]*)H|\x1b\[[0-9]?J)", stretch):
        try:
            stream.feed(piece)
        except Exception:  # noqa: BLE001 - pyte raises on some malformed sequences; the rest is still drawn
            stream = pyte.ByteStream(screen)
        if piece.startswith((b"\x1b[H", b"\x1b[1;1H")):
            screen.keep()
    screen.keep()
    union: list[str] = []
    for picture in screen.pictures:
        _lay_over(union, picture)
    return union


def _lay_over(union: list[str], picture: list[str]) -> None:
    """Adds to ``union`` what ``picture`` shows anew: behind the overlap with its end, else the unseen lines."""
    tail = union[-2 * len(picture) :] if picture else []
    for size in range(min(len(tail), len(picture)), 0, -1):
        if tail[-size:] == picture[:size] and any(picture[:size]):
            union += picture[size:]
            return
    known = set(union)
    fresh = [line for line in picture if line not in known]
    if fresh:
        union += fresh
