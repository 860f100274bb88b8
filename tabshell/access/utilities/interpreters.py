"""python, perl, ruby, node, R, php and others: a script in the command, in a here-document or on the disk."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tabshell.access.acts import Roots
from tabshell.access.bash.calls import Call, Utility, gather
from tabshell.access.bash.options import parse
from tabshell.access.bash.streams import Stream
from tabshell.access.utilities.scripts import opaque

if TYPE_CHECKING:
    from tabshell.access.bash.expand import Field
    from tabshell.access.bash.streams import Draft
    from tabshell.access.python.values import Findings, Texts

#: Modules of ``python -m`` that show their operands.
_SHOWING = {
    "json.tool",
    "markitdown",
    "base64",
    "tokenize",
    "ast",
    "csvkit",
    "pdfminer",
    "tabulate",
    "gzip",
    "dis",
    "docx2txt",
    "quopri",
}
_LISTING = {"zipfile", "tarfile"}


def _python(call: Call) -> Stream:
    args = call.args
    at = 0
    while at < len(args) and args[at].text.startswith("-") and args[at].text != "-":
        word = args[at].text
        at += 1
        if re.fullmatch(r"-[bBdEhiIOqsSuvVx]*c", word):
            return _source(call, args[at] if at < len(args) else None, args[at + 1 :], "-c")
        if re.fullmatch(r"-[bBdEiIOqsSuvx]*m", word):
            return _module(call, args[at].text if at < len(args) else "", args[at + 1 :])
        if word in ("-W", "-X"):
            at += 1
        if word in ("--version", "-V", "--help", "-h"):
            call.stdin.hide()
            return Stream(literal=True)
    if at >= len(args) or args[at].text in ("-", "/dev/stdin"):
        return _from_stdin(call, args[at + 1 :])
    return _file(call, args[at], args[at + 1 :])


def _source(call: Call, source: Field | None, arguments: list[Field], name: str) -> Stream:
    if source is None or not source.known:
        call.stdin.hide()
        return Stream([call.act("run", [], exact=False)], literal=True)
    return _examined(call, source.text, arguments, name, [])


def _from_stdin(call: Call, arguments: list[Field]) -> Stream:
    lines = call.input_lines()
    call.through("nothing")
    if lines is None:
        return Stream([call.act("run", arguments, exact=False)], literal=True)
    inner = replace(call, stdin=Stream())
    return _examined(inner, "\n".join(lines.values), arguments, "-", [])


def _file(call: Call, script: Field, arguments: list[Field]) -> Stream:
    path = call.path(script.text)
    text = call.shell.text_of(path) if script.known else None
    if text is None:
        return _unknown(call, [script, *arguments])
    return _examined(call, text, arguments, script.text, [script])


def _unknown(call: Call, operands: list[Field]) -> Stream:
    """A program that cannot be read: its existing operands are suspects."""
    stream = opaque(replace(call, args=operands))
    for draft in stream.drafts:
        if draft.verb == "opaque" and draft.node == call.node:
            draft.verb = "run"
    return stream


def _examined(call: Call, source: str, arguments: list[Field], name: str, script: list[Field]) -> Stream:
    """Acts for what a Python source does."""
    from tabshell.access.python.scripts import examine  # noqa: PLC0415 - ast is needed for Python only
    from tabshell.access.python.values import text  # noqa: PLC0415

    argv: list[Texts | None] = [text(name), *(text(a.text) if a.known else None for a in arguments)]
    call.shell.fuel.burn(len(source) // 8)
    found = examine(source, argv, call)
    stream = Stream(literal=True)
    reads_stdin = "stdin" in source or "input(" in source or "fileinput" in source
    if reads_stdin and (call.stdin.drafts or call.stdin.file is not None):
        stream.join(call.through("altered"))
    else:
        call.stdin.hide()
    stream.drafts += _acts(call, found)
    suspects = [
        *_given(call, arguments, found),
        *(replace(call.args[0], text=w, known=True) for w in found.perhaps.values()),
    ]
    if script or not found.exact or suspects:
        stream.drafts.append(call.act("run", [*script, *suspects], "altered", exact=found.exact and not found.perhaps))
    for line in found.shell[:20]:
        stream.join(call.shell.nested(line, [], Stream()).weaken("altered"))
    stream.literal = True
    return stream


def _given(call: Call, arguments: list[Field], found: Findings) -> list[Field]:
    """Arguments that name files which the script was not seen to open."""
    return [a for a in arguments if call.path(a.text) not in found.reads and _is_file(call, a)]


def _acts(call: Call, found: Findings) -> list[Draft]:
    drafts = []
    if found.reads:
        draft = call.act("read", [], "altered", exact=found.exact)
        draft.paths, draft.words = list(found.reads), list(found.reads.values())
        drafts.append(draft)
    drafts += [call.act("run", [], "altered", roots=roots, exact=False) for roots in found.roots]
    if found.prints:
        draft = call.act("list", [], "altered", exact=found.exact)
        draft.paths, draft.words = list(found.prints), list(found.prints.values())
        drafts.append(draft)
    for path, appends in found.writes.items():
        draft = call.write([], list(found.reads), literal=True, appends=appends)
        draft.targets, draft.words = [path], [path]
    for verb, source, target in found.copies:
        draft = call.write([], [source], verb=verb)
        draft.targets, draft.words = [target], [target]
    return drafts


def _module(call: Call, module: str, arguments: list[Field]) -> Stream:
    """``python -m module``."""
    operands = parse(arguments).operands
    if module in _LISTING:
        listed = [o for o in operands if call.info(o) is not None]
        call.stdin.hide()
        return Stream([call.act("list", listed[:1] or operands[:1], in_archive=True)])
    if module in _SHOWING:
        return gather(call, operands[:1], "read", "altered")
    return _unknown(call, arguments)


#: How scripts ask for the names in a directory.
_WALKS = re.compile(r"readdir|opendir|scandir|listdir|list\.files|\bDir\b|[gG]lob\b|\bwalk|\bfind\b")
_LITERAL = re.compile(r"""(["'`])((?:\\.|(?!\1)[^\\\n]){1,400})\1|<\s*([\w./*-]+)\s*>""")


@dataclass(frozen=True, slots=True)
class _Cluster:
    """One word of short options: ``-ne``, ``-i.bak``, ``-MList::Util=sum``, ``-pe``."""

    loops: bool = False
    in_place: bool = False
    code: str | None = None
    takes_code: bool = False
    takes_value: bool = False

    @classmethod
    def of(cls, letters: str, switches: str, looping: str, values: str) -> _Cluster:
        """``switches`` take code, ``values`` something else: the rest of the word, or else the next one."""
        loops = False
        for at, letter in enumerate(letters):
            rest = letters[at + 1 :]
            if letter in switches and not (rest and not looping):
                return cls(loops, False, rest or None, not rest)
            if letter in values:
                return cls(loops, takes_value=not rest)
            if looping and letter == "i":
                return cls(loops, True)
            loops = loops or letter in looping
        return cls(loops)


def _script(switches: str, *, looping: str = "", values: str = "") -> Utility:
    """perl, ruby, node and others: what their text names in quotes, and the operands of a one-liner."""

    def run(call: Call) -> Stream:
        args = call.args
        sources: list[str] = []
        at = 0
        loops = in_place = False
        while at < len(args) and args[at].text.startswith("-") and len(args[at].text) > 1:
            word = args[at].text
            at += 1
            if word.startswith("--"):
                code, takes_next = None, word in ("--eval", "--print")
            else:
                cluster = _Cluster.of(word[1:], switches, looping, values)
                loops, in_place = loops or cluster.loops, in_place or cluster.in_place
                code, takes_next = cluster.code, cluster.takes_code
                at += cluster.takes_value
            if takes_next and at < len(args):
                code = args[at].text
                at += 1
            if code:
                sources.append(code)
        operands = args[at:]
        script: list[Field] = []
        if not sources:
            sources, script, operands = _whole_source(call, operands)
        return _named(call, "\n".join(sources), script, operands, loops=loops, in_place=in_place)

    return run


def _whole_source(call: Call, operands: list[Field]) -> tuple[list[str], list[Field], list[Field]]:
    """The script's text from the disk or from standard input."""
    if operands and operands[0].text != "-":
        text = call.shell.text_of(call.path(operands[0].text)) if operands[0].known else None
        return ([text] if text is not None else []), operands[:1], operands[1:]
    lines = call.input_lines()
    call.stdin.hide()
    return (["\n".join(lines.values)] if lines is not None else []), [], operands[1:]


def _named(
    call: Call, source: str, script: list[Field], operands: list[Field], *, loops: bool, in_place: bool
) -> Stream:
    files = [o for o in operands if o.stream is not None or loops or _is_file(call, o)]
    literals: list[Field] = []
    folders: dict[str, None] = {}
    base = call.args[0] if call.args else None
    for match in _LITERAL.finditer(source):
        text = match[2] or match[3]
        if base is not None and text and call.shell.fuel.visit(2):
            word = replace(base, text=text, known=True, exact=True, stream=None)
            info = call.info(word)
            if info is not None and info.kind == "file":
                literals.append(word)
            elif info is not None and info.kind == "dir":
                folders[call.path(text)] = None
    if in_place:
        call.write(files, [call.path(f.text) for f in files], literal=True, appends=True)
        return Stream()
    reads_stdin = loops or "STDIN" in source or "<>" in source or "stdin" in source or "gets" in source
    stream = Stream(literal=True)
    if files:
        stream.join(gather(call, files, "read", "altered"))
    elif reads_stdin:
        stream.join(call.through("altered"))
    else:
        call.stdin.hide()
    if literals or script or not loops:
        stream.drafts.append(call.act("run", [*script, *dict.fromkeys(literals)], "altered", exact=False))
    if folders and _WALKS.search(source):
        stream.drafts.append(call.act("run", [], "altered", roots=Roots(tuple(folders)), exact=False))
    stream.literal = True
    return stream


def _is_file(call: Call, operand: Field) -> bool:
    info = call.info(operand)
    return info is not None and info.kind == "file"


_PYTHONS = (
    "python",
    "python2",
    "python3",
    "python3.9",
    "python3.10",
    "python3.11",
    "python3.12",
    "python3.13",
    "pypy",
    "pypy3",
    "ipython",
    "ipython3",
)
INTERPRETERS: dict[str, Utility] = {
    **dict.fromkeys(_PYTHONS, _python),
    "perl": _script("eE", looping="np", values="FMmIxD"), "ruby": _script("e", looping="np", values="rI"),
    "node": _script("ep", values="r"), "nodejs": _script("ep", values="r"), "bun": _script("ep"), "deno": _script("",
    values=""),
    "php": _script("rRB", values="dc"), "Rscript": _script("e"), "R": _script("e", values="f"), "lua": _script("e",
    values="l"),
    "julia": _script("eE"), "tclsh": _script(""), "gnuplot": _script("e"), "bc": _script("", values=""),
    "octave": _script(""),
    "groovy": _script("e"), "scala": _script("e"), "raku": _script("e", looping="np"), "osascript": _script("e"),
    "pwsh": _script("c"),
}  # fmt: skip
