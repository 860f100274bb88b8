"""Where a person's ``config.toml`` lies, and its settings.

``$TABSHELL_CONFIG`` (empty: no file is read), else ``$XDG_CONFIG_HOME/tabshell/config.toml`` (an empty or relative
value is ignored, as the XDG Base Directory Specification asks), else ``~/.config/tabshell/config.toml``. Only the
command line reads it: ``tab``, the shim and the hooks never do.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tabshell.config.settings import Settings, parse
from tabshell.errors import ConfigError


def config_path(environment: Mapping[str, str]) -> str | None:
    """The file that would be read; None where the person wants none."""
    named = environment.get("TABSHELL_CONFIG")
    if named is not None:
        return os.path.abspath(named) if named else None
    base = environment.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".config")
    return os.path.join(base, "tabshell", "config.toml")


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings; none where there is no file. Raises ConfigError, also where TABSHELL_CONFIG names no file."""
    path = config_path(environment)
    if path is None:
        return Settings()
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)) and "TABSHELL_CONFIG" not in environment:
            return Settings()
        msg = f"cannot read {path}: {error.strerror}; mend that, or set TABSHELL_CONFIG= to go without it"
        raise ConfigError(msg) from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: byte {data[error.start]:#04x} is not UTF-8; save the file as UTF-8"
        raise ConfigError(msg) from error
    return parse(text, path)
