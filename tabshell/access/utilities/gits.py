"""git: which of its commands show content of files (``REV:path``, diffs, blame, grep) and which their names."""

from __future__ import annotations

import os.path
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.acts import Roots
from tabshell.access.bash.calls import Call, Utility, gather, talk
from tabshell.access.bash.options import Parsed, parse
from tabshell.access.bash.streams import Lines, Stream
from tabshell.access.paths.trees import under
from tabshell.access.utilities.searchers import search

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.bash.expand import Field

_NAMES_ONLY = (
    "stat",
    "name-only",
    "name-status",
    "numstat",
    "shortstat",
    "summary",
    "dirstat",
    "compact-summary",
    "raw",
)
_DIFF_SHORT = "USGOlMCnB"
#: Long options whose value may be a word of its own (``--format`` and others take it with ``=`` only).
_DIFF_LONG = frozenset(
    {"author", "committer", "grep", "since", "until", "after", "before", "max-count", "skip", "output", "src-prefix",
     "dst-prefix", "inter-hunk-context"}
)  # fmt: skip


#: An operand that is a file rather than a revision, even where it has gone: it has a suffix.
_FILE = re.compile(r"(?!.*\.\.)[^^~@]*[^./^~@]\.[A-Za-z]\w{0,9}").fullmatch


def _git(call: Call) -> Stream:
    parsed = parse(call.args, "Cc", {"git-dir", "work-tree", "namespace", "exec-path", "config-env"}, strict=True)
    if not parsed.operands:
        call.stdin.hide()
        return Stream(literal=True)
    state = call.shell.state
    cwd = state.cwd
    for directory in parsed.values("C"):
        state.cwd = call.path(directory.text)
    if tree := parsed.value("work-tree"):
        state.cwd = call.path(tree)
    command, args = parsed.operands[0].text, parsed.operands[1:]
    inner = replace(call, args=args)
    try:
        return _COMMANDS.get(command, talk)(inner)
    finally:
        state.cwd = cwd


def _top(call: Call) -> str:
    """The root of the repository, or the current directory where none is seen."""
    path = call.cwd
    while True:
        if call.files.info(os.path.join(path, ".git")) is not None:
            return path
        parent = os.path.dirname(path)
        if parent == path:
            return call.cwd
        path = parent


def _roots(call: Call, paths: list[Field]) -> Roots:
    return Roots(tuple(call.path(_magic(p.text)) for p in paths if p.known) or (_top(call),))


def _magic(text: str) -> str:
    """A pathspec without its magic (``:/``, ``:(glob)``) and with globs cut to their directory."""
    text = text.rsplit(")", 1)[-1] if text.startswith(":(") else text.lstrip(":")
    return os.path.dirname(text.split("*", 1)[0]) or "." if "*" in text else text


def _pathspecs(call: Call, parsed: Parsed) -> list[Field]:
    """Operands after ``--``, or those that exist."""
    texts = [a.text for a in call.args]
    if "--" in texts:
        return call.args[texts.index("--") + 1 :]
    return [o for o in parsed.operands if ":" not in o.text and (_FILE(o.text) or call.info(o) is not None)]


def _versions(call: Call, parsed: Parsed) -> tuple[list[Field], list[Field]]:
    """Operands ``REV:path`` as files (paths are from the root of the repository), and the rest."""
    files: list[Field] = []
    rest: list[Field] = []
    for operand in parsed.operands:
        revision, colon, path = operand.text.partition(":")
        if not colon or not path or (not revision and path.startswith(("/", "("))):
            rest.append(operand)
        elif path.startswith(("./", "../")):
            files.append(operand.saying(path))
        else:
            files.append(operand.saying(f"{_top(call)}/{path}"))
    return files, rest


def _show(call: Call) -> Stream:
    """git show: files of a version, else a commit with its diff."""
    call.stdin.hide()
    parsed = parse(call.args, _DIFF_SHORT, _DIFF_LONG, numeric=True)
    files, _ = _versions(call, parsed)
    if files:
        directories = [f for f in files if (info := call.info(f)) is not None and info.kind == "dir"]
        drafts = [call.act("list", directories, roots=_roots(call, directories))] if directories else []
        shown = [f for f in files if f not in directories]
        return Stream(drafts + ([call.act("read", shown)] if shown else []), status=None)
    return _changes(call, parsed, patch=not parsed.has("s", "no-patch", "quiet"))


