"""The files that a recording speaks of, as far as its own words tell: a ``Files`` for what is not here.

In: a recording's records. What a tool read or wrote, an operand that no message calls missing, a name in what
a listing printed, the path before a search hit: each is taken for a file that was there, the directories above it
included. The classifier then asks this tree what it would ask the disk, so globs expand and listings resolve.
It knows no content. Limits: a name that was only shown without its directory lies where the command ran; a bare
word without an extension in a listing is taken for a directory unless something opened it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from tabshell.model.files import FileInfo
from tabshell.model.records import CommandRecord, Record, ToolRecord
from tabshell.recordings.calls import join
from tabshell.text.observation import observe

_LINES = 20_000
_MISSING = re.compile(
    r"(?:cannot (?:access|open|stat) )?['‘\"]?([^'’\":]+)['’\"]?(?::| for reading:) No such file or dir"
)
_LISTERS = re.compile(r"(?:^|[;&|(]\s*|\bxargs\s+)(?:sudo\s+)?(?:ls|dir|find|fd|tree|rg\s+--files|git\s+ls-files)\b")
_LONG = re.compile(
    r"([-dlbcps])[-rwxsStT]{9}[+.@]?\s+\d+\s+\S+\s+\S+\s+[\d,.]+[KMGT]?\s+\S+\s+\S+\s+(?:\d\d:?\d\d\s+)?(.+)\Z"
)
_DRAWN = re.compile(r"((?:[│|] {3}|[│|]\xa0\xa0 | {4})*)(?:├──|└──|\|--|`--) (.+)\Z")
_HIT = re.compile(r"([^\s:][^:\n]*?)[:-]\d+[:-]|([^\s:]+):")
_BANNER = re.compile(r"==> (.+) <==\Z")
_NAME = re.compile(r"[\w@%+=~,.()&#/-][^\x00-\x1f\"'`<>|*?$:]{0,400}\Z")
_EXTENSION = re.compile(r"\.[A-Za-z][\w-]{0,9}\Z")
_LISTED = re.compile(r"(?:^|[;&|(]\s*)(?:ls|dir|tree)((?:\s+-\S+)*)\s+([^\s;&|<>*?-][^\s;&|<>*?]*)\s*(?=[;&|<>]|2>|\Z)")
_PLACE = re.compile(r"\(\d+(?:,\d+)?\)?:?\Z")
_NO_FILE = re.compile(r"[sy]([/|#,]).*\1|@|.*@v?\d[\w.-]*\Z")
_CD = re.compile(r"""\s*cd\s+(['"]?)([^'"\s;&|$`]+)\1\s*(?:&&|;)""")


class RecordedTree:
    """What was there, by absolute path. Never raises."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._files: set[str] = set()
        self._directories: set[str] = {"/"}
        self._guessed: set[str] = set()
        self._names: dict[str, set[str]] = {}
        for record in records:
            self._directory(record.cwd)
            if isinstance(record, ToolRecord):
                self._tool(record)
            else:
                self._command(record)
        for path in self._guessed - self._files:
            self._directory(path)

    # -- Files ----------------------------------------------------------------------------------------------

    def info(self, path: str) -> FileInfo | None:
        """The file or directory of that name, if the recording spoke of one."""
        path = join("/", path)
        if path in self._directories:
            return FileInfo("dir", 0, 0.0, 0.0, path)
        return FileInfo("file", 1, 0.0, 0.0, path) if path in self._files else None

    def names(self, path: str) -> tuple[str, ...]:
        """The names known in a directory."""
        return tuple(sorted(self._names.get(join("/", path), ())))

    def content(self, path: str) -> bytes | None:  # noqa: ARG002 - the Protocol's name
        """Unknown."""
        return None

    def text(self, path: str) -> str | None:  # noqa: ARG002
        """Unknown."""
        return None

    # -- what the records tell --------------------------------------------------------------------------------

    def _tool(self, record: ToolRecord) -> None:
        if record.action in ("read", "write"):
            for path in record.paths:
                self._file(join(record.cwd, path))
        elif record.action in ("search", "list"):
            for line in observe(record.output, 0).lines[:_LINES]:
                self._line(line, record.cwd, listing=record.action == "list")

    def _command(self, record: CommandRecord) -> None:
        cwd = record.cwd
        moved = _CD.match(record.command)
        if moved is not None and not moved[2].startswith("~"):
            cwd = join(cwd, moved[2])
            self._directory(cwd)
        lines = observe(record.output, record.columns).lines[:_LINES]
        told = (_MISSING.search(line) for line in lines if "No such file" in line)
        missing = {join(cwd, found[1].strip()) for found in told if found}
        listing = _LISTERS.search(record.command) is not None
        where = _listed_directory(record.command, cwd) if listing else cwd
        stack = [where]
        for line in lines:
            if listing and line.endswith(":") and _NAME.match(line[:-1]):
                where = join(cwd, line[:-1])
                self._directory(where)
                continue
            drawn = _DRAWN.match(line)
            if drawn is not None:
                self._drawn(drawn[2], len(drawn[1]) // 4, stack)
                continue
            self._line(line, where, listing=listing)
        for word in _operands(record.command):
            path = join(cwd, word)
            if path not in missing:
                self._file(path)

    def _line(self, line: str, where: str, *, listing: bool) -> None:
        """The paths that one line of an output may name."""
        text = line.strip()
        if not listing and "/" not in text and "." not in text:
            return
        long, banner, hit = _LONG.match(text), _BANNER.match(text), _HIT.match(text)
        if long is not None:
            name = long[2].split(" -> ")[0]
            if name not in (".", ".."):
                (self._directory if long[1] == "d" else self._file)(join(where, name.rstrip("/")))
            return
        if banner is not None:
            self._file(join(where, banner[1]))
        elif hit is not None and _is_path(named := _PLACE.sub("", hit[1] or hit[2])):
            self._file(join(where, named))
        if listing and _NAME.match(text) and text not in (".", ".."):
            columns = re.split(r"\s{2,}|\t", text)
            for name in columns if len(columns) > 1 else [text]:
                self._listed(join(where, name.rstrip("/*@|=")), name)
            return
        last = text.rsplit(None, 1)[-1] if text else ""
        for name in (text, last):
            bare = _PLACE.sub("", name)
            if _is_path(bare):
                self._file(join(where, bare.rstrip("/")))

    def _listed(self, path: str, name: str) -> None:
        """A name in a listing: a file by its look, else one or the other, as later words tell."""
        base = name.rstrip("/").rsplit("/", 1)[-1]
        if name.endswith("/"):
            self._directory(path)
        elif _EXTENSION.search(base) or base[:1].isupper() or "." in base[1:]:
            self._file(path)
        else:
            self._guessed.add(path)

    def _drawn(self, name: str, depth: int, stack: list[str]) -> None:
        del stack[depth + 1 :]
        path = join(stack[-1], name.split(" -> ", 1)[0].rstrip("/"))
        self._listed(path, name)
        stack.append(path)

    def _file(self, path: str) -> None:
        if path not in self._directories:
            self._files.add(path)
            self._above(path)

    def _directory(self, path: str) -> None:
        self._files.discard(path)
        self._directories.add(path)
        self._above(path)

    def _above(self, path: str) -> None:
        """Puts a path into its directory, and that into its own."""
        while path != "/":
            parent, _, name = path.rpartition("/")
            names = self._names.setdefault(parent or "/", set())
            if name in names:
                return
            names.add(name)
            path = parent or "/"
            self._files.discard(path)
            self._directories.add(path)


def _listed_directory(command: str, cwd: str) -> str:
    """Where the names of a listing without headers lie: in the one directory that ``ls`` was given."""
    found = _LISTED.search(command)
    if found is None or "d" in found[1] or _EXTENSION.search(found[2]):
        return cwd
    return join(cwd, found[2].strip("'\""))


def _is_path(text: str | None) -> bool:
    """Whether a word looks like the path of a file: an extension, or slashes, and nothing of an address."""
    if not text or " " in text or "://" in text or not _NAME.match(text) or text.startswith("-"):
        return False
    if _NO_FILE.match(text):
        return False
    base = text.rsplit("/", 1)[-1]
    return _EXTENSION.search(base) is not None or ("/" in text.strip("/") and base != "")


def _operands(command: str) -> Iterator[str]:
    """The words of a command that look like paths; what follows the first here-document is left out."""
    head = command.split("<<", 1)[0]
    try:
        words = shlex.split(head, comments=True)
    except ValueError:
        words = head.split()
    for word in words:
        for part in word.strip(";&|()<>").split("=")[-1:]:
            if _is_path(part) and not re.search(r"[*?\[{]", part):
                yield part
