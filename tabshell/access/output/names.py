"""Shown names -> paths: the directories against which they resolve, and which names may begin or end where.

In: directories in order of preference. Asked for every line and every place of a line, so all answers are look-ups.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from tabshell.access.output.quoting import spellings
from tabshell.access.paths.folders import Folders
from tabshell.model.files import FileKind

#: A name ends at a blank or a mark, and at the dash of a context line (``path-12-``, ``name.txt-``).
_BOUNDARY = re.compile(
    r"[\s:;,'\"`’”)\]}>|*@=/\\]|-(?:(?=\d+-)|(?<=\.\w-)|(?<=\.\w\w-)|(?<=\.\w\w\w-)|(?<=\.\w{4}-))|\.(?=\s|$)|$"
)
#: The same, and what names begin behind, as blanks; a point at the end of a word is none of it.
_SEPARATED = bytes(
    32 if chr(byte) in "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f:;,'\"`)]}>|*@=/\\([{<-" else byte for byte in range(256)
)
_LAST_DOTS = re.compile(rb"\.+(?=[ \0]|\Z)")
#: Quoted pieces that make one name.
_JOINED = re.compile(r"['\"]['\"]")
#: The names of a directory itself and of the one above, which have no word (``ls -la``).
_ONLY_DOTS = re.compile(r"(?<!\S)\.[./]*(?!\S)")
#: An absolute path and nothing else, or behind a number: most lines of very long outputs of ``find`` and ``du``.
_PATH = r"/[\w./+~%#-]*"
_ABSOLUTE = re.compile(rf"(?:\d[\d.,]*[KMGTPE]?[ \t]+)?{_PATH}")
#: The same between blanks.
_FAR_PATH = re.compile(rf"(?<!\S){_PATH}(?!\S)")
#: What makes an absolute path another one than it looks like.
_ODD = re.compile(r"//|\./")
#: What a line of an indented tree may begin with.
_BRANCHES = frozenset("│| \xa0├└`\\")
#: Names of a directory itself and of the one above.
_DOTS = ("", ".", "..")
#: With more directories than these it is asked first which of them hold a name at all.
SEVERAL = 4
#: Directories against which names resolve, and those among them that lie outside the workspace.
MOST, FAR = 1200, 24


class Names:
    """Shown names -> absolute paths. ``bases`` in order of preference; ``deep`` base names of named files."""

    def __init__(self, folders: Folders, bases: Iterable[str], deep: Iterable[str] = ()) -> None:
        self.folders = folders
        self.bases = self._near(list(dict.fromkeys(bases)))
        self.deep: dict[str, list[str]] = {}
        for path in deep:
            self.deep.setdefault(path.rpartition("/")[2], []).append(path)
        self._odd: dict[str, dict[str, str]] = {}
        self._heads: dict[str, frozenset[str]] = {}
        self._firsts: dict[str, frozenset[bytes]] = {}
        self._resolved: dict[str | None, dict[str, tuple[str, Mapping[str, FileKind | None]]]] = {}
        self._deep_heads = frozenset(name[: _first_end(name, 0)] for name in self.deep)

    def _near(self, bases: list[str]) -> list[str]:
        """The directories in the workspace or above it, and a few of the others."""
        room = FAR
        near: list[str] = []
        for base in bases:
            if not self.folders.is_near(base):
                room -= 1
                if room < 0:
                    continue
            near.append(base)
        return near[:MOST]

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
        bases = [section] if section else self._bases_with(text)
        for base in bases:
            found = self._under(base, text)
            if found:
                return [found]
        if section:
            return self.whole(text)
        return self.deep.get(text, []) if "/" not in text else []

    def _bases_with(self, text: str) -> list[str]:
        """The bases that hold the first name of a relative path; all of them where they are few."""
        if len(self.bases) <= SEVERAL:
            return self.bases
        first, _, rest = text.partition("/")
        while first in (".", "") and rest:
            first, _, rest = rest.partition("/")
        return self._some if first in _DOTS else self._tops.get(first, [])

    @cached_property
    def _some(self) -> list[str]:
        """The first of the directories and the last: against more of them no name is held that leads upward."""
        return self.bases if len(self.bases) <= 2 * FAR else self.bases[:FAR] + self.bases[-FAR:]

    @cached_property
    def _tops(self) -> dict[str, list[str]]:
        """Name -> the bases that hold it, in their order."""
        found: dict[str, list[str]] = {}
        for base in self.bases:
            for name in self.folders.kinds(base):
                found.setdefault(name, []).append(base)
        return found

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
        bases = self._bases_with(head) if head else self.bases
        first = head.partition("/")[0]
        for base in [section, *bases] if section else bases:
            if first not in _DOTS and first not in self.folders.kinds(base):
                continue  # of most lines of another program what stands before the first slash is no name
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

    def is_elsewhere(self, text: str, section: str | None) -> bool:
        """Whether a line is a path outside the workspace and nothing else, but for a size before it (``du``)."""
        if _ABSOLUTE.fullmatch(text) is None or "./" in text or "//" in text or self.folders.workspace in text:
            return False
        return text[0] == "/" or not (self.blank_first or self.may_begin(text, 0, section))

    def may_begin(self, text: str, start: int, section: str | None) -> bool:
        """Whether some name begins as ``text`` does at ``start``: asked for every place, so it must be quick."""
        if section is None and text[start] not in self._initials:
            return False
        head = _head(text, start)
        if text[start] == "/" or text.startswith("../", start):
            return True
        if head in self._deep_heads or head in self._begun:
            return True
        return section is not None and head in self.heads(section)

    def may_hold(self, text: str, section: str | None) -> bool:
        """Whether some name may stand in a line: one look at all its words, before its places are tried one by one."""
        if self.blank_first or not text.isascii() or "\\" in text or _JOINED.search(text):
            return True
        if self.folders.workspace in text or "../" in text or "/.." in text or (text[0] == "/" and _ODD.search(text)):
            return True
        if (" ." in text or text.lstrip()[:1] == ".") and _ONLY_DOTS.search(text):
            return True
        if b"" in self._words:
            return True
        if not self._holds_word(text, section):
            return False
        # no name begins within an absolute path, and this one is not of the workspace: long listings of other trees
        bare = _FAR_PATH.sub("", text) if "/" in text else text
        return len(bare) == len(text) or self._holds_word(bare, section)

    def _holds_word(self, text: str, section: str | None) -> bool:
        """Whether some word of a line is the first word of a name."""
        words = _apart(text).split()
        if not self._words.isdisjoint(words):
            return True
        return section is not None and not self._words_of(section).isdisjoint(words)

    @cached_property
    def _words(self) -> frozenset[bytes]:
        """The first words of all names; an empty one where a name begins with none."""
        return _first_words((*self._begun, *self._deep_heads))

    def _words_of(self, folder: str) -> frozenset[bytes]:
        """The same of the names in a directory."""
        known = self._firsts.get(folder)
        if known is None:
            known = self._firsts[folder] = _first_words(self.heads(folder))
        return known

    @cached_property
    def _initials(self) -> frozenset[str]:
        """The characters that names begin with."""
        return frozenset("/.") | {head[0] for head in (*self._begun, *self._deep_heads) if head}

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
        head = _head(text, start)
        if head in _DOTS:
            return [section, *self._some] if section else self._some
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
        for end in self.ends(text, start):
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
    def ends(text: str, start: int) -> list[int]:
        """Where a name that begins at ``start`` may end: at up to 24 boundaries."""
        ends: list[int] = []
        for match in _BOUNDARY.finditer(text, start + 1):
            ends.append(match.start())
            if len(ends) == 24:
                break
        return ends


def _head(text: str, start: int) -> str:
    """The shortest name that may begin at ``start``; ``./`` before it is passed over."""
    while text.startswith("./", start) and start + 2 < len(text):
        start += 2
    return text[start : _first_end(text, start)]


def _first_end(text: str, start: int) -> int:
    """The end of the shortest name that may begin at ``start``."""
    match = _BOUNDARY.search(text, start + 1)
    return match.start() if match else len(text)


def _apart(text: str) -> bytes:
    """A text with blanks for all characters before which a name may begin or behind which one may end."""
    data = text.encode("utf-8", "surrogatepass").translate(_SEPARATED)
    return _LAST_DOTS.sub(b"", data) if b"." in data else data


def _first_words(heads: Collection[str]) -> frozenset[bytes]:
    """The first word of each of these beginnings of names."""
    lines = _apart("\0".join(heads)).split(b"\0") if heads else []
    return frozenset([(line.split(None, 1) or [b""])[0] for line in lines])
