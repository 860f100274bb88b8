"""What is wrong from outside: a clear line that names it, a status of its own, and a shell that goes on."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys

import pytest


def test_a_sidecar_inside_the_workspace_is_refused_with_what_to_do(workspace, tabshell, monkeypatch):
    monkeypatch.setenv("TABSHELL_HOME", str(workspace / ".tab"))
    said = tabshell("-c", "true", status=4)
    assert "lies inside the workspace" in said
    assert "-w" in said
    assert "TABSHELL_HOME=/var/tmp/tabshell-" in said
    assert not (workspace / ".tab").exists()


def test_a_workspace_inside_the_sidecar_is_refused_also_through_a_link(workspace, own_home, tabshell, tmp_path):
    inside = own_home / "sidecars" / "documents"
    inside.mkdir(parents=True)
    (tmp_path / "link").symlink_to(inside)
    assert "lies inside the sidecar" in tabshell("-w", str(tmp_path / "link"), "-c", "true", status=4)


def test_the_home_as_workspace_is_the_common_case(own_home, tabshell, monkeypatch):
    monkeypatch.delenv("TABSHELL_HOME")
    assert "lies inside the workspace" in tabshell("-w", str(own_home), "-c", "true", status=4)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["-w", "nowhere", "-c", "true"], 2, "no folder 'nowhere'"),
        (["--task", "a", "--task-file", "b", "-c", "true"], 2, "exclude each other"),
        (["--task-file", "missing.md", "-c", "true"], 2, "missing.md"),
        (["--shell", "/bin/false", "-c", "true"], 125, "/bin/false is no bash"),
        (["--shell", "/no/bash", "-c", "true"], 125, "/no/bash"),
        (["--no-such-option"], 2, "--no-such-option"),
        (["run", "--resume", "nothing", "-c", "true"], 3, "no session"),
        (["explain", "last", "1"], 3, "no session"),
        (["verify", "2020"], 3, "no session"),
        (["nonsense"], 2, "nonsense"),
    ],
)
def test_wrong_words_are_named_with_a_status_of_their_own(tabshell, arguments, status, words):
    assert words in tabshell(*arguments, status=status)


def test_a_bash_that_is_too_old_is_refused(tmp_path, tabshell):
    old = tmp_path / "bash"
    old.write_text("#!/bin/sh\necho 4.3\n")
    old.chmod(0o755)
    assert "bash 4.3; tabshell needs 4.4 or newer" in tabshell("--shell", str(old), "-c", "true", status=125)


def test_without_any_bash_it_says_so(tabshell, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no bash found" in tabshell("-c", "true", status=125)


def test_commands_from_a_pipe_run_without_a_terminal_and_are_recorded(workspace, tabshell, exported):
    (workspace / "a.txt").write_text("alpha 42\n")
    said = tabshell("--name", "piped", stdin="cat a.txt\nread x\nline for read\ntest -t 0 || echo no terminal\n")
    assert said == "alpha 42\nno terminal\n"
    session = exported("piped")
    assert [turn["door"] for turn in session["turns"]] == ["shim"]
    assert session["log"][0]["paths"] == ["a.txt"]


@pytest.mark.parametrize("command", ["exit 7", "kill -TERM $$", "nosuchprogram_", "/"])
def test_a_command_ends_as_in_plain_bash(workspace, command):
    plain = subprocess.run(["bash", "-c", command], capture_output=True, cwd=workspace)
    ours = subprocess.run([sys.executable, "-m", "tabshell", "-c", command], capture_output=True, cwd=workspace)
    expected = 128 - plain.returncode if plain.returncode < 0 else plain.returncode
    assert (ours.returncode, ours.stdout) == (expected, plain.stdout)


def test_words_after_the_command_are_its_arguments(tabshell):
    assert tabshell("-c", 'echo "$0|$1|$2"', "name", "a b", "-c") == "name|a b|-c\n"


def test_a_damaged_store_is_told_and_others_are_not_touched(tabshell, own_home):
    tabshell("--name", "good", "-c", "true")
    tabshell("--name", "bad", "-c", "true")
    sessions = sorted((own_home / "sidecars" / "sessions").iterdir())
    (sessions[1] / "tab.db").write_bytes(b"garbage" * 1000)
    for leftover in ("tab.db-wal", "tab.db-shm"):
        (sessions[1] / leftover).unlink(missing_ok=True)
    assert "damaged" in tabshell("export", "last", status=4)
    listing = json.loads(tabshell("sessions", "--json"))["sessions"]
    assert [bool(one["fault"]) for one in listing] == [True, False]
    assert listing[1]["name"] == "good"


def test_a_store_of_a_newer_version_is_told(tabshell, own_home):
    tabshell("-c", "true")
    (session,) = (own_home / "sidecars" / "sessions").iterdir()
    with contextlib.closing(sqlite3.connect(session / "tab.db")) as raw, raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    assert "update tabshell" in tabshell("export", "last", status=4)


@pytest.mark.parametrize("surroundings", [{"TERM": "dumb"}, {"LANG": "C", "LC_ALL": "C"}, {"TERM": "", "LANG": ""}])
def test_names_and_outputs_that_are_no_utf8_are_recorded_as_they_are(
    workspace, terminal, exported, monkeypatch, surroundings
):
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    name = b"caf\xe9 report.txt"
    with open(os.path.join(os.fsencode(workspace), name), "wb") as file:
        file.write(b"total \xff 4711\nsecond line\n")
    shell = terminal("--task", "the report's total")
    shell.run("ls")
    assert "read log: 1 entry" in shell.status("cat caf*")
    shell.run("exit")
    shell.leave("exit")
    (entry,) = exported()["log"]
    assert entry["paths"] == ["caf\udce9 report.txt"]
    assert entry["excerpt"] == "total \udcff 4711\nsecond line"


def test_a_nested_tabshell_has_a_session_of_its_own_and_is_one_turn_of_the_outer(terminal, tabshell, workspace):
    (workspace / "a.txt").write_text("alpha 42\nbeta\n")
    shell = terminal("--name", "outer", "--no-finish-check")
    shell.child.sendline(f"{sys.executable} -m tabshell --name inner -q --no-finish-check")
    shell.to_prompt()
    assert "read log: 1 entry" in shell.status("cat a.txt")
    shell.run("exit")
    shell.leave("exit")
    inner = json.loads(tabshell("export", "inner"))
    outer = json.loads(tabshell("export", "outer"))
    assert [turn["command"] for turn in inner["turns"]] == ["cat a.txt", "exit"]
    assert len(outer["turns"]) == 2
