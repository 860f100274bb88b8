"""Defaults of a person's config.toml: what is typed outranks the environment, that the file, that what is built in."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

from tabshell.cli.commands import COMMANDS, command_of
from tabshell.cli.options.defaults import Defaults, check_all, configurable, session_keys, values_of
from tabshell.cli.tabshell import main
from tabshell.config.settings import parse
from tabshell.errors import ConfigError


@pytest.fixture
def config(own_home):
    """Writes the person's file."""

    def write(text):
        path = own_home / ".config" / "tabshell" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


def values(text, name):
    return values_of(parse(text, "c.toml"), name, command_of(name))


def test_a_table_gives_its_command_defaults_by_the_name_of_the_parameter():
    assert values("[replay]\nidle-limit = 0.5\nspeed = 3\n", "replay") == {"idle_limit": 0.5, "speed": 3}
    assert values("[replay]\nspeed = 3\n", "run") == {}


def test_what_sessions_share_holds_for_run_and_env_and_a_commands_own_table_outranks_it():
    text = '[session]\nmodel = "m"\nreview = false\n[env]\nmodel = "n"\n'
    assert values(text, "run") == {"model": "m", "review": False}
    assert values(text, "env") == {"model": "n", "review": False}
    assert values(text, "import") == {}


def test_a_path_may_begin_with_a_tilde(own_home):
    assert values('[session]\nout = "~/out"\n[run]\nshell = "~/bash"\n', "run") == {
        "out": str(own_home / "out"),
        "shell": str(own_home / "bash"),
    }


def test_an_option_that_may_be_given_several_times_takes_a_list():
    assert values('[export]\nredact = ["a", "b"]\n', "export") == {"redact": ["a", "b"]}


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        (
            '[run]\nstatus = "stdou"',
            "run",
            r"line 2: status = \"stdou\" in \[run\]: .*'off', 'stdout', 'stderr'; change it",
        ),
        ("[run]\nstatus = true", "run", "status = true .*not a text; put it in quotes"),
        ('[run]\nquiet = "yes"', "run", r'quiet = "yes" .*neither true nor false; write it without quotes'),
        ('[run]\nstatos = "off"', "run", "no such setting; did you mean status"),
        ("[session]\nquiet = true", "run", "no such setting"),
        ("[session]\nno-review = true", "env", "write review = false"),
        ('[run]\ntask = "x"', "run", "belongs to one session; give it as --task"),
        ('[run]\nc = "x"', "run", "no such setting"),
        ('[replay]\nspeed = "2"', "replay", "not a number; write a number without quotes"),
        ("[replay]\nspeed = true", "replay", "not a number"),
        ('[export]\nredact = "a"', "export", "not a list"),
        ("[export]\nredact = [1]", "export", "not a text"),
        ("[install]\nyes = true", "install", "no such setting; settings are: none"),
        ("[run.status]\nx = 1", "run", r"status = .* not a text"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_with_its_line_and_what_to_do(text, name, told):
    with pytest.raises(ConfigError, match=told):
        values(text, name)


@pytest.mark.parametrize("table", ["rum", "tab", "hook"])
def test_a_table_that_there_is_not_is_refused_by_every_command(table, config):
    config(f"[run]\n[{table}]\nx = 1\n")
    with pytest.raises(ConfigError, match=rf"line 2: \[{table}\]: no such table; .*tables are: audit, "):
        Defaults("audit", command_of("audit"), COMMANDS, os.environ).get("format")


def test_a_switch_that_the_command_line_could_not_take_back_has_no_default():
    options = {name: configurable(command_of(name)) for name in COMMANDS}
    flags = [option for known in options.values() for option in known.values() if option.is_flag]
    assert flags
    assert all(option.secondary_opts for option in flags)
    assert {"capture", "review", "evidence-check", "finish-check", "workspace", "out"} <= session_keys()
    assert "quiet" not in session_keys()


def sessions_status(config_text, config, arguments=(), status=None):
    """Where the status line of one command goes: off, stdout or stderr."""
    config(config_text)
    environment = {**os.environ, **({"TABSHELL_STATUS": status} if status else {})}
    words = [sys.executable, "-m", "tabshell", *arguments, "-c", "true"]
    run = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return ("stdout" if "[tab]" in run.stdout else "") + ("stderr" if "[tab]" in run.stderr else "") or "off"


def test_an_option_outranks_the_environment_that_the_file_that_what_is_built_in(config, workspace, monkeypatch):
    monkeypatch.chdir(workspace)
    assert sessions_status("", config) == "off"
    assert sessions_status('[run]\nstatus = "stderr"\n', config) == "stderr"
    assert sessions_status('[run]\nstatus = "stderr"\n', config, status="stdout") == "stdout"
    assert sessions_status('[run]\nstatus = "stderr"\n', config, ["--status", "off"], status="stdout") == "off"


def test_a_switch_of_the_file_is_taken_back_by_an_option(config, workspace, monkeypatch, capfd):
    monkeypatch.chdir(workspace)
    config("[session]\nreview = false\n")
    command = "tab add one two; tab list"
    assert main(["-c", command]) == 0
    without = capfd.readouterr().out
    assert main(["--review", "-c", command]) == 0
    assert capfd.readouterr().out != without


def test_a_broken_file_ends_a_command_with_status_2_and_one_line(config, capfd):
    path = config("status = 1\n")
    assert main(["sessions"]) == 2
    assert capfd.readouterr().err == (
        f"tabshell: {path}, line 1: status = 1 stands in no table; "
        "put the name of its command above it, for example [run]\n"
    )


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"], ["replay", "-h"]])
def test_help_and_versions_come_with_a_broken_file_too(words, config, capfd):
    config("nonsense\n")
    assert main(words) == 0
    assert capfd.readouterr().err == ""


def test_tab_in_a_session_does_not_read_the_file(config, workspace, monkeypatch, capfd):
    monkeypatch.chdir(workspace)
    assert main(["-c", "true"]) == 0
    config("nonsense\n")
    assert main(["tab", "add", "one"]) == 0
    assert capfd.readouterr().out.endswith("r1: one\n")


def test_all_tables_are_looked_at_when_somebody_asks(config):
    commands = {name: (lambda name=name: command_of(name)) for name in COMMANDS}
    path = config('[audit]\nformat = "html"\n[session]\ncapture = false\n')
    assert check_all(commands, os.environ) == str(path)
    config('[run]\nquiet = true\n[audit]\nformat = "htm"\n')
    with pytest.raises(ConfigError, match=r"line 4: format = \"htm\" in \[audit\]"):
        check_all(commands, os.environ)


def test_defaults_are_read_once_and_only_when_asked(config):
    config("nonsense\n")
    defaults = Defaults("run", click.Command("run"), COMMANDS, os.environ)
    with pytest.raises(ConfigError):
        defaults.get("status")
