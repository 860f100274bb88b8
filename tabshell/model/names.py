"""File names, for programs that start for every command: what ``os`` and ``os.path`` would be loaded for.

``os`` takes two of the ten milliseconds in which Python starts (it makes the abstract classes of collections on its
way); ``posix`` under it is there already. The functions do what their namesakes of ``os`` and ``os.path`` do.
"""

import posix
import sys

#: As ``os.devnull``, ``os.SEEK_CUR``.
DEVNULL = "/dev/null"
SEEK_CUR = 1
_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


def fsencode(name: str) -> bytes:
    """The bytes of a name."""
    return name.encode(_ENCODING, _ERRORS)


def fsdecode(name: bytes) -> str:
    """The name in these bytes."""
    return name.decode(_ENCODING, _ERRORS)


def join(directory: str, name: str) -> str:
    """A relative name in a directory."""
    return directory + name if directory.endswith("/") else f"{directory}/{name}"


def dirname(path: str) -> str:
    """What stands before the last slash (all of them, where there are several in a row)."""
    head = path[: path.rfind("/") + 1]
    return head.rstrip("/") or head


def real(path: str) -> str:
    """The path without symbolic links. The kernel knows it; where it cannot be asked, Python works it out."""
    try:
        descriptor = posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
    except OSError:
        return _worked_out(path)
    try:
        found = posix.readlink(f"/proc/self/fd/{descriptor}")
        kept, named = posix.fstat(descriptor), posix.stat(found)
    except OSError:
        return _worked_out(path)  # no /proc, or the file was removed meanwhile
    finally:
        posix.close(descriptor)
    return found if (kept.st_dev, kept.st_ino) == (named.st_dev, named.st_ino) else _worked_out(path)


def same(path: bytes, other: bytes) -> bool:
    """Whether both name one file. Raises OSError."""
    first, second = posix.stat(path), posix.stat(other)
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)


def _worked_out(path: str) -> str:
    import os  # noqa: PLC0415 - see above

    return os.path.realpath(path)
