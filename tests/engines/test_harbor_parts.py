"""What tabshell does under Harbor, without Harbor: options, command lines, the sandbox, the stripped trajectory."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tabshell.engines.harbor import programs, settings, trajectory
from tabshell.engines.harbor.sandbox import HarborSandbox
from tabshell.engines.homecoming import bring_home
from tabshell.engines.recorded import Options, Recorded, record
from tabshell.session import Session
from tabshell.tab.prompt import prompt_block

STATUS = "[tab] requirements: 1 open (r1), 0 resolved | read log: 1 entry | ops: tab add list show resolve"
RECORDED = Recorded(
    "/s/one", "/app", "/bin/bash", ("python3", "-IS", "-c", "from tabshell.engines.inside import main; x"), "h"
)


class Place:
    """Harbor's interface to an environment, carried out on this machine."""

    def __init__(self, folder, user=None):
        self.folder, self.default_user, self.commands = folder, user, []

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        self.commands.append((command, user))
        if user == "root":
            return SimpleNamespace(stdout="", stderr="", return_code=0)
        done = await asyncio.to_thread(
            subprocess.run,
            ["bash", "-c", command],
            cwd=cwd or self.folder,
            env={**os.environ, "TMPDIR": str(self.folder.parent / "tmp"), **(env or {})},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        return SimpleNamespace(stdout=done.stdout or None, stderr=done.stderr or None, return_code=done.returncode)

    async def upload_file(self, source_path, target_path):
        shutil.copyfile(source_path, target_path)

    async def download_file(self, source_path, target_path):
        shutil.copyfile(source_path, target_path)


@pytest.fixture
def place(tmp_path):
    """An environment with an empty workspace."""
    (tmp_path / "app").mkdir()
    (tmp_path / "tmp").mkdir()
    return Place(tmp_path / "app")


def test_our_options_are_taken_out_and_the_agents_own_stay():
    ours, theirs = settings.split({"tab_variant": "no-review", "tab_review": "no", "tab_limit": "5", "max_turns": 3})
    assert theirs == {"max_turns": 3}
    assert (ours.variant, ours.review, ours.capture, ours.limit) == ("no-review", False, True, 5)
    options = ours.options(task="t", name="n", agent="a", model=None)
    assert (options.task, options.variant, options.review, options.capture) == ("t", "no-review", False, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [({"tab_varient": "x"}, "tab_variant"), ({"tab_review": "perhaps"}, "yes or no"), ({"tab_limit": "-1"}, "bytes")],
)
def test_an_option_of_ours_that_makes_no_sense_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        settings.split(given)


def test_the_line_that_starts_an_agent_goes_through_the_session_whatever_path_says(tmp_path):
    fake = tmp_path / "python3"
    fake.write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    fake.chmod(0o755)
    line = 'export PATH="/nowhere:$PATH"; KEY=1 claude --print "a b" | cat'
    through = programs.through(RECORDED, line, "claude")
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", through], env={"PATH": path}, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("<run><-q><--resume></s/one><--><claude><--print><a b>")
    assert "tabshell.cli.tabshell" in done.stdout


@pytest.mark.parametrize(
    ("command", "program", "expected"),
    [
        ("claude --print", "claude", True),
        ("x; KEY= codex exec", "codex", True),
        ("mini-swe-agent --yolo", "mini-swe-agent", True),
        ("mkdir -p ~/.claude/skills", "claude", False),
        ("cat /x/claude-code.txt", "claude", False),
        ("ls pi.txt", "pi", False),
    ],
)
def test_only_a_line_with_the_program_as_a_word_starts_it(command, program, expected):
    assert programs.starts(command, program) is expected


def test_an_installed_tabshell_is_called_as_a_module():
    recorded = Recorded("/s", "/app", "bash", ("python3", "-I", "-m", "tabshell.engines.inside"), "h")
    assert programs.command_line(recorded) == ("python3", "-I", "-m", "tabshell")


@pytest.mark.parametrize("size", [0, 10, 300_000])
def test_standard_input_of_any_size_reaches_a_program(place, size):
    data = bytes(number % 251 for number in range(size))
    done = asyncio.run(HarborSandbox(place).exec(["wc", "-c"], input=data))
    assert (done.returncode, done.stdout.strip()) == (0, str(size))
    assert list((place.folder).iterdir()) == []


def test_words_reach_a_program_as_they_are_and_a_status_comes_back(place):
    done = asyncio.run(HarborSandbox(place).exec(["sh", "-c", 'printf %s "$1"; exit 3', "x", "a'b $c\n\"d"]))
    assert (done.returncode, done.stdout, done.stderr) == (3, "a'b $c\n\"d", "")


def test_a_file_that_is_brought_belongs_to_the_environments_user(tmp_path):
    place = Place(tmp_path, user="agent")
    asyncio.run(HarborSandbox(place).write_file(f"{tmp_path}/it's", b"\xff"))
    assert (tmp_path / "it's").read_bytes() == b"\xff"
    ((command, user),) = place.commands
    assert user == "root"
    assert command.startswith("chown agent ")


@pytest.mark.slow
def test_a_session_is_kept_in_the_environment_and_comes_home(place, tmp_path):
    (place.folder / "sales.txt").write_text("revenue 1,234\n")
    agent = tmp_path / "programs"
    agent.mkdir()
    (agent / "my-agent").write_text("#!/bin/sh\nbash -c 'tab add \"revenue\"'\nbash -c 'cat sales.txt'\nexit 4\n")
    (agent / "my-agent").chmod(0o755)

    async def work():
        sandbox = HarborSandbox(place)
        recorded = await record(sandbox, Options(task="the revenue", agent="my-agent", variant="v", name="n"))
        line = programs.through(recorded, f"export PATH={agent}:$PATH; my-agent 'a task'", "my-agent")
        done = await place.exec(line)
        return done, await bring_home(sandbox, recorded, tmp_path / "logs" / "tabshell", exit_code=0)

    done, sidecar = asyncio.run(work())
    assert done.return_code == 4
    assert "revenue 1,234" in done.stdout
    assert (sidecar.problem, sidecar.turns) == (None, 2)
    with Session.open(sidecar.path, readonly=True) as session:
        tab = session.tab(turns=True, catch_up=False)
    assert (tab.session.agent, tab.session.variant, tab.session.name, tab.task) == ("my-agent", "v", "n", "the revenue")
    assert [turn.started.command for turn in tab.turns.values()] == ['tab add "revenue"', "cat sales.txt"]
    assert [entry.logged.paths for entry in tab.entries.values()] == [("sales.txt",)]
    assert tab.ended.exit_code == 4


@pytest.mark.parametrize(
    "command",
    ["tab list", "tab add 'a b'; tab status", "tab add <<'EOF'\ncat secret\nEOF", "/s/bin/tab resolve r1 done L1\n", "tab",
     "tab list && tab show L1", "tab note x | tab list"],
)  # fmt: skip
def test_a_command_that_only_works_on_the_tab_is_known(command):
    assert trajectory.only_tab(command)


@pytest.mark.parametrize(
    "command",
    ["cat a; tab list", "tab list | grep x", "tab 'unclosed", "", "tabs 4", "tab list\ncat a", "tab --version x"],
)
def test_a_command_that_does_anything_else_stays(command):
    assert not trajectory.only_tab(command)


def call(number, command, shown, **more):
    return {
        "step_id": number,
        "source": "agent",
        "message": "",
        "tool_calls": [{"tool_call_id": f"c{number}", "function_name": "bash", "arguments": {"command": command}}],
        "observation": {"results": [{"source_call_id": f"c{number}", "content": shown}]},
        **more,
    }


def test_a_trajectory_without_the_tab_shows_no_trace_of_it():
    check = "[tab] Finish check: you are about to stop.\n1 requirement is still open:\n  r1 x\nThis is said once: stop again."
    whole = {
        "schema_version": "ATIF-v1.6",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": f"Do it.\n\n{prompt_block()}"},
            call(2, "tab add x", f"r1: x\n{STATUS}\n"),
            call(3, "cat a.txt", f"seen\n{STATUS}\n"),
            call(4, "ls", json.dumps({"returncode": 0, "output": f"a.txt\n{STATUS}\n"}, indent=2)),
            {"step_id": 5, "source": "user", "message": check},
            call(6, "echo end", f"end\n{check}\n{STATUS}"),
        ],
        "final_metrics": {"total_steps": 6, "total_prompt_tokens": 5},
        "subagent_trajectories": [{"steps": [call(1, "tab list", "x"), call(2, "cat b", "y")]}],
    }
    before = json.dumps(whole)
    found = trajectory.without_tab(whole)
    assert json.dumps(whole) == before
    assert "tab" not in json.dumps(found)
    assert [step["step_id"] for step in found["steps"]] == [1, 2, 3, 4]
    assert found["steps"][0]["message"].strip() == "Do it."
    assert found["steps"][1]["observation"]["results"][0]["content"] == "seen\n"
    assert json.loads(found["steps"][2]["observation"]["results"][0]["content"]) == {
        "returncode": 0,
        "output": "a.txt\n",
    }
    assert found["final_metrics"] == {"total_steps": 4, "total_prompt_tokens": 5}
    assert [step["step_id"] for step in found["subagent_trajectories"][0]["steps"]] == [1]


