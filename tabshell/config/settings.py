"""The text of a ``config.toml`` as settings, and what is wrong with one of them. Pure.

In: TOML 1.0, one table for each command (``[run]``, ``[audit]``) with ``key = value`` in it. Out: ``Settings``.
A table in a table, or a key outside one, is an error; which tables and keys there are is not known here.
TOML parsers give no positions: where a setting stands is found, when somebody asks, as the first line with which
the text so far holds it. Every fault is a ConfigError that names file, line, key, value, and what to do.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from tabshell.errors import ConfigError
from tabshell.model.light import dataclass

_POSITION = r" \(at (?:line (\d+), column \d+|end of document)\)$"


def _load(text: str) -> dict[str, Any]:
    """TOML as dictionaries. The parser is imported here, for most commands find no file."""
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415
    tables: dict[str, Any] = tomllib.loads(text)
    return tables


@dataclass(frozen=True, slots=True)
class Setting:
    """One ``key = value`` in a table; ``value`` is what TOML makes of it."""

    table: str
    key: str
    value: object


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a file, in its order. ``path`` None: there is no file."""

    path: str | None = None
    text: str = ""
    tables: tuple[str, ...] = ()
    all: tuple[Setting, ...] = ()

    def of(self, table: str) -> tuple[Setting, ...]:
        """The settings of one table."""
        return tuple(setting for setting in self.all if setting.table == table)

    def fault(self, setting: Setting, wrong: str, advice: str) -> ConfigError:
        """What is wrong with a setting, as an error."""
        line = _line_of(self.text, setting.table, setting.key)
        shown = _shown(setting.value)
        return ConfigError(f"{self.path}, line {line}: {setting.key} = {shown} in [{setting.table}]: {wrong}; {advice}")

    def table_fault(self, table: str, wrong: str, advice: str) -> ConfigError:
        """What is wrong with a table as such, as an error."""
        return ConfigError(f"{self.path}, line {_line_of(self.text, table)}: [{table}]: {wrong}; {advice}")


def parse(text: str, path: str) -> Settings:
    """The settings of a file's text. Raises ConfigError."""
    try:
        tables = _load(text)
    except ValueError as error:
        wrong = str(error)
        at = re.search(_POSITION, wrong)
        line = int(at[1]) if at and at[1] else max(1, len(text.splitlines()))
        what = wrong[: at.start()] if at else wrong
        msg = f'{path}, line {line}: this is not TOML: {what}; a setting looks like: status = "off"'
        raise ConfigError(msg) from error
    settings = []
    for table, content in tables.items():
        if not isinstance(content, dict):
            msg = (
                f"{path}, line {_line_of(text, table)}: {table} = {_shown(content)} stands in no table; "
                "put the name of its command above it, for example [run]"
            )
            raise ConfigError(msg)
        settings += [Setting(table, key, value) for key, value in content.items()]
    return Settings(path, text, tuple(tables), tuple(settings))


def _line_of(text: str, *keys: str) -> int:
    """The line on which the statement begins that gives the text these keys."""
    lines = text.splitlines()
    begin = 1
    for count in range(1, len(lines) + 1):
        try:
            so_far: object = _load("\n".join(lines[:count]) + "\n")
        except ValueError:
            continue  # in the middle of a statement
        if _holds(so_far, keys):
            break
        begin = count + 1
    while begin < len(lines) and not lines[begin - 1].partition("#")[0].strip():
        begin += 1
    return begin


def _holds(value: object, keys: tuple[str, ...]) -> bool:
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


def _shown(value: object) -> str:
    """A value as TOML writes it, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
