"""Utilities with a program or a format of their own: sed, awk, jq, pdftotext, unzip, tar, sqlite3, pandoc …"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.bash.calls import Call, Utility, gather, separate
from tabshell.access.bash.options import parse
from tabshell.access.bash.streams import Stream
from tabshell.access.utilities import texts
from tabshell.access.utilities.readers import narrow, whole_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.bash.expand import Field

_RANGE = re.compile(r"\s*(\d{1,9})(?:\s*,\s*(\d{1,9}|\$))?\s*p\s*;?\s*(?:\d*q)?\s*")

#: The suffix of the copies that ``sed -i`` leaves, often none.
_SUFFIX = re.compile(r"|\.\w+|~")


def _is_suffix(call: Call, operand: Field) -> bool:
    return _SUFFIX.fullmatch(operand.text) is not None and (operand.text == "" or call.info(operand) is None)


def _sed(call: Call) -> Stream:
    parsed = parse(call.args, "efl", {"expression", "file", "line-length"}, optional="i")
    operands = list(parsed.operands)
    if parsed.has("i") and len(operands) > 1 and _is_suffix(call, operands[0]):
        operands.pop(0)  # as on BSD, where the suffix is a word of its own
    scripts = [s.text for s in parsed.values("e", "expression")]
    if not scripts and not parsed.has("f", "file") and operands:
        scripts = [operands.pop(0).text]
    if parsed.has("i", "in-place"):
        call.write(operands, [call.path(o.text) for o in operands if o.known], literal=True, appends=True)
        return Stream(status=None)
    quiet = parsed.has("n", "quiet", "silent")
    script = "\n".join(scripts)
    span = _RANGE.fullmatch(script) if quiet else None
    stream = gather(call, operands, "read", "verbatim")
    for draft in stream.drafts:
        if span is None:
            draft.lines = None
    if span is not None:
        begin = int(span[1])
        end = None if span[2] == "$" else int(span[2] or begin)
        narrow(stream.drafts, begin, end)
        stream.weaken("cut")
        stream.lines = texts.lazily(whole_text(call, operands), texts.between(begin, end))
        return stream
    only_picks = (
        re.fullmatch(r"[\s\d,$;!{}pqd/+~^\w\\.*\[\]-]*", script) is not None
        and "s/" not in script
        and script.strip() != ""
    )
    stream.weaken("cut" if only_picks else "altered")
    change = _substitution(scripts, quiet=quiet)
    if change is not None:
        stream.lines = texts.lazily(whole_text(call, operands), texts.each(change))
    return stream


_SUBSTITUTE = re.compile(r"s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gI]*)")


def _substitution(scripts: list[str], *, quiet: bool) -> Callable[[str], str | None] | None:
    """A change of each line by plain ``s/a/b/g`` commands; None for other scripts."""
    steps: list[tuple[re.Pattern[str], str, int]] = []
    if quiet:
        return None
    for script in scripts:
        at = 0
        while at < len(script):
            match = _SUBSTITUTE.match(script, at)
            pattern = match and texts.basic_pattern(match[2], extended=False, fixed=False, ignore_case="I" in match[4])
            if match is None or pattern is None:
                return None
            by = re.sub(
                r"\\(\d)|(?<!\\)&|\\([^\d])", lambda m: f"\\g<{m[1] or 0}>" if not m[2] else re.escape(m[2]), match[3]
            )
            steps.append((pattern, by, 0 if "g" in match[4] else 1))
            at = match.end()
            if at < len(script):
                if script[at] not in ";\n":
                    return None
                at += 1

    def change(line: str) -> str | None:
        try:
            for pattern, by, count in steps:
                line = pattern.sub(by, line, count=count)
        except (re.error, IndexError):
            return line
        return line

    return change if steps else None


#: The usual way to take a first file in before the others are worked on.
_SKIPS_FIRST = re.compile(r"\b(?:NR\s*==\s*FNR|FNR\s*==\s*NR)\s*\{[^{}]*\bnext\b")


def _awk(call: Call) -> Stream:
    parsed = parse(call.args, "Fvfie", {"field-separator", "assign", "file", "include", "source"})
    operands = list(parsed.operands)
    program = "" if parsed.has("f", "file") else operands.pop(0).text if operands else ""
    operands = [o for o in operands if not re.match(r"[A-Za-z_]\w*=", o.text)]
    if re.fullmatch(r"\s*BEGIN\s*\{.*\}\s*", program, re.S) and "getline" not in program and not operands:
        call.stdin.hide()
        return Stream(literal=True)
    first: list[Field] = []
    if _SKIPS_FIRST.search(program) and len(operands) > 1:
        first, operands = operands[:1], operands[1:]  # the first file is taken in, the others are shown
    stream = gather(call, operands, "read", "altered")
    if first:
        stream.join(gather(call, first, "read", "altered"))
    printed = re.fullmatch(r"\s*\{\s*print\s+\$(\d+|NF)\s*;?\s*\}\s*", program)
    if printed:
        number = -1 if printed[1] == "NF" else int(printed[1])
        separator = parsed.value("F", "field-separator")
        if separator is None or len(separator) == 1:
            change = texts.fields(None if separator == " " else separator, [number])
            stream.lines = texts.lazily(whole_text(call, operands), change)
    _awk_names(call, program, operands, stream)
    return stream


def _awk_names(call: Call, program: str, operands: list[Field], stream: Stream) -> None:
    """FILENAME printed lists the files; ``getline < "f"`` and ``print > "f"`` name others."""
    if re.search(r"\bFILENAME\b", program):
        stream.drafts.append(call.act("list", separate(operands)[0]))
    for match in re.finditer(r"print[^;}|]*?(>>?)\s*\"([^\"]+)\"\s*(?=[;}\n]|$)", program):
        if not match[2].startswith("/dev/") and call.args:
            call.write([replace(call.args[0], text=match[2], known=True)], stream.sources(), appends=match[1] == ">>")


def _programmed(
    short: str, long: frozenset[str] = frozenset(), program: tuple[str, ...] = ("f", "from-file")
) -> Utility:
    """jq, yq and their like: a filter, then files."""

    def run(call: Call) -> Stream:
        args = _without_arguments(call.args)
        parsed = parse(args, short, long)
        operands = parsed.operands[0 if parsed.has(*program) else 1 :]
        if parsed.has("n", "null-input") and not operands:
            call.stdin.hide()
            return Stream(literal=True)
        slurped = [replace(v, text=v.text) for v in parsed.values("slurpfile", "rawfile")]
        stream = gather(call, operands, "read", "altered")
        if slurped:
            stream.drafts.append(call.act("read", slurped, "altered"))
        return stream

    return run


def _without_arguments(args: list[Field]) -> list[Field]:
    """jq's ``--arg name value`` and ``--args …`` taken out; ``--slurpfile name file`` keeps its file."""
    kept: list[Field] = []
    at = 0
    while at < len(args):
        text = args[at].text
        if text in ("--arg", "--argjson"):
            at += 3
        elif text in ("--slurpfile", "--rawfile") and at + 2 < len(args):
            kept.append(replace(args[at], text=f"{text}={args[at + 2].text}"))
            at += 3
        elif text in ("--args", "--jsonargs"):
            break
        else:
            kept.append(args[at])
            at += 1
    return kept