def _log(call: Call) -> Stream:
    """git log: messages, with ``-p`` diffs, with ``--stat`` names."""
    call.stdin.hide()
    parsed = parse(call.args, _DIFF_SHORT + "L", _DIFF_LONG, numeric=True)
    traced = [v for v in parsed.values("L") if ":" in v.text]
    if traced:
        return Stream(
            [call.act("read", [replace(v, text=v.text.rsplit(":", 1)[1]) for v in traced], "cut")], literal=True
        )
    return _changes(call, parsed, patch=parsed.has("p", "patch", "u", "c", "cc", "U", "word-diff", "color-words"))


def _diff(call: Call) -> Stream:
    call.stdin.hide()
    parsed = parse(call.args, _DIFF_SHORT, _DIFF_LONG, numeric=True)
    if parsed.has("quiet"):
        return Stream()
    if parsed.has("no-index"):
        if parsed.has(*_NAMES_ONLY):
            return Stream([call.act("list", parsed.operands)])
        return Stream([call.act("read", parsed.operands, "cut")])
    files, _ = _versions(call, parsed)
    if files and not parsed.has(*_NAMES_ONLY):
        return Stream([call.act("read", [*files, *_pathspecs(call, parsed)], "cut")])
    return _changes(call, parsed, patch=True, literal=False)


def _changes(call: Call, parsed: Parsed, *, patch: bool, literal: bool = True) -> Stream:
    """Changed files: by name, or with their changed lines. Which ones is for the output to say."""
    paths = _pathspecs(call, parsed)
    drafts = []
    names = parsed.has(*_NAMES_ONLY)
    if names:
        drafts.append(call.act("list", paths, roots=_roots(call, paths)))
    if (patch and not names) or parsed.has("p", "patch", "patch-with-stat"):
        single = len(paths) == 1 and ((info := call.info(paths[0])) is None or info.kind == "file")
        roots = None if single else _roots(call, paths)
        draft = call.act("read", paths, "cut", roots=roots)
        draft.exact = draft.exact and roots is None
        drafts.append(draft)
    return Stream(drafts, literal=literal)


def _blame(call: Call) -> Stream:
    call.stdin.hide()
    parsed = parse(call.args, "LSC", {"contents", "date", "since"})
    return Stream([call.act("read", _pathspecs(call, parsed) or parsed.operands[-1:], "altered")])


def _cat_file(call: Call) -> Stream:
    parsed = parse(call.args)
    files, _ = _versions(call, parsed)
    call.stdin.hide()
    if parsed.has("t", "s", "e") or not files:
        draft = call.act("read", [], "altered", roots=_roots(call, []), exact=False)
        return Stream([] if parsed.has("t", "s", "e") else [draft], literal=True)
    return Stream([call.act("read", files)])


def _grep(call: Call) -> Stream:
    """git grep searches the tree below the current directory, or the pathspecs."""
    parsed = parse(call.args, "efmABCO", {"max-depth", "threads", "regexp", "max-count", "context"}, numeric=True)
    call.stdin.hide()
    operands = parsed.operands[0 if parsed.has("e", "f") else 1 :]
    texts = [a.text for a in call.args]
    if "--" in texts:
        operands = call.args[texts.index("--") + 1 :]
    paths = [o.saying(_magic(o.text)) for o in operands if "--" in texts or call.info(o) is not None]
    return search(call, parsed, paths)


def _names(shows: Callable[[Parsed], bool] = lambda _: True, short: str = "") -> Utility:
    """Commands that print paths of the repository."""

    def run(call: Call) -> Stream:
        call.stdin.hide()
        parsed = parse(call.args, short, {"exclude", "exclude-from", "format", "abbrev", "pathspec-from-file"})
        if not shows(parsed):
            return Stream(status=None)
        paths = _pathspecs(call, parsed)
        roots = _roots(call, paths) if paths else Roots((call.cwd,))
        globs = tuple(os.path.basename(p.text) for p in paths if "*" in p.text)
        roots = replace(roots, include=globs) if len(globs) == len(paths) else roots
        paths = [p for p in paths if "*" not in p.text]
        shown = call.trees(paths) if paths else roots
        return Stream([call.act("list", paths, roots=shown)], lambda: _tracked(call, paths, roots, parsed))

    return run


