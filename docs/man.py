"""Writes the manual pages, ``docs/man/*.1``, from the help texts of the program itself; the wheel ships them.

    python docs/man.py

In: the commands of ``tabshell`` as click knows them, and the help of ``tab``. Out: ``tabshell.1``, one page for each
command (``tabshell-audit.1``), ``tab.1``. ASCII only, without a date, so that the same program gives the same bytes.
A test holds pages and program together, and lets man and mandoc read them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import click

from tabshell import __version__
from tabshell.cli.commands import COMMANDS, command_of
from tabshell.cli.tab import lists
from tabshell.cli.tabshell import tabshell

FOLDER = Path(__file__).parent / "man"
_ENVIRONMENT = {
    "TABSHELL_HOME": "Where the sidecars lie; else $XDG_STATE_HOME/tabshell, else ~/.local/state/tabshell.",
    "TABSHELL_STATUS": "Where the status line goes: off, stdout or stderr.",
    "TABSHELL_SESSION": "The session of 'tabshell tab' and 'tabshell hook'; set in every program of a session.",
    "TABSHELL_CONFIG": "The file with a person's defaults; empty: none is read.",
    "NO_COLOR": "Set to anything: no colours.",
}
_FILES = {
    "~/.config/tabshell/config.toml": "Defaults of the options: one table for each command, [session] for all that "
    "start a session.",
    "~/.local/state/tabshell/sessions/": "One directory for each session, with its record.",
}
_STATUS = {
    "0": "Done.",
    "1": "Refused; a finding of verify, missing or doctor.",
    "2": "Wrong usage, also of a setting.",
    "3": "No such session.",
    "4": "The sidecar lies wrong or is damaged.",
    "5": "A document that cannot be read.",
    "6": "A recording that cannot be read.",
    "7": "A collector does not take what is exported.",
    "125": "No bash, or one older than 4.4.",
}
_PASSED_ON = "'tabshell run', 'tabshell -c' and the bash of a session end as the shell or the agent ended."


def pages() -> dict[str, str]:
    """File name -> page."""
    found = {"tabshell.1": _main_page(), "tab.1": _tab_page()}
    for name in COMMANDS:
        found[f"tabshell-{name}.1"] = _command_page(name)
    return found


def _main_page() -> str:
    commands = [(f"tabshell-{name}(1)", told) for name, (_, _, told) in COMMANDS.items()]
    return _page(
        "tabshell",
        "a transparent shell for agents that keeps a running tab",
        [
            ("SYNOPSIS", _bold("tabshell") + " [COMMAND] [OPTIONS] [ARGUMENTS]\n"),
            ("DESCRIPTION", _prose(tabshell.help or "")),
            ("COMMANDS", _list(commands)),
            ("ENVIRONMENT", _list(list(_ENVIRONMENT.items()))),
            ("FILES", _list(list(_FILES.items()))),
            ("EXIT STATUS", _list(list(_STATUS.items())) + ".PP\n" + _text(_PASSED_ON) + "\n"),
            ("SEE ALSO", _also(["tab", "tabshell-run", "tabshell-audit", "bash"])),
        ],
    )


def _command_page(name: str) -> str:
    command = command_of(name)
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    options = [one for one in command.params if isinstance(one, click.Option)]
    words = [*(["[OPTIONS]"] if options else []), *map(_argument, arguments)]
    sections = [
        ("SYNOPSIS", _bold(f"tabshell {name}") + "".join(f" {_text(word)}" for word in words) + "\n"),
        ("DESCRIPTION", _prose(command.help or "")),
    ]
    if options:
        sections.append(("OPTIONS", _list([(_names(option), told(option)) for option in options])))
    sections.append(("SEE ALSO", _also(["tabshell", "tab"])))
    return _page(f"tabshell-{name}", COMMANDS[name][2], sections)


def _tab_page() -> str:
    return _page(
        "tab",
        "the agent's command in a session of tabshell",
        [
            ("SYNOPSIS", _bold("tab") + " [OPERATION] [ARGUMENTS]\n"),
            ("DESCRIPTION", f".nf\n{_text(lists._HELP)}\n.fi\n"),
            ("SEE ALSO", _also(["tabshell", "tabshell-tab"])),
        ],
    )


def _page(name: str, told: str, sections: list[tuple[str, str]]) -> str:
    head = f'.TH "{name.upper()}" 1 "" "tabshell {__version__}" "User Commands"\n'
    body = "".join(f".SH {title}\n{text}" for title, text in sections)
    return f"{head}.SH NAME\n{_text(name)} \\- {_text(told)}\n{body}"


def _list(rows: list[tuple[str, str]]) -> str:
    return "".join(f".TP\n{_bold(name)}\n{_text(told)}\n" for name, told in rows)


def _prose(text: str) -> str:
    paragraphs = [" ".join(one.split()) for one in text.replace("\b", "").split("\n\n")]
    return ".PP\n".join(f"{_text(one)}\n" for one in paragraphs)


def _bold(text: str) -> str:
    return f"\\fB{_text(text)}\\fR"


def _also(names: list[str]) -> str:
    return "".join(f".BR {_text(name)} (1){',' if name != names[-1] else ''}\n" for name in names)


def _argument(argument: click.Argument) -> str:
    name = (argument.metavar or argument.name or "").upper()
    text = f"{name}..." if argument.nargs != 1 else name
    return text if argument.required else f"[{text}]"


def _names(option: click.Option) -> str:
    names = ", ".join((*option.opts, *option.secondary_opts))
    return names if option.is_flag else f"{names} {value(option)}"


def value(option: click.Option) -> str:
    """What stands for the value of an option."""
    return option.metavar or ("WORD" if isinstance(option.type, click.Choice) else option.type.name.split()[0].upper())


def told(option: click.Option, quoted: Callable[[object], str] = str) -> str:
    """The help of an option, its choices, its default, its variable; ``quoted`` is how what is typed stands there."""
    text = [" ".join((option.help or "").split())]
    if isinstance(option.type, click.Choice):
        text.append("One of " + ", ".join(map(quoted, option.type.choices)) + ".")
    if option.multiple:
        text.append("May be given several times.")
    if option.show_default and option.default is not None:
        text.append(f"Default: {quoted(option.default)}.")
    if option.envvar:
        text.append(f"Also by {quoted(option.envvar)}.")
    return " ".join(filter(None, text))


def _text(text: str) -> str:
    """Text in which roff sees nothing of its own."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    escaped = re.sub(r"(?m)^(?=[.'])", r"\\&", escaped)
    return re.sub(r"[^\x00-\x7f]", lambda found: f"\\[u{ord(found[0]):04X}]", escaped)


def write() -> None:
    """Writes all pages; one of a command that is no more goes."""
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for path in FOLDER.glob("*.1"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="ascii")


if __name__ == "__main__":
    write()
