"""A call of bash is told from its words and its environment: the model's, a probe, a hook, or nobody knows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.agents.shim_view import ShimView, command_text, running_agent, shim_view

CLAUDE = "shopt -u extglob 2>/dev/null || true && eval 'cat a.txt' < /dev/null && pwd -P >| /tmp/claude-1-cwd"
GEMINI = (
    "shopt -u promptvars nullglob; _bgpids_file=/tmp/x\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n"
    "cat a.txt\n)\n__code=$?\nexit $__code"
)
CODEX = "__CODEX_SNAPSHOT_OVERRIDE_SET_0=\n. '/h/.codex/shell_snapshots/1.sh'\nexec '/bin/bash' -c 'cat a.txt'"
IN_CLAUDE = {"CLAUDECODE": "1", "CLAUDE_CODE_CHILD_SESSION": "1", "CLAUDE_PID": "7"}
IN_CODEX = {"CODEX_TOOL_CALL_ID": "call_1", "CODEX_CI": "1"}
IN_COPILOT = {"COPILOT_CLI": "1", "COPILOT_AGENT_SESSION_ID": "s"}


@pytest.mark.parametrize(
    ("environment", "argv", "agent"),
    [
        (IN_CLAUDE, ["-c", CLAUDE], "claude-code"),
        (IN_CODEX, ["-lc", "cat a.txt"], "codex"),
        (IN_CODEX, ["-c", CODEX], "codex"),
        ({"GEMINI_CLI": "1"}, ["-c", GEMINI], "gemini"),
        ({"QWEN_CODE": "1"}, ["-c", "cat a.txt"], "qwen"),
        (IN_COPILOT, ["--norc", "--noprofile", "-c", "cat a.txt"], "copilot"),
        ({"PI_SESSION_ID": "s", "AI_AGENT": "pi"}, ["-c", "cat a.txt"], "pi"),
        ({"OPENCODE": "1"}, ["-c", "cat a.txt"], "opencode"),
        ({"TABSHELL_AGENT": "pi", "PI_SESSION_ID": "s"}, ["-c", "cat a.txt"], "pi"),
    ],
)
def test_a_tool_call_gives_the_models_own_command(environment, argv, agent):
    assert shim_view(environment, argv) == ShimView("tool", "cat a.txt", agent)


@pytest.mark.parametrize(
    ("environment", "argv"),
    [
        ({"CLAUDECODE": "1"}, ["-c", "env"]),
        (IN_CLAUDE, ["-c", "-l", "SNAPSHOT_FILE=/h/.claude/shell-snapshots/1.sh\nsource ~/.bashrc"]),
        (IN_CLAUDE, ["-c", "echo not wrapped"]),
        ({"TABSHELL_AGENT": "codex"}, ["-lc", "echo '# Snapshot file'"]),
        (IN_CODEX, ["-c", "set -e; . '/h/.codex/shell_snapshots/1.sh'"]),
        ({"COPILOT_CLI": "1"}, ["-l", "-c", "printf %s '__copilot_login_env_snapshot_1'; env -0"]),
        ({"TABSHELL_AGENT": "gemini"}, ["-c", "anything"]),
        ({}, ["-n"]),
        ({}, ["-n", "script.sh"]),
        ({}, ["-c", "bash --login"]),
        ({}, ["-c", "exec bash -l"]),
        ({}, ["-c", "export PS1='SHELLPS1PREFIX' ; export PS2='' ; export PS0=''"]),
    ],
)
def test_an_agents_own_call_is_a_probe(environment, argv):
    view = shim_view(environment, argv)
    assert view.kind == "probe"
    assert view.command is None


@pytest.mark.parametrize("mark", ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "COPILOT_HOOK_DIR"])
def test_a_hooks_command_is_a_hook_whatever_else_is_set(mark):
    everything = {**IN_CLAUDE, **IN_CODEX, "GEMINI_CLI": "1", mark: "/ws"}
    assert shim_view(everything, ["-c", "jq . | tee log"]).kind == "hook"


def test_without_an_agent_a_command_is_taken_as_it_stands():
    assert shim_view({"HOME": "/h"}, ["-c", "cat a.txt"]) == ShimView("unknown", "cat a.txt", None)


@pytest.mark.parametrize(
    "command", ["bash script.sh", "bash -c ls", "/bin/bash --login", "bash --login; ls", "bashful"]
)
def test_what_only_looks_like_the_start_of_a_shell_is_a_command(command):
    assert shim_view({}, ["-c", command]) == ShimView("unknown", command, None)


def test_an_unknown_agents_command_is_taken_as_it_stands():
    assert shim_view({"TABSHELL_AGENT": "my-agent"}, ["-c", "ls"]) == ShimView("unknown", "ls", "my-agent")


def test_a_wrapper_that_is_known_tells_the_agent_without_any_mark():
    assert shim_view({}, ["-c", GEMINI]) == ShimView("tool", "cat a.txt", "gemini")


@pytest.mark.parametrize("argv", [[], ["-i"], ["--login"], ["script.sh", "-c", "x"], ["-s"], ["--", "script.sh"]])
def test_a_shell_that_reads_its_commands_elsewhere_has_no_text(argv):
    assert command_text(argv) is None
    assert shim_view({}, argv).command is None


@pytest.mark.parametrize(
    "argv",
    [
        ["-c", "ls"],
        ["-lc", "ls"],
        ["-c", "-l", "ls"],
        ["--norc", "--noprofile", "-c", "ls", "name", "-c"],
        ["-o", "pipefail", "-c", "ls"],
        ["+O", "extglob", "-euc", "ls"],
        ["-c", "--", "ls"],
        ["--rcfile", "-c", "-c", "ls"],
    ],
)
def test_every_form_of_dash_c_gives_its_text(argv):
    assert command_text(argv) == "ls"


def test_the_agent_that_tabshell_started_counts_before_marks_inherited_from_outside():
    assert running_agent({"TABSHELL_AGENT": "pi", "CLAUDECODE": "1"}) == "pi"


@given(st.dictionaries(st.sampled_from([*IN_CLAUDE, *IN_CODEX, "GEMINI_CLI", "TABSHELL_AGENT"]), st.text()),
       st.lists(st.text()))  # fmt: skip
def test_no_call_makes_it_raise(environment, argv):
    shim_view(environment, argv)
