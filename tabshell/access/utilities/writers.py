"""Utilities that write files: cp, mv, tee, dd, install, ln, split, rm, touch; what goes where and from where."""

from __future__ import annotations

import os.path
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.bash.calls import Call, Utility, gather
from tabshell.access.bash.options import parse
from tabshell.access.bash.streams import Stream, written_itself

if TYPE_CHECKING:
    from tabshell.access.acts import Verb
    from tabshell.access.bash.expand import Field

_COPY_LONG = {"target-directory", "suffix", "backup", "sparse", "mode", "owner", "group", "reflink"}


def _copier(verb: Verb, short: str = "tS") -> Utility:
    """cp, mv, install, ln: the last operand (or -t) takes the others."""

    def run(call: Call) -> Stream:
        call.stdin.hide()
        parsed = parse(call.args, short, _COPY_LONG)
        operands = [o for o in parsed.operands if o.stream is None]
        directory = parsed.values("t", "target-directory")
        target = directory[-1] if directory else operands.pop() if len(operands) > 1 else None
        if target is None or not target.known:
            return Stream()
        targets = [_inside(call, target, o, into=bool(directory) or len(operands) > 1) for o in operands if o.known]
        draft = call.write([], [call.path(o.text) for o in operands if o.known], verb=verb)
        draft.targets = targets
        draft.words = [target.text]
        draft.exact = draft.exact and all(o.known and o.exact for o in operands)
        if not parsed.has("v", "verbose"):
            return Stream()
        shown = call.act("list", [*operands, target], roots=call.trees([*operands, target]))
        return Stream([shown])

    return run


def _inside(call: Call, target: Field, source: Field, *, into: bool) -> str:
    """Where ``source`` comes to lie: in ``target`` where that is a directory."""
    path = call.path(target.text)
    info = call.files.info(path)
    if into or target.text.endswith("/") or (info is not None and info.kind == "dir"):
        inside = f"{path}/{os.path.basename(source.text.rstrip('/'))}"
        # ``cp -r a b`` and ``mv a b`` make b out of the directory a, and it is found to be one only afterwards.
        made = info is not None and ((origin := call.info(source)) is None or origin.kind == "dir")
        if into or not made or call.files.info(inside) is not None:
            return inside
    return path


def _tee(call: Call) -> Stream:
    parsed = parse(call.args)
    source = call.input_lines
    stream = call.through("verbatim")
    stream.lines = source
    targets = [o for o in parsed.operands if o.stream is None]
    if targets:
        own = written_itself(stream)
        call.write(targets, stream.sources(), literal=own, appends=parsed.has("a", "append"))
    return stream


def _sponge(call: Call) -> Stream:
    stream = call.through("verbatim")
    operands = parse(call.args).operands
    if operands:
        call.write(operands, stream.sources(), literal=written_itself(stream), appends=parse(call.args).has("a"))
        stream.hide()
        return Stream()
    return stream


def _dd(call: Call) -> Stream:
    words = dict(a.text.split("=", 1) for a in call.args if "=" in a.text)
    source = [replace(a, text=words["if"]) for a in call.args if a.text.startswith("if=")]
    target = [replace(a, text=words["of"]) for a in call.args if a.text.startswith("of=")]
    stream = gather(call, source, "read", "altered" if "skip" in words or "count" in words else "verbatim")
    if target:
        if not target[0].text.startswith("/dev/"):
            call.write(target, stream.sources(), literal=stream.literal)
        stream.hide()
        return Stream()
    return stream


def _split(call: Call) -> Stream:
    parsed = parse(
        call.args, "abClntf", {"lines", "bytes", "number", "suffix-length", "additional-suffix", "line-bytes"}
    )
    stream = gather(call, parsed.operands[:1], "read", "verbatim")
    prefix = parsed.operands[1].text if len(parsed.operands) > 1 else "x"
    names = _matching(call, prefix)
    draft = call.write([], stream.sources(), literal=stream.literal)
    draft.targets, draft.words, draft.exact = names, [prefix], False
    stream.hide()
    return Stream()


def _matching(call: Call, prefix: str) -> list[str]:
    path = call.path(prefix) + ("/" if prefix.endswith("/") else "")
    directory, base = os.path.split(path)
    return [f"{directory}/{n}" for n in call.files.names(directory) if n.startswith(base or "x")][:1000]


def _remover(call: Call) -> Stream:
    """rm, rmdir, touch, mkdir, chmod: the names show only with -v."""
    call.stdin.hide()
    parsed = parse(call.args, "mtdrZ", {"mode", "date", "reference", "context", "from"})
    operands = parsed.operands[1:] if call.name in ("chmod", "chown", "chgrp") else parsed.operands
    made = getattr(call.shell, "made", None)
    if call.name == "mkdir" and made is not None:
        made.update(call.path(o.text) for o in operands if o.known)
    if parsed.has("v", "verbose", "c", "changes"):
        return Stream([call.act("list", operands, roots=call.trees(operands))])
    return Stream(status=None)


def _truncate(call: Call) -> Stream:
    parsed = parse(call.args, "sr", {"size", "reference"})
    call.write(parsed.operands, [], literal=True)
    return Stream()


def _rsync(call: Call) -> Stream:
    parsed = parse(call.args, "efBM", {"exclude", "include", "filter", "rsh", "backup-dir", "files-from"})
    operands = parsed.operands
    call.stdin.hide()
    if len(operands) > 1 and ":" not in operands[-1].text:
        call.write(operands[-1:], [call.path(o.text) for o in operands[:-1]], verb="copy", exact=False)
    return Stream([call.act("list", operands[:-1], exact=False)] if parsed.has("v", "verbose", "i") else [])


WRITERS: dict[str, Utility] = {
    "cp": _copier("copy"), "gcp": _copier("copy"), "mv": _copier("move"), "gmv": _copier("move"),
    "install": _copier("copy", "tSmog"), "ln": _copier("copy"), "tee": _tee, "sponge": _sponge, "dd": _dd,
    "split": _split, "csplit": _split, "rm": _remover, "rmdir": _remover, "unlink": _remover, "touch": _remover,
    "mkdir": _remover, "chmod": _remover, "chown": _remover, "chgrp": _remover, "shred": _remover,
    "truncate": _truncate, "rsync": _rsync,
}  # fmt: skip
