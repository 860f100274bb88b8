"""The shell's own commands: those that change its state, and those that print.

Each takes the walk and the call and returns what flows to standard output.
"""

from __future__ import annotations

import os.path
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.bash.options import parse
from tabshell.access.bash.state import Value, absolute
from tabshell.access.bash.streams import Lines, Stream, weaker
from tabshell.access.command.conditions import evaluate as evaluate_test
from tabshell.access.command.conditions import tested
from tabshell.access.command.reading import bind_read, read_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.bash.calls import Call
    from tabshell.access.bash.expand import Field
    from tabshell.access.command.walk import Walk

#: Words of one printed text that are looked up on the disk.
_LOOKUPS = 24


def _cd(walk: Walk, call: Call) -> Stream:
    operands = [a for a in call.args if a.text in ("-", "") or not re.fullmatch(r"--?[LPe@]*", a.text)]
    if not operands:
        return _go(walk, walk.state.home)
    target = operands[0]
    if target.text == "-":
        return _go(walk, walk.state.oldpwd)
    if not target.known:
        walk.inexact = True
        return Stream()
    return _go(walk, absolute(walk.state.cwd, target.text))


def _go(walk: Walk, path: str | None) -> Stream:
    """Changes the directory. A missing one fails only where the disk can tell: where one is, and the parent, exist."""
    if path is None:
        return Stream()
    info = walk.files.info(path)
    if info is not None and info.kind != "dir":
        return Stream(status=False)
    if info is None and path not in walk.made:
        here = walk.files.info(walk.state.cwd) is not None or walk.state.cwd in walk.made
        if here and walk.files.info(os.path.dirname(path)) is not None:
            return Stream(status=False)
    walk.state.oldpwd, walk.state.cwd = walk.state.cwd, path
    return Stream(status=True)


def _pushd(walk: Walk, call: Call) -> Stream:
    here = walk.state.cwd
    operands = [a for a in call.args if a.text != "-n"]
    if not operands:
        if walk.state.stack:
            top = walk.state.stack.pop()
            walk.state.stack.append(here)
            return replace(_go(walk, top), literal=True)
        return Stream()
    stream = _cd(walk, call)
    if walk.state.cwd != here:
        walk.state.stack.append(here)
    return replace(stream, literal=True)


def _popd(walk: Walk, _call: Call) -> Stream:
    if walk.state.stack:
        return replace(_go(walk, walk.state.stack.pop()), literal=True)
    return Stream(status=False)


def _pwd(walk: Walk, call: Call) -> Stream:
    cwd = walk.state.cwd
    call.stdin.hide()
    return Stream(lines=lambda: Lines((cwd,)), literal=True, status=True)


def _echo(walk: Walk, call: Call) -> Stream:
    args = call.args
    escapes = False
    while args and re.fullmatch(r"-[neE]+", args[0].text):
        escapes = escapes or "e" in args[0].text
        args = args[1:]
    text: str | None = " ".join(a.text for a in args) if all(a.known for a in args) else None
    if escapes and text is not None:
        text = text.replace("\\n", "\n").replace("\\t", "\t")
    return printed(walk, call, args, text)


def printed(walk: Walk, call: Call, args: list[Field], text: str | None) -> Stream:
    """Prints ``args``: the paths among them, and whatever their values show."""
    call.stdin.hide()
    draft = call.act("print", [], exact=all(a.known and a.exact for a in args))
    found = _paths_in(walk, args)
    draft.paths, draft.words = [p for p, _ in found], [w for _, w in found]
    draft.shown = [a.text for a in args if a.known and a.text.strip() and not a.shows]
    drafts = [draft]
    for arg in args:
        # A name out of a listing is printed as a path already.
        shows = tuple((d, p) for d, p in arg.shows if not (found and d.verb in ("list", "print")))
        drafts += walk.show_again(shows, "verbatim")
    exact = all(a.exact for a in args)
    lines = None if text is None else Lines(tuple(text.split("\n")), exact)
    own = not args or any(not a.shows for a in args)
    return Stream(drafts, lambda: lines, None, literal=own, status=True)


