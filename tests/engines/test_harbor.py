"""Harbor's own trials, on this machine, with its own agents in sessions: only where Harbor is installed (Python 3.12).

``.ci/run`` makes an environment for it where there is a Python 3.12; by hand:
``python3.12 -m venv V; V/bin/pip install -e '.[harbor,test]'; V/bin/pytest tests/engines/test_harbor.py``.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tabshell.engines import harbor
from tabshell.engines.recorded import Recorded
from tabshell.session import Session

if sys.version_info < (3, 12) or importlib.util.find_spec("harbor") is None:
    pytest.skip("Harbor needs Python 3.12 and is not installed here", allow_module_level=True)

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network, three times
sys.path[:0] = [str(Path(__file__).parent / "harbor_local")]

from harbor.models.agent.context import AgentContext  # noqa: E402
from harbor.models.trajectories import Trajectory  # noqa: E402
from harbor.models.trial.config import AgentConfig, EnvironmentConfig, TaskConfig, TrialConfig  # noqa: E402
from harbor.trial.trial import Trial  # noqa: E402
from replay import Replay, step  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
DRIVING = ROOT / "tests" / "agents" / "driving"
TASK = """version = "1.0"
[verifier]
timeout_sec = 60.0
[agent]
timeout_sec = {limit}
[environment]
docker_image = "none"
workdir = "/app"
"""
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@pytest.fixture
def trial(tmp_path):
    """Runs one trial; gives its result and its folder."""

    def run(agent, steps=(), limit=120.0, model=None, env=None, **options):
        task = tmp_path / "task"
        (task / "environment" / "files").mkdir(parents=True, exist_ok=True)
        (task / "tests").mkdir(exist_ok=True)
        (task / "task.toml").write_text(TASK.format(limit=limit))
        (task / "instruction.md").write_text("Report the revenue of the year\n")
        (task / "tests" / "test.sh").write_text('#!/bin/bash\necho 1 > "$(dirname "$0")/../logs/verifier/reward.txt"\n')
        (task / "environment" / "files" / "sales.txt").write_text("revenue 1,234 EUR in 2025\n")
        (task / "environment" / "files" / "steps").write_text("".join(f"{line}\n" for line in steps))
        config = TrialConfig(
            task=TaskConfig(path=task),
            trial_name="one",
            trials_dir=tmp_path / "trials",
            agent=AgentConfig(import_path=agent, model_name=model, kwargs=options, env=env or {}),
            environment=EnvironmentConfig(import_path="local_place:LocalPlace"),
        )

        async def work():
            return await (await Trial.create(config)).run()

        return asyncio.run(work()), tmp_path / "trials" / "one"

    return run


def tab_of(folder):
    (directory,) = (folder / "agent" / "tabshell" / "sessions").iterdir()
    with Session.open(directory, readonly=True) as session:
        return session.tab(turns=True, catch_up=False)


def commands(folder):
    return [turn.started.command for turn in tab_of(folder).turns.values()]


def test_an_agent_that_nobody_knows_is_recorded_and_told_of_the_tab(trial):
    lines = ["ls", "tab add 'revenue of the year'", "cat sales.txt", "tab list", "tab resolve r1 done L1"]
    result, folder = trial("local_place:TabbedScriptAgent", lines, tab_program="script-agent", tab_variant="full")
    assert result.exception_info is None
    assert commands(folder) == lines
    tab = tab_of(folder)
    assert (tab.session.agent, tab.session.variant, tab.session.name) == ("script-agent", "full", "task")
    assert tab.task == "Report the revenue of the year\n"
    assert tab.requirements[1].status == "done"
    assert tab.ended.exit_code == 0
    asked = (folder.parent / "one.place" / "home" / "asked").read_text()
    assert asked.startswith("Report the revenue")
    assert "Workspace tab." in asked
    measures = result.agent_result.metadata["tabshell"]
    assert (measures["stats"]["entries"], measures["stats"]["done_percent"], measures["problem"]) == (1, 100.0, None)
    assert result.agent_info.name == "script-agent+full"
    assert json.loads((folder / "agent" / "tabshell.json").read_text()) == measures
    assert (folder / "agent" / measures["path"] / "tab.db").exists()


def test_what_was_done_until_the_time_was_up_comes_home(trial):
    result, folder = trial(
        "local_place:TabbedScriptAgent", ["cat sales.txt", "sleep 100"], limit=15.0, tab_program="script-agent"
    )
    assert result.exception_info.exception_type == "AgentTimeoutError"
    assert commands(folder)[0] == "cat sales.txt"
    assert [entry.logged.paths for entry in tab_of(folder).entries.values()] == [("sales.txt",)]


def test_ablations_reach_the_session(trial):
    options = {"tab_program": "script-agent", "tab_capture": "no", "tab_finish_check": False, "tab_variant": "bare"}
    result, folder = trial("local_place:TabbedScriptAgent", ["cat sales.txt"], **options)
    assert result.exception_info is None
    tab = tab_of(folder)
    assert (tab.session.capture, tab.session.finish_check, tab.entries, tab.checks) == (False, False, {}, ())


def test_a_sidecar_over_the_limit_stays_and_its_measures_come_home(trial):
    result, folder = trial(
        "local_place:TabbedScriptAgent", ["cat sales.txt"], tab_program="script-agent", tab_limit="1000"
    )
    measures = result.agent_result.metadata["tabshell"]
    assert "at most 1,000 are fetched" in measures["problem"]
    assert (measures["path"], measures["stats"]["entries"]) == (None, 1)
    assert not (folder / "agent" / "tabshell" / "sessions").exists()


def test_a_program_that_no_line_starts_is_told(trial):
    result, folder = trial("local_place:TabbedScriptAgent", ["cat sales.txt"], tab_program="another-agent")
    assert result.exception_info is None
    assert "no line started 'another-agent'" in result.agent_result.metadata["tabshell"]["problem"]
    assert commands(folder) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [({}, "tab_program"), ({"tab_program": "script-agent", "tab_varient": "x"}, "no option 'tab_varient'")],
)
def test_options_that_make_no_sense_are_refused_before_anything_runs(trial, options, said):
    with pytest.raises(ValueError, match=said):
        trial("local_place:TabbedScriptAgent", ["ls"], **options)


def test_a_workspace_that_cannot_be_kept_apart_ends_the_trial_before_the_agent_starts(trial):
    result, folder = trial("local_place:TabbedScriptAgent", ["ls"], tab_program="script-agent", tab_workspace="/")
    assert result.exception_info.exception_type == "SandboxLacks"
    assert "root folder" in result.exception_info.exception_message
    assert not (folder.parent / "one.place" / "home" / "asked").exists()


def test_every_agent_class_of_harbor_can_be_named_and_keeps_its_options():
    import tabshell.engines.harbor as harbor  # noqa: PLC0415

    for name in (
        "ClaudeCode",
        "Codex",
        "GeminiCli",
        "QwenCode",
        "CopilotCli",
        "Pi",
        "OpenCode",
        "MiniSweAgent",
        "Goose",
        "Terminus2",
    ):
        made = getattr(harbor, name)
        assert made.__name__ == name
        assert made is getattr(harbor, name)
        assert made.options_model is made.__bases__[1].options_model
        made.preflight({"tab_variant": "x"}, {})
    with pytest.raises(AttributeError, match="no agent class"):
        harbor.NoSuchAgent  # noqa: B018
    with pytest.raises(TypeError, match="no shell to record"):
        harbor.NopAgent  # noqa: B018


@pytest.mark.skipif(shutil.which("tmux") is None, reason="Terminus needs tmux")
def test_terminus_works_at_a_recorded_terminal_and_hears_the_finish_check_once(trial):
    texts = [
        step("ls", "tab add 'revenue of the year'"), step("cat sales.txt"), step("tab list"), step(done=True),
        step("tab resolve r1 done L1"), step(done=True), step(done=True),
    ]  # fmt: skip
    with Replay(texts) as model:
        env = {"OPENAI_API_KEY": "not-a-key", "OPENAI_BASE_URL": model.url, "OPENAI_API_BASE": model.url}
        options = {"record_terminal_session": False, "api_base": model.url}
        os.environ["OPENAI_API_KEY"] = "not-a-key"
        result, folder = trial("tabshell.engines.harbor:Terminus2", model="openai/fake", env=env, **options)
    assert result.exception_info is None, result.exception_info
    typed = ["ls", "tab add 'revenue of the year'", "cat sales.txt", "tab list", "tab resolve r1 done L1"]
    assert commands(folder) == typed
    tab = tab_of(folder)
    assert tab.session.agent == "terminus-2"
    assert tab.task == "Report the revenue of the year"
    assert {turn.started.door for turn in tab.turns.values()} == {"pty"}
    assert [entry.logged.paths for entry in tab.entries.values()] == [("sales.txt",)]
    assert "Workspace tab." in model.shown[0]
    assert [("Finish check" in shown) for shown in model.shown] == [False] * 4 + [True, False, False]
    assert "Are you sure" in model.shown[4]
    agent = folder / "agent"
    whole, stripped = (
        json.loads((agent / name).read_text()) for name in ("trajectory.json", "trajectory-without-tab.json")
    )
    for one in (whole, stripped):
        Trajectory.model_validate(one)
    typed_there = [
        call["arguments"].get("keystrokes") for one in stripped["steps"] for call in one.get("tool_calls") or []
    ]
    assert [keys for keys in typed_there if keys] == ["ls\n", "cat sales.txt\n"]
    assert "[tab]" not in json.dumps(stripped)
    assert result.agent_result.metadata["tabshell"]["problem"] is None
    subprocess.run(
        ["tmux", "kill-server"],
        env={**os.environ, "TMUX_TMPDIR": str(folder.parent / "one.place" / "tmp")},
        check=False,
    )


def _mini() -> Path | None:
    cache = Path(os.environ.get("TABSHELL_AGENTS") or Path("~/.cache/tabshell-agents").expanduser())
    found = cache / "venv-mini-swe-agent" / "bin" / "mini-swe-agent"
    return found if found.exists() else None


MINI = _mini()  # looked for before the tests get a home of their own


@pytest.mark.skipif(MINI is None, reason="mini-swe-agent is not installed; tests/agents/run mini-swe-agent does it")
def test_mini_swe_agent_under_harbor_is_recorded_and_its_trajectory_comes_in_two_forms(trial, tmp_path, monkeypatch):
    shell = [
        "ls",
        "tab add 'revenue of the year'",
        "cat sales.txt",
        "tab list",
        SUBMIT,
        "tab resolve r1 done L1",
        SUBMIT,
    ]
    (tmp_path / "script.json").write_text(json.dumps([{"shell": line} for line in shell]))
    words = [sys.executable, str(DRIVING / "fake_model.py"), str(tmp_path / "script.json"), str(tmp_path / "log")]
    monkeypatch.setenv("PATH", f"{MINI.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
            monkeypatch.setenv("OPENAI_BASE_URL", url)
            monkeypatch.setenv("OPENAI_API_BASE", url)
            env = {
                "MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            }  # fmt: skip
            result, folder = trial(
                "tabshell.engines.harbor:MiniSweAgent", model="openai/fake", env=env, skip_install=True
            )
        finally:
            server.kill()
    assert result.exception_info is None, result.exception_info
    assert commands(folder) == [line for line in shell if line != SUBMIT]
    tab = tab_of(folder)
    assert (tab.session.agent, tab.requirements[1].status, len(tab.checks)) == ("mini-swe-agent", "done", 1)
    forms = [
        json.loads((folder / "agent" / name).read_text()) for name in ("trajectory.json", "trajectory-without-tab.json")
    ]
    for one in forms:
        Trajectory.model_validate(one)
    ran = [
        [call["arguments"]["command"] for one in form["steps"] for call in one.get("tool_calls") or []]
        for form in forms
    ]
    assert ran == [shell, [line for line in shell if not line.startswith("tab ")]]
    assert "[tab]" in json.dumps(forms[0])
    assert "[tab]" not in json.dumps(forms[1])


class Listening:
    """Harbor's interface to an environment: every line is noted, and none is run."""

    def __init__(self, folder):
        self.lines, self.default_user, self.environment_name = [], None, "task"
        self.folder = folder

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

    async def exec(self, command, *_words, **_options):
        self.lines.append(command)
        return SimpleNamespace(stdout="", stderr="", return_code=0)

    async def upload_file(self, *_paths):
        return None

    async def upload_dir(self, *_paths):
        return None

    async def download_file(self, *_paths):
        return None

    async def download_dir(self, *_paths):
        return None


