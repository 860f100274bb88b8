"""Writes ``docs/reference/cli.md``, the tables of ``config.md`` and the man pages from the program's own help.

    python docs/generate.py

In: the commands of ``tabshell`` as click knows them, and the help of ``tab``. Out: two pages, and with ``man.py`` one
manual page for each command. Only names, texts, choices and defaults go into them, no layout of click's, so they are
the same with every version of click. A test holds pages and program together.
"""

from __future__ import annotations

import runpy
import textwrap
from pathlib import Path

import click

from tabshell.cli.commands import COMMANDS
from tabshell.cli.options.defaults import SESSION, WITHOUT, configurable, session_keys
from tabshell.cli.tab import lists
from tabshell.cli.tabshell import tabshell

PAGE = Path(__file__).parent / "reference" / "cli.md"
CONFIG = PAGE.with_name("config.md")
#: How an option is told, there as here.
_MAN = runpy.run_path(str(Path(__file__).with_name("man.py")))
_value = _MAN["value"]
_BELOW = "<!-- settings: written by docs/generate.py; do not edit below -->\n"
WIDTH = 116
_HEAD = """# `tabshell`

<!-- written by docs/generate.py from the help texts; do not edit -->

Without a command, or with options only, `tabshell` means `tabshell run`. `tabshell COMMAND --help` prints what stands
here; `-h` is short for `--help`. SESSION is the id of a session, a unique prefix of an id, a name, a path of its
directory or of a bundle, or `last`, the newest one.

What the commands end with is in [exit statuses](exit-status.md), what `--json` prints in [JSON](json.md).

| command | what it does |
|---|---|
"""
_TAB = """## `tab`

In a session's shell; `tabshell tab` is the same program. [Its page](tab.md) says what each operation does and refuses.

"""


def page() -> str:
    """The whole page."""
    rows = [f"| [`tabshell {name}`](#tabshell-{name}) | {short} |" for name, (_, _, short) in COMMANDS.items()]
    rows.append("| [`tab`](#tab) | the agent's command in a session's shell |")
    sections = [_HEAD + "\n".join(rows) + "\n", _versions(), *map(_command, COMMANDS), _TAB + _code(lists._HELP)]
    return "\n".join(sections)


def config_page() -> str:
    """The page on settings: its prose as it stands, its tables anew."""
    shared = session_keys()
    told = {SESSION: {key: one for key, one in configurable(commands()["run"]).items() if key in shared}}
    for name in (name for name in COMMANDS if name not in WITHOUT):
        options = configurable(commands()[name])
        starts = shared <= set(options)
        told[name] = {key: one for key, one in options.items() if not (starts and key in shared)}
    prose = CONFIG.read_text(encoding="utf-8").partition(_BELOW)[0]
    return prose + _BELOW + "".join(_table(name, options) for name, options in told.items() if options)


def _table(name: str, options: dict[str, click.Option]) -> str:
    rows = [
        f"| `{key}` | {_takes(option)} | {_cell(_MAN['told'](option, '`{}`'.format))} |"
        for key, option in options.items()
    ]
    return f"\n### `[{name}]`\n\n| key | value | what it is |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _takes(option: click.Option) -> str:
    if option.is_flag:
        return "true or false"
    kind = option.type.name.split()[0]
    word = {"integer": "a whole number", "float": "a number"}.get(kind, "text")
    return "a list" if option.multiple else word


def commands() -> dict[str, click.Command]:
    """Every command by its name."""
    context = click.Context(tabshell)
    found = {name: tabshell.get_command(context, name) for name in COMMANDS}
    return {name: command for name, command in found.items() if command is not None}


def _versions() -> str:
    return "`tabshell --version` (`-V`) prints the versions of tabshell, bash, SQLite and Python.\n"


def _command(name: str) -> str:
    command = commands()[name]
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    options = [one for one in command.params if isinstance(one, click.Option)]
    usage = " ".join(["tabshell", name, *(["[OPTIONS]"] if options else []), *map(_argument, arguments)])
    parts = [f"## `tabshell {name}`\n", _code(usage), _prose(command.help or "")]
    if options:
        parts.append("| option | what it does |\n|---|---|\n" + "\n".join(map(_option, options)) + "\n")
    return "\n".join(parts)


def _argument(argument: click.Argument) -> str:
    name = (argument.metavar or argument.name or "").upper()
    text = f"{name}…" if argument.nargs != 1 else name
    return text if argument.required else f"[{text}]"


def _option(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" {_MAN['value'](option)}"
    return f"| {names}{value} | {_cell(_MAN['told'](option, '`{}`'.format))} |"


def _told(option: click.Option) -> str:
    return _cell(_MAN["told"](option, "`{}`".format))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _prose(text: str) -> str:
    paragraphs = [" ".join(one.split()) for one in text.replace("\b", "").split("\n\n")]
    filler = textwrap.TextWrapper(WIDTH, break_on_hyphens=False, break_long_words=False)
    return "\n\n".join(map(filler.fill, paragraphs)) + "\n"


def _code(text: str) -> str:
    return f"```text\n{text}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    CONFIG.write_text(config_page(), encoding="utf-8")
    _MAN["write"]()
