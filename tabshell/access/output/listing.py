"""Paths in an output: every place where the whole name of an existing file or directory stands.

In: rows, and the directories against which shown names resolve (those that the command's acts list or start in).
Out: ``Mention`` objects. Understood are whole lines, columns, long listings, ``ls -R`` and ``ls a b`` headings,
indented trees, shell, C and octal quoting, names with blanks. Names that are cut off are no mentions. Limits: the
first ``PLACES`` places of a line are tried; control characters are found in their quoted forms only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tabshell.access.output.names import Names
from tabshell.access.output.quoting import QUOTED, unquoted
from tabshell.access.output.sections import Sections
from tabshell.access.output.walked import Walked

#: Places of one line at which a name may begin.
PLACES = 400
#: Lines longer than this hold no names.
LONGEST = 1 << 16
_START = re.compile(r"(?<![^\s'\"`‘“(\[{<=:,;>|│├└─@])[^\s:,;=|>)\]}│├└─]")
_TREE = re.compile(r"^(?P<indent>[│| \xa0]*)(?:[├└][─]{2}|\|--|`--|\\--)[ \xa0](?:\[[^\]]*\][ \xa0]{1,2})?")
#: What grep says of a file that holds the pattern and is no text.
BINARY = "binary file matches"
_BRACKET = re.compile(r"^\[[^\]]*\]\s+")
_DIFF = re.compile(r"^(?:diff --git|---|\+\+\+|rename|copy) ")
_SIDE = re.compile(r"(?<=\s)\"?[abciow]/")
_LONG_ROW = re.compile(
    r"^[-bcdlps][-rwxsStT]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+[\d.,]+[A-Z]?\s+\S+\s+\S+\s+(?:\d{4}|\d\d?:\d\d)\s"
)
_LINK = re.compile(r"^l[rwxsStT-]{9}")


class Mention(NamedTuple):
    """The name of ``path`` (absolute) stands in ``row`` from character ``start`` to ``end``."""

    row: int
    start: int
    end: int
    path: str
    kind: str
    shown: str


def mentions(
    texts: list[str],
    names: Names,
    rows: Iterable[int],
    sections: Sections | None = None,
    walked: Walked | None = None,
) -> Iterator[Mention]:
    """All names in these rows, in order. ``sections`` tells where several directories are listed without a word,
    ``walked`` what of a recursive listing lies elsewhere."""
    section: str | None = None
    tree: list[str] = []
    for row in rows:
        text = texts[row]
        if walked is not None and walked.is_away(text):
            continue
        if sections is not None and text:
            section = sections.of(text)
        if names.is_elsewhere(text, section):
            continue
        plain = names.plain(text, section) if text else None
        if plain:
            tree = [plain[0]] if plain[1] == "dir" else []
            yield Mention(row, 0, len(text), *plain, text)
            continue
        stripped = text.strip()
        if not stripped or len(text) > LONGEST:
            continue
        branch = _TREE.match(text)
        if branch and tree:
            yield from _branch(row, text, branch, tree, names)
            continue
        held = _may_hold(text, names, section)
        if not held and stripped[-1] != ":" and stripped[0] not in "'\"[":
            continue
        heading = _heading(stripped, names)
        if heading:
            section, tree = heading, []
            yield Mention(row, 0, len(text), heading, "dir", stripped[:-1])
            continue
        found = _named_whole(text, stripped, names, section)
        if found:
            kind = names.folders.kind(found[0])
            tree = [found[0]] if kind == "dir" else []
            yield from (_whole(row, text, path, names) for path in found)
            continue
        if held:
            yield from _within(row, text, names, section)


def _may_hold(text: str, names: Names, section: str | None) -> bool:
    """Whether it is worth trying the places of a line. In a long listing the name alone counts: owners and groups are
    called as directories are (``root``)."""
    if not names.may_hold(text, section):
        return BINARY in text
    long = _LONG_ROW.match(text)
    return long is None or (long.end() < len(text) and names.may_hold(text[long.end() :], section))


def _named_whole(text: str, stripped: str, names: Names, section: str | None) -> list[str]:
    """What a line as a whole names, in brackets or quotes, too."""
    found = names.whole(text, section) if text[0] == " " else []
    found = found or names.whole(stripped, section)
    if not found and stripped[0] == "[":
        found = names.whole(_BRACKET.sub("", stripped), section)
    if not found and stripped[0] in "'\"":
        found = [path for name in unquoted(stripped) for path in names.whole(name, section)][:1]
    return found


def _whole(row: int, text: str, path: str, names: Names) -> Mention:
    stripped = text.strip()
    return Mention(row, text.find(stripped), len(text), path, names.folders.kind(path) or "", stripped)


def broken_names(texts: list[str], names: Names) -> Iterator[Mention]:
    """Names with a line break in them that stand on two lines, as they are."""
    for folder in names.bases:
        for name in names.folders.kinds(folder):
            first, _, last = name.partition("\n")
            if not last or "\n" in last:
                continue
            for row in range(len(texts) - 1):
                if texts[row].endswith(first) and texts[row + 1].startswith(last):
                    path = os.path.join(folder, name)
                    yield Mention(row, len(texts[row]) - len(first), len(texts[row]), path, "file", name)


def _heading(stripped: str, names: Names) -> str | None:
    """The directory of an ``ls`` heading (``dir:``)."""
    if not stripped.endswith(":"):
        return None
    shown = stripped[:-1]
    candidates = unquoted(shown) if shown[:1] in ("'", '"') else [shown]
    for name in candidates:
        for path in names.whole(name):
            if names.folders.kind(path) == "dir":
                return path
    return None


def _branch(row: int, text: str, branch: re.Match[str], tree: list[str], names: Names) -> Iterator[Mention]:
    """One line of an indented tree; ``tree`` holds the directories above."""
    depth = len(branch.group("indent")) // 4 + 1
    shown = text[branch.end() :].rstrip()
    del tree[depth:]
    folder = tree[-1] if len(tree) == depth else None
    forms = [shown, shown.split(" -> ")[0], shown.rstrip("*/=|@")]
    for name in forms + (unquoted(shown) if shown[:1] in ("'", '"') else []):
        if not name:
            continue
        path = os.path.join(folder, name) if folder else None
        if path is None or names.folders.kind(path) is None:
            path = next(iter(names.whole(name)), None) if "/" in name else None
        kind = names.folders.kind(path) if path else None
        if path and kind:
            if kind == "dir":
                tree.append(path)
            yield Mention(row, branch.end(), len(text), path, kind, name)
            return
    tree.append("\0")


def _within(row: int, text: str, names: Names, section: str | None) -> Iterator[Mention]:
    """Names in a line that holds more than one name."""
    long = _LONG_ROW.match(text)
    if long:
        shown = text[long.end() :].rstrip()
        shown = shown.split(" -> ")[0] if text[0] == "l" else shown
        paths = names.whole(shown, section)
        if paths:
            kind = names.folders.kind(paths[0]) or ""
            yield Mention(row, long.end(), long.end() + len(shown), paths[0], kind, shown)
            return
    cover = 0
    stop = text.find(" -> ") if _LINK.match(text) else len(text)
    first = long.end() if long else 0
    found_at = (*_START.finditer(text, first, stop), *QUOTED.finditer(text, first))
    spots = sorted({match.start() for match in found_at})
    if _DIFF.match(text):
        spots = sorted({*spots, *(m.end() for m in _SIDE.finditer(text))} - {len(text)})
    if BINARY in text:  # grep writes this in pieces, between which other programs write
        spots = sorted({*spots, text.find(BINARY) + len(BINARY)} - {len(text)})
    for start in spots[:PLACES]:
        begins = text[start] in "'\"$`‘“" or names.blank_first or names.may_begin(text, start, section)
        if start < cover or not begins:
            continue
        found = _quoted(text, start, names, section)
        if not found and names.blank_first and text[start - 1 : start] == " ":
            found = _bare(text, start - 1, names, section)
        found = found or _bare(text, start, names, section)
        if not found:
            continue
        end, paths = found
        for path in paths:
            kind = names.folders.kind(path) or ""
            if kind == "dir" and text.startswith(":", end):
                section = path
            yield Mention(row, start, end, path, kind, text[start:end])
        cover = end


def _quoted(text: str, start: int, names: Names, section: str | None) -> tuple[int, list[str]] | None:
    match = QUOTED.match(text, start)
    if not match:
        return None
    for name in unquoted(match.group()):
        paths = names.whole(name, section)
        if paths:
            return match.end(), paths
    return None


def _bare(text: str, start: int, names: Names, section: str | None) -> tuple[int, list[str]] | None:
    found = names.at(text, start, section)
    if found:
        return found[0], [found[1]]
    if names.deep:
        for end in reversed(names.ends(text, start)):
            paths = names.deep.get(text[start:end])
            if paths:
                return end, paths
    return None
