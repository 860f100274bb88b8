"""grep and its relatives: what they search, and whether they show lines, names or counts."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from tabshell.access.acts import Roots
from tabshell.access.bash.calls import Call, Utility, gather, separate
from tabshell.access.bash.options import Parsed, parse
from tabshell.access.bash.streams import Lines, Stream
from tabshell.access.paths.trees import under
from tabshell.access.utilities import texts
from tabshell.access.utilities.readers import whole_text

if TYPE_CHECKING:
    from tabshell.access.acts import Passage
    from tabshell.access.bash.expand import Field

_GREP_LONG = {
    "regexp", "file", "max-count", "after-context", "before-context", "context", "include", "exclude", "exclude-dir",
    "exclude-from", "label", "binary-files", "devices", "directories", "group-separator",
}  # fmt: skip
_RG_LONG = {
    "regexp", "file", "max-count", "after-context", "before-context", "context", "glob", "iglob", "type", "type-not",
    "max-depth", "maxdepth", "max-columns", "max-filesize", "replace", "sort", "sortr", "threads", "encoding",
    "color", "colors", "path-separator", "engine", "pre", "pre-glob", "ignore-file", "type-add",
}  # fmt: skip
_AG_LONG = {
    "after",
    "before",
    "context",
    "depth",
    "file-search-regex",
    "ignore",
    "ignore-dir",
    "max-count",
    "path-to-ignore",
}


def _grep(call: Call) -> Stream:
    parsed = parse(call.args, "efmABCdD", _GREP_LONG, numeric=True)
    extended = call.name in ("egrep", "zegrep") or parsed.has("E", "P", "extended-regexp", "perl-regexp")
    fixed = call.name in ("fgrep", "zfgrep") or parsed.has("F", "fixed-strings")
    recursive = call.name == "rgrep" or parsed.has("r", "R", "recursive", "dereference-recursive")
    recursive = recursive or parsed.value("d", "directories") == "recurse"
    return _search(call, parsed, recursive=recursive, extended=extended, fixed=fixed)


def _search(call: Call, parsed: Parsed, *, recursive: bool, extended: bool, fixed: bool) -> Stream:
    operands = list(parsed.operands)
    patterns = [p.text for p in parsed.values("e", "regexp")]
    pattern_files = parsed.values("f", "file")
    if not patterns and not pattern_files and operands:
        patterns = [operands.pop(0).text]
    if recursive and not operands and call.stdin.file is None:
        return search(call, parsed, [])
    if parsed.has("q", "quiet", "silent"):
        gather(call, operands, "compute", "nothing")
        return Stream()
    if recursive and _any_directory(call, operands):
        return search(call, parsed, operands)
    named, streams, _ = separate(operands)
    if parsed.has("l", "files-with-matches", "L", "files-without-match"):
        return _names(call, operands)
    if parsed.has("c", "count"):
        return _counts(call, operands, parsed)
    several = len(named) + len(streams) > 1
    prefixed = (several or recursive or parsed.has("H", "with-filename")) and not parsed.has("h", "no-filename")
    numbered = parsed.has("n", "line-number")
    only = parsed.has("o", "only-matching")
    stream = gather(call, operands, "search", "altered" if only else "cut", prefixed=prefixed, numbered=numbered)
    if patterns in ([""], ["."], [".*"], ["^"], ["$"]) and not only and not parsed.has("m", "v", "max-count"):
        _whole(stream, call)
    if not prefixed and len(named) <= 1:
        combined = "|".join(patterns) if len(patterns) == 1 or extended else None
        pattern = None
        if combined is not None and not pattern_files:
            ignore = parsed.has("i", "y", "ignore-case")
            pattern = texts.basic_pattern(combined, extended=extended, fixed=fixed, ignore_case=ignore)
        change = texts.matching(pattern, invert=parsed.has("v", "invert-match"), only=only)
        if not parsed.has("A", "B", "C", "w", "x", "m", "#", "n"):
            stream.lines = texts.lazily(whole_text(call, operands), change)
    return stream


def _whole(stream: Stream, call: Call) -> None:
    """``grep '' f`` shows the whole file: a read."""
    for draft in stream.drafts:
        if draft.verb == "search" and draft.node == call.node:
            draft.verb, draft.passage = "read", "verbatim"


def _any_directory(call: Call, operands: list[Field]) -> bool:
    infos = [(o, call.info(o)) for o in operands[:200] if o.known and o.stream is None]
    return any(
        info.kind == "dir" if info is not None else "." not in os.path.basename(o.text).lstrip(".") for o, info in infos
    )


def _names(call: Call, operands: list[Field]) -> Stream:
    """-l and -L: names only; which ones is known only to the disk, so any of them may follow."""
    call.stdin.hide()
    named, _, _ = separate(operands)
    draft = call.act("list", named, "verbatim")
    values = tuple(o.text for o in named if o.known)
    return Stream([draft], lambda: Lines(values, exact=False))


def _counts(call: Call, operands: list[Field], parsed: Parsed) -> Stream:
    named, _, _ = separate(operands)
    prefixed = (len(named) > 1 or parsed.has("H")) and not parsed.has("h", "no-filename")
    stream = gather(call, operands, "list" if prefixed else "compute", "verbatim" if prefixed else "counted")
    return stream if prefixed or operands else stream.weaken("counted")


def search(call: Call, parsed: Parsed, operands: list[Field]) -> Stream:
    """A search through directories (the current one without operands)."""
    call.stdin.hide()
    include = [_glob(v.text) for v in parsed.values("include", "g", "glob", "iglob") if not v.text.startswith("!")]
    exclude = [v.text.lstrip("!") for v in parsed.values("exclude", "exclude-dir")]
    exclude += [v.text[1:] for v in parsed.values("g", "glob") if v.text.startswith("!")]
    hidden = call.name not in ("rg", "ag", "ripgrep") or parsed.has("hidden", ".", "uu", "u")
    directories = tuple(call.path(o.text) for o in operands if o.known) or (call.cwd,)
    depth = parsed.number("max-depth", "maxdepth", "depth", "d")
    roots = Roots(directories, tuple(include), tuple(exclude), hidden, depth)
    if parsed.has("q", "quiet"):
        return Stream(status=None)
    names = ("l", "files-with-matches", "L", "files-without-match", "files", "c", "count", "count-matches")
    if parsed.has(*names):
        draft = call.act("list", operands, roots=roots)
        return Stream([draft], lambda: _tree_lines(call, operands, roots))
    prefixed = not parsed.has("h", "no-filename", "I")
    if call.name in ("rg", "ag", "ack") and not parsed.has("no-heading", "H", "with-filename"):
        prefixed = True
    numbered = parsed.has("n", "line-number")
    passage: Passage = "altered" if parsed.has("o", "only-matching") else "cut"
    draft = call.act("search", operands, passage, roots=roots, prefixed=prefixed, numbered=numbered)
    draft.exact = False
    return Stream([draft])


def _glob(text: str) -> str:
    return os.path.basename(text) or text


def _tree_lines(call: Call, operands: list[Field], roots: Roots) -> Lines | None:
    """Names of all files under the roots, written as grep would; any of them may follow."""
    values: list[str] = []
    complete = True
    for start in [o.text for o in operands if o.known] or [""]:
        found, all_seen = under(call.files, call.path(start or "."), call.shell.fuel, roots)
        prefix = start.rstrip("/") + "/" if start else ""
        values += [prefix + name for name in found]
        complete = complete and all_seen
    return Lines(tuple(values), exact=False, ordered=False, roots=None if complete else roots)


def _rg(call: Call) -> Stream:
    parsed = parse(call.args, "efmABCgtTdMrjE", _RG_LONG)
    if parsed.has("files", "type-list"):
        return search(call, parsed, parsed.operands) if parsed.has("files") else Stream(literal=True)
    operands = parsed.operands[0 if parsed.has("e", "f", "regexp", "file") else 1 :]
    piped = not operands and (call.stdin.file is not None or call.stdin.drafts or call.stdin.literal)
    fixed = parsed.has("F", "fixed-strings")
    if piped or (operands and not _any_directory(call, operands)):
        return _search(call, parsed, recursive=False, extended=True, fixed=fixed)
    return search(call, parsed, operands)


def _ag(call: Call) -> Stream:
    parsed = parse(call.args, "ABCGmpW", _AG_LONG)
    operands = parsed.operands[0 if parsed.has("g", "f") and call.name == "ag" else 1 :]
    if not operands and (call.stdin.drafts or call.stdin.file is not None or call.stdin.literal):
        return call.through("cut")
    if operands and not _any_directory(call, operands):
        return gather(call, operands, "search", "cut")
    return search(call, parsed, operands)


SEARCHERS: dict[str, Utility] = {
    "grep": _grep, "egrep": _grep, "fgrep": _grep, "rgrep": _grep, "ggrep": _grep, "zgrep": _grep, "zegrep": _grep,
    "bzgrep": _grep, "xzgrep": _grep, "rg": _rg, "ripgrep": _rg, "rga": _rg, "ag": _ag, "ack": _ag, "ack-grep": _ag,
    "pcregrep": _grep, "pdfgrep": _grep, "ugrep": _grep, "pcre2grep": _grep,
}  # fmt: skip