def _tracked(call: Call, paths: list[Field], roots: Roots, parsed: Parsed) -> Lines | None:
    """What ls-files may print: any file below the roots."""
    if parsed.has("s", "stage", "l", "long", "short", "porcelain", "format", "t"):
        return None
    values: list[str] = []
    complete = True
    for top, shown in zip(roots.directories, [p.text for p in paths] or [""], strict=False):
        found, seen = under(call.files, top, call.shell.fuel, replace(roots, directories=(top,)))
        info = call.files.info(top)
        values += [shown] if info is not None and info.kind == "file" else []
        prefix = os.path.relpath(top, call.cwd) + "/" if top != call.cwd else ""
        values += [prefix + name for name in found]
        complete = complete and seen
    return Lines(tuple(values), exact=False, ordered=False, null=parsed.has("z"), roots=None if complete else roots)


def _stash(call: Call) -> Stream:
    words = [a.text for a in call.args]
    if words[:1] == ["show"]:
        parsed = parse(call.args[1:], _DIFF_SHORT)
        return _changes(replace(call, args=[]), parsed, patch=parsed.has("p", "patch"))
    return talk(call)


def _restored(call: Call) -> Stream:
    """checkout, restore: files take the content of another version."""
    call.stdin.hide()
    parsed = parse(call.args, "bBs", {"source", "orphan"})
    paths = _pathspecs(call, parsed)
    if paths and not parsed.has("b", "B", "orphan"):
        draft = call.write(paths, [call.path(p.text) for p in paths], verb="copy")
        draft.exact = False
    return Stream(literal=True)


def _moved(call: Call) -> Stream:
    call.stdin.hide()
    operands = parse(call.args).operands
    if len(operands) > 1:
        draft = call.write([], [call.path(o.text) for o in operands[:-1]], verb="move")
        target = call.path(operands[-1].text)
        info = call.files.info(target)
        inside = info is not None and info.kind == "dir"
        draft.targets = [f"{target}/{os.path.basename(o.text)}" if inside else target for o in operands[:-1]]
        draft.words = [operands[-1].text]
    return Stream([call.act("list", operands)] if parse(call.args).has("v", "n", "verbose", "dry-run") else [])


def _archive(call: Call) -> Stream:
    parsed = parse(call.args, "o", {"output", "format", "prefix"})
    if outputs := parsed.values("o", "output"):
        call.write(outputs, [], exact=False)
        return Stream()
    return Stream([call.act("read", [], "altered", roots=_roots(call, []), exact=False)])


def _commit(call: Call) -> Stream:
    """commit, pull, merge and others print names of what changed (``create mode 100644 f``)."""
    call.stdin.hide()
    draft = call.act("list", [], roots=Roots((_top(call),)))
    return Stream([draft], literal=True, status=None)


def _hash(call: Call) -> Stream:
    return gather(call, parse(call.args, "tw", {"path"}).operands, "compute", "counted")


_dry = ("n", "v", "verbose", "dry-run")
_COMMANDS: dict[str, Utility] = {
    "show": _show, "log": _log, "whatchanged": _show, "reflog": _log, "diff": _diff, "difftool": _diff,
    "range-diff": _diff, "format-patch": _names(short="oN"), "blame": _blame, "annotate": _blame, "cat-file": _cat_file,
    "grep": _grep, "ls-files": _names(short="xX"), "ls-tree": _names(), "status": _names(), "check-ignore": _names(),
    "check-attr": _names(), "diff-tree": _diff, "diff-index": _diff, "diff-files": _diff,
    "add": _names(shows=lambda p: p.has(*_dry)), "rm": _names(), "mv": _moved, "clean": _names(short="e"),
    "stash": _stash, "checkout": _restored, "restore": _restored, "archive": _archive, "commit": _commit,
    "pull": _commit,
    "merge": _commit, "reset": _commit, "revert": _commit, "cherry-pick": _commit, "rebase": _commit, "apply": _commit,
    "am": _commit, "hash-object": _hash, "bundle": talk,
}  # fmt: skip
GITS: dict[str, Utility] = {"git": _git, "hub": _git}