@pytest.mark.parametrize(
    ("agent", "program", "model", "words"),
    [
        ("GeminiCli", "gemini", "google/gemini-2.5-pro", ("--yolo", "--prompt=")),
        ("QwenCode", "qwen", "openai/qwen3-coder", ("--yolo",)),
        ("OpenCode", "opencode", "openai/gpt-5", ("run",)),
        ("CopilotCli", "copilot", "openai/gpt-5", ("--prompt=",)),
        ("Pi", "pi", "openai/gpt-5", ("--print",)),
        ("MiniSweAgent", "mini-swe-agent", "openai/gpt-5", ("--task=",)),
        ("Aider", "aider", "openai/gpt-5", ("--message=",)),
    ],
)
def test_the_one_line_that_starts_an_agent_goes_through_its_session(
    tmp_path, monkeypatch, agent, program, model, words
):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN"):
        monkeypatch.setenv(name, "none")
    recorded = Recorded(
        "/s/one", "/app", "/bin/bash", ("python3", "-IS", "-c", "from tabshell.engines.inside import main; x"), "h"
    )
    one = getattr(harbor, agent)(logs_dir=tmp_path, model_name=model)

    async def started(*_words):
        return recorded

    async def ended(*_words):
        return None

    monkeypatch.setattr(one, "_start", started)
    monkeypatch.setattr(one, "_end", ended)
    environment = Listening(tmp_path)
    asyncio.run(one.run("Report the revenue", environment, AgentContext()))
    assert one._started
    through = [line for line in environment.lines if f"{program}() {{" in line]
    assert len(through) == 1, environment.lines
    # the line as bash has it, with a Python that prints what it was given, in the place of the sandbox's
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python3").write_text(f'#!/bin/bash\nprintf "<%s>" "$@" >{tmp_path}/given\n')
    (tools / "python3").chmod(0o755)
    line = through[0].replace("/logs/", f"{tmp_path}/logs/")
    (tmp_path / "logs" / "agent").mkdir(parents=True)
    environ = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    subprocess.run(["bash", "-c", line], env=environ, capture_output=True, timeout=60, cwd=tmp_path, check=False)
    given = (tmp_path / "given").read_text()
    assert f"<run><-q><--resume></s/one><--><{program}>" in given
    assert "tabshell.cli.tabshell" in given
    assert "Report the revenue" in given
    assert all(f"<{word}" in given for word in words), given
