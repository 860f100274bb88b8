"""The words after ``bash`` -> what form of run they ask for. Pure, and light: it is read before every command.

The rules are those of bash 5.2's ``parse_long_options`` and ``parse_shell_options``, in the order bash applies
them: long options first (one or two dashes), then bundles of letters that begin with ``-`` or ``+`` (``-o`` and
``-O`` take the next word, wherever they stand in the bundle), until ``-``, ``--`` or a word. With ``-c`` the
first word is the command and the second ``$0``; else the first is a script, unless ``-s`` was given.

In: the words without ``argv[0]``, and whether stdin and stderr are terminals. Out: an ``Invocation``. A word that
bash will refuse makes the form ``other``: bash itself shall say so.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    Form = Literal["command", "script", "stdin", "interactive", "other"]

_LONG_WITH_VALUE = ("init-file", "rcfile")
_LONG = (
    "debug", "debugger", "dump-po-strings", "dump-strings", "help", "login", "noediting", "noprofile", "norc",
    "posix", "pretty-print", "restricted", "verbose", "version",
)  # fmt: skip
_INFORMATION = ("dump-po-strings", "dump-strings", "help", "pretty-print", "version")
_LETTERS = "abefhiklmnprstuvxBCDEHPTcoO"


class Invocation:
    """One way of calling bash. ``form`` is what runs: a ``-c`` text, a script, standard input, a prompt, or
    nothing that could be a turn (``--version``, ``-n``, a wrong option). ``text`` is the ``-c`` text or the
    script's path; ``arguments`` what follows it. ``echoes``: ``-v`` or ``-x`` is on from the start."""

    __slots__ = ("arguments", "echoes", "form", "interactive", "login", "posix", "text")

    def __init__(
        self,
        form: Form,
        text: str | None = None,
        arguments: tuple[str, ...] = (),
        *,
        login: bool = False,
        interactive: bool = False,
        posix: bool = False,
        echoes: bool = False,
    ) -> None:
        self.form: Form = form
        self.text = text
        self.arguments = arguments
        self.login = login
        self.interactive = interactive
        self.posix = posix
        self.echoes = echoes

    def __repr__(self) -> str:
        return f"Invocation({self.form!r}, {self.text!r}, {self.arguments!r})"


class _Options:
    """What the options add up to while they are read."""

    __slots__ = ("letters", "listing", "longs", "position", "valid")

    def __init__(self) -> None:
        self.longs: set[str] = set()
        self.letters: set[str] = set()
        self.position = 0
        self.valid = True
        self.listing = False


def parse(words: Sequence[str], *, terminal: bool = False) -> Invocation:
    """The form that ``words`` ask for; ``terminal``: stdin and stderr both are terminals."""
    options = _Options()
    _read_longs(words, options)
    if options.valid:
        _read_letters(words, options)
    rest = tuple(words[options.position :])
    return _decide(rest, options, terminal)


def _read_longs(words: Sequence[str], options: _Options) -> None:
    """Long options; they stand first. A word with one dash that is none of them ends the search."""
    while options.position < len(words):
        word = words[options.position]
        if not word.startswith("-"):
            return
        double = word.startswith("--")
        name = word[2:] if double else word[1:]
        if name in _LONG_WITH_VALUE:
            options.valid = options.position + 1 < len(words)
            options.position += 2
        elif name in _LONG:
            options.longs.add(name)
            options.position += 1
        else:
            options.valid = not double or not name
            return
        if not options.valid:
            return


def _read_letters(words: Sequence[str], options: _Options) -> None:
    """Bundles such as ``-lc``, ``+x``, ``-eo pipefail``."""
    while options.position < len(words) and words[options.position][:1] in ("-", "+"):
        word = words[options.position]
        options.position += 1
        if word in ("-", "--"):
            return
        for letter in word[1:]:
            if letter not in _LETTERS:
                options.valid = False
                return
            if letter in "oO":
                if options.position >= len(words):
                    options.listing = True
                else:
                    _named(words[options.position], word[0] == "-", options)
                    options.position += 1
            elif letter in "cslD" or word[0] == "-":
                options.letters.add(letter)
            else:
                options.letters.discard(letter)


def _named(name: str, on: bool, options: _Options) -> None:
    """``-o noexec`` and the like say the same as their letters."""
    letter = {"noexec": "n", "verbose": "v", "xtrace": "x", "posix": "posix"}.get(name)
    if letter is not None and on:
        options.letters.add(letter)
    elif letter is not None:
        options.letters.discard(letter)


def _decide(rest: tuple[str, ...], options: _Options, terminal: bool) -> Invocation:
    """bash's own order: what only informs, then ``-c``, then a script, then standard input."""
    letters, longs = options.letters, options.longs
    if not options.valid or options.listing or longs.intersection(_INFORMATION) or letters.intersection("nD"):
        return Invocation("other")
    login = "l" in letters or "login" in longs
    posix = "posix" in letters or "posix" in longs
    echoes = bool(letters.intersection("vx")) or "verbose" in longs
    interactive = "i" in letters
    if "c" in letters:
        if not rest:
            return Invocation("other")
        return Invocation(
            "command", rest[0], rest[1:], login=login, interactive=interactive, posix=posix, echoes=echoes
        )
    from_stdin = "s" in letters or not rest
    if from_stdin and (interactive or terminal):
        return Invocation("interactive", None, rest, login=login, interactive=True, posix=posix, echoes=echoes)
    if from_stdin:
        return Invocation("stdin", None, rest, login=login, posix=posix, echoes=echoes)
    return Invocation("script", rest[0], rest[1:], login=login, interactive=interactive, posix=posix, echoes=echoes)