CHECK = "[tab] Finish check: you are about to stop.\n1 open.\nThis is said once: stop again when you are done."


@pytest.mark.parametrize("text", [CHECK, prompt_block(), f"{CHECK}\n\n{prompt_block()}"])
@pytest.mark.parametrize(
    "around", ["{}", "<hook_prompt id='1'>{}</hook_prompt>", "Stop hook feedback:\n{}\n", "\n{}\n"]
)
def test_a_message_that_is_only_ours_goes_with_what_an_agent_puts_around_it(around, text):
    ours = around.format(text)
    messages = ["go", ours, [{"type": "text", "text": ours}], f"before\n{CHECK}\nafter", "", [{"type": "image"}]]
    steps = [{"step_id": n, "source": "user", "message": one} for n, one in enumerate(messages, start=1)]
    found = [step["message"] for step in trajectory.without_tab({"steps": steps})["steps"]]
    assert found == ["go", "before\nafter", "", [{"type": "image"}]]


@pytest.mark.parametrize("width", range(40, len(STATUS)))
def test_a_status_line_that_a_screen_wrapped_goes_whole(width):
    screen = f"$ ls\na.txt\n{STATUS[:width]}\n{STATUS[width:]}\n$ cat b\n[tab] a note of the file's own\n"
    found = trajectory.without_tab({"steps": [call(1, "ls", screen)]})
    assert found["steps"][0]["observation"]["results"][0]["content"] == "$ ls\na.txt\n$ cat b\n"


