"""Programs that no table knows: scripts on the disk by their first line, everything else opaque."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.bash.expand import Field
from tabshell.access.bash.streams import Stream

if TYPE_CHECKING:
    from tabshell.access.bash.calls import Call, Shell

_SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "ash"}


def run_program(shell: Shell, call: Call) -> Stream:
    """A program that no table knows."""
    if "/" in call.program:
        text = shell.text_of(call.path(call.program))
        first = "" if text is None else text.split("\n", 1)[0]
        match = re.match(r"#!\s*(?:\S*/env\s+(?:-S\s+)?)?(?:\S*/)?([\w.+-]+)", first)
        if text is not None and match is not None:
            return _interpreted(shell, call, match[1], text)
    return opaque(call)


def _interpreted(shell: Shell, call: Call, interpreter: str, text: str) -> Stream:
    if interpreter in _SHELLS:
        return shell.nested(text, call.args, call.stdin, call.program)
    words = [Field(interpreter, interpreter), Field(call.program, call.program), *call.args]
    return shell.invoke(words, call.stdin, call.node)


def opaque(call: Call) -> Stream:
    """Nothing is known but which operands exist."""
    suspects = [operand for arg in call.args if (operand := _operand(call, arg)) is not None]
    passes = call.stdin.drafts or call.stdin.file is not None
    stream = call.through("altered") if passes else Stream()
    if call.program or suspects:
        stream.drafts.append(call.act("opaque", suspects, exact=False))
    stream.literal = True
    return stream


def _operand(call: Call, arg: Field) -> Field | None:
    """The operand as a file that exists: itself, or the value of ``--name=value``."""
    if not arg.known or arg.stream is not None or not arg.text or len(arg.text) > 4096:
        return None
    for text in dict.fromkeys((arg.text, arg.text.partition("=")[2], arg.text.removeprefix("@"))):
        if not text or "\n" in text:
            continue
        word = arg if text == arg.text else replace(arg, text=text)
        info = call.info(word)
        if info is not None and info.kind == "file":
            return word
    return None
