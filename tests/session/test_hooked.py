"""Sessions that hooks begin: they end with the agent's own, and go on when that is resumed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tabshell.agents.agent import HookEvent
from tabshell.agents.all_agents import by_name
from tabshell.model.facts import SessionEnded, SessionResumed
from tabshell.model.records import CommandRecord
from tabshell.session import Session, SessionOptions
from tabshell.session.hooked import end_session, session_of
from tabshell.session.summary import summarise

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(own_home) -> dict[str, str]:
    return {"HOME": str(own_home), "TABSHELL_HOME": str(own_home / "sidecars"), "PATH": "/usr/bin:/bin"}


@pytest.fixture
def began(environment, workspace):
    """A session that a hook began, with one command; its directory."""
    with session_of("codex", HookEvent("session-start", "SessionStart", "s-1", str(workspace)), environment) as session:
        session.recorder.record(CommandRecord("hook", "cat notes.txt", "hook", str(workspace), b"alpha\n", 0))
        return session.directory


def ending(session="s-1"):
    return HookEvent("session-end", "SessionEnd", session)


def facts(directory, *kinds):
    with Session.open(directory, readonly=True) as session:
        return [event.fact for event in session.store.events(*kinds)]


def test_the_session_ends_with_the_agents_own_and_nothing_is_left_to_classify(environment, began):
    assert not summarise(began).ended
    end_session("codex", ending(), environment)
    assert summarise(began).ended
    with Session.open(began, readonly=True) as session:
        assert session.store.pending() == []
        assert session.tab(turns=True).turns[1].files is not None


def test_a_second_end_is_none(environment, began):
    end_session("codex", ending(), environment)
    end_session("codex", ending(), environment)
    assert facts(began, SessionEnded) == [SessionEnded(None)]


def test_the_end_of_a_session_that_no_hook_began_makes_none(environment):
    end_session("codex", ending("other"), environment)
    end_session("codex", ending(None), environment)
    assert not (Path(environment["TABSHELL_HOME"]) / "sessions").exists()


def test_a_session_that_the_environment_names_is_ended_by_who_started_it(environment, workspace):
    with Session.create(SessionOptions(str(workspace)), environment) as session:
        directory = session.directory
    end_session("codex", ending(), {**environment, "TABSHELL_SESSION": str(directory)})
    assert facts(directory, SessionEnded) == []


def test_what_comes_after_the_end_goes_on_with_the_session(environment, began):
    end_session("codex", ending(), environment)
    for _ in range(2):
        with session_of("codex", HookEvent("stop", "Stop", "s-1"), environment) as session:
            assert session.directory == began
    assert len(facts(began, SessionResumed)) == 1
    assert not summarise(began).ended
    end_session("codex", ending(), environment)
    assert summarise(began).ended


PAYLOADS = {
    "claude-code": ("SessionEnd", {"session_id": "s-1", "hook_event_name": "SessionEnd", "reason": "other"}),
    "codex": ("SessionEnd", {"session_id": "s-1", "hook_event_name": "SessionEnd"}),
    "qwen": ("SessionEnd", {"session_id": "s-1", "hook_event_name": "SessionEnd", "reason": "clear"}),
    "gemini": ("SessionEnd", {"session_id": "s-1", "hook_event_name": "SessionEnd", "reason": "exit"}),
    "copilot": ("sessionEnd", {"sessionId": "s-1", "reason": "complete"}),
    "pi": ("", {"session": "s-1", "event": "session-end"}),
    "generic": ("", {"session": "s-1", "event": "session-end"}),
}


def hooked(name, event, payload, environment):
    """The hook's program, as an agent calls it."""
    code = "import sys; from tabshell.cli.hook import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, name, *([event] if event else [])]
    return subprocess.run(
        words, input=json.dumps(payload).encode(), capture_output=True, check=True, cwd=ROOT, env=environment
    )


@pytest.mark.parametrize("name", PAYLOADS)
def test_the_hook_at_an_agents_end_ends_the_session_after_the_agent_has_gone(name, environment, workspace):
    event = HookEvent("session-start", "SessionStart", "s-1", str(workspace))
    with session_of(name, event, environment) as session:
        directory = session.directory
    run = hooked(name, *PAYLOADS[name], environment)
    assert (run.stdout, run.stderr) == (b"", b"")
    limit = time.monotonic() + 20
    while not summarise(directory).ended and time.monotonic() < limit:
        os.sched_yield()
    assert summarise(directory).ended


def test_the_end_of_a_session_is_installed_and_no_part_of_a_run(environment, own_home):
    from tabshell.cli.agents.installing import apply, plan_install  # noqa: PLC0415

    for name in ("claude-code", "codex", "qwen", "gemini", "copilot"):
        agent = by_name(name)
        assert PAYLOADS[name][0] not in agent.events
        plan = plan_install(agent, environment)
        assert PAYLOADS[name][0] in json.loads(plan.changes[0].content)["hooks"]
        apply(agent, plan, environment, keep=True)
