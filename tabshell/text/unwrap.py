"""An agent's wrapper text off its command: what the model asked for, not what the harness made of it.

Agents hand bash more than the command: they load a snapshot of the user's shell, keep the directory, count
background jobs, print a sentinel. In: the text given to ``bash -c`` (or typed at a persistent shell).
Out: the model's own command, or None where the whole text is the harness's book-keeping (a probe, a
snapshot, a syntax check). A text that no rule knows comes back as it is; nothing raises. Each rule must
match to the last character of the text, so that a command which merely mentions such words stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Unwrapped(NamedTuple):
    """``command`` is None where nothing in the text is the model's; ``by`` names the rule (None: none)."""

    command: str | None
    by: str | None


def unwrap(text: str) -> Unwrapped:
    """The model's command inside ``text``."""
    for name, rule in _RULES.items():
        inner = rule(text)
        if inner is not None:
            return Unwrapped(inner, name)
    for name, pattern in _BOOK_KEEPING.items():
        if pattern.search(text):
            return Unwrapped(None, name)
    return Unwrapped(text, None)


def shell_word(text: str, start: int) -> tuple[str, int] | None:
    """The value of the quoted bash word at ``start`` and the offset behind it; None if it never ends.

    Knows ``'…'``, ``"…"``, ``$'…'`` and backslashes. Expansions inside double quotes stay as written.
    """
    value: list[str] = []
    at = start
    while at < len(text) and text[at] not in " \t\n;&|<>()":
        piece = _quoted(text, at)
        if piece is None:
            return None
        value.append(piece[0])
        at = piece[1]
    return ("".join(value), at) if at > start else None


def _quoted(text: str, at: int) -> tuple[str, int] | None:
    """One quoted piece, or one plain character, of a word."""
    if text[at] == "'":
        end = text.find("'", at + 1)
        return None if end < 0 else (text[at + 1 : end], end + 1)
    if text.startswith("$'", at):
        found = _ANSI_QUOTED.match(text, at)
        return None if found is None else (_ansi(found[1]), found.end())
    if text[at] == '"':
        found = _DOUBLE_QUOTED.match(text, at)
        return None if found is None else (re.sub(r'\\([$`"\\\n])', _escaped, found[1]), found.end())
    if text[at] == "\\":
        return (text[at + 1 : at + 2].replace("\n", ""), at + 2)
    return (text[at], at + 1)


def _escaped(found: re.Match[str]) -> str:
    return "" if found[1] == "\n" else found[1]


def _ansi(body: str) -> str:
    """The characters of a ``$'…'`` word, for the escapes that quoting functions produce."""

    def one(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return _ANSI_NAMES.get(code, code)

    return re.sub(r"\\([0-7]{1,3}|x[0-9A-Fa-f]{1,2}|.)", one, body, flags=re.DOTALL)


_ANSI_NAMES = dict(zip("nrteEabfv", "\n\r\t\x1b\x1b\a\b\f\v", strict=True))
_ANSI_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


def _claude_code(text: str) -> str | None:
    """``… && eval '<CMD>' < /dev/null && pwd -P >| FILE``, with or without a snapshot before it."""
    tail = _CLAUDE_TAIL.search(text)
    if tail is None:
        return None
    for found in re.finditer(r"(?:^|&& |; )eval ", text):
        word = shell_word(text, found.end())
        if word is not None and text[word[1] : tail.start()].strip() in _NO_STDIN:
            return word[0]
    return None


_CLAUDE_TAIL = re.compile(r"\s*&& pwd -P >\| \S+\s*\Z")
_NO_STDIN = ("", "< /dev/null", r"\< /dev/null", "</dev/null")


def _codex(text: str) -> str | None:
    """``__CODEX_SNAPSHOT…; . "snapshot"; exec '/bin/bash' -c '<CMD>'``: the second shell's command."""
    if "__CODEX_SNAPSHOT" not in text and "/shell_snapshots/" not in text:
        return None
    for found in reversed(list(_EXEC_SHELL.finditer(text))):
        word = shell_word(text, found.end())
        if word is not None and not text[word[1] :].strip():
            return word[0]
    return None


_EXEC_SHELL = re.compile(r"""(?:^|[\n;&] ?)\s*exec ['"]?[^'"\s]*sh['"]? -l?c """)


def _gemini(text: str) -> str | None:
    """The subshell with the trap that counts background jobs, and the older group with ``pgrep -g 0``."""
    for pattern in (_GEMINI_TRAP, _GEMINI_GROUP):
        found = pattern.match(text)
        if found is not None:
            return found[1]
    return None


_GEMINI_TRAP = re.compile(
    r"""\s*(?:shopt -u [a-z ]+; ?)?_bgpids_file=[^\n]*\n\(\n[ \t]*trap 'jobs -p > "\$_bgpids_file"' EXIT\n"""
    r"(.*)\n\)\n__code=\$\?[;\n] ?exit \$__code;?\s*\Z",
    re.DOTALL,
)
_GEMINI_GROUP = re.compile(
    r"\s*(?:shopt -u [a-z ]+; )?\{ (.*?);? \}; __code=\$\?; pgrep -g 0 >\S+ 2>&1; exit \$__code;\s*\Z",
    re.DOTALL,
)


def _swe_rex(text: str) -> str | None:
    """The command before ``echo EXITCODESTART$?EXITCODEEND``, or before the fall-back sentinel."""
    found = _SWE_REX_TAIL.search(text)
    return text[: found.start()] if found is not None else None


_SWE_REX_TAIL = re.compile(
    r"(?:\A|\s*\n ?)(?:echo EXITCODESTART\$\?EXITCODEEND|"
    r"TMPEXITCODE=\$\? ; sleep [0-9.]+; echo -n 'UNIQUESTRING\d+' ; \(exit \$TMPEXITCODE\))\s*\Z"
)


def _anthropic_tool(text: str) -> str | None:
    """The command before ``; echo '<<exit>>'``, the sentinel of the reference bash tool."""
    found = re.search(r";\s*echo '<<exit>>'\s*\Z", text)
    return text[: found.start()] if found is not None else None


def _terminus(text: str) -> str | None:
    """The command before ``; tmux wait -S done``, by which a blocking call learns of its end."""
    found = re.search(r"; tmux wait -S \S+\s*\Z", text)
    return text[: found.start()] if found is not None else None


_RULES: dict[str, Callable[[str], str | None]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "swe-rex": _swe_rex,
    "anthropic-tool": _anthropic_tool,
    "terminus": _terminus,
}
"""One rule for each wrapper; the first that matches wins."""

_BOOK_KEEPING: dict[str, re.Pattern[str]] = {
    "claude-code": re.compile(r"\A\s*SNAPSHOT_FILE=\S+"),
    "codex": re.compile(
        r"""\A\s*if \[ -z "\$\{BASH_ENV-\}" \].*# Snapshot file|\A\s*set -e; \. ['"]?\S*/shell_snapshots/\S+\Z""",
        re.DOTALL,
    ),
    "copilot": re.compile(r"__copilot_login_env_snapshot_"),
    "swe-rex": re.compile(
        r"\A\s*(?:(?:/usr/bin/env )?bash -n << 'SOUNIQUEEOF'\n|export PS1='SHELLPS1PREFIX' ; export PS2='' ; )"
    ),
    "openhands": re.compile(r"\A\s*(?:set \+H; ?)?export PROMPT_COMMAND=.*###PS1JSON###", re.DOTALL),
}
"""Texts in which nothing is the model's: probes, snapshots, syntax checks, prompt set-up."""
