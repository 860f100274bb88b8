"""Which files may have been shown: those that the command names, that the witness saw, that a listing led to.

In: the acts of a command, the paths mentioned in its output, the files opened. Out: ``Suspect`` objects in the order
in which their content would appear, each with how far the command's word may be trusted. Whether any content of
them was shown is decided elsewhere, by the output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from tabshell.access.acts import Act, Doings
from tabshell.access.output.listing import Mention
from tabshell.access.paths.folders import Folders

#: Programs that can compute as well as show; their output must hold content of the file.
PROGRAMS = frozenset(
    re.findall(
        r"\w+",
        "awk gawk mawk nawk perl python python2 python3 ruby node php jq yq sqlite3 duckdb mlr datamash csvstat csvsql "
        "csvjson in2csv bc xmllint xpath xmlstarlet Rscript lua tclsh deno bun psql mysql "
        "pandoc exiftool identify ffprobe mediainfo pdfinfo",
    )
)
#: Programs that write every byte anew: nothing of what they show can be found in the file.
ENCODERS = frozenset(("od", "xxd", "hexdump", "hd", "base64", "base32", "basenc", "uuencode"))
_SCRIPT = re.compile(r"\.(?:py|sh|bash|pl|rb|js|mjs|ts|R|r|awk|sed|jq|sql|lua|php)$")
#: Files that one act may bring in at most, besides those that the output names: no more could be looked into.
BROUGHT = 240


_SORTS = re.compile(r"\|\s*(?:LC_ALL=\S+\s+)?(?:sort|shuf)\b")
_BESIDE = re.compile(
    r"(?:^|[|;&(\n])\s*(?:paste|join|csvjoin|sdiff|diff\s[^|;&]*(?:-y|--side-by-side)|pr\s[^|;&]*-m)\s"
)


class Mixture(IntEnum):
    """How rows of several files come together."""

    APART = 0
    """one file after another"""
    MERGED = 1
    """sorted into each other: a shared line belongs to all"""
    BESIDE = 2
    """side by side: a row holds a line of each"""


class Trust(IntEnum):
    """How far a suspect is believed without evidence."""

    SEARCHED = 0
    """found by looking at the workspace's files"""
    OPENED = 1
    """the witness saw it opened"""
    NAMED = 2
    """named by a script or an unknown program, or by words that could not be followed"""
    PROGRAM = 3
    """named by a program that can compute as well as show"""
    SHOWN = 4
    """named by a command whose purpose is to show it"""


@dataclass(slots=True)
class Suspect:
    """One file under suspicion. ``act`` is the first act that names it, None for the witness's."""

    key: str
    path: str
    shown: str
    trust: Trust
    act: Act | None = None
    script: bool = False
    search: bool = False


def gather(
    doings: Doings, mentions: Iterable[Mention], opened: tuple[str, ...] | None, folders: Folders
) -> list[Suspect]:
    """The suspects of a command, without those that only a search of the workspace could bring."""
    found: dict[str, Suspect] = {}
    mentioned = [m for m in mentions if m.kind == "file"]
    likely = {m.path for m in mentioned}
    for act in doings.acts:
        if act.passage in ("counted", "nothing"):
            continue
        if act.verb in ("read", "search", "run", "opaque"):
            _named(act, found, folders, likely)
            if act.roots is not None:
                _walked(act, found, folders, mentioned, opened)
    if follows_nothing(doings):
        for path in opened or ():
            _add(found, Suspect("", path, path, Trust.OPENED), folders)
    suspects = list(found.values())
    if opened:
        _in_order(suspects, opened)
    return suspects


def _in_order(suspects: list[Suspect], opened: tuple[str, ...]) -> None:
    """Puts the files of each act in the order in which they were opened: ``find`` hands them out unsorted."""
    place = {path: number for number, path in enumerate(opened)}
    acts: dict[int, list[int]] = {}
    for number, suspect in enumerate(suspects):
        if suspect.act is not None and suspect.path in place:
            acts.setdefault(suspect.act.index, []).append(number)
    for numbers in acts.values():
        ordered = sorted((suspects[n] for n in numbers), key=lambda s: place[s.path])
        for number, suspect in zip(numbers, ordered, strict=True):
            suspects[number] = suspect


def mixture(command: str, acts: Iterable[Act]) -> Mixture:
    """How the rows of several files come together in a command's output."""
    if _BESIDE.search(command):
        return Mixture.BESIDE
    merged = _SORTS.search(command) or any(act.passage == "reordered" for act in acts)
    return Mixture.MERGED if merged else Mixture.APART


def follows_nothing(doings: Doings) -> bool:
    """Whether something may have touched files that the command's words do not tell."""
    visible = [act for act in doings.acts if act.passage not in ("counted", "nothing")]
    if not doings.parsed or not visible:
        return True
    return any(act.verb in ("run", "opaque") or (not act.exact and act.roots is None) for act in visible)


def _named(act: Act, found: dict[str, Suspect], folders: Folders, likely: set[str]) -> None:
    """The files that an act names; of very many those that the output names too, and the first of the others."""
    trust = trust_of(act)
    room = BROUGHT
    for number, path in enumerate(act.paths):
        if path not in likely:
            room -= 1
            if room < 0:
                continue
        shown = act.words[number] if number < len(act.words) else path
        script = act.verb == "run" and bool(_SCRIPT.search(path))
        _add(found, Suspect("", path, shown, trust, act, script, act.verb == "search"), folders)


def trust_of(act: Act) -> Trust:
    """What the command's word is worth for the files of an act."""
    if act.verb in ("run", "opaque"):
        return Trust.NAMED
    if not act.exact:
        return Trust.NAMED if act.utility in PROGRAMS else Trust.PROGRAM
    return Trust.PROGRAM if act.utility in PROGRAMS else Trust.SHOWN


def _walked(
    act: Act, found: dict[str, Suspect], folders: Folders, mentioned: list[Mention], opened: tuple[str, ...] | None
) -> None:
    """The files of a tree that an act walks: those that the output names, else those that were opened, else all."""
    roots = act.roots
    if roots is None:
        return
    begins = tuple(d.rstrip("/") + "/" for d in roots.directories)
    trust = trust_of(act)
    named = [m for m in mentioned if m.path.startswith(begins)]
    shows = Trust.PROGRAM if act.utility in PROGRAMS else Trust.SHOWN
    told = max(trust, shows) if act.verb in ("read", "search") else trust
    for mention in named:
        _add(found, Suspect("", mention.path, mention.shown, told, act, False, act.verb == "search"), folders)
    if act.prefixed or (named and act.prefixed is None):
        return
    paths = [p for p in opened if p.startswith(begins)] if opened is not None else folders.walk(roots, 10 * BROUGHT)
    for number, path in enumerate(paths):
        if number >= BROUGHT:
            break
        _add(found, Suspect("", path, path, min(trust, Trust.PROGRAM), act, False, act.verb == "search"), folders)


def _add(found: dict[str, Suspect], suspect: Suspect, folders: Folders) -> None:
    """Takes a suspect up under its key; the more trusted word about a file stands."""
    if folders.kind(suspect.path) not in ("file", None):
        return
    key = folders.key(suspect.path)
    if key is None:
        return
    suspect.key = key
    known = found.get(key)
    if known is None:
        found[key] = suspect
        return
    if suspect.act is not None:  # the witness does not tell how a file was read
        known.search = known.search and suspect.search
    if suspect.trust > known.trust:
        known.trust, known.act, known.shown, known.script = suspect.trust, suspect.act, suspect.shown, suspect.script
