"""The one logical line that a line editor drew: terminal bytes in, text out. Pure; uses pyte.

Readline draws a long line over several rows; a row that is full runs on into the next one.
"""

from __future__ import annotations

import pyte


def drawn_line(before: bytes, echo: bytes, columns: int) -> bytes | None:
    """What ``echo`` wrote after the cursor position that ``before`` (the prompt) left.

    None if it drew several logical lines, or if the terminal's width is not known.
    """
    if columns < 2:
        return None
    rows = (len(before) + len(echo)) // columns + before.count(b"\n") + echo.count(b"\n") + 4
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    stream.feed(before)
    row, column = screen.cursor.y, min(screen.cursor.x, columns)
    stream.feed(echo)
    lines: list[str] = [""]
    for number in range(row, rows):
        text = screen.display[number]
        if number == row:
            text = text[column:]
        full = not text.endswith(" ")
        lines[-1] += text if full else text.rstrip(" ")
        if not full:
            lines.append("")
    drawn = [line for line in lines if line]
    if len(drawn) > 1:
        return None
    return drawn[0].encode("utf-8", "surrogateescape") if drawn else b""
