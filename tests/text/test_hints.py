"""The cheap look before the unwrapping rules must let through whatever a rule knows."""

from __future__ import annotations

from tabshell.text import unwrap as rules
from tabshell.text.hints import may_be_wrapped
from tabshell.text.unwrap import unwrap

SAMPLES = {
    "claude-code": ["eval 'ls' < /dev/null && pwd -P >| /tmp/claude-1-cwd", "SNAPSHOT_FILE=/x/y; echo"],
    "codex": [
        "__CODEX_SNAPSHOT_OVERRIDE=1\n. '/h/.codex/shell_snapshots/a.sh'\nexec '/bin/bash' -c 'ls'",
        "set -e; . '/h/.codex/shell_snapshots/a.sh'",
        'if [ -z "${BASH_ENV-}" ]; then echo; fi\necho "# Snapshot file"',
    ],
    "gemini": [
        "shopt -u nullglob; _bgpids_file=/tmp/x\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nls\n)\n__code=$?\nexit $__code",
        "{ ls; }; __code=$?; pgrep -g 0 >/tmp/x 2>&1; exit $__code;",
    ],
    "copilot": ["printf %s '__copilot_login_env_snapshot_1'; env -0"],
    "swe-rex": [
        "ls\necho EXITCODESTART$?EXITCODEEND",
        "ls\n TMPEXITCODE=$? ; sleep 0.1; echo -n 'UNIQUESTRING29234' ; (exit $TMPEXITCODE)",
        "/usr/bin/env bash -n << 'SOUNIQUEEOF'\nls\nSOUNIQUEEOF",
    ],
    "anthropic-tool": ["ls; echo '<<exit>>'\n"],
    "terminus": ["ls; tmux wait -S done"],
    "openhands": ["set +H; export PROMPT_COMMAND='export PS1=\"###PS1JSON###\"'"],
}


def test_every_rule_has_a_sample_here():
    assert set(SAMPLES) >= set(rules._RULES) | set(rules._BOOK_KEEPING)


def test_whatever_a_rule_knows_is_let_through():
    for name, samples in SAMPLES.items():
        for sample in samples:
            assert unwrap(sample).by == name, sample
            assert may_be_wrapped(sample), sample


def test_a_plain_command_needs_no_second_look():
    assert not may_be_wrapped("cd docs && grep -rn 'total' . | head")
