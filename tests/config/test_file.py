"""Where a person's config.toml is looked for, and what is said where it cannot be read."""

from __future__ import annotations

import os

import pytest

from tabshell.config.file import config_path, read_settings
from tabshell.errors import ConfigError


@pytest.mark.parametrize(
    ("environment", "path"),
    [
        ({"HOME": "/h"}, "/h/.config/tabshell/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x/tabshell/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": ""}, "/h/.config/tabshell/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "relative"}, "/h/.config/tabshell/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "/x", "TABSHELL_CONFIG": "/c.toml"}, "/c.toml"),
        ({"HOME": "/h", "TABSHELL_CONFIG": ""}, None),
    ],
)
def test_the_file_is_where_the_environment_says(environment, path):
    assert config_path(environment) == path


def test_no_file_is_no_settings(tmp_path):
    assert read_settings({"HOME": str(tmp_path)}).path is None
    assert read_settings({"HOME": str(tmp_path), "TABSHELL_CONFIG": ""}).path is None


def test_a_file_that_is_named_must_be_there(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*none\.toml: No such file.*TABSHELL_CONFIG="):
        read_settings({"TABSHELL_CONFIG": str(tmp_path / "none.toml")})


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    os.makedirs(tmp_path / ".config/tabshell/config.toml")
    with pytest.raises(ConfigError, match=r"cannot read .*config\.toml: Is a directory"):
        read_settings({"HOME": str(tmp_path)})


def test_a_byte_that_is_no_utf8_is_said_with_its_line(tmp_path):
    (tmp_path / "c.toml").write_bytes(b'[run]\nquiet = true\nshell = "\xff"\n')
    with pytest.raises(ConfigError, match=r"c\.toml, line 3: byte 0xff is not UTF-8"):
        read_settings({"TABSHELL_CONFIG": str(tmp_path / "c.toml")})
