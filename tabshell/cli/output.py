"""Where a command's result goes: standard output, or a file that appears whole."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tabshell.errors import UsageError


def write_out(data: bytes, output: Path | None) -> None:
    """Writes ``data``; a file is made under a temporary name and moved into place. Raises UsageError."""
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    fresh = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        fresh.write_bytes(data)
        fresh.replace(output)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        msg = f"cannot write {output}: {error.strerror}; name another file with -o"
        raise UsageError(msg) from error
