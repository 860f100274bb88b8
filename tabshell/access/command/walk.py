"""The abstract walk: a command text -> ``acts.Doings``. Door of this side: ``follow``.

``follow(command, cwd, home, files, memory)`` follows the statements of a command as bash would run them,
without running anything: directories, variables, loops over known words, pipes, substitutions, functions.
It asks the disk only through ``files``, keeps no clock, and does a bounded amount of work (``FUEL``, and
``ITERATIONS`` per loop); what it cannot follow is marked ``exact=False``. It never raises for any text.
``Followed.leave`` takes up what a finished turn defined for the turns after it; ``doings`` and ``learn`` are one half
each.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tabshell.access.acts import Act, Doings
from tabshell.access.bash import nodes
from tabshell.access.bash.expand import Expander, Field
from tabshell.access.bash.heredocs import Heredocs
from tabshell.access.bash.state import State, Value
from tabshell.access.bash.streams import Draft, Stream, weaker
from tabshell.access.bash.syntax import parse, parse_lifted
from tabshell.access.command.conditions import holds, tested
from tabshell.access.command.finish import freeze, shown_words
from tabshell.access.command.loops import run_for, run_while, turns
from tabshell.access.command.recall import recall, store
from tabshell.access.command.redirects import Redirector
from tabshell.access.command.simple import run_fields, run_simple
from tabshell.access.paths.fuel import Fuel
from tabshell.access.paths.patterns import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tabshell.access.acts import Passage
    from tabshell.access.memory import ShellMemory
    from tabshell.model.files import Files

#: Work that one command may cause, in units of about a microsecond.
FUEL = 20_000
#: Acts of one command; further ones are dropped and the last is marked inexact.
MAX_ACTS = 2_000
#: How deep scripts, functions and substitutions may call one another.
MAX_DEPTH = 24
#: A file longer than this is not read as a list of names or a script.
MAX_TEXT = 262_144


#: What a command must hold to leave anything behind in its shell.
_DEFINES = re.compile(
    r"=|\(\s*\)|\b(?:alias|unalias|cd|pushd|popd|read|mapfile|readarray|set|shift|shopt|unset|export|declare|typeset"
    r"|local|readonly|source|eval|for|select|function|getopts|printf)\b|(?:^|[;&|\n{(])\s*\.\s"
)


class Followed(NamedTuple):
    """What a command does, and the state in which it leaves its shell."""

    doings: Doings
    state: State

    def leave(self, command: str, memory: ShellMemory) -> None:
        """Takes the names that ``command`` defined in its own shell up into ``memory``."""
        if _DEFINES.search(command):
            store(self.state, memory)


def doings(command: str, cwd: str, home: str | None, files: Files, memory: ShellMemory) -> Doings:
    """What ``command``, typed in ``cwd``, says it does. ``memory`` is read, not changed (see ``learn``)."""
    return follow(command, cwd, home, files, memory).doings


def learn(command: str, cwd: str, home: str | None, files: Files, memory: ShellMemory) -> None:
    """Takes the names that ``command`` defined in its own shell up into ``memory``."""
    if _DEFINES.search(command):
        follow(command, cwd, home, files, memory).leave(command, memory)


def follow(command: str, cwd: str, home: str | None, files: Files, memory: ShellMemory) -> Followed:
    """Walks a command once, for both what it does and what it leaves. ``memory`` is read, not changed."""
    state = recall(cwd, home, memory)
    walk = Walk(files, state)
    tree, parsed, walk.documents = parse(command)
    try:
        stream = walk.run(tree, Stream())
        walk.redirector.leave(stream)
    except RecursionError:
        walk.broken = True
    acts: tuple[Act, ...] = freeze(walk.drafts, exact=not walk.broken and walk.fuel.left > 0)
    return Followed(Doings(acts, parsed, walk.tab, shown_words(walk.drafts)), walk.state)


class Walk:
    """One walk over one command. ``run`` gives the stream that a statement sends to its standard output."""

    def __init__(self, files: Files, state: State) -> None:
        self.files = files
        self.fuel = Fuel(FUEL)
        self.state = state
        self.drafts: list[Draft] = []
        self.last_turn: list[Draft] = []
        self.tab = False
        self.broken = False
        self.inexact = False
        self.depth = 0
        #: how many conditions that cannot be told stand around this point, and the jump that surely happened
        self.unsure = 0
        self.jump: str | None = None
        self.loops = 0
        self.order = 0
        #: directories that this command makes
        self.made: set[str] = set()
        self.documents = Heredocs()
        self.expander = Expander(self)
        self.redirector = Redirector(self)

    def run(self, node: nodes.Node, stdin: Stream) -> Stream:
        """Follows one statement."""
        if self.depth > MAX_DEPTH * 4 or not self.fuel.burn(20):
            self.broken = True
            return Stream()
        self.depth += 1
        try:
            return self.dispatch(node, stdin)
        finally:
            self.depth -= 1

    def dispatch(self, node: nodes.Node, stdin: Stream) -> Stream:  # noqa: C901 - one branch per kind of node
        """One statement by its kind."""
        match node:
            case nodes.Simple():
                return run_simple(self, node, stdin)
            case nodes.Pipeline():
                return self.pipeline(node, stdin)
            case nodes.Sequence():
                return self.sequence(node, stdin)
            case nodes.Group():
                return self.run(node.body, stdin)
            case nodes.Subshell() | nodes.Background():
                return self.apart(node.body, stdin)
            case nodes.Redirected():
                return self.redirector.around(node, stdin)
            case nodes.For():
                return run_for(self, node, stdin)
            case nodes.While():
                return run_while(self, node, stdin)
            case nodes.If():
                return self.branches(node, stdin)
            case nodes.Case():
                return self.case(node, stdin)
            case nodes.Function():
                self.state.functions[node.name] = (node.body, node.text)
                return Stream(status=True)
            case nodes.Test():
                return tested(holds(self, node), node.words)

    def apart(self, node: nodes.Node, stdin: Stream) -> Stream:
        """Follows ``node`` in a subshell: nothing that it sets stays."""
        outer, before = self.state, self.jump
        self.state = outer.copy()
        try:
            return self.run(node, stdin)
        finally:
            self.state = outer
            # A subshell ends alone, but ``( … )`` in a loop may not go on with it.
            self.jump = before

    def pipeline(self, node: nodes.Pipeline, stdin: Stream) -> Stream:
        """Stage by stage, each in a subshell."""
        stream = stdin
        last = len(node.stages) - 1
        for number, stage in enumerate(node.stages):
            if number == last and "lastpipe" in self.state.options:
                stream = self.run(stage, stream)
            else:
                stream = self.apart(stage, stream)
        return stream

    def sequence(self, node: nodes.Sequence, stdin: Stream) -> Stream:
        """All parts one after another. A part that surely does not run leaves nothing; one that may not
        run (``a || b``) leaves its acts but not its directory."""
        out = Stream()
        status: bool | None = True
        for operator, part in node.parts:
            if operator == "||" and status is True and out.status is True:
                continue
            if operator == "&&" and status is False:
                continue
            doubtful = operator in ("&&", "||") and status is None
            with self.doubt(doubtful):
                if doubtful and operator == "||":
                    result = self.apart(part, stdin)
                    status = None
                else:
                    result = self.run(part, stdin)
                    status = result.status
            out.join(result)
            if self.jump is not None:
                break
        out.status = status
        return out

    def branches(self, node: nodes.If, stdin: Stream) -> Stream:
        """All clauses, each from the same state; the state of the likeliest one stays."""
        out = Stream()
        chosen: State | None = None
        undecided = False
        for condition, body in node.clauses:
            status: bool | None = True
            likely = True
            if condition is not None:
                result = self.run(condition, stdin)
                status = result.status
                likely = (status if status is not None else result.likely) is not False
                out.join(result)
            before = self.state
            self.state = before.copy()
            sure = status is True and not undecided
            undecided = undecided or status is None
            with self.doubt(not sure):
                out.join(self.run(body, stdin))
            if self.jump is not None:
                break
            if chosen is None and likely:
                chosen = self.state
            self.state = before
        if chosen is not None:
            self.state = chosen
        out.status = None
        return out

    def case(self, node: nodes.Case, stdin: Stream) -> Stream:
        """The branch that matches, or all where the word is not known."""
        text = self.expander.single(node.word).text
        out = Stream()
        for patterns, body in node.items:
            known = [self.expander.pattern(p) for p in patterns]
            if text is not None and not any(p is None or compiled(p).match(text) for p in known):
                continue
            with self.doubt(text is None):
                out.join(self.run(body, stdin))
            if text is not None:
                break
        out.status = None
        return out

    # -- what expansion and utilities ask for ------------------------------------------------------------

    def parse(self, text: str) -> nodes.Node:
        """The statements of ``text``, its here-documents kept for the substitutions inside its words."""
        self.fuel.burn(60 + len(text) // 2)
        if "__TABSHELL_HERE_" in text:
            return parse_lifted(text, self.documents.within(text))[0]
        tree, _, documents = parse(text)
        self.documents = self.documents.with_(documents)
        return tree

    def substitute(self, source: str) -> Value:
        """``$(source)``: its lines where known; its acts are hidden until somebody prints the value."""
        if self.depth > MAX_DEPTH or not self.fuel.burn(100):
            self.broken = True
            return Value(None)
        stripped = source.strip()
        if stripped.startswith("<") and not stripped.startswith(("<<", "<(")):
            source = "cat " + stripped
        stream = self.apart(self.parse(source), Stream())
        shows = tuple((draft, draft.passage) for draft in stream.drafts if draft.passage != "nothing")
        lines = stream.known()
        stream.hide()
        return Value(None if lines is None else lines.text, shows, lines)

    def feed(self, source: str, direction: str) -> Stream:
        """``<(source)``: what can be read from it. ``>(source)`` swallows what is written into it."""
        stream = self.apart(self.parse(source), Stream())
        if direction == ">":
            self.redirector.leave(stream)
            return Stream()
        return stream

    def nested(self, text: str, arguments: list[Field], stdin: Stream, name: str = "bash") -> Stream:
        """A script text in a shell of its own, with positional parameters."""
        if self.depth > MAX_DEPTH:
            self.broken = True
            return Stream()
        outer = self.state
        self.state = outer.copy()
        self.state.positional = tuple(a.value for a in arguments)
        self.state.name = name
        try:
            with self.body("exit", "return", "break", "continue"):
                return self.run(self.parse(text), stdin)
        finally:
            self.state = outer

    def invoke(self, fields: list[Field], stdin: Stream, node: str) -> Stream:
        """Expanded words as a simple command."""
        if self.depth > MAX_DEPTH or not self.fuel.burn(20):
            self.broken = True
            return Stream()
        self.depth += 1
        try:
            return run_fields(self, fields, stdin, node)
        finally:
            self.depth -= 1

    def register(self, draft: Draft) -> Draft:
        """Takes up a new act in the order in which outputs appear."""
        self.order += 1
        draft.order = self.order
        draft.looped = draft.looped or self.loops > 0
        if len(self.drafts) < MAX_ACTS:
            self.drafts.append(draft)
        else:
            self.broken = True
        return draft

    def show_again(self, shows: tuple[tuple[Draft, Passage], ...], passage: Passage) -> list[Draft]:
        """Acts whose output was kept in a value that is now printed: they appear here."""
        drafts = []
        for draft, kept in shows:
            if draft.order == 0:  # it happened in an earlier turn
                self.register(draft)
            elif draft.passage == "nothing":
                self.order += 1
                draft.order = self.order
            draft.passage = weaker(kept, passage)
            drafts.append(draft)
        return drafts

    def each(self, fields: list[Field], turn: Callable[[Field], Stream]) -> list[Stream]:
        """``turn`` for every field, as the turns of a loop."""
        return turns(self, fields, turn, "{}")

    @contextmanager
    def loop(self) -> Iterator[None]:
        """Acts within are those of a loop: merged per command in the end."""
        self.loops += 1
        try:
            yield
        finally:
            self.loops -= 1

    @contextmanager
    def doubt(self, doubtful: bool) -> Iterator[None]:
        """Within, a jump may or may not happen, if ``doubtful``."""
        self.unsure += doubtful
        try:
            yield
        finally:
            self.unsure -= doubtful

    @contextmanager
    def body(self, *jumps: str) -> Iterator[None]:
        """The body of a loop or function, where certainty begins anew; the named jumps end here."""
        outer, self.unsure = self.unsure, 0
        try:
            yield
        finally:
            self.unsure = outer
            if self.jump in jumps or outer:
                self.jump = None

    @contextmanager
    def uncertain(self, *, exact: bool) -> Iterator[None]:
        """Acts within may or may not happen, unless ``exact``."""
        before = self.inexact
        self.inexact = before or not exact
        try:
            yield
        finally:
            self.inexact = before

    def text_of(self, path: str) -> str | None:
        """The text of a small file, or what this very command wrote into it."""
        written = self.state.written.get(path)
        if written is not None:
            return written
        info = self.files.info(path)
        if info is None or info.kind != "file" or info.size > min(MAX_TEXT, self.fuel.text) or not self.fuel.burn(100):
            return None
        self.fuel.text -= info.size
        content = self.files.content(path)
        if content is None or b"\0" in content[:4096]:
            return None
        self.fuel.burn(len(content) // 512)
        return content.decode("utf-8", "surrogateescape")
