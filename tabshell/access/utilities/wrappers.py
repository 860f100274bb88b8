"""Commands that run another command: env, sudo, time, timeout, xargs, parallel, watch, shells with ``-c``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.bash.calls import Call, Utility
from tabshell.access.bash.expand import Field
from tabshell.access.bash.options import parse
from tabshell.access.bash.state import Value
from tabshell.access.bash.streams import Lines, Stream
from tabshell.access.utilities.finders import find

if TYPE_CHECKING:
    from tabshell.access.bash.streams import Draft


def _wrapper(short: str = "", long: frozenset[str] = frozenset(), skip: int = 0, *, numeric: bool = False) -> Utility:
    """A command whose operands are a command, after ``skip`` operands of its own."""

    def run(call: Call) -> Stream:
        parsed = parse(call.args, short, long, strict=True, numeric=numeric)
        command = parsed.operands[skip:]
        return call.shell.invoke(command, call.stdin, call.node) if command else Stream(literal=True)

    return run


def _env(call: Call) -> Stream:
    parsed = parse(call.args, "uCS", {"unset", "chdir", "split-string"}, strict=True)
    operands = parsed.operands
    state = call.shell.state
    while operands and re.match(r"[A-Za-z_]\w*=", operands[0].text):
        operands = operands[1:]
    if not operands:
        call.stdin.hide()
        return Stream(literal=True)
    cwd = state.cwd
    if directory := parsed.value("C", "chdir"):
        state.cwd = call.path(directory)
    try:
        return call.shell.invoke(operands, call.stdin, call.node)
    finally:
        state.cwd = cwd


def _time(call: Call) -> Stream:
    parsed = parse(call.args, "fo", {"format", "output"}, strict=True)
    return call.shell.invoke(parsed.operands, call.stdin, call.node) if parsed.operands else Stream()


def _shell(call: Call) -> Stream:
    """bash, sh and others: ``-c text``, a script with arguments, or commands on standard input."""
    at = 0
    text: Field | None = None
    wants_text = False
    args = call.args
    while at < len(args) and args[at].text[:1] in ("-", "+") and len(args[at].text) > 1:
        word = args[at].text
        at += 1
        if word == "--":
            break
        if word in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"):
            at += 1
        elif not word.startswith("--") and word[0] == "-" and "c" in word:
            wants_text = True
    if wants_text:
        text, at = (args[at] if at < len(args) else None), at + 1
        return _script(call, text, args[at + 1 :], args[at].text if at < len(args) else call.name)
    if at < len(args):
        return _script_file(call, args[at], args[at + 1 :])
    lines = call.input_lines()
    source = None if lines is None else "\n".join(lines.values)
    call.through("nothing")
    if source is None:
        return Stream([call.act("run", [], exact=False)], literal=True)
    return call.shell.nested(source, [], Stream(), call.name)


def _script(call: Call, text: Field | None, arguments: list[Field], name: str) -> Stream:
    if text is None:
        return Stream()
    if not text.known:
        return Stream([call.act("run", [], exact=False)], literal=True)
    return call.shell.nested(text.text, arguments, call.stdin, name)


def _script_file(call: Call, script: Field, arguments: list[Field]) -> Stream:
    text = call.shell.text_of(call.path(script.text)) if script.known else None
    if text is None:
        suspects = [a for a in arguments if call.info(a) is not None]
        call.stdin.hide()
        return Stream([call.act("run", suspects, exact=False)], literal=True)
    return call.shell.nested(text, arguments, call.stdin, script.text)


def _xargs(call: Call) -> Stream:
    parsed = parse(
        call.args, "aEIdLnPs", {"arg-file", "delimiter", "max-args", "max-lines", "max-procs", "replace", "max-chars"},
        strict=True, optional="ie",
    )  # fmt: skip
    command = parsed.operands or [Field("echo", "echo")]
    files = parsed.values("a", "arg-file")
    if files:
        text = call.shell.text_of(call.path(files[-1].text))
        call.act("read", files[-1:], "nothing")
        lines = None if text is None else Lines(tuple(text.split("\n")))
    else:
        lines = call.input_lines()
        call.through("nothing")
    mark = parsed.value("I", "replace")
    if mark is None and parsed.has("i", "replace"):
        mark = parsed.value("i") or "{}"
    if lines is None:
        return _unknown_items(call, command, mark)
    delimiter = parsed.value("d", "delimiter")
    null = parsed.has("0", "null")
    items = _items(lines, null=null, delimiter=delimiter, whole=mark is not None or parsed.has("L", "l"))
    fields = [Field(item, "xargs", True, lines.exact) for item in items]
    single = parsed.number("n", "max-args", "L", "max-lines") == 1
    stream = _run_items(call, command, fields, mark, single=single)
    if lines.roots is not None:
        _below(stream.drafts, lines)
    if parsed.has("P", "max-procs"):
        stream.weaken("reordered")
    return stream


def _run_items(call: Call, command: list[Field], fields: list[Field], mark: str | None, *, single: bool) -> Stream:
    shell = call.shell
    out = Stream()
    if mark is not None:

        def turn(item: Field) -> Stream:
            words = [
                w.saying(w.text.replace(mark, item.text), exact=item.exact) if mark in w.text else w for w in command
            ]
            return shell.invoke(words, Stream(), call.node)

        streams = shell.each(fields, turn)
    elif single:
        streams = shell.each(fields, lambda item: shell.invoke([*command, item], Stream(), call.node))
    else:
        with shell.loop():
            streams = [shell.invoke([*command, *fields], Stream(), call.node)] if fields else []
    for stream in streams:
        out.join(stream)
    return out


def _items(lines: Lines, *, null: bool, delimiter: str | None, whole: bool) -> list[str]:
    """The arguments that xargs makes of its input."""
    if lines.null or null:
        # NUL records read without -0, or lines read with it, come out as one word each at best.
        return [v for v in lines.values if v]
    if delimiter is not None:
        if delimiter in ("\\n", "\n"):
            return [v for v in lines.values if v]
        return [v for v in "\n".join(lines.values).split(delimiter) if v]
    if whole:
        return [v.strip() for v in lines.values if v.strip()]
    items: list[str] = []
    for value in lines.values:
        if _XARGS_SPECIAL(value):
            items += [re.sub(r"\\(.)|['\"]", lambda m: m[1] or "", m[0]) for m in _XARGS_WORD.finditer(value)]
        elif value:
            items.append(value)
    return items


_XARGS_SPECIAL = re.compile(r"[\s'\"\\]").search
_XARGS_WORD = re.compile(r"(?:\\.|'[^']*'|\"[^\"]*\"|[^\s'\"\\])+")


def _unknown_items(call: Call, command: list[Field], mark: str | None) -> Stream:
    """Nothing is known of the items: the command is run with an unknown word."""
    unknown = Field("", "xargs", known=False, exact=False)
    if mark is None:
        words = [*command, unknown]
    else:
        words = [
            replace(w, text=w.text.replace(mark, "$x"), known=mark not in w.text) if mark in w.text else w
            for w in command
        ]
        name = Value(None)
        call.shell.state.variables["x"] = name
    with call.shell.loop():
        return call.shell.invoke(words, Stream(), call.node)


def _below(drafts: list[Draft], lines: Lines) -> None:
    for draft in drafts:
        draft.exact = False
        draft.roots = draft.roots or lines.roots


def _parallel(call: Call) -> Stream:
    """GNU parallel: ``command ::: items`` or items on standard input."""
    parsed = parse(
        call.args, "jNInSC", {"jobs", "max-args", "colsep", "delay", "timeout", "joblog", "results"}, strict=True
    )
    words = parsed.operands
    at = next((i for i, w in enumerate(words) if w.text in (":::", "::::")), len(words))
    command, items = words[:at], words[at + 1 :]
    if at == len(words):
        lines = call.input_lines()
        call.stdin.hide()
        if lines is None:
            return _unknown_items(call, command, None)
        items = [Field(v, "parallel", True, lines.exact) for v in lines.values]
    joined = " ".join(w.text for w in command)

    def turn(item: Field) -> Stream:
        quoted = "'" + item.text.replace("'", "'\\''") + "'"
        text = joined.replace("{}", quoted) if "{}" in joined else f"{joined} {quoted}"
        return call.shell.nested(text, [], Stream())

    out = Stream()
    for stream in call.shell.each(items, turn):
        out.join(stream)
    return out.weaken("reordered")


def _watch(call: Call) -> Stream:
    parsed = parse(call.args, "ns", {"interval"}, strict=True)
    stream = call.shell.nested(" ".join(o.text for o in parsed.operands), [], Stream())
    for draft in stream.drafts:
        draft.full_screen = True
    return stream


_SUDO = frozenset({"user", "group", "host", "prompt", "chdir", "other-user", "close-from"})
WRAPPERS: dict[str, Utility] = {
    "find": find, "gfind": find, "env": _env, "time": _time, "gtime": _time, "xargs": _xargs, "gxargs": _xargs,
    "parallel": _parallel, "watch": _watch, "bash": _shell, "sh": _shell, "dash": _shell, "zsh": _shell, "ksh": _shell,
    "ash": _shell, "rbash": _shell,
    "sudo": _wrapper("ugpCDhrtTU", _SUDO), "doas": _wrapper("uC"),
    "nohup": _wrapper(), "setsid": _wrapper(), "nice": _wrapper("n", frozenset({"adjustment"}), numeric=True),
    "ionice": _wrapper("cnpt"), "chrt": _wrapper("TPD", skip=1), "taskset": _wrapper("p", skip=1),
    "timeout": _wrapper("ks", frozenset({"kill-after", "signal"}), skip=1), "gtimeout": _wrapper("ks", skip=1),
    "stdbuf": _wrapper("ioe", frozenset({"input", "output", "error"})), "unbuffer": _wrapper(),
    "strace": _wrapper("eopsuEaIOPSX"), "ltrace": _wrapper("eopsu"), "chronic": _wrapper(),
    "caffeinate": _wrapper("tw"),
    "busybox": _wrapper(), "toybox": _wrapper(), "proxychains": _wrapper("f"), "flock": _wrapper("wEe", skip=1),
    "chroot": _wrapper("", frozenset({"userspec", "groups"}), skip=1), "fakeroot": _wrapper(), "catchsegv": _wrapper(),
    "exec": _wrapper("a"), "coproc": _wrapper(), "rlwrap": _wrapper("fbcH"), "numactl": _wrapper("NCm"),
    "faketime": _wrapper("f", skip=1), "xvfb-run": _wrapper("senfp"), "script": _wrapper("cEIOoTm", skip=99),
    "poetry": _wrapper(skip=1), "pipenv": _wrapper(skip=1), "pdm": _wrapper(skip=1),
    "uv": _wrapper("", frozenset({"with", "python"}), skip=1),
}  # fmt: skip
