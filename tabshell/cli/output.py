"""Where a command's result goes: standard output, or a file that appears whole.

A device, a pipe or a socket (``/dev/null``, ``/dev/stdout``, ``>(…)``) is written to, never replaced; of a link the
file that it names is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

from tabshell.errors import UsageError


class Sink(Protocol):
    """What takes bytes."""

    def write(self, data: bytes, /) -> object:
        """Takes some."""


def write_out(data: bytes, output: Path | None) -> None:
    """Writes ``data``; a file is made under a temporary name and moved into place. Raises UsageError."""
    with written(output) as file:
        file.write(data)


def write_text(text: str, output: Path | None = None) -> None:
    """The same for a text; names in it that are no UTF-8 come out as the bytes that they are."""
    write_out(text.encode("utf-8", "surrogateescape"), output)


@contextmanager
def written(output: Path | None) -> Iterator[Sink]:
    """The same for what comes piece by piece: the file takes its name when all of it is there. Raises UsageError."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    real = Path(os.path.realpath(output))
    special = output.exists() and not output.is_file() and not output.is_dir()
    target = output if special else real.with_name(f".{real.name}.{os.getpid()}")
    with _said_of(output):
        file = target.open("wb")
    try:
        yield _Guarded(output, file)
        with _said_of(output):
            file.close()
            if not special:
                target.replace(real)
    finally:
        if not special:
            target.unlink(missing_ok=True)
        with suppress(OSError):  # said already
            file.close()


class _Guarded:
    """A file whose faults say which file it was."""

    def __init__(self, output: Path, file: IO[bytes]) -> None:
        self._output, self._file = output, file

    def write(self, data: bytes, /) -> int:
        with _said_of(self._output):
            return self._file.write(data)


@contextmanager
def _said_of(output: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        msg = f"cannot write {output}: {error.strerror}; name another file with -o"
        raise UsageError(msg) from error