def _to_output(
    short: str = "", long: frozenset[str] = frozenset(), *, default: str = "file", suffix: str = ".txt"
) -> Utility:
    """pdftotext IN [OUT], docx2txt IN [OUT]: ``-`` is the screen. ``default``: where it goes without OUT."""

    def run(call: Call) -> Stream:
        parsed = parse(call.args, short, long, single_dash=bool(long))
        inputs, outputs = parsed.operands[:1], parsed.operands[1:2]
        stream = gather(call, inputs, "read", "altered")
        to_screen = bool(outputs) and outputs[0].text in ("-", "/dev/stdout")
        if to_screen or (not outputs and (default == "screen" or not inputs or inputs[0].text == "-")):
            return stream
        if not outputs:
            outputs = [replace(inputs[0], text=re.sub(r"\.\w+$", "", inputs[0].text) + suffix)]
        call.write(outputs, stream.sources())
        stream.hide()
        return Stream()

    return run


def _database(call: Call) -> Stream:
    """sqlite3 FILE [SQL …]: SQL may come from standard input."""
    names = {"separator", "cmd", "init", "newline", "nullvalue", "mmap", "maxsize", "vfs", "c", "s"}
    parsed = parse(call.args, "", names, single_dash=True)
    operands = parsed.operands[:1]
    sql = " ".join([o.text for o in parsed.operands[1:]] + [v.text for v in parsed.values("cmd", "c", "s")])
    scripts = call.input_lines() if len(parsed.operands) < 2 else None
    if scripts is not None:
        sql += " " + "\n".join(scripts.values)
    if call.stdin.file is not None:
        call.through("nothing").hide()
    call.stdin.hide()
    named = dict.fromkeys(re.findall(r"['\"]([^'\"\n]{1,300}\.\w{2,8}(?:\.gz)?)['\"]", sql))
    also = [replace(call.args[0], text=name, known=True, exact=True) for name in named if call.args]
    existing = [f for f in also if call.files.info(call.path(f.text)) is not None or "*" in f.text]
    for match in re.finditer(r"^\.(read|import|open)\s+(?:--\w+\s+)*(\S+)", sql, re.M):
        existing += [replace(call.args[0], text=match[2].strip("'\""), known=True)]
    drafts = [call.act("read", operands, "altered")] if operands else []
    if existing:
        drafts.append(call.act("read", existing, "altered", exact=not any("*" in f.text for f in existing)))
    return Stream(drafts)


