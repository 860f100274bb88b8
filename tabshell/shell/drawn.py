"""The one logical line that a line editor drew: terminal bytes in, text out. Pure; uses pyte.

Readline draws a long line over several rows; a row that is full runs on into the next one. What anything else printed
at the prompt is drawn as well, so that is bounded, and a sequence that pyte cannot take makes the line unknown.
"""

from __future__ import annotations

import pyte

#: Bytes that are drawn (pyte manages about one MiB a second), and rows that a line may stand on.
DRAWN = 64 * 1024
ROWS = 1000


def drawn_line(before: bytes, echo: bytes, columns: int) -> bytes | None:
    """What ``echo`` wrote after the cursor position that ``before`` (the prompt) left.

    None if it drew several logical lines, if the terminal's width is not known, or if it cannot be drawn.
    """
    size = len(before) + len(echo)
    if columns < 2 or size > DRAWN:
        return None
    rows = size // columns + before.count(b"\n") + echo.count(b"\n") + 4
    if rows > ROWS:
        return None
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    try:
        stream.feed(before)
        row, column = screen.cursor.y, min(screen.cursor.x, columns)
        stream.feed(echo)
    except Exception:  # noqa: BLE001 - pyte raises on some malformed sequences, and any program can print them here
        return None
    lines: list[str] = [""]
    display = screen.display
    for number in range(row, rows):
        text = display[number]
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
