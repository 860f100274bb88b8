"""How an agent is started in a session: recognised, its overlay in the sidecar, nothing of the person's touched."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tabshell.agents.all_agents import recognise
from tabshell.agents.codex import hook_hash
from tabshell.cli.agents.launch import env_lines, prepare
from tabshell.cli.tabshell import main
from tabshell.session import Session, SessionOptions


def overlay(session, *relative) -> Path:
    return session.directory.joinpath("agent", *relative)


@pytest.mark.parametrize(
    ("words", "name", "program"),
    [
        (["claude", "-p", "x"], "claude-code", 0),
        (["/opt/x/claude"], "claude-code", 0),
        (["codex", "exec", "claude"], "codex", 0),
        (["node", "/n/@google/gemini-cli/bundle/gemini.js", "-p", "x"], "gemini", 1),
        (["npx", "-y", "@qwen-code/qwen-code"], "qwen", 2),
        (["node", "--no-warnings", "/n/.bin/pi", "-p"], "pi", 2),
        (["env", "A=1", "opencode", "run"], "opencode", 2),
        (["copilot"], "copilot", 0),
        (["python3", "-m", "x"], "generic", 0),
        (["mini", "-t", "x"], "mini-swe-agent", 0),
        (["tmux", "new"], "terminus", 0),
        (["my-agent", "--with", "claude"], "generic", 0),
        ([], "generic", 0),
    ],
)
def test_an_agent_is_recognised_by_its_programs_name(words, name, program):
    found = recognise(words)
    assert (found.agent.name, found.program) == (name, program)


def test_everything_lies_in_the_sidecar_and_the_home_stays_as_it_was(session, environment, own_home):
    (own_home / ".gemini").mkdir()
    (own_home / ".gemini" / "oauth_creds.json").write_text("secret")
    (own_home / ".gemini" / "settings.json").write_text("{}")
    programs = ["claude", "codex", "gemini", "qwen", "copilot", "pi", "opencode", "mini", "tmux", "my-agent"]
    for program in programs:
        prepare(session, [program], environment)
    kept = {path.relative_to(own_home) for path in own_home.rglob("*") if "sidecars" not in path.parts}
    assert {str(path) for path in kept} == {".gemini", ".gemini/oauth_creds.json", ".gemini/settings.json"}
    copies = [path for path in overlay(session).rglob("*") if path.is_file() and not path.is_symlink()]
    assert not any(b"secret" in path.read_bytes() for path in copies)
    assert all(path.stat().st_mode & 0o077 == 0 for path in copies)


def test_a_login_is_read_through_a_link_and_a_new_one_is_made_where_the_person_keeps_it(session, environment, own_home):
    (own_home / ".gemini").mkdir()
    start = prepare(session, ["gemini"], environment)
    inside = Path(start.environment["GEMINI_CLI_HOME"]) / ".gemini"
    (inside / "oauth_creds.json").write_text("new login")
    assert (own_home / ".gemini" / "oauth_creds.json").read_text() == "new login"


def test_the_persons_own_extensions_stay_beside_ours(session, environment, own_home):
    mine = own_home / ".qwen" / "extensions" / "mine"
    mine.mkdir(parents=True)
    start = prepare(session, ["qwen"], environment)
    extensions = Path(start.environment["QWEN_HOME"]) / "extensions"
    assert sorted(path.name for path in extensions.iterdir()) == ["mine", "tabshell"]
    assert (extensions / "mine").resolve() == mine


def test_claude_gets_a_plugin_and_its_own_words_behind_it(session, environment):
    start = prepare(session, ["claude", "-p", "x", "--plugin-dir", "mine"], environment)
    plugin = overlay(session, "plugin")
    assert start.argv == ("claude", "--plugin-dir", str(plugin), "-p", "x", "--plugin-dir", "mine")
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    assert "PostToolUseFailure" in hooks
    assert start.environment["CLAUDE_CODE_SHELL"] == str(session.directory / "bin" / "bash")


def test_codex_trusts_exactly_the_hooks_that_are_handed_to_it(session, environment):
    start = prepare(session, ["codex", "exec", "x"], environment)
    (trust,) = [word for word in start.argv if word.startswith("hooks.state=")]
    command = f"{overlay(session, 'tabshell-hook')} codex Stop"
    assert f'"/<session-flags>/config.toml:stop:0:0"={{trusted_hash="{hook_hash("stop", command)}"}}' in trust
    assert start.argv[-2:] == ("exec", "x")


def test_the_hash_of_a_hook_is_pinned():
    """Codex 0.171 runs hooks whose trust is told so (tests/agents/run codex); its bytes must not change."""
    assert hook_hash("stop", "/x/tabshell-hook codex Stop") == (
        "sha256:506207f1db6c94447a5a68c66af0f8371b2ae9be7314197009afce0a23f20f74"
    )


def test_opencodes_own_settings_of_this_run_are_kept(session, environment):
    theirs = json.dumps({"plugin": ["mine"], "theme": "dark"})
    start = prepare(session, ["opencode", "run", "x"], {**environment, "OPENCODE_CONFIG_CONTENT": theirs})
    settings = json.loads(start.environment["OPENCODE_CONFIG_CONTENT"])
    assert settings["theme"] == "dark"
    assert settings["plugin"] == ["mine", f"file://{overlay(session, 'tabshell.js')}"]
    assert any("--on-finish" in note for note in start.notes)


def test_an_unknown_agent_gets_the_recording_bash_three_ways(session, environment):
    start = prepare(session, ["my-agent", "--flag"], environment)
    tools = session.directory / "bin"
    assert start.agent == "generic"
    assert start.argv == ("my-agent", "--flag")
    assert start.environment["PATH"].split(":")[0] == str(tools)
    assert start.environment["SHELL"] == str(tools / "bash")
    assert start.environment["BASH_ENV"] == str(session.directory / "env.bash")
    assert start.environment["TABSHELL_STATUS"] == "stderr"
    assert "TABSHELL_AGENT" not in start.environment


@pytest.mark.parametrize("shell", [["bash"], ["/bin/bash"], ["/usr/bin/bash"], ["sh", "-c", 'exec "$SHELL" "$@"', "x"]])
def test_whatever_way_it_comes_to_its_bash_the_command_is_recorded_once(session, environment, workspace, shell):
    (workspace / "a.txt").write_text("alpha\n")
    start = prepare(session, ["my-agent"], {**environment, "TABSHELL_STATUS": "off"})
    run = subprocess.run(
        [*shell, "-c", "cat a.txt"], cwd=workspace, env=start.environment, capture_output=True, check=False
    )
    assert (run.stdout, run.stderr, run.returncode) == (b"alpha\n", b"", 0)
    tab = session.tab(turns=True)
    assert [turn.started.command for turn in tab.turns.values()] == ["cat a.txt"]
    assert [entry.logged.paths for entry in tab.entries.values()] == [("a.txt",)]


def test_a_state_directory_behind_a_link_is_no_trouble(environment, workspace, own_home, tmp_path):
    (workspace / "a.txt").write_text("alpha\n")
    (tmp_path / "real").mkdir()
    (own_home / "link").symlink_to(tmp_path / "real")
    environment = {**environment, "TABSHELL_HOME": str(own_home / "link"), "TABSHELL_STATUS": "off"}
    with Session.create(SessionOptions(str(workspace)), environment) as session:
        start = prepare(session, ["my-agent"], environment)
        for shell in ("bash", "/bin/bash"):
            run = subprocess.run([shell, "-c", "cat a.txt"], cwd=workspace, env=start.environment, capture_output=True,
                                 check=False)  # fmt: skip
            assert (run.stdout, run.stderr, run.returncode) == (b"alpha\n", b"", 0)
        assert len(session.tab(turns=True).turns) == 2


def test_what_an_outer_session_left_in_the_environment_is_forgotten(session, environment):
    outer = {
        "TABSHELL_SHIM": "/other",
        "TABSHELL_AGENT": "codex",
        "TABSHELL_STATUS": "rubbish",
        "TABSHELL_SESSION": "/o",
    }
    start = prepare(session, ["my-agent"], {**environment, **outer})
    assert "TABSHELL_SHIM" not in start.environment
    assert "TABSHELL_AGENT" not in start.environment
    assert start.environment["TABSHELL_STATUS"] == "stderr"
    assert start.environment["TABSHELL_SESSION"] == str(session.directory)


def test_env_prints_exactly_four_variables_that_eval_takes(session, environment, workspace):
    (workspace / "a b.txt").write_text("alpha\n")
    lines = env_lines(session, {**environment, "PATH": "/usr/bin:/bin:/odd dir"})
    assert [line.split("=")[0] for line in lines.splitlines()] == [
        "export TABSHELL_SESSION", "export PATH", "export SHELL", "export BASH_ENV",
    ]  # fmt: skip
    harness = f"{lines}cat 'a b.txt' >/dev/null; \"$SHELL\" -c \"cat 'a b.txt'\"; bash -lc 'tab status'"
    run = subprocess.run(["/bin/sh", "-c", harness], cwd=workspace, env=environment, capture_output=True, check=False)
    assert run.stderr == b""
    assert run.stdout.startswith(b"alpha\n[tab] requirements")
    commands = [turn.started.command for turn in session.tab(turns=True).turns.values()]
    assert commands == ["cat 'a b.txt'", "tab status"]


def test_two_agents_may_work_in_one_session(session, environment, workspace):
    (workspace / "a.txt").write_text("alpha\n")
    for name, mark in (("pi", {"PI_SESSION_ID": "1"}), ("opencode", {"OPENCODE": "1"})):
        start = prepare(session, [name], environment)
        shell = start.environment.get("TABSHELL_REEXEC") or start.environment["SHELL"]
        subprocess.run([shell, "-c", f"cat a.txt # {name}"], cwd=workspace, env={**start.environment, **mark},
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip
    turns = session.tab(turns=True).turns.values()
    assert [(turn.started.agent, turn.started.command) for turn in turns] == [
        ("pi", "cat a.txt # pi"), ("opencode", "cat a.txt # opencode"),
    ]  # fmt: skip
    assert os.path.isdir(session.directory / "agent")


def test_env_as_json_sets_the_same_four(workspace, monkeypatch, capfd):
    monkeypatch.chdir(workspace)
    assert main(["env", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["schema"] == "tabshell/1"
    assert list(told["environment"]) == ["TABSHELL_SESSION", "PATH", "SHELL", "BASH_ENV"]
    run = subprocess.run(
        ["bash", "-c", "tab add one"], env={**os.environ, **told["environment"]}, capture_output=True, text=True
    )
    assert run.stdout == "r1: one\n"


def test_a_session_of_env_is_over_when_it_is_said_and_then_only_once(workspace, monkeypatch, capfd):
    monkeypatch.chdir(workspace)
    assert main(["env", "--json"]) == 0
    environment = json.loads(capfd.readouterr().out)["environment"]
    directory = environment["TABSHELL_SESSION"]
    subprocess.run(["bash", "-c", "true"], env={**os.environ, **environment}, check=True)
    assert main(["env", "--end", directory]) == 0
    told = capfd.readouterr().out
    assert re.fullmatch(r"\[tab\] session \S+ ended: \d+ events, head [0-9a-f]{64}\n", told)
    assert main(["env", "--end", directory]) == 0
    assert capfd.readouterr().out == told
    with Session.open(directory, readonly=True) as session:
        assert session.tab().ended is not None
        assert [turn.started.command for turn in session.tab(turns=True).turns.values()] == ["true"]
    assert main(["verify", "last", "--head", told.split()[-1]]) == 0


@pytest.mark.parametrize(
    ("words", "at"), [(["-t", "x"], 2), (["--task", "x"], 2), (["--task=x"], 1), (["-tx", "-y"], 1)]
)
def test_the_block_stands_behind_the_task_of_mini_swe_agent_however_it_is_given(session, environment, words, at):
    start = prepare(session, ["mini", *words], environment)
    assert re.match(r"(?s)(--task=|-t)?x\n\nWorkspace tab", start.argv[at]), start.argv
    settings = json.loads(overlay(session, "tabshell_settings.json").read_text())
    assert settings["prompt"] == ""


def test_without_a_task_the_block_stands_behind_the_first_output_of_mini_swe_agent(session, environment):
    start = prepare(session, ["mini", "--yolo"], environment)
    assert not any("Workspace tab" in word for word in start.argv)
    assert "Workspace tab" in json.loads(overlay(session, "tabshell_settings.json").read_text())["prompt"]
