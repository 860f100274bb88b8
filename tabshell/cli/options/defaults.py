"""A person's defaults for the options of the commands, out of ``config.toml``.

An option that has a long name and takes a value, or has a ``--no-`` form, may have a default in the table of its
command: ``--idle-limit`` of ``tabshell replay`` is ``idle-limit`` in ``[replay]``. ``[session]`` holds what all
commands share that start a session. What is typed outranks the environment, that outranks the file, and that what
is built in. The file is read when a command first asks for a default: not for ``--help``, nor by ``tab`` or a hook.
"""

from __future__ import annotations

import os
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import click

from tabshell.config.file import read_settings
from tabshell.config.settings import Setting, Settings

#: The table that all commands share which start a session, and an option by which they are known.
SESSION = "session"
_STARTS_SESSIONS = "evidence-check"
#: Commands that never read the file: every call of an agent would, or every start of a shell.
WITHOUT = frozenset({"tab", "hook", "completion"})
#: What belongs to one session or one call, never to all of a person's.
_NO_DEFAULT = frozenset({"task", "task-file", "name", "resume"})


class Defaults(UserDict[str, Any]):
    """Click's ``default_map`` of one command, read when the first value is asked for. Raises ConfigError then."""

    def __init__(self, name: str, command: click.Command, known: Iterable[str], environment: Mapping[str, str]) -> None:
        self._of = (name, command, frozenset(known), environment)

    @cached_property
    def data(self) -> dict[str, Any]:  # type: ignore[override]
        """Parameter -> value."""
        name, command, known, environment = self._of
        settings = read_settings(environment)
        _refuse_unknown_tables(settings, known)
        return values_of(settings, name, command)


def values_of(settings: Settings, name: str, command: click.Command) -> dict[str, Any]:
    """Parameter -> value, for one command; its own table outranks ``[session]``. Raises ConfigError."""
    options = configurable(command)
    values: dict[str, Any] = {}
    if _STARTS_SESSIONS in options:
        shared = {key: option for key, option in options.items() if key in session_keys()}
        for setting in settings.of(SESSION):
            option = _option(settings, setting, shared)
            values[str(option.name)] = _value(settings, setting, option)
    for setting in settings.of(name):
        option = _option(settings, setting, options)
        values[str(option.name)] = _value(settings, setting, option)
    return values


def configurable(command: click.Command) -> dict[str, click.Option]:
    """The options that may have a default in the file, by their key."""
    found = {}
    for option in command.params:
        if not isinstance(option, click.Option) or (option.is_flag and not option.secondary_opts):
            continue
        key = next((name[2:] for name in option.opts if name.startswith("--")), None)
        if key is not None and key not in _NO_DEFAULT:
            found[key] = option
    return found


def session_keys() -> frozenset[str]:
    """The keys of ``[session]``."""
    from tabshell.cli.options.shared import session_options  # noqa: PLC0415 - sessions need more than a config file

    @session_options
    def none() -> None: ...

    return frozenset(configurable(click.command()(none)))


def check_all(commands: Mapping[str, Callable[[], click.Command]], environment: Mapping[str, str]) -> str | None:
    """Looks at every table; gives the file's path, None where there is no file. Raises ConfigError."""
    settings = read_settings(environment)
    _refuse_unknown_tables(settings, commands)
    for name in settings.tables:
        command = "run" if name == SESSION else name
        values_of(settings, command, commands[command]())
    return settings.path


def _refuse_unknown_tables(settings: Settings, known: Iterable[str]) -> None:
    tables = [SESSION, *(name for name in known if name not in WITHOUT)]
    for table in settings.tables:
        if table not in tables:
            raise settings.table_fault(table, "no such table", _instead(table, sorted(tables), "tables"))


def _option(settings: Settings, setting: Setting, options: Mapping[str, click.Option]) -> click.Option:
    option = options.get(setting.key)
    if option is None:
        wrong = "no such setting"
        if setting.key.startswith("no-") and setting.key[3:] in options:
            opposite = "false" if setting.value is not False else "true"
            raise settings.fault(setting, wrong, f"write {setting.key[3:]} = {opposite}")
        if setting.key in _NO_DEFAULT:
            raise settings.fault(setting, "that belongs to one session", f"give it as --{setting.key}")
        raise settings.fault(setting, wrong, _instead(setting.key, sorted(options), "settings"))
    return option


def _instead(word: str, known: list[str], what: str) -> str:
    import difflib  # noqa: PLC0415 - only where something is wrong

    near = difflib.get_close_matches(word, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{hint}{what} are: {', '.join(known) or 'none'}"


def _value(settings: Settings, setting: Setting, option: click.Option) -> object:
    """A setting's value as the option takes it. Raises ConfigError."""
    if option.is_flag:
        if not isinstance(setting.value, bool):
            raise settings.fault(setting, "neither true nor false", "write it without quotes")
        return setting.value
    if option.multiple:
        if not isinstance(setting.value, list):
            raise settings.fault(setting, "not a list", 'write a list, as in ["one", "two"]')
        return [_single(settings, setting, option, value) for value in setting.value]
    return _single(settings, setting, option, setting.value)


def _single(settings: Settings, setting: Setting, option: click.Option, value: object) -> object:
    number = option.type.name.split()[0] in ("integer", "float")
    if number and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise settings.fault(setting, "not a number", "write a number without quotes")
    if not number and not isinstance(value, str):
        raise settings.fault(setting, "not a text", "put it in quotes")
    if isinstance(value, str) and (isinstance(option.type, click.Path) or option.metavar == "PATH"):
        value = os.path.expanduser(value)
    try:
        option.type.convert(value, option, None)
    except click.UsageError as error:
        raise settings.fault(setting, error.message.rstrip("."), "change it, or take the line out") from error
    return value


__all__ = ["SESSION", "WITHOUT", "Defaults", "check_all", "configurable", "session_keys", "values_of"]
