"""What stood on the alternate screen, by real bytes of real programs."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from tabshell.text.observation import observe
from tabshell.text.screen import draw


def drive(argv: list[str], cwd: Path, until: bytes, keys: list[bytes], rows: int = 24, columns: int = 80) -> bytes:
    """The bytes that a program writes; the keys are pressed after ``until`` was shown, each when it is quiet."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "LESS": "", "LESSHISTFILE": "-"}
    process = subprocess.Popen(
        argv, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env=environment, cwd=cwd
    )
    os.close(slave)
    output = b""

    def quiet(seconds: float, shown: bytes = b"") -> None:
        nonlocal output
        while (shown and shown not in output) or select.select([master], [], [], seconds)[0]:
            try:
                piece = os.read(master, 1 << 16)
            except OSError:
                return
            if not piece:
                return
            output += piece

    quiet(0.15, until)
    for key in keys:
        os.write(master, key)
        quiet(0.15)
    process.wait(10)
    quiet(0.05)
    os.close(master)
    return output


@pytest.mark.skipif(not shutil.which("less"), reason="less is not installed")
def test_paging_through_a_file_in_less_gives_the_file(tmp_path: Path) -> None:
    lines = [f"{n} bottles hang on wall {n * 37 % 101}" for n in range(1, 90)]
    path = tmp_path / "bottles.txt"
    path.write_text("\n".join(lines) + "\n")
    output = drive(["less", path.name], tmp_path, b"22 bottles", [b" ", b"j", b"j", b" ", b"k", b" ", b" ", b"q"])
    seen = observe(output, 80)
    shown = [line for first, last in seen.screens for line in seen.lines[first:last] if "bottles" in line]
    assert shown == lines


@pytest.mark.skipif(not shutil.which("vim") and not shutil.which("vi"), reason="vim is not installed")
def test_vim_shows_its_first_page(tmp_path: Path) -> None:
    lines = [f"paragraph {n} of the lease" for n in range(1, 60)]
    path = tmp_path / "lease.txt"
    path.write_text("\n".join(lines) + "\n")
    output = drive([shutil.which("vim") or "vi", "-u", "NONE", "-n", path.name], tmp_path, b"paragraph 23", [b":q!\r"])
    shown = [line.strip() for line in observe(output, 80).lines]
    assert all(line in shown for line in lines[:20])


def test_a_page_that_was_scrolled_away_is_kept_in_order() -> None:
    stretch = b"\x1b[?1049h\x1b[H" + b"\r\n".join(b"line %d" % n for n in range(120)) + b"\x1b[?1049l"
    assert draw(stretch, 80) == [f"line {n}" for n in range(120)]


def test_a_malformed_sequence_does_not_stop_the_drawing() -> None:
    assert "kept" in draw(b"\x1b[?1049h\x1b[99999999999999;1H\x1b[;;;;m\x1b[1;1Hkept\x1b[\xff", 80)
