"""The text of a config.toml becomes settings, and each fault names its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.config.settings import Setting, parse
from tabshell.errors import ConfigError

TEXT = """\
# mine
[run]

# where the line goes
status = "stdout"   # a remark
deliverable = [
  "a",  # = 1
  "b",
]
on-finish = '''
[audit]
format = "text"
'''
[audit]
format = "html"
"""


def test_settings_come_by_table_in_the_order_of_the_file():
    settings = parse(TEXT, "c.toml")
    assert settings.tables == ("run", "audit")
    assert settings.of("audit") == (Setting("audit", "format", "html"),)
    assert [setting.key for setting in settings.of("run")] == ["status", "deliverable", "on-finish"]
    assert settings.of("env") == ()


@pytest.mark.parametrize(
    ("table", "key", "line"),
    [("run", "status", 5), ("run", "deliverable", 6), ("run", "on-finish", 10), ("audit", "format", 15)],
)
def test_a_fault_names_the_line_on_which_the_setting_begins(table, key, line):
    settings = parse(TEXT, "c.toml")
    setting = next(one for one in settings.of(table) if one.key == key)
    assert str(settings.fault(setting, "bad", "mend it")).startswith(f"c.toml, line {line}: {key} = ")


def test_a_fault_names_file_line_key_value_and_what_to_do():
    settings = parse("[run]\nquiet = false\n", "/home/ada/c.toml")
    told = str(settings.fault(settings.all[0], "bad", "mend it"))
    assert told == "/home/ada/c.toml, line 2: quiet = false in [run]: bad; mend it"


def test_a_long_value_is_shortened_in_a_fault():
    settings = parse(f'[run]\nstatus = "{"x" * 500}"\n', "c.toml")
    assert len(str(settings.fault(settings.all[0], "bad", "mend it"))) < 130


def test_a_dotted_key_belongs_to_its_table():
    assert parse('run.status = "off"\n', "c.toml").all == (Setting("run", "status", "off"),)


def test_a_key_outside_a_table_is_refused_with_its_line():
    with pytest.raises(ConfigError, match=r"^c\.toml, line 2: status = \"off\" stands in no table; .*\[run\]"):
        parse('\nstatus = "off"\n', "c.toml")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[run]\nstatus = off\n", 2),
        ("[run\n", 1),
        ("[run]\na = 1\na = 2\n", 3),
        ('[run]\n\na = """\n\n', 4),
        ("[run]\n[run]\n", 2),
    ],
)
def test_what_is_no_toml_is_refused_with_its_line(text, line):
    with pytest.raises(ConfigError, match=rf"^c\.toml, line {line}: this is not TOML: "):
        parse(text, "c.toml")


@given(st.lists(st.sampled_from(["# note", "", "[other]\nx = [\n1,\n]", 'y.z = """\n\n"""']), max_size=3, unique=True))
def test_the_line_is_right_whatever_stands_above(above):
    text = "\n".join([*[part for part in above if part != 'y.z = """\n\n"""'], "[run]", "status = 1", ""])
    settings = parse(text, "c.toml")
    line = text.splitlines().index("status = 1") + 1
    assert f"line {line}:" in str(settings.fault(settings.of("run")[0], "bad", "mend it"))
