"""``find``: what it visits, which files pass its tests, and what ``-exec`` and the others do with them.

Tests on names, types, depth and size are evaluated against ``Files``; a test that cannot be told leaves its file in
and makes the result inexact. Nothing is visited unless somebody needs the names.
"""

from __future__ import annotations

import os.path
import re
from functools import partial
from typing import TYPE_CHECKING

from tabshell.access.acts import Roots
from tabshell.access.bash.calls import Call
from tabshell.access.bash.expand import Field
from tabshell.access.bash.streams import Lines, Stream
from tabshell.access.paths.trees import entries, order
from tabshell.access.utilities.find_tests import Action, Entry, Expression

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.model.files import FileInfo, FileKind

#: So many files are put into the order in which find comes to them.
ORDERED = 100
#: Commands that show nothing and write nothing anew: what they are run on need not be known.
_MUTE = {"rm", "rmdir", "chmod", "chown", "chgrp", "touch", "unlink", "true", "test", "["}


def find(call: Call) -> Stream:
    """The utility."""
    call.stdin.hide()
    args = [a for a in call.args if a.text not in ("-H", "-L", "-P") and not a.text.startswith(("-D", "-O"))]
    at = next((i for i, a in enumerate(args) if a.text.startswith("-") or a.text in ("(", "!", ",")), len(args))
    starts = args[:at] or [Field(".", ".")]
    search = _Search(call, starts, Expression(args[at:]))
    return search.run()