def _paths_in(walk: Walk, args: list[Field]) -> list[tuple[str, str]]:
    """Words of a printed text that name existing files."""
    found: list[tuple[str, str]] = []
    looked = 0
    for arg in args:
        if arg.globbed and arg.known:
            found.append((walk.state.absolute(arg.text), arg.text))
            continue
        for word in dict.fromkeys([arg.text, *arg.text.split()]):
            bare = word.strip("\"'`():;,=*[]<>")
            if not bare or len(bare) > 1024 or looked > _LOOKUPS or bare in (".", "..", "/"):
                continue
            looked += 1
            walk.fuel.burn(2)
            if not walk.fuel.visit(8):
                return list(dict.fromkeys(found))
            if walk.files.info(walk.state.absolute(bare)) is not None:
                found.append((walk.state.absolute(bare), bare))
    return list(dict.fromkeys(found))


def _printf(walk: Walk, call: Call) -> Stream:
    args = call.args
    if len(args) > 1 and args[0].text == "-v":
        walk.state.variables[args[1].text] = Value(None)
        return Stream(status=True)
    if args and args[0].text == "--":
        args = args[1:]
    if not args:
        return Stream(status=False)
    stream = printed(walk, call, args[1:], None)
    if args[0].known and not stream.drafts[0].shown:
        stream.drafts[0].shown = [args[0].text]
    lines = _formatted(args[0].text, args[1:])
    stream.lines = lambda: lines
    return stream


def _formatted(template: str, args: list[Field]) -> Lines | None:
    """The text of a ``printf`` whose format has only ``%s`` and escapes; None for others."""
    if not all(a.known for a in args) or re.search(r"%(?!s)", template) or "%%" in template:
        return None
    count = template.count("%s")
    text = ""
    queue = [a.text for a in args]
    while True:
        piece = template
        for _ in range(count):
            piece = piece.replace("%s", queue.pop(0).replace("%", "\0pc") if queue else "", 1)
        text += piece.replace("\0pc", "%")
        if not queue or not count or len(text) > 1_000_000:
            break
    null = "\\0" in text
    text = text.replace("\\0", "\0").replace("\\n", "\n").replace("\\t", "\t")
    values = text.split("\0" if null else "\n")
    return Lines(tuple(values[:-1] if values[-1] == "" else values), all(a.exact for a in args), null=null)


def _read(walk: Walk, call: Call) -> Stream:
    separator = walk.state.variables.get("IFS")
    read = read_words([a.text for a in call.args], separator.text if separator else None)
    if read.descriptor in walk.state.inputs:
        call.stdin = Stream(file=walk.state.inputs[read.descriptor])
    shown = call.through(read.passage).drafts if call.stdin.file is not None else call.stdin.drafts
    shows = tuple((d, weaker(d.passage, read.passage)) for d in shown if d.passage != "nothing")
    lines = call.input_lines()
    for draft in shown:
        draft.passage = "nothing"
    bind_read(walk, read, lines.values[0] if lines is not None and lines.values else None, shows)
    return Stream(status=None)


def _mapfile(walk: Walk, call: Call) -> Stream:
    parsed = parse(call.args, "dnOsuCc")
    name = parsed.operands[0].text if parsed.operands else "MAPFILE"
    descriptor = parsed.value("u") or ""
    if descriptor.isdecimal() and int(descriptor) in walk.state.inputs:
        call.stdin = Stream(file=walk.state.inputs[int(descriptor)])
    shown = call.through("verbatim").drafts if call.stdin.file is not None else call.stdin.drafts
    shows = tuple((d, d.passage) for d in shown if d.passage != "nothing")
    lines = call.input_lines()
    for draft in shown:
        draft.passage = "nothing"
    inexact = None if lines is None or lines.exact else Lines((), exact=False)
    values = (Value(None, shows),) if lines is None else tuple(Value(v, shows, inexact) for v in lines.values)
    walk.state.arrays[name] = values
    return Stream(status=True)


def _set(walk: Walk, call: Call) -> Stream:
    args = call.args
    names = {"f": "noglob", "e": "errexit", "u": "nounset"}
    while args and args[0].text[:1] in ("-", "+") and args[0].text not in ("-", "--", "+"):
        text = args[0].text
        if text in ("-o", "+o"):
            words = [args[1].text] if len(args) > 1 else []
            args = args[1:]
        else:
            words = [names[c] for c in text[1:] if c in names]
        (walk.state.options.update if text[0] == "-" else walk.state.options.difference_update)(words)
        args = args[1:]
    if args and args[0].text in ("--", "-"):
        args = args[1:]
        walk.state.positional = ()
    if args:
        walk.state.positional = tuple(a.value for a in args)
    return Stream(status=True)


