"""Redirections: what a command reads instead of its pipe, and where its output goes instead of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabshell.access.bash.calls import lines_of
from tabshell.access.bash.state import Value
from tabshell.access.bash.streams import Draft, Lines, Stream, written_itself

if TYPE_CHECKING:
    from tabshell.access.bash import nodes
    from tabshell.access.command.walk import Walk

_OUTPUTS = {">", ">>", ">|", "&>", "&>>", ">&"}
#: Targets that are no files: what goes there is gone, or stays on the screen.
_NOWHERE = {"/dev/null", "/dev/zero", "/dev/full"}
_SCREEN = {"/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"}


#: Lines of a here-document that are reported as the command's own words.
SHOWN = 200


class Redirector:
    """Applies redirections of one walk."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def around(self, node: nodes.Redirected, stdin: Stream) -> Stream:
        """A compound statement with redirections."""
        stream = self.walk.run(node.body, self.source(node.redirects, stdin))
        return self.sink(node.redirects, stream, node.text)

    def source(self, redirects: tuple[nodes.Redirect, ...], stdin: Stream) -> Stream:
        """Standard input after ``<``, ``<<``, ``<<<`` and ``< <(…)``."""
        for redirect in redirects:
            if redirect.descriptor not in (None, 0):
                self.keep_open(redirect)
                continue
            if redirect.operator not in ("<", "<<<", "<>", "<&"):
                continue
            replaced = self.opened(redirect)
            if replaced is not None:
                stdin.hide()
                stdin = replaced
        return stdin

    def keep_open(self, redirect: nodes.Redirect) -> None:
        """``3< file``: whoever reads from that descriptor reads the file."""
        if redirect.operator not in ("<", "<>") or redirect.document is not None or redirect.descriptor is None:
            return
        path, known = self.walk.expander.path(redirect.target)
        if known and path not in _NOWHERE:
            self.walk.state.inputs[redirect.descriptor] = (path, redirect.target)

    def opened(self, redirect: nodes.Redirect) -> Stream | None:
        """What ``<`` and its relatives open; None where standard input stays."""
        expander = self.walk.expander
        if redirect.document is not None:
            document = redirect.document
            value = Value(document.body) if document.literal else expander.document(document.body)
            return self.literal(value, document=True)
        if redirect.operator == "<<<":
            return self.literal(expander.single(redirect.target), document=False)
        if redirect.operator == "<&":
            file = self.walk.state.inputs.get(int(redirect.target)) if redirect.target.isdecimal() else None
            return None if file is None else Stream(file=file)
        fields = expander.words((redirect.target,))
        if len(fields) == 1 and fields[0].stream is not None:
            return fields[0].stream
        path, known = expander.path(redirect.target)
        if not known:
            return Stream(lines=lambda: None)
        if path in _NOWHERE:
            return Stream(lines=lambda: Lines(()))
        return Stream(file=(path, fields[0].text if fields else redirect.target))

    def literal(self, value: Value, *, document: bool) -> Stream:
        """A here-document or here-string; what its substitutions show flows with it."""
        drafts = self.walk.show_again(value.shows, "verbatim")
        text = value.text
        if text is not None and not document:
            text += "\n"
        shown = Draft("print", "<<", self.walk.state.cwd, "<<", 0)
        shown.shown = [line for line in (text or "").split("\n")[:SHOWN] if line.strip()]
        drafts.insert(0, self.walk.register(shown))
        return Stream(drafts, lambda: None if text is None else lines_of(text), None, literal=True)

    def sink(self, redirects: tuple[nodes.Redirect, ...], stream: Stream, node: str) -> Stream:
        """What is left on standard output after ``>``, ``&>``, ``2>&1`` and the like."""
        for redirect in redirects:
            if redirect.operator not in _OUTPUTS:
                continue
            if redirect.descriptor not in (None, 1):
                self.other_descriptor(redirect, node)
                continue
            target = redirect.target
            if redirect.operator == ">&" and (target.isdigit() or target == "-"):
                continue
            fields = self.walk.expander.words((target,))
            if len(fields) == 1 and fields[0].raw.startswith(">("):
                self.walk.redirector.leave(stream.hide())
                return Stream(status=stream.status)
            path, known = self.walk.expander.path(target)
            stream = self.to_file(stream, path, target, node, known=known, appends=">>" in redirect.operator)
        return stream

    def other_descriptor(self, redirect: nodes.Redirect, node: str) -> None:
        """``2>errors``: a file that takes messages."""
        if redirect.target.isdigit() or redirect.target in ("-", "") or redirect.operator == ">&":
            return
        path, known = self.walk.expander.path(redirect.target)
        if known and path not in _NOWHERE and path not in _SCREEN:
            self.write(path, redirect.target, [], node, literal=True, appends=">>" in redirect.operator)

    def to_file(self, stream: Stream, path: str, word: str, node: str, *, known: bool, appends: bool) -> Stream:
        """``stream`` goes into a file: what wrote it, from where."""
        if path in _SCREEN:
            return stream
        if path not in _NOWHERE:
            draft = self.write(path, word, stream.sources(), node, literal=written_itself(stream), appends=appends)
            draft.exact = draft.exact and known and all(d.exact for d in stream.drafts)
            self.keep(path, stream, appends=appends)
        stream.hide()
        return Stream(status=stream.status)

    def keep(self, path: str, stream: Stream, *, appends: bool) -> None:
        """Remembers text that this command wrote, where no file's content is in it (scripts, lists)."""
        written = self.walk.state.written
        lines = stream.known()
        if lines is None or not lines.exact or (appends and path not in written):
            written.pop(path, None)
            return
        before = written.get(path, "") if appends else ""
        if len(before) + len(lines.text) < 262_144:
            written[path] = before + "".join(line + "\n" for line in lines.values)

    def write(self, path: str, word: str, sources: list[str], node: str, *, literal: bool, appends: bool) -> Draft:
        """The act of a redirection."""
        draft = Draft("write", ">>" if appends else ">", self.walk.state.cwd, node, 0, passage="nothing")
        draft.targets, draft.words, draft.sources = [path], [word], sources
        draft.literal, draft.appends = literal, appends
        draft.exact = not self.walk.inexact
        return self.walk.register(draft)

    def leave(self, stream: Stream) -> None:
        """``stream`` reaches the screen, or the file that ``exec >`` put in its place."""
        target = self.walk.state.sent_to
        if target is not None:
            self.to_file(stream, target, target, "exec", known=True, appends=True)
