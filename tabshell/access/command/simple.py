"""A simple command: expansion, assignments, redirections, and who it is: alias, function, builtin, utility, script."""

from __future__ import annotations

import os.path
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tabshell.access.bash import nodes
from tabshell.access.bash.calls import Call
from tabshell.access.bash.state import Value
from tabshell.access.bash.streams import Lines, Stream
from tabshell.access.command.builtins import BUILTINS
from tabshell.access.command.reading import assign
from tabshell.access.utilities.all_utilities import UTILITIES
from tabshell.access.utilities.scripts import run_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tabshell.access.bash.expand import Field
    from tabshell.access.command.walk import Walk

#: Programs of tabshell itself: what they print is neither read nor listed.
_OURS = {"tab", "tabshell"}


def run_simple(walk: Walk, node: nodes.Simple, stdin: Stream) -> Stream:
    """Follows one simple command."""
    if node.words and node.words[0] in walk.state.aliases:
        return _aliased(walk, node, stdin)
    stdin = walk.redirector.source(node.redirects, stdin)
    fields = walk.expander.words(node.words)
    if not fields:
        assign_all(walk, node)
        # ``>f`` and ``x=$(…)`` alone show nothing; only an unknown command name may.
        return walk.redirector.sink(node.redirects, Stream(status=True), node.text)
    if node.declares:
        stream = _declare(walk, node, fields)
    elif fields[0].text == "exec" and len(fields) == 1:
        return _exec_redirects(walk, node)
    else:
        with _environment(walk, node):
            stream = run_fields(walk, fields, stdin, node.text)
    return walk.redirector.sink(node.redirects, stream, node.text)


def run_fields(walk: Walk, fields: list[Field], stdin: Stream, node: str) -> Stream:
    """Follows a command whose words are expanded."""
    first, args = fields[0], fields[1:]
    program = first.text
    if not first.known or not program:
        return run_program(walk, Call("", args, stdin, walk, node))
    function = walk.state.functions.get(program)
    if function is not None:
        return _call_function(walk, function[0], args, stdin)
    if program in BUILTINS:
        return BUILTINS[program](walk, Call(program, args, stdin, walk, node, program))
    name = os.path.basename(program)
    if name in _OURS:
        walk.tab = True
        stdin.hide()
        return Stream()
    call = Call(name, args, stdin, walk, node, program)
    utility = UTILITIES.get(name)
    walk.fuel.burn(40 + 2 * len(args))
    return utility(call) if utility is not None else run_program(walk, call)


def _call_function(walk: Walk, body: nodes.Node, args: list[Field], stdin: Stream) -> Stream:
    outer = walk.state.positional
    walk.state.positional = tuple(
        Value(a.text if a.known else None, a.shows, None if a.exact else Lines((), exact=False)) for a in args
    )
    try:
        with walk.body("return"):
            return walk.run(body, stdin)
    finally:
        walk.state.positional = outer


def _aliased(walk: Walk, node: nodes.Simple, stdin: Stream) -> Stream:
    """The alias's text in place of the first word."""
    name = node.words[0]
    text = walk.state.aliases.pop(name)
    try:
        tree = walk.parse(text + " " + " ".join(node.words[1:]))
        stream = walk.run(tree, walk.redirector.source(node.redirects, stdin))
    finally:
        walk.state.aliases.setdefault(name, text)
    return walk.redirector.sink(node.redirects, stream, node.text)


def assign_all(walk: Walk, node: nodes.Simple) -> None:
    """The assignments of a command without words stay in the shell."""
    for assignment in node.assignments:
        assign(walk, assignment)


@contextmanager
def _environment(walk: Walk, node: nodes.Simple) -> Iterator[None]:
    """``A=1 command``: the assignments hold for the command only."""
    if not node.assignments:
        yield
        return
    state = walk.state
    names = [a.name for a in node.assignments]
    before = {name: state.variables.get(name) for name in names}
    assign_all(walk, node)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                state.variables.pop(name, None)
            else:
                state.variables[name] = value


def _declare(walk: Walk, node: nodes.Simple, fields: list[Field]) -> Stream:
    """export, declare, local, readonly, typeset, unset."""
    assign_all(walk, node)
    if node.words[0] == "unset":
        for field in fields[1:]:
            for names in (walk.state.variables, walk.state.arrays, walk.state.functions):
                names.pop(field.text, None)
    prints = not node.assignments and all(f.text.startswith("-") for f in fields[1:]) and node.words[0] != "unset"
    return Stream(literal=prints, status=True)


def _exec_redirects(walk: Walk, node: nodes.Simple) -> Stream:
    """``exec >file``: from here on the output goes there. ``exec 3<file``: it stays open for reading."""
    for redirect in node.redirects:
        walk.redirector.keep_open(redirect)
        if redirect.operator in (">", ">>", ">|", "&>", "&>>") and redirect.descriptor in (None, 1):
            path, known = walk.expander.path(redirect.target)
            walk.state.sent_to = path if known and not path.startswith("/dev/") else None
    return Stream(status=True)
