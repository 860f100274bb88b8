"""``tabshell install`` and ``uninstall``: shown before, kept, idempotent, and back to the very bytes."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tabshell.agents.all_agents import AGENTS, by_name
from tabshell.cli.agents.installing import agent_named, apply, described, plan_install, plan_uninstall
from tabshell.cli.tabshell import main
from tabshell.errors import Refused, UsageError

WITH_HOOKS = ["claude-code", "codex", "gemini", "qwen", "copilot", "pi", "opencode"]
SETTINGS = {"claude-code": ".claude/settings.json", "gemini": ".gemini/settings.json", "qwen": ".qwen/settings.json",
            "codex": ".codex/hooks.json"}  # fmt: skip


@pytest.fixture
def environment(own_home) -> dict[str, str]:
    return {"HOME": str(own_home), "TABSHELL_HOME": str(own_home / "sidecars"), "PATH": "/usr/bin:/bin"}


def tree(home) -> dict[str, bytes | None]:
    """Every file and folder of the home that is not tabshell's own."""
    found = {str(path.relative_to(home)): path for path in sorted(home.rglob("*"))}
    return {
        name: path.read_bytes() if path.is_file() else None for name, path in found.items() if "sidecars" not in name
    }


def install(name, environment):
    plan = plan_install(by_name(name), environment)
    apply(by_name(name), plan, environment, keep=True)
    return plan


def uninstall(name, environment):
    apply(by_name(name), plan_uninstall(by_name(name), environment), environment, keep=False)


@pytest.mark.parametrize("name", WITH_HOOKS)
def test_installing_and_uninstalling_in_an_empty_home_leaves_it_empty(name, environment, own_home):
    install(name, environment)
    assert any("tabshell" in (content or b"").decode() for content in tree(own_home).values())
    uninstall(name, environment)
    assert tree(own_home) == {}


@pytest.mark.parametrize("name", WITH_HOOKS)
def test_a_second_installation_changes_nothing(name, environment, own_home):
    install(name, environment)
    before = tree(own_home)
    assert plan_install(by_name(name), environment).changes == ()
    install(name, environment)
    assert tree(own_home) == before
    uninstall(name, environment)
    assert tree(own_home) == {}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_persons_own_settings_come_back_byte_for_byte(name, environment, own_home):
    path = own_home / SETTINGS[name]
    path.parent.mkdir()
    own = b'{ "theme":"dark",\n\n  "hooks": {"Stop": [ {"hooks": [{"type": "command", "command": "my-hook"}]} ]} }'
    path.write_bytes(own)
    path.chmod(0o640)
    install(name, environment)
    settings = json.loads(path.read_text())
    assert settings["theme"] == "dark"
    assert settings["hooks"]["Stop"][0]["hooks"][0]["command"] == "my-hook"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    uninstall(name, environment)
    assert path.read_bytes() == own


@pytest.mark.parametrize("name", SETTINGS)
def test_hooks_of_an_older_version_become_those_of_today_and_go_without_a_trace(
    name, environment, own_home, monkeypatch
):
    path = own_home / SETTINGS[name]
    path.parent.mkdir()
    own = b'{"theme":"dark",  "hooks": {"Stop": [ {"hooks": [{"type": "command", "command": "my-hook"}]} ]} }\n'
    path.write_bytes(own)
    kind = type(by_name(name))
    with monkeypatch.context() as older:
        older.setattr(kind, "events", kind.events[1:])
        install(name, environment)
    before = json.loads(path.read_text())["hooks"]
    install(name, environment)
    assert json.loads(path.read_text())["hooks"].keys() == before.keys() | {kind.events[0]}
    assert plan_install(by_name(name), environment).changes == ()
    uninstall(name, environment)
    assert path.read_bytes() == own


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_changed_meanwhile_lose_only_our_hooks(name, environment, own_home):
    path = own_home / SETTINGS[name]
    install(name, environment)
    settings = json.loads(path.read_text())
    event = next(iter(settings["hooks"]))
    settings["hooks"][event].append({"hooks": [{"type": "command", "command": "added-later"}]})
    path.write_text(json.dumps(settings))
    uninstall(name, environment)
    assert json.loads(path.read_text()) == {
        "hooks": {event: [{"hooks": [{"type": "command", "command": "added-later"}]}]}
    }


def test_a_settings_file_that_is_a_link_stays_one(environment, own_home, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}')
    link = own_home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    install("claude-code", environment)
    assert link.is_symlink()
    assert "tabshell-hook" in real.read_text()
    uninstall("claude-code", environment)
    assert real.read_text() == '{"a": 1}'


BY_HAND = """// mine
{
\t"model" : "opus",   // tabs, and odd spacing
\t"permissions": {"allow":["Bash(ls:*)"]  },
    /* hooks of mine */
    "hooks": {
      "PostToolUse": [
        { "matcher": "Edit|Write", "hooks": [ { "type": "command", "command": "prettier --write" } ] } // last
      ],
      "Stop": [{"hooks":[{"type":"command","command":"say done"}]}]
    },
  "env": {"FOO": "b\u00e4r", "U":"\\u00e9"}

}
   """


