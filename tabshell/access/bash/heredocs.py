"""Here-documents taken out of a script before it is parsed, each replaced by a redirection from a placeholder.

``python3 - <<'E' 2>&1 | head`` with its body becomes ``python3 - <__HERE_0__ 2>&1 | head``: a grammar that reads
bodies in place loses what follows the operator on its line. Nested ones (``"$(cat <<E … E)"``) too. Here-strings
(``<<<word``) become ``<`` and a mark before the word, since the grammar knows them only before other redirections.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from tabshell.access.bash.nodes import Heredoc
from tabshell.access.bash.words import closing

#: Stands before the word of a here-string.
STRING = "__TABSHELL_STRING__"
_PLACEHOLDER = re.compile(r"<(__TABSHELL_(?:HERE_\w+?|STRING)__)")
#: ``time`` before a compound command, which the grammar takes for a program.
_TIMED = re.compile(r"(?m)(^[ \t]*|[;&|(][ \t]*)time(?:[ \t]+-p)?[ \t]+(?=[({]|(?:for|while|until|if|case)\b)")
#: An extended glob (``!(a|b)``), whose parentheses the grammar takes for a subshell.
_EXTENDED = re.compile(r"[?*+@!]\(")
_HIDDEN = str.maketrans("()|", "\ue011\ue012\ue013")
_SEEN = str.maketrans("\ue011\ue012\ue013", "()|")
_OPENER = re.compile(r"<<(-?)[ \t]*((?:\\.|'[^'\n]*'|\"[^\"\n]*\"|[^\s\\'\"|&;()<>`])+)")


@dataclass(frozen=True, slots=True)
class Heredocs:
    """The bodies by placeholder."""

    names: tuple[str, ...] = ()
    bodies: tuple[Heredoc, ...] = ()

    def get(self, name: str) -> Heredoc | None:
        """The document that the placeholder ``name`` stands for."""
        return self.bodies[self.names.index(name)] if name in self.names else None

    def within(self, text: str) -> Heredocs:
        """Those whose placeholders stand in ``text``."""
        kept = [i for i, name in enumerate(self.names) if name in text]
        return Heredocs(tuple(self.names[i] for i in kept), tuple(self.bodies[i] for i in kept))

    def with_(self, other: Heredocs) -> Heredocs:
        """These and ``other``."""
        if not other.names:
            return self
        return Heredocs(self.names + other.names, self.bodies + other.bodies)


def unmask(text: str) -> str:
    """``text`` with the parentheses of extended globs put back."""
    return text.translate(_SEEN)


def restore(text: str, documents: Heredocs) -> str:
    """``text`` with the operators as they were typed (bodies stay out)."""
    if "__TABSHELL_" not in text:
        return text

    def opener(match: re.Match[str]) -> str:
        if match[1] == STRING:
            return "<<<"
        document = documents.get(match[1])
        return document.opener if document else match[0]

    return _PLACEHOLDER.sub(opener, text)


def lift(text: str) -> tuple[str, Heredocs, bool]:
    """The script without bodies, the bodies, and whether each one was closed."""
    if "time" in text:
        text = _TIMED.sub(r"\1", text)
    if "<<" not in text and not _EXTENDED.search(text):
        return text, Heredocs(), True
    return _Lifter(text).run()


class _Lifter:
    def __init__(self, text: str) -> None:
        self.text = text
        # Names differ between texts, so that one walk may keep the documents of several.
        self.mark = format(zlib.crc32(text.encode("utf-8", "surrogateescape")), "x")
        self.out: list[str] = []
        self.pending: list[tuple[str, bool, bool, str]] = []
        self.bodies: list[Heredoc] = []
        self.complete = True
        self.at = 0
        #: open constructs, innermost last: '"' a double quote, ")" a command substitution
        self.open: list[str] = []

    def run(self) -> tuple[str, Heredocs, bool]:
        while self.at < len(self.text):
            self.step()
        self.complete = self.complete and not self.pending
        for _ in range(len(self.pending)):
            self.take_body()
        names = tuple(self.name(i) for i in range(len(self.bodies)))
        return "".join(self.out), Heredocs(names, tuple(self.bodies)), self.complete

    def name(self, number: int) -> str:
        return f"__TABSHELL_HERE_{self.mark}_{number}__"

    def step(self) -> None:
        text, at = self.text, self.at
        char = text[at]
        quoted = bool(self.open) and self.open[-1] == '"'
        if char == "\\":
            self.keep(2)
        elif char == "\n" and self.pending:
            self.keep(1)
            while self.pending:
                self.take_body()
        elif char == '"':
            if quoted:
                self.open.pop()
            else:
                self.open.append('"')
            self.keep(1)
        elif text.startswith("$((", at) or (not quoted and text.startswith("((", at)):
            self.keep(max(closing(text, at + (1 if char == "$" else 0), "(", ")") - at, 1))
        elif text.startswith("$(", at):
            self.open.append(")")
            self.keep(2)
        elif quoted:
            self.keep(1)
        else:
            self.code(char)

    def code(self, char: str) -> None:
        text, at = self.text, self.at
        if char == "'":
            end = text.find("'", at + 1)
            self.keep((len(text) if end < 0 else end + 1) - at)
        elif char == "#" and (at == 0 or text[at - 1] in " \t\n;|&()"):
            end = text.find("\n", at)
            self.keep((len(text) if end < 0 else end) - at)
        elif char in "?*+@!" and text.startswith("(", at + 1) and self.inside_command():
            end = closing(text, at + 1, "(", ")")
            self.out.append(text[at:end].translate(_HIDDEN))
            self.at = end
        elif char == "(":
            self.open.append(")")
            self.keep(1)
        elif char == ")":
            if self.open and self.open[-1] == ")":
                self.open.pop()
            self.keep(1)
        elif text.startswith("<<<", at):
            self.out.append("<" + STRING)
            self.at += 3
            while text.startswith((" ", "\t"), self.at):
                self.at += 1
        elif text.startswith("<<", at) and (match := _OPENER.match(text, at)):
            self.opener(match)
        else:
            self.keep(1)

    def inside_command(self) -> bool:
        """Whether a command's name stands before this point (else ``!(…)`` negates a subshell)."""
        before = "".join(self.out[-40:]).rstrip(" \t")
        return (
            bool(before)
            and before[-1] not in ";|&({\n!"
            and not re.search(r"\b(?:then|do|else|if|while|until)$", before)
        )

    def opener(self, match: re.Match[str]) -> None:
        word = match[2]
        literal = any(c in word for c in "\\'\"")
        delimiter = re.sub(r"\\(.)|['\"]", lambda m: m[1] or "", word)
        self.out.append("<" + self.name(len(self.bodies) + len(self.pending)))
        self.pending.append((delimiter, literal, bool(match[1]), match[0]))
        self.at = match.end()

    def take_body(self) -> None:
        """The lines from here to the delimiter; to the end of the text where it never comes."""
        delimiter, literal, tabs, opener = self.pending.pop(0)
        lines: list[str] = []
        closed = False
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end + 1
            line = self.text[self.at : end]
            bare = line.rstrip("\n")
            bare = bare.lstrip("\t") if tabs else bare
            if bare == delimiter:
                self.at = end
                closed = True
                break
            if self.open and bare.startswith(delimiter) and bare[len(delimiter) :].lstrip()[:1] == ")":
                # ``E)`` also ends a document inside ``$(…)``, with a warning of bash.
                self.at += len(line) - len(line.lstrip("\t")) + len(delimiter)
                closed = True
                break
            lines.append(bare + "\n" if tabs else line)
            self.at = end
        self.complete = self.complete and closed
        self.bodies.append(Heredoc(opener, "".join(lines), literal))

    def keep(self, count: int) -> None:
        self.out.append(self.text[self.at : self.at + count])
        self.at += count
