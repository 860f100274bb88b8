"""The wrappers of real agents come off their commands, to the last character."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.text.unwrap import shell_word, unwrap

CLAUDE = (
    "source /home/u/.claude/shell-snapshots/snapshot-bash-17-x.sh 2>/dev/null || true && \\builtin shopt -u extglob"
    " 2>/dev/null || true && {{ \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; }} >/dev/null 2>&1"
    " || true && eval {word}{stdin} && pwd -P >| /tmp/claude-d775-cwd"
)
CODEX = (
    '__CODEX_SNAPSHOT_OVERRIDE_SET_0="${{A+x}}"\n. "/home/u/.codex/shell_snapshots/01.sh"\n'
    "if [ -n \"${{PATH:-}}\" ]; then export PATH='/opt/x':\"$PATH\"; fi\n\nexec '/bin/bash' -c {word}"
)
GEMINI = (
    "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=/tmp/x.tmp\n(\n"
    "  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n{command}\n)\n__code=$?\nexit $__code"
)
COMMANDS = [
    "cat a.txt; echo \"it's\" 'q'",
    "cat b.txt | head -1 && ls *.txt",
    "cat > /tmp/x <<'EOT'\nline one\nEOT\ncat /tmp/x",
    "eval 'echo nested' && pwd -P",
    "printf '%s\\n' \"$HOME\" `date`",
    "false",
]


def claude_quoted(command):
    """The quoting that puts each single quote between double ones."""
    return "'" + command.replace("'", "'\"'\"'") + "'"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("stdin", ["", " < /dev/null", " \\< /dev/null"])
def test_claude_code_gives_its_eval_word(command, stdin):
    text = CLAUDE.format(word=claude_quoted(command), stdin=stdin)
    assert unwrap(text) == (command, "claude-code")


@pytest.mark.parametrize("command", COMMANDS)
def test_codex_gives_the_command_of_the_second_shell(command):
    assert unwrap(CODEX.format(word=claude_quoted(command))) == (command, "codex")


@pytest.mark.parametrize("command", COMMANDS)
def test_gemini_gives_the_text_inside_its_trap_and_its_older_group(command):
    assert unwrap(GEMINI.format(command=command)) == (command, "gemini")
    older = f"{{ {command} }}; __code=$?; pgrep -g 0 >/tmp/shell_pgrep_1.tmp 2>&1; exit $__code;"
    assert unwrap(older) == (command, "gemini")


@pytest.mark.parametrize("command", COMMANDS)
def test_sentinels_of_persistent_shells_come_off(command):
    assert unwrap(command + "\necho EXITCODESTART$?EXITCODEEND") == (command, "swe-rex")
    fallback = "\n TMPEXITCODE=$? ; sleep 0.1; echo -n 'UNIQUESTRING29234' ; (exit $TMPEXITCODE)"
    assert unwrap(command + fallback) == (command, "swe-rex")
    assert unwrap(command + "; echo '<<exit>>'\n") == (command, "anthropic-tool")
    assert unwrap(command + "; tmux wait -S done") == (command, "terminus")


def test_a_bare_sentinel_leaves_an_empty_command():
    assert unwrap("echo EXITCODESTART$?EXITCODEEND") == ("", "swe-rex")


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("SNAPSHOT_FILE=/home/u/.claude/shell-snapshots/s.sh\n   # No user config", "claude-code"),
        ("if [ -z \"${BASH_ENV-}\" ] && [ -r x ]; then\n . x\nfi\necho '# Snapshot file'\n", "codex"),
        ('set -e; . "/home/u/.codex/shell_snapshots/01.tmp-17"', "codex"),
        ("printf %s '__copilot_login_env_snapshot_ab12'; env -0", "copilot"),
        ("/usr/bin/env bash -n << 'SOUNIQUEEOF'\nls\nSOUNIQUEEOF", "swe-rex"),
        ('set +H; export PROMPT_COMMAND=\'export PS1="###PS1JSON### x"\'; export PS2=""', "openhands"),
    ],
)
def test_book_keeping_has_no_command_of_the_model(text, by):
    assert unwrap(text) == (None, by)


@pytest.mark.parametrize(
    "text",
    [
        *COMMANDS,
        "",
        "grep -rn EXITCODESTART src",
        "echo '<<exit>>' > sentinel.txt",
        "cat notes/shell_snapshots/readme.md",
        "exec '/bin/bash' -c 'ls'",
        "eval 'unterminated && pwd -P >| /tmp/x",
        "grep -n '# Snapshot file' *.sh",
        "tmux wait -S done",
    ],
)
def test_other_commands_stay_as_they_are(text):
    assert unwrap(text) == (text, None)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0")))
def test_whatever_the_command_its_quoted_word_reads_back(command):
    word = shlex.quote(command)
    assert shell_word(word, 0) == (command, len(word))


@given(st.text())
def test_unwrapping_never_raises(text):
    unwrap(text)
    unwrap(CODEX.format(word=text))
    unwrap(CLAUDE.format(word=text, stdin=""))


def test_quoting_styles_of_one_word():
    assert shell_word(r"""a'b c'"d \$e"$'f\n\x41\101'\ g rest""", 0) == ("ab cd $ef\nAA g", 30)
    assert shell_word("'never ends", 0) is None
    assert shell_word("  word", 0) is None