class _Search:
    def __init__(self, call: Call, starts: list[Field], expression: Expression) -> None:
        self.call = call
        self.starts = starts
        self.expression = expression
        self.visited = False
        self.complete = True
        self.implied = Action("-print")

    def run(self) -> Stream:
        actions = self.expression.actions
        out = Stream()
        if not actions:
            return self.printed(self.implied)
        for action in actions:
            if action.kind in ("-exec", "-execdir", "-ok", "-okdir"):
                out.join(self.executed(action))
            elif action.kind in ("-print", "-print0", "-printf", "-ls"):
                out.join(self.printed(action))
            elif action.kind.startswith("-f"):
                self.call.write(action.words, [], literal=True)
            elif action.kind == "-delete":
                self.call.act("opaque", [], "nothing", exact=False)
        return out

    def roots(self) -> Roots:
        directories = tuple(self.call.path(s.text) for s in self.starts if s.known)
        names = self.expression.names
        include = tuple(names) if len(names) == 1 and not any(a.text in ("!", "-not") for a in self.call.args) else ()
        return Roots(directories, include, depth=self.expression.high)

    def printed(self, action: Action) -> Stream:
        draft = self.call.act("list", [s for s in self.starts if s.known], roots=self.roots())
        draft.paths = list(dict.fromkeys(draft.paths))
        draft.words = [s.text for s in self.starts if s.known][: len(draft.paths)]
        return Stream([draft], lambda: self.lines(action))

    def visit(self) -> None:
        """Goes through the trees, once."""
        if self.visited:
            return
        self.visited = True
        self.complete = all(s.known for s in self.starts)
        for start in self.starts:
            if not start.known:
                continue
            path = self.call.path(start.text)
            info = self.call.files.info(path)
            if info is None:
                continue
            prefix = start.text if start.text.endswith("/") else start.text + "/"
            name = os.path.basename(start.text.rstrip("/")) or start.text
            ask = partial(self.ask, path)
            actions = (self.implied, *self.expression.actions)
            before = [len(action.hits) for action in actions]
            if not self.tested(Entry(start.text, name, 0, info.kind, "", ask)) or info.kind != "dir":
                continue

            def visit(
                relative: str,
                name: str,
                kind: FileKind | None,
                depth: int,
                prefix: str = prefix,
                ask: Callable[[str], FileInfo | None] = ask,
            ) -> bool:
                return self.tested(Entry(prefix + relative, name, depth, kind, relative, ask))

            self.complete = entries(self.call.files, path, self.call.shell.fuel, visit) and self.complete
            self.put_in_order(path, actions, before)

    def put_in_order(self, top: str, actions: tuple[Action, ...], before: list[int]) -> None:
        """The hits below one start as find comes to them, where they are few: twins are told apart by their order."""
        key = order(self.call.files, top)
        for action, first in zip(actions, before, strict=True):
            if 1 < len(action.hits) - first <= ORDERED:
                action.hits[first:] = sorted(action.hits[first:], key=lambda entry: key(entry.below))

    def ask(self, top: str, relative: str) -> FileInfo | None:
        """What the disk says of a visited file: dearer than its name."""
        self.call.shell.fuel.visit(8 if relative else 0)
        return self.call.files.info(f"{top}/{relative}" if relative else top)

    def tested(self, entry: Entry) -> bool:
        """Runs the expression on one entry; whether to go below it."""
        expression = self.expression
        if expression.low <= entry.depth:
            result = expression.test(entry)
            if result is not False and not expression.actions:
                self.implied.hits.append(entry)
            if result is None:
                self.implied.exact = False
                for action in expression.actions:
                    action.exact = action.exact and (not action.hits or action.hits[-1] is not entry)
        return entry.path not in expression.pruned and (expression.high is None or entry.depth < expression.high)

    def lines(self, action: Action) -> Lines | None:
        self.visit()
        values: list[str] = []
        template = action.words[0].text if action.words else None
        for entry in action.hits:
            text = entry.path if action.kind in ("-print", "-print0") else _printf(template, entry)
            if text is None:
                return None
            values.append(text)
        null = action.kind == "-print0"
        if action.kind == "-printf":
            joined = "".join(values)
            null = "\0" in joined
            values = joined.rstrip("\0" if null else "\n").split("\0" if null else "\n") if joined else []
        single = len(values) < 2
        roots = None if self.complete else self.roots()
        return Lines(tuple(values), action.exact and self.complete, single, null, roots)

    def executed(self, action: Action) -> Stream:
        """``-exec command {} ;`` or ``+``."""
        if (
            action.words
            and os.path.basename(action.words[0].text) in _MUTE
            and not any(w.text == "-v" for w in action.words)
        ):
            return Stream()
        self.visit()
        shell = self.call.shell
        exact = action.exact and self.complete
        hits = [Field(e.path, "{}", True, exact) for e in action.hits]
        if action.kind in ("-execdir", "-okdir"):
            return self.in_directories(action, hits)
        if not action.words:
            return Stream()
        if action.together:
            with shell.loop():
                words = [hit for word in action.words for hit in (hits if word.text == "{}" else [word])]
                out = shell.invoke(words, Stream(), self.call.node) if hits else Stream()
        else:
            out = Stream()
            for stream in shell.each(
                hits, lambda hit: shell.invoke(_filled(action.words, hit), Stream(), self.call.node)
            ):
                out.join(stream)
        self.mark(out)
        return out

    def in_directories(self, action: Action, hits: list[Field]) -> Stream:
        shell = self.call.shell
        out = Stream()
        cwd = shell.state.cwd

        def turn(hit: Field) -> Stream:
            shell.state.cwd = os.path.dirname(
                self.call.path(hit.text) if cwd == shell.state.cwd else f"{cwd}/{hit.text}"
            )
            words = _filled(action.words, hit.saying("./" + os.path.basename(hit.text)))
            try:
                return shell.invoke(words, Stream(), self.call.node)
            finally:
                shell.state.cwd = cwd

        for stream in shell.each(hits, turn):
            out.join(stream)
        self.mark(out)
        return out

    def mark(self, stream: Stream) -> None:
        """Where not everything could be visited, the acts may be on anything below."""
        if not self.complete:
            for draft in stream.drafts:
                draft.exact = False
                draft.roots = draft.roots or self.roots()


def _filled(words: list[Field], hit: Field) -> list[Field]:
    return [w.saying(w.text.replace("{}", hit.text), exact=hit.exact) if "{}" in w.text else w for w in words]


def _printf(template: str | None, entry: Entry) -> str | None:
    """``-printf`` of names; None where it prints other facts."""
    if template is None:
        return None
    known = {"p": entry.path, "f": entry.name, "P": entry.below, "h": os.path.dirname(entry.path) or "."}

    def put(match: re.Match[str]) -> str:
        if match[1]:
            return known.get(match[1], "\ufffd")
        return {"n": "\n", "0": "\0", "t": "\t"}.get(match[2], match[2])

    text = re.sub(r"%(\w)|\\(.)", put, template)
    return None if "\ufffd" in text else text
