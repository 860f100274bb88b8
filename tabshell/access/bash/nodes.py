"""The statements of a shell script, as the walk needs them: what ``syntax`` makes and ``walk`` follows.

Words are raw source text (quotes and expansions still in them); ``text`` is the source of a simple command.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Heredoc:
    """The body of a here-document; ``literal``: its delimiter was quoted, so nothing in it is expanded."""

    opener: str
    body: str
    literal: bool


@dataclass(frozen=True, slots=True)
class Redirect:
    """``3> file``: descriptor (None: the operator's own), operator, raw target; or a here-document."""

    descriptor: int | None
    operator: str
    target: str
    document: Heredoc | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """``name=value``, ``name+=value``, ``name=(items)``, ``name[index]=value``; all raw."""

    name: str
    value: str
    append: bool = False
    items: tuple[str, ...] | None = None
    index: str | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command. ``declares``: export, declare, local, readonly, unset (assignments are operands)."""

    words: tuple[str, ...]
    assignments: tuple[Assignment, ...]
    redirects: tuple[Redirect, ...]
    text: str
    declares: bool = False


@dataclass(frozen=True, slots=True)
class Test:
    """``[[ … ]]``, ``[ … ]``, ``(( … ))``: its words in order."""

    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stages from left to right."""

    stages: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """Statements with the operator before each: ``;``, ``&&`` or ``||``."""

    parts: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Background:
    """``body &``."""

    body: Node


@dataclass(frozen=True, slots=True)
class Group:
    """``{ body; }``."""

    body: Node


@dataclass(frozen=True, slots=True)
class Subshell:
    """``( body )``."""

    body: Node


@dataclass(frozen=True, slots=True)
class Redirected:
    """A compound statement with redirections."""

    body: Node
    redirects: tuple[Redirect, ...]
    text: str


@dataclass(frozen=True, slots=True)
class For:
    """``for variable in words``; None: over the positional parameters."""

    variable: str
    words: tuple[str, ...] | None
    body: Node


@dataclass(frozen=True, slots=True)
class While:
    """``while``, ``until`` and the C form of ``for``."""

    condition: Node
    body: Node


@dataclass(frozen=True, slots=True)
class If:
    """Clauses in order; the condition of ``else`` is None."""

    clauses: tuple[tuple[Node | None, Node], ...]


@dataclass(frozen=True, slots=True)
class Case:
    """``case word in patterns) body ;; esac``."""

    word: str
    items: tuple[tuple[tuple[str, ...], Node], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function's definition; ``text`` is its source."""

    name: str
    body: Node
    text: str


Node = (
    Simple
    | Test
    | Pipeline
    | Sequence
    | Background
    | Group
    | Subshell
    | Redirected
    | For
    | While
    | If
    | Case
    | Function
)


def pipe(stages: list[Node]) -> Node:
    """One pipeline of ``stages`` (a single stage is itself)."""
    return stages[0] if len(stages) == 1 else Pipeline(tuple(stages))


def redirect_last(body: Node, redirects: tuple[Redirect, ...], words: tuple[str, ...], text: str) -> Node:
    """``body`` with redirections on the command that bash gives them to: the last one of a list or pipeline."""
    if isinstance(body, Simple):
        whole = text if text.startswith(body.text) or not body.text else body.text
        return replace(body, words=body.words + words, redirects=body.redirects + redirects, text=whole)
    if isinstance(body, Sequence) and body.parts:
        operator, last = body.parts[-1]
        return Sequence((*body.parts[:-1], (operator, redirect_last(last, redirects, words, ""))))
    if isinstance(body, Pipeline):
        return Pipeline((*body.stages[:-1], redirect_last(body.stages[-1], redirects, words, "")))
    return Redirected(body, redirects, text)
