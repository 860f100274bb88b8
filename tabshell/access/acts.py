"""What a command says it does, one ``Act`` for each thing that a simple command does to files.

The walk over the syntax tree produces acts; the classifier confirms them against the output. Paths are
absolute and normalised but not resolved (``/ws/a/../b`` is ``/ws/b``; a symlink stays), expanded as bash
would: variables, globs, braces, ``~``, command output where the walk can know it (``$(ls *.txt)``,
``$(cat list)``), loop words. ``words`` keeps how each path was written in the command, in step with ``paths``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verb = Literal["read", "search", "list", "write", "copy", "move", "compute", "run", "print", "opaque"]
"""read     content of ``paths`` goes to stdout (cat, head, sed, pdftotext f -, jq, git show REV:path …)
search   only matching lines of ``paths`` do (grep, rg, git grep, ack)
list     paths are printed (ls, find, tree, stat, du, wc, md5sum, git ls-files, unzip -l, grep -l/-L/-c …)
write    ``targets`` are written from stdin, literals or ``sources`` (redirection, tee, sed -i, sort -o, pdftotext f o)
copy     cp, install, ln, tar x, unzip, git checkout: ``targets`` take the content of ``sources``
move     mv: as copy, the sources are gone
compute  something derived from ``paths`` is printed, no content (wc, sha256sum, du; they list as well)
run      an interpreter or script whose doings are not known; ``paths`` are files that it names (suspects)
print    literal words are printed (echo, printf): paths among them count as listed
opaque   a program nobody knows; ``paths`` are those of its operands that exist (suspects)"""

Passage = Literal["verbatim", "reordered", "cut", "altered", "counted", "nothing"]
"""What becomes of an act's output on its way to the screen, by the weakest filter that it passes:
verbatim (cat, tee), reordered (sort, tac, uniq), cut (head, tail, sed -n, grep: a part of the lines),
altered (awk, cut, tr, sed s///: parts of lines or changed text), counted (wc, sha256sum, grep -c: a number),
nothing (redirected to a file or /dev/null, captured by ``$( )`` in an assignment, grep -q)."""


@dataclass(frozen=True, slots=True)
class Roots:
    """A tree that a command walks by itself (``find DIR -name GLOB``, ``grep -r``, ``rg``, ``ls -R``, ``tree``).

    ``directories`` are absolute. ``include`` and ``exclude`` are globs on base names, where the command
    gave them. ``hidden``: whether dot files are visited. ``depth``: the greatest depth, None for any.
    """

    directories: tuple[str, ...]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = True
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that one simple command does to files, seen from the screen.

    ``lines``: the source lines asked for (``head -40`` is (1, 40), ``sed -n '5,9p'`` (5, 9), ``tail -n +3``
    (3, None)), where the words tell. ``exact``: False where the walk could not follow a word (an unknown
    variable, a loop over unknown output): then more or fewer files may be meant. ``prefixed``: each output
    line starts with its path (grep -H, rg without heading). ``numbered``: with its line number (-n, nl, cat -n).
    ``passage`` is judged from the files' content to the screen: ``head f`` is cut, ``sort f`` reordered. ``looped``:
    it stands in a loop (or xargs, ``find -exec``), whose turns are merged into one act, paths in their order.
    ``in_archive``: what is shown are members of ``paths``. ``full_screen``: a pager, an editor, ``watch``.
    ``cwd`` is the directory at that point, against which shown relative paths resolve. ``node`` is the text
    of the simple command, for explain. ``index`` orders acts as their output appears.
    """

    verb: Verb
    utility: str
    cwd: str
    node: str
    index: int
    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    roots: Roots | None = None
    passage: Passage = "verbatim"
    targets: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    appends: bool = False
    literal: bool = False
    lines: tuple[int, int | None] | None = None
    exact: bool = True
    prefixed: bool | None = None
    numbered: bool = False
    looped: bool = False
    in_archive: bool = False
    full_screen: bool = False


@dataclass(frozen=True, slots=True)
class Doings:
    """All acts of one command text, with what it leaves behind in the shell.

    ``parsed`` is False where the text is no bash (a here-document that never ends, another shell's words).
    ``tab`` tells that tabshell's own programs print here. ``text_shown`` are literal words that the command
    prints itself (echo headers), which belong to no file.
    """

    acts: tuple[Act, ...]
    parsed: bool = True
    tab: bool = False
    text_shown: tuple[str, ...] = ()
