"""``tabshell doctor``: live probes, and what it says where a door does not work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tabshell.agents.all_agents import AGENTS, by_name
from tabshell.agents.samples import hook_call
from tabshell.cli.agents import probes
from tabshell.cli.agents.installing import apply, plan_install
from tabshell.cli.tabshell import main


@pytest.fixture
def environment(own_home) -> dict[str, str]:
    return {"HOME": str(own_home), "TABSHELL_HOME": str(own_home / "sidecars"), "PATH": "/usr/bin:/bin"}


def told(findings):
    return {finding.door: (finding.outcome, finding.text) for finding in findings}


@pytest.mark.slow
def test_on_a_sound_machine_every_door_works_and_nothing_stays(environment, own_home):
    findings = list(probes.examine(None, environment))
    assert [finding.door for finding in findings if finding.outcome != "works"] == []
    assert {"pty", "hook", "shim, bash on PATH", "tab in a login shell"} <= set(told(findings))
    assert list((own_home / "sidecars").iterdir()) == []
    assert [path.name for path in own_home.iterdir()] == ["sidecars"]


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_the_doors_of_every_agent_work(name, environment):
    findings = told(probes.examine(by_name(name), environment))
    assert not [door for door, (outcome, _) in findings.items() if outcome == "FAILS"], findings
    assert ("its hook" in findings) == (hook_call(name, "/a", "b", "/") is not None)


def test_a_state_directory_that_cannot_be_made_is_told_with_what_to_do(environment, own_home):
    (own_home / "file").write_text("")
    findings = list(probes.examine(None, {**environment, "TABSHELL_HOME": str(own_home / "file" / "x")}))
    assert findings[-1].outcome == "FAILS"
    assert "TABSHELL_HOME" in findings[-1].line()


def test_without_bash_nothing_else_is_tried(environment, tmp_path, monkeypatch):
    monkeypatch.setattr(probes, "find_bash", _no_bash)
    findings = list(probes.examine(None, environment))
    assert [(finding.door, finding.outcome) for finding in findings] == [("bash", "FAILS")]


def _no_bash(*_):
    from tabshell.errors import ShellUnavailable  # noqa: PLC0415

    raise ShellUnavailable("no bash")


def test_a_shim_that_does_not_record_fails_the_probe(environment, monkeypatch):
    """The session's bash is replaced by one that records nothing."""

    def prepared(session, argv, environment, status=None):
        start = original(session, argv, environment, status)
        shim = Path(session.directory) / "bin" / "bash"
        shim.unlink()
        shim.symlink_to("/bin/bash")
        return start

    original = probes.prepare
    monkeypatch.setattr(probes, "prepare", prepared)
    findings = told(probes.examine(by_name("qwen"), environment))
    assert findings["its shell commands"][0] == "FAILS"
    assert "recorded was []" in findings["its shell commands"][1]
    assert findings["its hook"][0] == "works"


def test_the_command_line_gives_a_line_each_and_a_status(environment, monkeypatch, capsys):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", environment["PATH"] + os.pathsep + "/nowhere")
    assert main(["doctor", "pi"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line[:5].strip() in ("works", "note") for line in lines)
    assert main(["doctor", "nobody"]) == 2


def test_a_broken_config_file_is_a_finding_that_names_the_line(environment, own_home):
    path = own_home / ".config" / "tabshell" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[audit]\nformat = "htm"\n')
    told = next(finding for finding in probes.examine(None, environment) if finding.door == "settings")
    assert told.outcome == "FAILS"
    assert f"{path}, line 2" in told.line()


def test_it_says_whether_hooks_are_installed_for_good(environment, own_home):
    def told():
        return next(one for one in probes.examine(AGENTS["claude-code"], environment) if one.door == "its settings")

    assert told().line() == "note   its settings: no hooks of ours, or older ones; 'tabshell install claude-code'"
    apply(AGENTS["claude-code"], plan_install(AGENTS["claude-code"], environment), environment, keep=True)
    assert told().outcome == "works"
