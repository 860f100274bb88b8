"""``[ … ]``, ``[[ … ]]`` and ``test``: true, false, or None where the walk cannot tell.

Files are asked as they are after the command; what a test said about a file that the command itself made or
removed may therefore differ, and the walk follows both branches of an ``if`` anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabshell.access.bash.streams import Stream
from tabshell.access.paths.patterns import compiled

_ON_FILES = frozenset({"-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h", "-nt", "-ot"})

if TYPE_CHECKING:
    from tabshell.access.bash.nodes import Test
    from tabshell.access.command.walk import Walk


def holds(walk: Walk, node: Test) -> bool | None:
    """The status of ``[[ … ]]`` or ``[ … ]``."""
    words = list(node.words)
    if not words or words[0] not in ("[", "[["):
        return None
    if words[0] == "[[" and len(words) == 5 and words[2] in ("==", "=", "!="):
        text, pattern = walk.expander.single(words[1]).text, walk.expander.pattern(words[3])
        if text is None or pattern is None:
            return None
        return (compiled(pattern).match(text) is not None) == (words[2] != "!=")
    values = [walk.expander.single(word).text for word in words[1:-1]]
    return evaluate(walk, [v for v in values if v is not None]) if None not in values else None


def tested(result: bool | None, words: tuple[str, ...]) -> Stream:
    """The status of a test. One about files is only likely: the command may have made or removed them since."""
    about_files = not _ON_FILES.isdisjoint(words)
    return Stream(status=None if about_files else result, likely=result)


def evaluate(walk: Walk, words: list[str]) -> bool | None:
    """``test`` of expanded words; only its plain forms."""
    if words[:1] == ["!"]:
        inner = evaluate(walk, words[1:])
        return None if inner is None else not inner
    if len(words) == 1:
        return words[0] != ""
    if len(words) == 2:
        return _unary(walk, words[0], words[1])
    if len(words) == 3:
        return _binary(*words)
    return None


def _unary(walk: Walk, operator: str, text: str) -> bool | None:
    if operator == "-n":
        return text != ""
    if operator == "-z":
        return text == ""
    info = walk.files.info(walk.state.absolute(text)) if operator in ("-e", "-f", "-d", "-s", "-L", "-h") else None
    if operator == "-e":
        return info is not None
    if operator in ("-f", "-d"):
        return info is not None and info.kind == ("file" if operator == "-f" else "dir")
    if operator == "-s":
        return info is not None and info.size > 0
    return None


def _binary(left: str, operator: str, right: str) -> bool | None:
    if operator in ("=", "=="):
        return left == right
    if operator == "!=":
        return left != right
    if not (left.lstrip("-").isdecimal() and right.lstrip("-").isdecimal()):
        return None
    one, other = int(left), int(right)
    results = {
        "-eq": one == other, "-ne": one != other, "-lt": one < other,
        "-le": one <= other, "-gt": one > other, "-ge": one >= other,
    }  # fmt: skip
    return results.get(operator)
