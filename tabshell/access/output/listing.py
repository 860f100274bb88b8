"""Paths in an output: every place where the whole name of an existing file or directory stands.

In: rows, and the directories against which shown names resolve (those that the command's acts list or start in).
Out: ``Mention`` objects. Understood are whole lines, columns, long listings, ``ls -R`` and ``ls a b`` headings,
indented trees, shell, C and octal quoting, names with blanks. Names that are cut off are no mentions. Limits: the
first ``PLACES`` places of a line are tried; control characters are found in their quoted forms only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from tabshell.access.output.quoting import QUOTED, spellings, unquoted
from tabshell.access.paths.folders import Folders
from tabshell.model.files import FileKind

#: Places of one line at which a name may begin.
PLACES = 400
#: Lines longer than this hold no names.
LONGEST = 1 << 16
_START = re.compile(r"(?<![^\s'\"`‘“(\[{<=:,;>|│├└─@])[^\s:,;=|>)\]}│├└─]")
_BOUNDARY = re.compile(r"[\s:;,'\"`’”)\]}>|*@=/\\]|\.(?=\s|$)|$")
_TREE = re.compile(r"^(?P<indent>[│| \xa0]*)(?:[├└][─]{2}|\|--|`--|\\--)[ \xa0](?:\[[^\]]*\][ \xa0]{1,2})?")
#: What a line of an indented tree may begin with.
_BRANCHES = frozenset("│| \xa0├└`\\")
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


class Names:
    """Shown names -> absolute paths. ``bases`` in order of preference; ``deep`` base names of named files."""

    def __init__(self, folders: Folders, bases: Iterable[str], deep: Iterable[str] = ()) -> None:
        self.folders = folders
        self.bases = list(dict.fromkeys(bases))
        self.deep: dict[str, list[str]] = {}
        for path in deep:
            self.deep.setdefault(os.path.basename(path), []).append(path)
        self._odd: dict[str, dict[str, str]] = {}
        self._heads: dict[str, frozenset[str]] = {}
        self._resolved: dict[str | None, dict[str, tuple[str, Mapping[str, FileKind | None]]]] = {}
        self._deep_heads = frozenset(name[: _first_end(name, 0)] for name in self.deep)

    @cached_property
    def blank_first(self) -> bool:
        """Whether some name in a base begins with a blank."""
        return any(name.startswith(" ") for base in self.bases for name in self.folders.kinds(base))

    def whole(self, text: str, section: str | None = None) -> list[str]:
        """The files or directories that ``text`` as a whole names: the first base that has it decides."""
        if not text or len(text) > 4096 or "\0" in text:
            return []
        if text[0] == "/":
            path = os.path.normpath(text)
            return [path] if self.folders.is_inside(path) and self._there(path) else []
        bases = [section] if section else self.bases
        for base in bases:
            found = self._under(base, text)
            if found:
                return [found]
        if section:
            return self.whole(text)
        return self.deep.get(text, []) if "/" not in text else []

    def _under(self, base: str, text: str) -> str | None:
        path = self._path(base, text)
        return path if self._there(path) else None

    @staticmethod
    def _path(base: str, text: str) -> str:
        if text[0] == "/" or text.startswith(("./", "../")) or "//" in text or "/." in text or text in (".", ".."):
            return os.path.normpath(os.path.join(base, text))
        text = text.rstrip("/") if len(text) > 1 else text
        return f"{base}/{text}"

    def _there(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return not name or name in self.folders.kinds(folder or "/")

    def plain(self, text: str, section: str | None) -> tuple[str, FileKind] | None:
        """Path and kind where ``text`` as a whole is nothing but the name of one file or directory.

        The short way for long listings, in which the same folders come again and again: a folder is resolved once,
        then a line costs two look-ups. It answers only where ``mentions`` would answer the same with all its care,
        and leaves to it links, hidden names, headings, blanks at the edges, branches of a tree, and what is not there.
        """
        head, slash, name = text.rpartition("/")
        known = self._resolved.get(section)
        if known is None:
            known = self._resolved[section] = {}
        folder = known.get(head + slash)
        if folder is None:
            folder = known[head + slash] = self._folder(head + slash, section)
        kind = folder[1].get(name)
        if kind is None or name[0] == "." or name[-1] == ":" or len(text) > 4096:
            return None
        if text[0] in _BRANCHES or text[0].isspace() or text[-1].isspace():
            return None
        return f"{folder[0]}/{name}", kind

    def _folder(self, head: str, section: str | None) -> tuple[str, Mapping[str, FileKind | None]]:
        """The first directory with anything in it that ``head`` (with its slash, or empty) names, and its names."""
        for base in [section, *self.bases] if section else self.bases:
            folder = self._path(base, head + "x")[:-2]
            if not folder or (head[:1] == "/" and not self.folders.is_inside(folder)):
                break
            kinds = self.folders.kinds(folder)
            if kinds:
                return folder, kinds
        return "", {}

    def odd(self, folder: str) -> dict[str, str]:
        """Spelling -> name, for the names in a directory that are not always written as they are."""
        known = self._odd.get(folder)
        if known is None:
            known = {}
            for name in self.folders.kinds(folder):
                if not name.isprintable() or "\\" in name or " " in name:
                    known.update(dict.fromkeys(spellings(name), name))
            self._odd[folder] = known
        return known

    def may_begin(self, text: str, start: int, section: str | None) -> bool:
        """Whether some name begins as ``text`` does at ``start``: asked for every place, so it must be quick."""
        head = text[start : _first_end(text, start)]
        if head in (".", "..") or text[start] in "/.":
            return True
        if head in self._deep_heads or head in self._begun:
            return True
        return section is not None and head in self.heads(section)

    @cached_property
    def _begun(self) -> dict[str, list[str]]:
        """What names begin with -> the bases that have such names, in their order."""
        found: dict[str, list[str]] = {}
        for base in self.bases:
            for head in self.heads(base):
                found.setdefault(head, []).append(base)
        return found

    def _bases_at(self, text: str, start: int, section: str | None) -> list[str]:
        """The directories in which a name may begin as ``text`` does at ``start``, in order of preference."""
        head = text[start : _first_end(text, start)]
        if head in (".", "..") or text[start] in "/.":
            return [section, *self.bases] if section else self.bases
        bases = self._begun.get(head, [])
        return [section, *bases] if section and head in self.heads(section) else bases

    def heads(self, folder: str) -> frozenset[str]:
        """What the names in a directory begin with, up to the first blank or mark."""
        known = self._heads.get(folder)
        if known is None:
            kinds = self.folders.kinds(folder)
            names = {name[: _first_end(name, 0)] for name in kinds} | {s[: _first_end(s, 0)] for s in self.odd(folder)}
            known = self._heads[folder] = frozenset(names)
        return known

    def at(self, text: str, start: int, section: str | None) -> tuple[int, str] | None:
        """The longest name that begins at ``start``: its end and its path."""
        if text.startswith("/", start):
            root = self.folders.workspace
            if text.startswith(root + "/", start):
                return self._from(text, start + len(root) + 1, root)
            if text.startswith(root, start):
                return start + len(root), root
            return None
        for base in self._bases_at(text, start, section):
            found = self._from(text, start, base)
            if found:
                return found
        return None

    def _from(self, text: str, start: int, folder: str) -> tuple[int, str] | None:
        """Follows the name at ``start`` down from ``folder``, segment by segment."""
        while text.startswith(("./", "../"), start):
            up = text[start + 1] == "."
            folder = os.path.dirname(folder) if up else folder
            start += 3 if up else 2
        best: tuple[int, str] | None = None
        kinds = self.folders.kinds(folder)
        if not kinds:
            return None
        for end in self._ends(text, start):
            name = text[start:end]
            if name not in kinds:
                odd = self.odd(folder)
                if name not in odd:
                    continue
                name = odd[name]
            path = os.path.join(folder, name)
            if text.startswith("/", end):
                deeper = self._from(text, end + 1, path) if end + 1 < len(text) else None
                if deeper and (best is None or deeper[0] > best[0]):
                    best = deeper
                elif best is None and (end + 1 == len(text) or text[end + 1].isspace()):
                    best = (end, path)
            elif best is None or end > best[0]:
                best = (end, path)
        return best

    @staticmethod
    def _ends(text: str, start: int) -> list[int]:
        """Where a name that begins at ``start`` may end: at up to 24 boundaries."""
        ends: list[int] = []
        for match in _BOUNDARY.finditer(text, start + 1):
            ends.append(match.start())
            if len(ends) == 24:
                break
        return ends


def _first_end(text: str, start: int) -> int:
    """The end of the shortest name that may begin at ``start``."""
    match = _BOUNDARY.search(text, start + 1)
    return match.start() if match else len(text)


def mentions(texts: list[str], names: Names, rows: Iterable[int]) -> Iterator[Mention]:
    """All names in these rows, in order."""
    section: str | None = None
    tree: list[str] = []
    for row in rows:
        text = texts[row]
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
        heading = _heading(stripped, names)
        if heading:
            section, tree = heading, []
            yield Mention(row, 0, len(text), heading, "dir", stripped[:-1])
            continue
        found = names.whole(text, section) if text[0] == " " else []
        found = found or names.whole(stripped, section)
        if not found and stripped[0] == "[":
            found = names.whole(_BRACKET.sub("", stripped), section)
        if not found and stripped[0] in "'\"":
            found = [p for name in unquoted(stripped) for p in names.whole(name, section)][:1]
        if found:
            kind = names.folders.kind(found[0])
            tree = [found[0]] if kind == "dir" else []
            yield from (_whole(row, text, path, names) for path in found)
            continue
        yield from _within(row, text, names, section)


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
    spots = sorted({m.start() for m in _START.finditer(text, 0, stop)} | {m.start() for m in QUOTED.finditer(text)})
    if _DIFF.match(text):
        spots = sorted({*spots, *(m.end() for m in _SIDE.finditer(text))})
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
        for end in reversed(names._ends(text, start)):
            paths = names.deep.get(text[start:end])
            if paths:
                return end, paths
    return None
