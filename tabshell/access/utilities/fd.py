"""``fd``: which files of a tree it prints, and what ``-x`` and ``-X`` run on them.

Patterns are regular expressions on base names (globs with ``-g``, plain texts with ``-F``). What a ``.gitignore``
leaves out is not known here, so its lists are never exact.
"""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING

from tabshell.access.acts import Roots
from tabshell.access.bash.options import Parsed, parse
from tabshell.access.bash.streams import Lines, Stream
from tabshell.access.paths.patterns import compiled
from tabshell.access.paths.trees import under
from tabshell.access.utilities.texts import basic_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.bash.calls import Call
    from tabshell.access.bash.expand import Field

_LONG = {
    "max-depth", "min-depth", "exact-depth", "exclude", "type", "extension", "size", "changed-within", "changed-before",
    "owner", "format", "batch-size", "ignore-file", "color", "threads", "max-results", "base-directory",
    "path-separator", "search-path",
}  # fmt: skip
_EXECUTES = {"-x": False, "--exec": False, "-X": True, "--exec-batch": True}
_PLACE = re.compile(r"\{(?:/{1,2}|\.|/\.)?\}")


def fd(call: Call) -> Stream:
    """fd PATTERN [DIR…] [-x COMMAND…]"""
    call.stdin.hide()
    args, command, together = _parted(call.args)
    parsed = parse(args, "dEteSojc", _LONG)
    operands = parsed.operands[1:] + parsed.values("search-path")
    base = parsed.value("base-directory")
    outer = call.shell.state.cwd
    if base is not None:
        call.shell.state.cwd = call.path(base)
    try:
        roots = _roots(call, parsed, operands)

        def lines() -> Lines:
            return _lines(call, parsed, operands, roots)

        if command:
            return _executed(call, command, lines(), together=together)
        return Stream([call.act("list", operands, roots=roots)], lines)
    finally:
        call.shell.state.cwd = outer


def _parted(args: list[Field]) -> tuple[list[Field], list[Field], bool]:
    """Its own words, those of the command that it runs, and whether on all files at once."""
    at = next((n for n, a in enumerate(args) if a.text in _EXECUTES), None)
    if at is None:
        return args, [], False
    end = next((n for n in range(at, len(args)) if args[n].text == ";"), len(args))
    return args[:at] + args[end + 1 :], args[at + 1 : end], _EXECUTES[args[at].text]


def _roots(call: Call, parsed: Parsed, operands: list[Field]) -> Roots:
    extensions = tuple(f"*.{v.text.lstrip('.')}" for v in parsed.values("e", "extension"))
    directories = tuple(call.path(o.text) for o in operands if o.known) or (call.cwd,)
    exclude = tuple(v.text for v in parsed.values("E", "exclude"))
    hidden = parsed.has("H", "hidden", "u", "unrestricted")
    return Roots(directories, extensions, exclude, hidden, parsed.number("d", "max-depth", "exact-depth"))


def _lines(call: Call, parsed: Parsed, operands: list[Field], roots: Roots) -> Lines:
    """The files that it prints, as far as the tree could be seen."""
    values: list[str] = []
    complete = True
    fits = _fitting(parsed)
    for start in [o.text.rstrip("/") + "/" for o in operands if o.known] or [""]:
        found, seen = under(call.files, call.path(start or "."), call.shell.fuel, roots)
        values += [start + name for name in found if fits(name)]
        complete = complete and seen
    return Lines(tuple(values), exact=False, ordered=False, roots=None if complete else roots)


def _fitting(parsed: Parsed) -> Callable[[str], bool]:
    """Whether a relative path fits the pattern; one that cannot be told fits all."""
    pattern = parsed.operands[0].text if parsed.operands and parsed.operands[0].known else ""
    if pattern in ("", ".") or len(pattern) > 200 or parsed.has("p", "full-path"):
        return lambda _path: True
    if parsed.has("g", "glob"):
        glob = compiled(pattern)
        return lambda path: glob.match(os.path.basename(path)) is not None
    loose = parsed.has("i", "ignore-case") or not (parsed.has("s", "case-sensitive") or pattern != pattern.lower())
    fixed = parsed.has("F", "fixed-strings")
    expression = basic_pattern(pattern, extended=True, fixed=fixed, ignore_case=loose)
    return lambda path: expression is None or expression.search(os.path.basename(path)) is not None


def _executed(call: Call, command: list[Field], lines: Lines, *, together: bool) -> Stream:
    """``-x command`` for each file, ``-X command`` for all of them."""
    shell = call.shell
    hits = [call.args[0].saying(value, exact=lines.exact) for value in lines.values]
    out = Stream()
    if together:
        placed = any(word.text == "{}" for word in command)
        words = [hit for word in command for hit in (hits if word.text == "{}" else [word])]
        with shell.loop():
            out = shell.invoke(words if placed else [*command, *hits], Stream(), call.node) if hits else Stream()
    else:
        for stream in shell.each(hits, lambda hit: shell.invoke(_filled(command, hit), Stream(), call.node)):
            out.join(stream)
    for draft in out.drafts if lines.roots is not None else ():
        draft.exact, draft.roots = False, draft.roots or lines.roots
    return out.weaken("reordered")


def _filled(command: list[Field], hit: Field) -> list[Field]:
    """The words with the file in its places, or behind them where there are none."""
    path = hit.text
    bare = os.path.splitext(path)[0]
    forms = {
        "{}": path, "{/}": os.path.basename(path), "{//}": os.path.dirname(path) or ".", "{.}": bare,
        "{/.}": os.path.basename(bare),
    }  # fmt: skip
    words = [
        w.saying(_PLACE.sub(lambda m: forms[m.group()], w.text), exact=hit.exact) if _PLACE.search(w.text) else w
        for w in command
    ]
    return words if words != command else [*command, hit]
