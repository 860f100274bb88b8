"""``python -m tabshell`` and the ``tabshell`` program."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command line; gives the exit status."""
    from tabshell.cli.tabshell import main as command_line  # noqa: PLC0415 - errors of the import itself show plainly

    return command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
