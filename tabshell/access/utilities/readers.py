"""Utilities that show content: cat, head, tail, sort, cut, less, od and their like, and plain filters.

Most differ only in their options with values and in what becomes of the text, so they are rows of a table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabshell.access.bash.calls import Call, Utility, gather, lines_of, separate, talk
from tabshell.access.bash.options import Parsed, parse
from tabshell.access.bash.streams import Lines, Stream
from tabshell.access.utilities import texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.acts import Passage
    from tabshell.access.bash.expand import Field
    from tabshell.access.bash.streams import Draft


@dataclass(frozen=True, slots=True)
class Reader:
    """How one reader takes its words.

    ``short`` and ``long`` are its options with values; ``skip`` the number of first operands that are no files.
    ``numbered``: options that number lines (``*``: always). ``output``: how many operands may be files, the
    next one being the output.
    """

    passage: Passage = "verbatim"
    short: str = ""
    long: frozenset[str] = frozenset()
    skip: int = 0
    numeric: bool = False
    numbered: str = ""
    full_screen: bool = False
    files: int | None = None
    in_archive: bool = False
    optional: str = ""


def reader(row: Reader) -> Utility:
    """The utility of a row."""

    def run(call: Call) -> Stream:
        parsed = parse(call.args, row.short, row.long, numeric=row.numeric, optional=row.optional)
        operands = parsed.operands[row.skip :]
        if row.full_screen:
            operands = [o for o in operands if not o.text.startswith("+")]
        if parsed.has("help", "version"):
            return talk(call)
        outputs = operands[row.files :] if row.files is not None else []
        operands = operands[: len(operands) - len(outputs)]
        numbered = row.numbered == "*" or any(parsed.has(letter) for letter in row.numbered)
        stream = gather(
            call, operands, "read", row.passage,
            numbered=numbered, full_screen=row.full_screen, in_archive=row.in_archive,
        )  # fmt: skip
        if outputs and outputs[0].text != "-":
            call.write(outputs[:1], stream.sources(), literal=stream.literal)
            stream.hide()
            return Stream()
        if row.passage == "verbatim" and not row.in_archive:
            stream.lines = whole_text(call, operands)
        return stream

    return run


def whole_text(call: Call, operands: list[Field]) -> Callable[[], Lines | None]:
    """The lines of the files named, or of standard input."""

    def compute() -> Lines | None:
        named, streams, dash = separate(operands)
        if streams or not all(o.known for o in named):
            return streams[0].known() if len(streams) == 1 and not named else None
        values: tuple[str, ...] = ()
        exact = ordered = True
        null = False
        roots = None
        for operand in named[:20]:
            text = call.shell.text_of(call.path(operand.text))
            if text is None:
                return None
            values += lines_of(text).values
            exact = exact and operand.exact
        if dash or not operands:
            piped = call.input_lines()
            if piped is None:
                return None
            values += piped.values
            exact, ordered, null, roots = exact and piped.exact, piped.ordered, piped.null, piped.roots
        return Lines(values, exact and len(named) <= 20, ordered, null, roots)

    return compute


def narrow(drafts: list[Draft], begin: int, end: int | None) -> None:
    """Notes that only lines ``begin`` to ``end`` (None: the last) of a single file pass."""
    for draft in drafts:
        plain = draft.verb == "read" and draft.passage in ("verbatim", "cut") and len(draft.paths) == 1
        if len(drafts) > 1 or draft.in_archive or not plain:
            draft.lines = None
        elif draft.lines is None:
            draft.lines = (begin, end) if draft.passage == "verbatim" else None
        else:
            low, high = draft.lines
            last = None if end is None else low + end - 1
            top = last if high is None else high if last is None else min(high, last)
            draft.lines = (low + begin - 1, top)


def _head(call: Call) -> Stream:
    parsed = parse(call.args, "nc", {"lines", "bytes"}, numeric=True)
    count = parsed.number("n", "lines", "#") if parsed.has("n", "lines", "#") else 10
    size = parsed.value("c", "bytes")
    empty = count == 0 and size is None
    begin_end = (1, count if count is not None and count > 0 else None)
    return _part(call, parsed, begin_end if size is None else None, texts.first(count), nothing=empty or size == "0")


def _tail(call: Call) -> Stream:
    parsed = parse(call.args, "ncs", {"lines", "bytes", "pid", "sleep-interval"}, numeric=True)
    operands = parsed.operands
    if operands and re.fullmatch(r"\+\d+", operands[0].text) and not parsed.has("n", "lines"):
        parsed.options.append(("n", operands[0]))
        parsed.operands = operands[1:]
    value = parsed.value("n", "lines", "#") or "10"
    count = int(value.lstrip("+-")) if value.lstrip("+-").isdecimal() and len(value) < 10 else None
    start = value.startswith("+")
    span = (max(count, 1), None) if start and count is not None and not parsed.has("c", "bytes") else None
    change = texts.last(count, start=start)
    return _part(call, parsed, span, change, nothing=value == "0", known=span is not None)


def _part(
    call: Call,
    parsed: Parsed,
    span: tuple[int, int | None] | None,
    change: Callable[[Lines], Lines | None],
    *,
    nothing: bool,
    known: bool = True,
) -> Stream:
    """head and tail: a part of each file."""
    whole = span == (1, None) and not known
    stream = gather(call, parsed.operands, "read", "nothing" if nothing else "verbatim")
    if span is not None:
        narrow(stream.drafts, *span)
    else:
        for draft in stream.drafts:
            draft.lines = None
    if not nothing and not whole:
        stream.weaken("cut")
    headers = len(parsed.operands) > 1 and not parsed.has("q", "quiet", "silent")
    if not headers and not parsed.has("c", "bytes"):
        stream.lines = texts.lazily(whole_text(call, parsed.operands), change)
    return stream


def _sort(call: Call) -> Stream:
    parsed = parse(call.args, "kotST", {"key", "output", "field-separator", "buffer-size", "files0-from", "parallel"})
    targets = parsed.values("o", "output")
    if parsed.has("c", "C", "check"):
        return gather(call, parsed.operands, "compute", "counted")
    stream = gather(call, parsed.operands, "read", "reordered")
    if targets:
        call.write(targets[-1:], stream.sources(), literal=call.stdin.literal)
        return stream.hide()
    plain = not parsed.has("k", "key", "n", "h", "g", "V", "M", "R", "f", "d", "general-numeric-sort", "numeric-sort")
    change = texts.ordered(reverse=parsed.has("r", "reverse"), unique=parsed.has("u", "unique"), plain=plain)
    stream.lines = texts.lazily(whole_text(call, parsed.operands), change)
    return stream


def _uniq(call: Call) -> Stream:
    parsed = parse(call.args, "fsw", {"skip-fields", "skip-chars", "check-chars"})
    inputs, outputs = parsed.operands[:1], parsed.operands[1:2]
    counts = parsed.has("c", "count")
    stream = gather(call, inputs, "read", "altered" if counts else "reordered")
    if outputs:
        call.write(outputs, stream.sources())
        return stream.hide()
    if not counts:
        stream.lines = texts.lazily(whole_text(call, inputs), texts.distinct)
    return stream


def _cut(call: Call) -> Stream:
    parsed = parse(call.args, "dfcb", {"delimiter", "fields", "characters", "bytes", "output-delimiter"})
    stream = gather(call, parsed.operands, "read", "altered")
    wanted = parsed.value("f", "fields") or ""
    if re.fullmatch(r"\d+(,\d+)*", wanted):
        change = texts.fields(parsed.value("d", "delimiter") or "\t", [int(n) for n in wanted.split(",")])
        stream.lines = texts.lazily(whole_text(call, parsed.operands), change)
    return stream


def _tr(call: Call) -> Stream:
    """tr reads standard input only; of its effects on lists, deleting and NUL to line break are followed."""
    parsed = parse(call.args)
    words = [o.text for o in parsed.operands]
    stream = call.through("altered")
    null_to_lines = words in (["\\0", "\\n"], ["\\000", "\\n"])
    lines_to_null = words in (["\\n", "\\0"], ["\\n", "\\000"])
    if null_to_lines or lines_to_null:
        source = call.input_lines
        stream.lines = lambda: (
            None
            if (lines := source()) is None
            else Lines(lines.values, lines.exact, lines.ordered, lines_to_null, lines.roots)
        )
    elif words == ["\\n", " "]:
        stream.lines = lambda: None if (lines := call.input_lines()) is None else lines.some((" ".join(lines.values),))
    elif words == [" ", "\\n"]:
        stream.lines = lambda: (
            None
            if (lines := call.input_lines()) is None
            else lines.some(tuple(w for v in lines.values for w in v.split(" ")))
        )
    elif parsed.has("d") and len(words) == 1 and re.fullmatch(r"\\r|[^\[\\-]{1,8}", words[0]):
        gone = dict.fromkeys(map(ord, "\r" if words[0] == "\\r" else words[0]))
        stream.lines = texts.lazily(call.input_lines, texts.each(lambda line: line.translate(gone)))
    return stream


_PR = frozenset({"header", "length", "width", "date-format", "pages", "columns"})
_TABLE: dict[str, Reader] = {
    "cat": Reader(numbered="nb"),
    "tac": Reader("reordered", "s", frozenset({"separator"})),
    "nl": Reader("verbatim", "bdfhilnsvw", frozenset({"body-numbering", "number-format", "starting-line-number"}),
    numbered="*"),
    "rev": Reader("altered"),
    "shuf": Reader("reordered", "eino", frozenset({"head-count", "input-range", "output", "random-source"})),
    "paste": Reader("altered", "d", frozenset({"delimiters"})),
    "column": Reader("altered", "socNREHOnTW", frozenset({"separator", "output-separator", "table-columns",
    "output-width"})),
    "fold": Reader("altered", "w", frozenset({"width"}), numeric=True),
    "fmt": Reader("altered", "wpgt", frozenset({"width", "prefix", "goal"}), numeric=True),
    "pr": Reader("altered", "hlowNWSDei", _PR, numeric=True),
    "expand": Reader("altered", "t", frozenset({"tabs"}), numeric=True),
    "unexpand": Reader("altered", "t", frozenset({"tabs"})),
    "tsort": Reader("altered"),
    "comm": Reader("altered", "", frozenset({"output-delimiter"})),
    "join": Reader("altered", "12taoeivj", frozenset({"header"})),
    "colrm": Reader("altered", skip=99),
    "od": Reader("altered", "AjNStw", frozenset({"address-radix", "skip-bytes", "read-bytes", "format", "strings"}),
    optional="w"),
    "hexdump": Reader("altered", "nsef"),
    "hd": Reader("altered", "nsef"),
    "xxd": Reader("altered", "clsgoR", frozenset({"cols", "len", "seek", "groupsize"}), files=1),
    "strings": Reader("altered", "ntTeUs", frozenset({"bytes", "radix", "target", "encoding"}), numeric=True),
    "base64": Reader("altered", "w", frozenset({"wrap"})),
    "base32": Reader("altered", "w", frozenset({"wrap"})),
    "iconv": Reader("altered", "ftoc", frozenset({"from-code", "to-code", "output"})),
    "recode": Reader("altered", skip=1),
    "dos2unix": Reader("altered"),
    "look": Reader("cut", "t", skip=1),
    "less": Reader("verbatim", "bhjkoOpPtTxyz#", frozenset({"pattern", "prompt", "tabs"}), numbered="N",
    full_screen=True),
    "more": Reader("verbatim", "n", frozenset({"lines"}), numeric=True, full_screen=True),
    "most": Reader("verbatim", full_screen=True),
    "pg": Reader("verbatim", full_screen=True),
    "bat": Reader(
        "verbatim", "lHrm",
        frozenset({"language", "highlight-line", "line-range", "style", "color", "theme", "paging", "wrap", "tabs",
                   "decorations", "pager", "terminal-width", "file-name", "map-syntax", "italic-text"}),
        numbered="n", optional="",
    ),
    "mdcat": Reader("altered"), "glow": Reader("altered", "sw", frozenset({"style", "width"})),
    "pygmentize": Reader("verbatim", "lfFPOoS"), "highlight": Reader("verbatim", "SOo"),
    "vim": Reader("verbatim", "cSutTwWs", frozenset({"cmd"}), full_screen=True),
    "vi": Reader("verbatim", "cSutTwW", full_screen=True),
    "nvim": Reader("verbatim", "cSutTwW", frozenset({"cmd"}), full_screen=True),
    "view": Reader("verbatim", "cSutTwW", full_screen=True),
    "nano": Reader("verbatim", "rsTY", full_screen=True),
    "emacs": Reader("verbatim", "l", frozenset({"eval", "load"}), full_screen=True),
    "ed": Reader("verbatim", "p"),
    "csvlook": Reader("altered", "deqzy", frozenset({"max-rows", "max-columns", "max-column-width", "delimiter",
    "encoding"})),
    "csvcut": Reader("altered", "cCdezq", frozenset({"columns", "not-columns", "delimiter", "encoding"})),
    "csvgrep": Reader("cut", "cmrfdezq", frozenset({"columns", "match", "regex", "file", "delimiter", "encoding"})),
    "csvsort": Reader("reordered", "cdezq", frozenset({"columns", "delimiter", "encoding"})),
    "csvjson": Reader("altered", "dekiz", frozenset({"indent", "key", "delimiter", "encoding", "lat", "lon"})),
    "csvformat": Reader("altered", "dDezQ", frozenset({"delimiter", "out-delimiter", "encoding", "out-quotechar"})),
    "csvstat": Reader("altered", "cdez", frozenset({"columns", "delimiter", "encoding", "freq-count"})),
    "csvclean": Reader("verbatim", "dez"), "csvjoin": Reader("altered", "cdez", frozenset({"columns"})),
    "csvstack": Reader("altered", "gndez", frozenset({"groups", "group-name"})),
    "csvsql": Reader("altered", "idev", frozenset({"query", "db", "dialect", "tables", "insert", "encoding",
    "delimiter"})),
    "in2csv": Reader("altered", "fskedze", frozenset({"format", "sheet", "schema", "key", "encoding", "delimiter",
    "write-sheets"})),
    "xlsx2csv": Reader("altered", "sndfipeIElc", frozenset({"sheet", "sheetname", "delimiter", "dateformat",
    "outputencoding"}), files=1),
    "xls2csv": Reader("altered", "sdcqxfgb"), "csv2json": Reader("altered"),
    "catdoc": Reader("altered", "sdmf"), "catppt": Reader("altered", "sdb"), "antiword": Reader("altered", "fimpswx"),
    "odt2txt": Reader("altered", "", frozenset({"width", "encoding", "output"})), "unrtf": Reader("altered"),
    "html2text": Reader("altered", "", frozenset({"width", "body-width"})),
    "w3m": Reader("altered", "TOIcols", frozenset({"cols"})), "lynx": Reader("altered", "", frozenset({"width"})),
    "elinks": Reader("altered"), "markitdown": Reader("altered", "omc", frozenset({"output", "extension", "mime-type",
    "charset"})),
    "zcat": Reader("verbatim", "S", frozenset({"suffix"}), in_archive=True), "bzcat": Reader(in_archive=True),
    "xzcat": Reader(in_archive=True),
    "lzcat": Reader(in_archive=True), "zstdcat": Reader(in_archive=True), "lz4cat": Reader(in_archive=True),
    "zless": Reader(full_screen=True, in_archive=True), "zmore": Reader(full_screen=True, in_archive=True),
    "xmlstarlet": Reader("altered", skip=99), "tidy": Reader("altered", "fomb"),
    "exiftool": Reader("altered"), "ts": Reader("altered", skip=99), "aspell": Reader("altered", skip=99),
    "spell": Reader("altered"), "ldd": Reader("altered"), "nm": Reader("altered"), "objdump": Reader("altered", "jmM"),
    "readelf": Reader("altered", "x"), "ccze": Reader("altered"), "vimcat": Reader("verbatim"),
    "pv": Reader("verbatim", "sLN"),
    "sponge_in": Reader("verbatim"), "envsubst": Reader("altered", skip=99), "ansi2txt": Reader("altered"),
}  # fmt: skip

READERS: dict[str, Utility] = {
    **{name: reader(row) for name, row in _TABLE.items()},
    "batcat": reader(_TABLE["bat"]), "gunzip_c": reader(_TABLE["zcat"]), "hd": reader(_TABLE["hd"]),
    "head": _head, "tail": _tail, "ghead": _head, "gtail": _tail, "sort": _sort, "uniq": _uniq, "cut": _cut, "tr": _tr,
}  # fmt: skip