def _shift(walk: Walk, call: Call) -> Stream:
    count = int(call.args[0].text) if call.args and call.args[0].text.isdecimal() else 1
    walk.state.positional = walk.state.positional[count:]
    return Stream(status=True)


def _shopt(walk: Walk, call: Call) -> Stream:
    parsed = parse(call.args)
    names = [o.text for o in parsed.operands]
    if parsed.has("s"):
        walk.state.options.update(names)
    elif parsed.has("u"):
        walk.state.options.difference_update(names)
    return Stream(status=True)


def _alias(walk: Walk, call: Call) -> Stream:
    for arg in call.args:
        name, equals, text = arg.text.partition("=")
        if equals:
            walk.state.aliases[name] = text
    return Stream(literal=True, status=True)


def _unalias(walk: Walk, call: Call) -> Stream:
    for arg in call.args:
        walk.state.aliases.pop(arg.text, None)
    return Stream(status=True)


def _source(walk: Walk, call: Call) -> Stream:
    """``. file``: its commands run here; its own text is not shown."""
    if not call.args or not call.args[0].known:
        return Stream()
    text = walk.text_of(call.path(call.args[0].text))
    if text is None or walk.depth > 40:
        return Stream()
    outer = walk.state.positional
    if len(call.args) > 1:
        walk.state.positional = tuple(a.value for a in call.args[1:])
    stream = walk.run(walk.parse(text), call.stdin)
    walk.state.positional = outer if len(call.args) > 1 else walk.state.positional
    return stream


def _eval(walk: Walk, call: Call) -> Stream:
    if not all(a.known for a in call.args):
        walk.inexact = True
    return walk.run(walk.parse(" ".join(a.text for a in call.args)), call.stdin)


def _exec(walk: Walk, call: Call) -> Stream:
    args = parse(call.args, "a", strict=True).operands
    return walk.invoke(args, call.stdin, call.node) if args else Stream()


def _test(walk: Walk, call: Call) -> Stream:
    call.stdin.hide()
    words = [a.text for a in call.args]
    if call.name == "[" and words[-1:] == ["]"]:
        words.pop()
    return tested(evaluate_test(walk, words) if all(a.known for a in call.args) else None, tuple(words))


def _command(walk: Walk, call: Call) -> Stream:
    parsed = parse(call.args, strict=True)
    if parsed.has("v", "V"):
        call.stdin.hide()
        return Stream(literal=True)
    return walk.invoke(parsed.operands, call.stdin, call.node) if parsed.operands else Stream()


def _silent(status: bool | None) -> Callable[[Walk, Call], Stream]:
    def run(_walk: Walk, call: Call) -> Stream:
        call.stdin.hide()
        return Stream(status=status)

    return run


def _jump(walk: Walk, call: Call) -> Stream:
    """continue, break, return, exit: what follows is left out where this surely runs."""
    call.stdin.hide()
    if walk.unsure == 0:
        walk.jump = call.name
    return Stream()


def _talks(_walk: Walk, call: Call) -> Stream:
    """Prints something that belongs to no file (``jobs``, ``type``, ``times``)."""
    call.stdin.hide()
    return Stream(literal=True)


BUILTINS: dict[str, Callable[[Walk, Call], Stream]] = {
    "cd": _cd, "chdir": _cd, "pushd": _pushd, "popd": _popd, "pwd": _pwd, "echo": _echo, "printf": _printf,
    "read": _read, "mapfile": _mapfile, "readarray": _mapfile, "set": _set, "shift": _shift, "shopt": _shopt,
    "alias": _alias, "unalias": _unalias, "source": _source, ".": _source, "eval": _eval, "exec": _exec,
    "test": _test, "[": _test, "command": _command, "builtin": _command,
    "true": _silent(True), ":": _silent(True), "false": _silent(False), "exit": _jump,
    "return": _jump, "break": _jump, "continue": _jump, "wait": _silent(None),
    "trap": _silent(True), "let": _silent(None), "hash": _silent(None), "ulimit": _talks, "umask": _talks,
    "jobs": _talks, "fg": _talks, "bg": _talks, "type": _talks, "times": _talks, "history": _talks, "dirs": _talks,
    "help": _talks, "kill": _silent(None), "getopts": _silent(None), "disown": _silent(None),
}  # fmt: skip