def test_a_call_among_others_in_one_step_goes_alone():
    step = call(1, "ls", "a")
    step["tool_calls"].append({"tool_call_id": "t", "function_name": "bash", "arguments": {"command": "tab list"}})
    step["observation"]["results"].append({"source_call_id": "t", "content": "r1"})
    (kept,) = trajectory.without_tab({"steps": [step]})["steps"]
    assert [one["tool_call_id"] for one in kept["tool_calls"]] == ["c1"]
    assert [one["content"] for one in kept["observation"]["results"]] == ["a"]


def test_texts_in_parts_are_cleaned_and_pictures_stay():
    parts = [{"type": "text", "text": f"seen\n{STATUS}"}, {"type": "image", "source": {"path": "x.png"}}]
    (kept,) = trajectory.without_tab({"steps": [call(1, "ls", parts)]})["steps"]
    assert kept["observation"]["results"][0]["content"] == [{"type": "text", "text": "seen\n"}, parts[1]]


def test_without_harbor_its_classes_cannot_be_named(monkeypatch):
    import tabshell.engines.harbor as harbor  # noqa: PLC0415

    monkeypatch.setitem(sys.modules, "harbor.agents.factory", None)
    with pytest.raises(ImportError):
        harbor.ClaudeCode  # noqa: B018
