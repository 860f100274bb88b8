"""Utilities that print paths, or facts about files: ls, tree, du, stat, wc, checksums, basename, realpath."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from tabshell.access.acts import Roots
from tabshell.access.bash.calls import Call, Utility, gather, separate
from tabshell.access.bash.options import Parsed, parse
from tabshell.access.bash.streams import Lines, Stream
from tabshell.access.utilities import texts
from tabshell.access.utilities.fd import fd

if TYPE_CHECKING:
    from tabshell.access.bash.expand import Field

_LS_LONG = {
    "block-size",
    "format",
    "hide",
    "ignore",
    "indicator-style",
    "quoting-style",
    "sort",
    "tabsize",
    "time",
    "width",
}


def _ls(call: Call) -> Stream:
    parsed = parse(call.args, "wITD", _LS_LONG)
    call.stdin.hide()
    operands = parsed.operands
    hidden = parsed.has("a", "A", "all", "almost-all", "f")
    roots = None
    if not parsed.has("d", "directory"):
        inner = tuple(call.path(o.text) for o in operands if o.known and _is_dir(call, o)) or (
            () if operands else (call.cwd,)
        )
        depth = None if parsed.has("R", "recursive") else 1
        roots = Roots(inner, hidden=hidden, depth=depth) if inner else None
    draft = call.act("list", operands, roots=roots)
    stream = Stream([draft])
    if not parsed.has(*_DECORATED):
        stream.lines = lambda: _ls_lines(call, operands, parsed, hidden=hidden)
    return stream


#: Options of ls that print more than bare names.
_DECORATED = ("l", "R", "g", "o", "n", "s", "i", "F", "p", "m", "recursive", "size", "inode", "Q", "b", "Z", "classify")


def _is_dir(call: Call, operand: Field) -> bool:
    info = call.info(operand)
    return info is not None and info.kind == "dir"


def _ls_lines(call: Call, operands: list[Field], parsed: Parsed, *, hidden: bool) -> Lines | None:
    """The names, one a line, as ls prints them into a pipe."""
    whole = parsed.has("d", "directory")
    plain = [o for o in operands if o.known and (whole or not _is_dir(call, o))]
    directories = [o for o in operands if o.known and not whole and _is_dir(call, o)]
    order = _Order(call, parsed)
    values = order.sort([(o.text, call.path(o.text)) for o in plain])
    exact = all(o.known and o.exact for o in operands)
    for directory in directories if operands else [None]:
        path = call.cwd if directory is None else call.path(directory.text)
        if len(operands) > 1 and directory is not None:
            values += ["", directory.text + ":"] if values else [directory.text + ":"]
        names = [n for n in call.files.names(path) if hidden or not n.startswith(".")]
        call.shell.fuel.burn(len(names) // 4)
        values += order.sort([(name, f"{path}/{name}") for name in names[:10_000]])
    if parsed.has("a", "all"):
        exact = False
    return Lines(tuple(values), exact, ordered=order.known)


class _Order:
    """The order in which ls prints."""

    def __init__(self, call: Call, parsed: Parsed) -> None:
        self.call = call
        sort = parsed.value("sort")
        self.by_time = parsed.has("t") or sort == "time"
        self.by_size = parsed.has("S") or sort == "size"
        self.reverse = parsed.has("r", "reverse")
        self.known = not parsed.has("c", "u", "X", "v", "U", "f")

    def sort(self, items: list[tuple[str, str]]) -> list[str]:
        if self.by_time or self.by_size:
            self.call.shell.fuel.burn(2 * len(items))
            ranked = []
            for name, path in items:
                info = self.call.files.info(path)
                rank = 0.0 if info is None else info.mtime if self.by_time else float(info.size)
                ranked.append((-rank, name))
            names = [name for _, name in sorted(ranked)]
        else:
            names = sorted(name for name, _ in items)
        return names[::-1] if self.reverse else names


def _tree(call: Call) -> Stream:
    parsed = parse(call.args, "LPIoHT", {"filelimit", "timefmt", "charset", "sort", "fromfile"})
    call.stdin.hide()
    directories = tuple(call.path(o.text) for o in parsed.operands if o.known) or (call.cwd,)
    include = tuple(p for v in parsed.values("P") for p in v.text.split("|"))
    exclude = tuple(p for v in parsed.values("I") for p in v.text.split("|"))
    roots = Roots(directories, include, exclude, parsed.has("a"), parsed.number("L"))
    draft = call.act("list", parsed.operands, roots=roots)
    outputs = parsed.values("o")
    if outputs:
        call.write(outputs, [], literal=True)
        draft.passage = "nothing"
    return Stream([draft])


def _facts(short: str = "", long: frozenset[str] = frozenset(), skip: int = 0) -> Utility:
    """Facts about files, each with its path: stat, file, checksums."""

    def run(call: Call) -> Stream:
        parsed = parse(call.args, short, long)
        operands = parsed.operands[skip:]
        named, _, dash = separate(operands)
        if dash or not named:
            return gather(call, operands, "compute", "counted")
        call.stdin.hide()
        return Stream([call.act("list", named)])

    return run


def _wc(call: Call) -> Stream:
    parsed = parse(call.args, "", {"files0-from", "total"})
    named, streams, dash = separate(parsed.operands)
    if named and not streams and not dash:
        call.stdin.hide()
        return Stream([call.act("list", named)])
    stream = gather(call, parsed.operands, "compute", "counted")
    if [name for name, _ in parsed.options] == ["l"]:
        stream.lines = texts.lazily(call.input_lines, _count)
    return stream


def _count(lines: Lines) -> Lines | None:
    return lines.some((str(len(lines.values)),)) if lines.exact else None


def _du(call: Call) -> Stream:
    parsed = parse(call.args, "dBtX", {"max-depth", "block-size", "exclude", "threshold", "time-style", "files0-from"})
    call.stdin.hide()
    operands = [o for o in parsed.operands if o.stream is None]
    directories = tuple(call.path(o.text) for o in operands if o.known) or (call.cwd,)
    deep = parsed.has("a", "all") and not parsed.has("s", "summarize")
    roots = Roots(directories, depth=parsed.number("d", "max-depth")) if deep else None
    return Stream([call.act("list", operands, roots=roots)])


def _basename(call: Call) -> Stream:
    parsed = parse(call.args, "s", {"suffix"})
    call.stdin.hide()
    several = parsed.has("a", "multiple", "s", "suffix")
    operands = parsed.operands if several else parsed.operands[:1]
    suffix = parsed.value("s", "suffix") if several else parsed.operands[1].text if len(parsed.operands) > 1 else None
    names = [os.path.basename(o.text.rstrip("/")) or o.text for o in operands]
    values = tuple(n.removesuffix(suffix) if suffix and n != suffix else n for n in names)
    return _named(call, operands, values)


def _dirname(call: Call) -> Stream:
    operands = parse(call.args).operands
    call.stdin.hide()
    return _named(call, operands, tuple(os.path.dirname(o.text.rstrip("/")) or "." for o in operands))


def _named(call: Call, operands: list[Field], values: tuple[str, ...]) -> Stream:
    known = all(o.known for o in operands)
    exact = all(o.exact for o in operands)
    draft = call.act("list", operands, words=list(values)) if operands else None
    if draft is not None and len(draft.words) != len(draft.paths):
        draft.words = list(draft.paths)
    return Stream([draft] if draft else [], lambda: Lines(values, exact) if known else None, status=True)


def _realpath(call: Call) -> Stream:
    parsed = parse(call.args, "", {"relative-to", "relative-base"})
    call.stdin.hide()
    follow = call.name == "realpath" or parsed.has("f", "e", "m", "canonicalize")
    values = []
    for operand in parsed.operands:
        info = call.info(operand)
        values.append(info.real if info is not None else call.path(operand.text))
    known = follow and not parsed.has("relative-to", "relative-base", "z") and all(o.known for o in parsed.operands)
    draft = call.act("list", parsed.operands)
    exact = draft.exact
    return Stream([draft], lambda: Lines(tuple(values), exact) if known else None)


def _cmp(call: Call) -> Stream:
    """cmp names its files where they differ; a count of bytes, no content."""
    parsed = parse(call.args, "in", {"ignore-initial", "bytes"})
    if parsed.has("s", "quiet", "silent"):
        gather(call, parsed.operands, "compute", "nothing")
        return Stream()
    return gather(call, parsed.operands[:2], "list", "verbatim")


LISTERS: dict[str, Utility] = {
    "ls": _ls, "dir": _ls, "vdir": _ls, "gls": _ls, "exa": _ls, "eza": _ls, "lsd": _ls, "ll": _ls, "la": _ls,
    "tree": _tree, "fd": fd, "fdfind": fd, "du": _du, "ncdu": _du, "wc": _wc, "cmp": _cmp,
    "stat": _facts("cft", frozenset({"format", "printf", "cached"})),
    "file": _facts("fFmPe", frozenset({"separator", "magic-file", "files-from", "exclude"})),
    "md5sum": _facts(), "sha1sum": _facts(), "sha224sum": _facts(), "sha256sum": _facts(), "sha384sum": _facts(),
    "sha512sum": _facts(), "b2sum": _facts("l"), "md5": _facts("s"), "shasum": _facts("a", frozenset({"algorithm"})),
    "cksum": _facts("a", frozenset({"algorithm", "length"})), "sum": _facts(), "xxhsum": _facts(),
    "getfacl": _facts(), "lsattr": _facts(), "namei": _facts(), "pdfinfo": _facts("flencopwu", frozenset()),
    "identify": _facts(), "mediainfo": _facts(), "ffprobe": _facts("vfi"), "df": _facts("tBx"), "lsof": _facts("pitu"),
    "cloc": _facts("", frozenset({"exclude-dir"})), "scc": _facts(), "tokei": _facts("te"), "xmlwf": _facts(),
    "basename": _basename, "dirname": _dirname, "realpath": _realpath, "readlink": _realpath, "fuser": _facts(),
}  # fmt: skip