def test_a_file_that_a_person_wrote_by_hand_keeps_its_comments_and_spacing(environment, own_home):
    path = own_home / ".qwen" / "settings.json"
    path.parent.mkdir()
    path.write_text(BY_HAND)
    install("qwen", environment)
    installed = path.read_text()
    kept = [line.rstrip(",") for line in installed.splitlines() if "tabshell-hook" not in line]
    assert [line for line in BY_HAND.splitlines() if line.rstrip(",") not in kept and "Stop" not in line] == [
        '        { "matcher": "Edit|Write", "hooks": [ { "type": "command", "command": "prettier --write" } ] } // last'
    ]
    assert 'prettier --write" } ] }, // last' in installed
    uninstall("qwen", environment)
    assert path.read_text() == BY_HAND


def test_what_the_person_changed_since_stays_and_our_hooks_go_to_the_byte(environment, own_home):
    path = own_home / ".qwen" / "settings.json"
    path.parent.mkdir()
    path.write_text(BY_HAND)
    install("qwen", environment)
    path.write_text(path.read_text().replace('"opus"', '"haiku" /* cheaper */'))
    assert plan_install(by_name("qwen"), environment).changes == ()
    uninstall("qwen", environment)
    assert path.read_text() == BY_HAND.replace('"opus"', '"haiku" /* cheaper */')


@pytest.mark.parametrize(
    ("text", "wrong"), [('{\n "a": 1 "b": 2}', "line 2"), ('{\n"a": [1,\n', "line 3"), ("[1]", "no object")]
)
def test_a_settings_file_that_is_broken_is_left_alone_and_the_line_is_named(text, wrong, environment, own_home):
    path = own_home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(Refused, match=wrong):
        plan_install(by_name("claude-code"), environment)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("claude-code", '{\n  "a": "//" // mine\n}', "a comment in line 2: the agent passes over such a file"),
        ("claude-code", '{\n  "a": [1,],\n  "b": 2\n}', "a comma too many before line 2"),
        ("qwen", '{\n  "a": 1, // mine\n}', "a comma too many before line"),
    ],
)
def test_a_file_that_the_agent_would_pass_over_is_left_alone(name, text, wrong, environment, own_home):
    path = own_home / SETTINGS[name]
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(Refused, match=wrong):
        plan_install(by_name(name), environment)
    assert path.read_text() == text


def test_hooks_go_out_of_a_file_that_got_comments_since(environment, own_home):
    path = own_home / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_text('{\n  "a": 1\n}\n')
    install("claude-code", environment)
    path.write_text(path.read_text().replace('"a": 1', '"a": 1 /* one */'))
    uninstall("claude-code", environment)
    assert path.read_text() == '{\n  "a": 1 /* one */\n}\n'


def test_the_difference_shows_our_hooks_and_no_line_of_the_persons(environment, own_home):
    path = own_home / ".qwen" / "settings.json"
    path.parent.mkdir()
    path.write_text(BY_HAND)
    shown = described(plan_install(by_name("qwen"), environment)).splitlines()
    gone = [line for line in shown if line.startswith("-") and not line.startswith("---")]
    assert all(f"+{line[1:]}".startswith("+") and "tabshell" not in line for line in gone)
    assert len(gone) <= 3  # those that needed a comma, or held a list on one line


def test_what_will_change_is_shown_as_a_difference(environment, own_home):
    path = own_home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "theme": "dark"\n}\n')
    shown = described(plan_install(by_name("claude-code"), environment))
    assert f"--- {path}" in shown
    assert '"command": ' in shown
    assert '   "theme": "dark"' in shown.replace('-  "theme"', '   "theme"')


def test_the_agents_own_variable_says_where_its_settings_lie(environment, own_home, tmp_path):
    install("claude-code", {**environment, "CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
    assert (tmp_path / "elsewhere" / "settings.json").exists()
    assert not (own_home / ".claude").exists()


def test_an_installed_hook_calls_a_program_that_is_there(environment, own_home):
    install("claude-code", environment)
    settings = json.loads((own_home / ".claude" / "settings.json").read_text())
    command = settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
    assert Path(command.split()[0]).stat().st_mode & 0o100
    assert command.split()[1:] == ["claude-code", "PostToolUse"]


@pytest.mark.parametrize("name", [name for name in AGENTS if name not in WITH_HOOKS])
def test_an_agent_without_hooks_is_refused_with_what_to_do(name, environment):
    with pytest.raises(Refused, match="tabshell run --"):
        plan_install(by_name(name), environment)


def test_an_agent_that_nobody_knows_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="claude-code, codex"):
        agent_named("nobody")


def test_the_command_line_shows_installs_and_uninstalls(own_home, monkeypatch, capsys):
    assert main(["install", "claude", "--dry-run"]) == 0
    assert not (own_home / ".claude").exists()
    assert main(["install", "claude", "--yes"]) == 0
    assert main(["install", "claude", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "tabshell-hook" in out
    assert out.endswith("Claude Code: installed already\n")
    assert main(["uninstall", "claude", "-y"]) == 0
    assert not (own_home / ".claude").exists()
    assert main(["uninstall", "claude"]) == 0
