"""Loops over known words and known lines: concretely for the first turns, by analogy for the rest.

Each turn of a loop is followed with its own value, so that ``${f%.*}.txt`` or ``dirname`` come out right.
Beyond ``ITERATIONS`` turns the acts of the last one are carried over to the remaining values by putting the
value in its place, and are marked inexact.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from tabshell.access.bash.expand import Field
from tabshell.access.bash.state import Value, absolute
from tabshell.access.bash.streams import Draft, Lines, Stream, weaker
from tabshell.access.command.reading import bind_read, reads_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tabshell.access.acts import Passage
    from tabshell.access.bash import nodes
    from tabshell.access.command.walk import Walk

#: Turns of one loop that are followed one by one.
ITERATIONS = 32
#: Paths of one act that are carried over to further turns.
CARRIED = 8


def run_for(walk: Walk, node: nodes.For, stdin: Stream) -> Stream:
    """``for x in words``."""
    if node.words is None:
        fields = [Field(v.text or "", "$@", v.text is not None, True, v.shows) for v in walk.state.positional]
    else:
        fields = walk.expander.words(node.words)
    out = Stream()

    def turn(field: Field) -> Stream:
        value = Value(field.text if field.known else None, field.shows, None if field.exact else Lines((), exact=False))
        walk.state.variables[node.variable] = value
        walk.state.arrays.pop(node.variable, None)
        return walk.run(node.body, stdin)

    for stream in turns(walk, fields, turn):
        out.join(stream)
    out.status = None
    return out


def turns(
    walk: Walk, fields: Sequence[Field], turn: Callable[[Field], Stream], mark: str | None = None
) -> list[Stream]:
    """The streams of all turns. ``mark`` stands in commands where the value was put in as text (``{}``)."""
    streams: list[Stream] = []
    reserve = walk.fuel.left // 3
    with walk.loop():
        for number, field in enumerate(fields):
            if number and (number >= ITERATIONS or walk.fuel.left < reserve):
                carry(walk, fields[number - 1], [f for f in fields[number:] if f.known])
                break
            first = len(walk.drafts)
            with walk.uncertain(exact=field.exact and field.known), walk.body("continue"):
                streams.append(turn(field))
            walk.last_turn = walk.drafts[first:]
            if walk.jump is not None:
                walk.jump = None if walk.jump == "break" else walk.jump
                break
            if mark is not None and field.text:
                for draft in walk.last_turn:
                    draft.node = draft.node.replace(field.text, mark)
    return streams


def carry(walk: Walk, done: Field, rest: list[Field]) -> None:
    """Carries the acts of the turn for ``done`` over to ``rest``."""
    for draft in walk.last_turn:
        draft.exact = False
        if len(draft.paths) + len(draft.targets) > CARRIED or not walk.fuel.burn(len(rest)):
            continue
        for names in (draft.paths, draft.targets, draft.sources, draft.words):
            _carry_names(draft, names, done.text, rest)


def _carry_names(draft: Draft, names: list[str], done: str, rest: list[Field]) -> None:
    base = os.path.basename(done)
    added: list[str] = []
    for name in names:
        if name == done:
            added += [f.text for f in rest]
        elif name == absolute(draft.cwd, done):
            added += [absolute(draft.cwd, f.text) for f in rest]
        elif base and base in name:
            added += [name.replace(base, f.text.rpartition("/")[2]) for f in rest]
    names.extend(added)


def run_while(walk: Walk, node: nodes.While, stdin: Stream) -> Stream:
    """``while read -r f``: a turn per line of standard input. Any other ``while`` is followed once."""
    out = Stream()
    reading = reads_lines(node.condition)
    if reading is None:
        with walk.loop(), walk.uncertain(exact=False):
            out.join(walk.run(node.condition, stdin))
            with walk.body("continue", "break"):
                out.join(walk.run(node.body, stdin))
        out.status = None
        return out
    if reading.descriptor in walk.state.inputs:
        stdin = Stream(file=walk.state.inputs[reading.descriptor])
    shows, lines = consume(walk, stdin)
    if reading.passage == "altered":
        shows = tuple((draft, weaker(passage, "altered")) for draft, passage in shows)
    if lines is None:
        with walk.loop(), walk.uncertain(exact=False):
            bind_read(walk, reading, None, shows)
            with walk.body("continue", "break"):
                out.join(walk.run(node.body, Stream()))
        return out

    def turn(field: Field) -> Stream:
        bind_read(walk, reading, field.text, shows)
        return walk.run(node.body, Stream())

    fields = [Field(line, line, True, lines.exact) for line in lines.values]
    for stream in turns(walk, fields, turn):
        out.join(stream)
    out.status = None
    return out


def consume(walk: Walk, stdin: Stream) -> tuple[tuple[tuple[Draft, Passage], ...], Lines | None]:
    """What a loop reads from standard input: the acts behind it (hidden until printed) and the lines."""
    from tabshell.access.bash.calls import lines_of  # noqa: PLC0415

    if stdin.file is not None:
        path, word = stdin.file
        draft = walk.register(Draft("read", "read", walk.state.cwd, word, 0, [path], [word]))
        text = walk.text_of(path)
        draft.passage = "nothing"
        return ((draft, "verbatim"),), None if text is None else lines_of(text)
    shows = tuple((draft, draft.passage) for draft in stdin.drafts if draft.passage != "nothing")
    lines = stdin.known()
    stdin.hide()
    return shows, lines