def _miller(call: Call) -> Stream:
    """mlr [main options] verb [options] [then …] FILES: files are the operands that exist at the end."""
    files: list[Field] = []
    for arg in reversed(call.args):
        if (
            arg.known and not arg.text.startswith("-") and call.files.info(call.path(arg.text)) is not None
        ) or arg.stream is not None:
            files.insert(0, arg)
        else:
            break
    return gather(call, files, "read", "altered")


def _existing(call: Call) -> Stream:
    """xsv, duckdb, xmllint, ffmpeg …: operands that exist are read, others are words of the program."""
    files = [a for a in call.args if a.stream is not None or _exists(call, a)]
    return gather(call, files, "read", "altered") if files else gather(call, [], "read", "altered")


def _exists(call: Call, arg: Field) -> bool:
    if not arg.known or not arg.text or arg.text.startswith("-"):
        return False
    info = call.info(arg)
    return info is not None and info.kind == "file"


def _convert(call: Call) -> Stream:
    """pandoc, iconv -o and others with -o OUT."""
    parsed = parse(
        call.args, "ftrwoVMHBA",
        {"from", "to", "read", "write", "output", "variable", "metadata", "template", "wrap", "columns",
        "extract-media"},
    )  # fmt: skip
    stream = gather(call, parsed.operands, "read", "altered")
    outputs = [o for o in parsed.values("o", "output") if o.text != "-"]
    if outputs:
        call.write(outputs, stream.sources(), literal=stream.literal)
        stream.hide()
        return Stream()
    return stream


_DIFF_FORMATS = {
    f"{kind}-{what}-format" for kind in ("old", "new", "unchanged", "changed") for what in ("line", "group")
} | {"line-format", "ignore-matching-lines", "show-function-line", "horizon-lines", "tabsize", "starting-file"}


