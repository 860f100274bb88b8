"""The words of one ``tab`` call: operation, arguments, options. No library: every call pays for what it imports.

Options may stand anywhere before ``--``. Where an operation takes text, a word that begins with a dash is text
unless it looks like an option (``--word``); after ``--`` everything is text.
"""

from __future__ import annotations

from collections.abc import Sequence

from tabshell.cli.tab_client import Caller
from tabshell.errors import UsageError
from tabshell.model.light import dataclass
from tabshell.text.late import late

#: Operation -> the options it takes (``=`` at the end: with a value) beside ``--json`` and ``--help``.
OPTIONS: dict[str, frozenset[str]] = {
    "add": frozenset(),
    "note": frozenset(),
    "list": frozenset({"--page=", "--all"}),
    "show": frozenset({"--page=", "--all"}),
    "resolve": frozenset({"--quote="}),
    "reopen": frozenset(),
    "status": frozenset(),
    "task": frozenset(),
    "finish": frozenset({"--stop="}),
    "prompt": frozenset(),
    "help": frozenset(),
}
_TEXT_OPERATIONS = frozenset({"add", "note", "task", "resolve"})
_LOOKS_LIKE_OPTION = late(r"(?s)--[a-z][a-z-]*(=.*)?")


@dataclass(frozen=True, slots=True)
class Words:
    """A call, understood as far as words go. ``page`` is None where none was asked for; ``caller`` is the
    process whose call it is (None: this one)."""

    operation: str
    arguments: tuple[str, ...] = ()
    json: bool = False
    page: int | None = None
    all: bool = False
    quote: str | None = None
    stop: str | None = None
    caller: Caller | None = None


def parse(argv: Sequence[str], caller: Caller | None = None) -> Words:
    """The call that ``argv`` (without the program's name) makes; ``caller``: for that process. Raises UsageError."""
    given, arguments, literal = _sorted_out(argv)
    as_json = "--json" in given
    if "--help" in given or not arguments:
        return Words("help", json=as_json, caller=caller)
    operation, rest = arguments[0], (*arguments[1:], *literal)
    if operation not in OPTIONS:
        msg = f"no operation {operation!r}; there are: {', '.join(OPTIONS)}"
        raise UsageError(msg)
    _refuse_unknown(operation, given, rest[: len(rest) - len(literal)])
    return Words(
        operation,
        rest,
        as_json,
        _page(given.get("--page")),
        "--all" in given,
        given.get("--quote"),
        given.get("--stop"),
        caller,
    )


def items_of(arguments: Sequence[str]) -> list[str]:
    """The items that ``tab add`` was given: one per argument and line if any argument holds white space, else
    the arguments are one unquoted sentence."""
    apart = any(character.isspace() for argument in arguments for character in argument)
    return lines_of("\n".join(arguments) if apart else " ".join(arguments))


def lines_of(text: str) -> list[str]:
    """The lines of ``text``, trimmed, without blank ones."""
    return [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()]


def _sorted_out(argv: Sequence[str]) -> tuple[dict[str, str], list[str], list[str]]:
    """Options with their values (``""`` without), the words before ``--``, the words after it."""
    with_value = {"--page", "--quote", "--stop"}
    known = {"--json", "--all", "--help", *with_value}
    given: dict[str, str] = {}
    arguments: list[str] = []
    words = list(argv)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            return given, arguments, words
        if word == "-h":
            given["--help"] = ""
        elif name in known and (name in with_value or not equals):
            if name in with_value and not equals:
                if not words:
                    msg = f"{name} needs a value"
                    raise UsageError(msg)
                value = words.pop(0)
            given[name] = value
        else:
            arguments.append(word)
    return given, arguments, []


def _refuse_unknown(operation: str, given: dict[str, str], words: Sequence[str]) -> None:
    allowed = {name.rstrip("=") for name in OPTIONS[operation]} | {"--json", "--help"}
    for name in given:
        if name not in allowed:
            msg = f"tab {operation} takes no {name}"
            raise UsageError(msg)
    for word in words:
        if operation in _TEXT_OPERATIONS:
            if (
                word.startswith("--")
                and _LOOKS_LIKE_OPTION.fullmatch(word)
                and not any(character.isspace() for character in word)
            ):
                msg = f"tab {operation} takes no {word}; put -- before text that begins with --"
                raise UsageError(msg)
        elif word.startswith("-") and word != "-":
            msg = f"tab {operation} takes no {word}"
            raise UsageError(msg)


def _page(value: str | None) -> int | None:
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        msg = f"--page counts from 1, not {value!r}"
        raise UsageError(msg)
    return int(value)
