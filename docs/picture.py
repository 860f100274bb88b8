"""Draws ``docs/session.svg``, the picture in the README: a real session as it stood on the screen.

    python docs/picture.py

A bash under ``tabshell`` is typed into, on a copy of the bakery workspace; then the session's own recording is
exported, played on a screen in memory (pyte), and the screen is drawn as SVG. The session's id is replaced, nothing
else differs from run to run. A test draws it again and compares.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pexpect
import pyte

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "session.svg"
TASK = "Summary of the quarter for the partner: headcount, term of the lease for Station Square."
TYPED = (
    'tab add "headcount at the end of the quarter" "term of the lease for Station Square"',
    "ls leases; tail -3 notes/2026-06-30_team.txt",
    "tab list",
    "tab resolve r1 done L1",
    "exit",
)
COLUMNS, ROWS = 104, 47
PROMPT = "$ "
#: Pixels of a cell, of the frame around the screen, of the bar on top.
WIDTH, HEIGHT, FRAME, BAR = 8, 18, 16, 30
_STYLE = """text { font: 13px ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace }
text { fill: #d8dee9; white-space: pre }
.typed { fill: #ffffff; font-weight: bold }
.tab { fill: #7fd1c1 }
"""


def record(home: Path) -> bytes:
    """Types the session; gives the bytes that its own record holds, without what shows the end."""
    workspace = home / "bakery"
    shutil.copytree(ROOT / "fixtures" / "workspaces" / "bakery", workspace)
    (home / ".bashrc").write_text(f"PS1='{PROMPT}'\nbind 'set enable-bracketed-paste off'\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TABSHELL_", "XDG_"))}
    kept.pop("BASH_ENV", None)
    environment = {**kept, "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    words = ["-m", "tabshell", "--task", TASK]
    shell = pexpect.spawn(
        sys.executable, words, cwd=str(workspace), env=environment, dimensions=(ROWS, COLUMNS), timeout=60
    )
    shell.delaybeforesend = None
    shell.expect_exact(PROMPT)
    for line in TYPED:
        shell.sendline(line)
        shell.expect_exact(f"\n{PROMPT}")
    shell.sendline("exit 0")
    shell.expect(pexpect.EOF)
    export = [sys.executable, "-m", "tabshell", "export", "last", "--format", "asciicast2"]
    cast = subprocess.run(export, env=environment, capture_output=True, check=True).stdout.decode().splitlines()
    shown = "".join(text for _, kind, text in map(json.loads, cast[1:]) if kind == "o")
    return shown.rpartition("exit 0")[0].encode()


def screen_of(data: bytes) -> list[str]:
    """The lines on the screen after ``data``, without empty ones at the end."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    stream.feed(re.sub(rb"session \d{8}-\d{6}-\d{6}", b"session 20260703-091500-000000", data))
    return "\n".join(line.rstrip() for line in screen.display).rstrip().split("\n")


def styles(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with its style: what was typed, what tabshell said (on a full line it goes on), the rest."""
    style = "plain"
    full = False
    for line in lines:
        if line.startswith(PROMPT.rstrip()):
            style = "typed"
        elif not full:
            style = "tab" if line.startswith("[tab]") else "plain"
        full = len(line) >= COLUMNS - 1
        yield style, line


def drawn(lines: list[str]) -> str:
    """The screen as SVG. Each line is stretched to its cells, so that any fixed-width font will do."""
    wide, high = COLUMNS * WIDTH + 2 * FRAME, len(lines) * HEIGHT + BAR + 2 * FRAME
    size = f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        "<title>A session of tabshell: requirements, a file that was read, the review, the finish check</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{wide}" height="{high}" rx="10" fill="#20242c"/>',
    ]
    for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        parts.append(f'<circle cx="{FRAME + 8 + 20 * number}" cy="{BAR // 2 + 4}" r="6" fill="{colour}"/>')
    for number, (style, line) in enumerate(styles(lines)):
        if line:
            y = BAR + FRAME + HEIGHT * number + 13
            stretch = f'textLength="{len(line) * WIDTH}" lengthAdjust="spacingAndGlyphs"'
            parts.append(
                f'<text class="{style}" x="{FRAME}" y="{y}" {stretch} xml:space="preserve">{escape(line)}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def picture() -> str:
    """The picture, made now."""
    with tempfile.TemporaryDirectory() as home:
        return drawn(screen_of(record(Path(home))))


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
