"""Pressing Tab: what bash, zsh and fish are offered for ``tabshell`` and ``tab``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pexpect
import pytest

from tabshell.cli.commands import COMMANDS
from tabshell.cli.tab.words import OPTIONS
from tabshell.cli.tabshell import main
from tabshell.session import Session, SessionOptions

_BASH = """
eval "$(tabshell completion bash)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
"_$1_completion" "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """``tabshell`` on PATH, as an installation puts it there."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "tabshell").write_text(f'#!/bin/sh\nexec {sys.executable} -m tabshell "$@"\n')
    (folder / "tabshell").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


@pytest.fixture
def session(workspace, own_home):
    """A session with a done and an open requirement and a note."""
    with Session.create(SessionOptions(str(workspace), name="spring"), os.environ) as session:
        directory = session.directory
    for words in (["add", "net sales", "the lease"], ["note", "ask Bo"], ["resolve", "r1", "unavailable", "computed"]):
        assert main(["tab", *words]) == 0
    return directory


@pytest.fixture
def offered(programs):
    """What bash offers for a line; the last word is the one that is being typed."""

    def offered(*words):
        run = subprocess.run(["bash", "-c", _BASH, "-", *words], capture_output=True, text=True, check=True)
        assert run.stderr == ""
        return run.stdout.split("\n")[:-1]

    return offered


def test_the_commands_are_offered(offered):
    assert offered("tabshell", "") == list(COMMANDS)
    assert offered("tabshell", "un") == ["uninstall"]


@pytest.mark.slow
def test_options_are_offered_also_those_of_run_without_its_name(offered):
    assert {"--format", "--output", "--deliverable"} <= set(offered("tabshell", "audit", "--"))
    assert offered("tabshell", "--st") == ["--status"]
    assert "--version" in offered("tabshell", "--")
    assert offered("tabshell", "--task", "x", "--stat") == ["--status"]
    assert offered("tabshell", "run", "--status", "std") == ["stdout", "stderr"]


def test_agents_are_offered(offered):
    assert offered("tabshell", "install", "co") == ["codex", "copilot"]
    assert offered("tabshell", "doctor", "clau") == ["claude-code"]


@pytest.mark.parametrize("words", [["audit"], ["replay"], ["run", "--resume"], ["trace", "--session"]])
def test_sessions_are_offered_by_id_and_name(words, offered, session):
    assert offered("tabshell", *words, "") == ["last", session.name, "spring"]
    assert offered("tabshell", *words, "sp") == ["spring"]


def test_a_session_that_cannot_be_read_is_not_offered_and_nothing_is_said(offered, session):
    broken = session.with_name("29991231-000000-000000")
    broken.mkdir()
    (broken / "tab.db").write_text("no database")
    assert offered("tabshell", "audit", "") == ["last", session.name, "spring"]


@pytest.mark.slow
@pytest.mark.parametrize("program", [["tab"], ["tabshell", "tab"]])
def test_operations_and_ids_of_tab_are_offered(program, offered, session):
    assert [word for word in offered(*program, "") if not word.startswith("-")] == list(OPTIONS)
    assert offered(*program, "re") == ["resolve", "reopen"]
    assert offered(*program, "resolve", "") == ["r2"]
    assert offered(*program, "reopen", "") == ["r1"]
    assert offered(*program, "show", "") == ["r1", "r2", "n1"]
    assert offered(*program, "resolve", "r2", "") == ["done", "unavailable"]
    assert offered(*program, "resolve", "r2", "unavailable", "not") == ["not in the workspace"]
    assert offered(*program, "list", "--a") == ["--all"]
    assert offered(*program, "list", "can") == ["candidates"]


def test_a_completion_is_no_access_to_the_tab(offered, session):
    def events():
        with Session.open(session, readonly=True) as opened:
            return opened.tab().accesses

    before = events()
    assert offered("tab", "show", "")
    assert events() == before


def test_a_broken_config_file_does_not_disturb_a_completion(offered, own_home):
    path = own_home / ".config" / "tabshell" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("nonsense\n")
    assert offered("tabshell", "audit", "--forma") == ["--format"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "told"), [("tabshell unins", ["uninstall"]), ("tab resolve ", ["r2"]), ("tabshell tab reo", ["reopen"])]
)
def test_fish_offers_the_same(line, told, programs, session):
    script = f'tabshell completion fish | source; complete -C "{line}"'
    run = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True)
    assert [offer.partition("\t")[0] for offer in run.stdout.splitlines()] == told


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(
    ("line", "told"), [("tabshell unins", "uninstall"), ("tab resolve r2 una", "unavailable"), ("tab reo", "reopen")]
)
def test_zsh_completes_the_same(line, told, programs, session):
    zsh = pexpect.spawn("zsh", ["-f", "-i"], encoding="utf-8", timeout=60, env={**os.environ, "TERM": "dumb"})
    zsh.sendline(
        "PROMPT='ready> '; autoload -U compinit; compinit -D -u; eval \"$(tabshell completion zsh)\"; echo s''et"
    )
    zsh.expect_exact("\nset")
    zsh.expect_exact("ready> ")
    zsh.send(f"echo {line}\t"[5:])
    zsh.expect_exact(line + told[len(line.split()[-1]) :])
    zsh.close(force=True)