def _diff(call: Call) -> Stream:
    """diff, colordiff, sdiff: lines of both sides; ``-q`` and ``-rq`` name files only."""
    parsed = parse(
        call.args,
        "UCxIWFSX",
        {"unified", "context", "exclude", "width", "label", "to-file", "from-file", *_DIFF_FORMATS},
    )
    named, _, _ = separate(parsed.operands)
    infos = [call.files.info(call.path(o.text)) for o in named if o.known]
    trees = any(info is not None and info.kind == "dir" for info in infos)
    if parsed.has("q", "brief"):
        return gather(call, parsed.operands, "list", "verbatim", roots=call.trees(named))
    stream = gather(call, parsed.operands, "read", "cut", roots=call.trees(named))
    if trees or parsed.has("r", "recursive"):
        for draft in stream.drafts:
            draft.exact = False
        stream.drafts.append(call.act("list", named, roots=call.trees(named), exact=False))
    return stream


def _office(call: Call) -> Stream:
    """soffice --convert-to FORMAT [--outdir DIR] FILES, and --cat."""
    parsed = parse(call.args, "", {"convert-to", "outdir", "infilter"}, single_dash=True)
    call.stdin.hide()
    if parsed.has("cat"):
        return Stream([call.act("read", parsed.operands, "altered")])
    kind = (parsed.value("convert-to") or "").split(":")[0]
    directory = parsed.value("outdir") or "."
    names = [re.sub(r"\.\w+$", "", o.text.rsplit("/", 1)[-1]) + "." + kind for o in parsed.operands]
    for operand, name in zip(parsed.operands, names, strict=True):
        call.write([replace(operand, text=f"{directory}/{name}")], [call.path(operand.text)])
    return Stream([call.act("list", parsed.operands)], literal=True)


_PDF = frozenset(
    {"f", "l", "r", "x", "y", "W", "H", "enc", "eol", "opw", "upw", "fixed", "colspacing", "layout", "raw"}
    - {"layout", "raw"}
)
_JQ = frozenset({"indent", "tab", "slurpfile", "rawfile", "from-file", "library-path"} - {"tab"})
EXTRACTORS: dict[str, Utility] = {
    "sed": _sed, "gsed": _sed, "awk": _awk, "gawk": _awk, "mawk": _awk, "nawk": _awk,
    "jq": _programmed("fL", _JQ), "jaq": _programmed("fL", _JQ), "gojq": _programmed("fL", _JQ),
    "yq": _programmed("opIt", frozenset({"output-format", "input-format", "indent", "from-file"})),
    "xq": _programmed("f"), "tomlq": _programmed("f"), "dasel": _existing, "gron": _existing, "fx": _existing,
    "jless": _existing, "json_pp": _existing, "htmlq": _existing, "pup": _existing,
    "pdftotext": _to_output("", _PDF), "pdftohtml": _to_output("", frozenset({"f", "l"}), suffix=".html"),
    "docx2txt": _to_output(), "docx2txt.pl": _to_output(), "pptx2txt": _to_output(),
    "ps2ascii": _to_output(default="screen"),
    "odt2txt": _to_output(default="screen"), "wpd2text": _to_output(default="screen"), "mutool": _existing,
    "sqlite3": _database, "sqlite": _database, "duckdb": _database, "sqlite-utils": _existing,
    "mlr": _miller, "xsv": _existing, "qsv": _existing, "xan": _existing, "tv": _existing, "vd": _existing,
    "q": _existing,
    "pandoc": _convert, "markitdown": _convert, "html2md": _convert, "textutil": _existing, "tesseract": _existing,
    "xmllint": _existing, "xmlstarlet": _existing, "xml": _existing, "xsltproc": _existing, "xpath": _existing,
    "diff": _diff, "colordiff": _diff, "sdiff": _diff, "diff3": _diff, "wdiff": _diff, "vimdiff": _diff,
    "icdiff": _diff,
    "delta": _diff, "difft": _diff, "bsdiff": _diff,
    "soffice": _office, "libreoffice": _office, "localc": _office, "lowriter": _office,
    "gpg": _existing, "openssl": _existing, "protoc": _existing, "parquet-tools": _existing, "pqrs": _existing,
    "ssconvert": _to_output(default="file", suffix=".csv"), "gnumeric": _existing, "ebook-convert": _to_output(),
    "pdfgrep": _existing, "exiftool": _existing, "csvtk": _existing,
}  # fmt: skip
