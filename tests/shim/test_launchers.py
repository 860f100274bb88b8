"""The programs of a session start from wherever they are called, on whatever path they lie."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tabshell.shim.launchers import LINE_LIMIT, env_text, launcher_text, write_launchers


def test_the_usual_line_names_this_python_alone_with_its_library():
    text = launcher_text("print({paths}, {bash})\n", sys.executable, ["/a b"], "/bin/bash")
    line = text.splitlines()[0]
    assert line == f"#!{os.path.realpath(sys.executable)} -IS"
    assert len(line) <= LINE_LIMIT


@pytest.mark.parametrize("folder", ["with blank", "very" + "/long" * 40])
def test_an_interpreter_on_an_odd_path_is_started_through_sh(folder, tmp_path):
    place = tmp_path / folder
    place.mkdir(parents=True)
    interpreter = place / "python"
    interpreter.write_text(f'#!/bin/sh\nexec {os.path.realpath(sys.executable)} "$@"\n')
    interpreter.chmod(0o755)
    program = tmp_path / "program"
    program.write_text(launcher_text("import sys\nprint(sys.argv[1:])\n", str(interpreter), [], None))
    program.chmod(0o755)
    done = subprocess.run([program, "a b", "c'd"], capture_output=True, text=True, check=False)
    assert done.stdout == "['a b', \"c'd\"]\n", done.stderr


@pytest.mark.parametrize("name", ["plain", "with blank", "ümläut", "quo'te"])
def test_a_session_may_lie_on_any_path(name, tmp_path):
    directory = tmp_path / name
    directory.mkdir()
    write_launchers(directory, "/bin/bash")
    done = subprocess.run([directory / "bin" / "bash", "-c", "echo ok"], capture_output=True, text=True, check=False)
    assert done.stdout == "ok\n"
    assert len(list((directory / "inbox").iterdir())) == 1


def test_a_link_to_the_program_finds_the_session(fresh_sidecar, tmp_path):
    link = tmp_path / "bash"
    link.symlink_to(fresh_sidecar / "bin" / "bash")
    subprocess.run([link, "-c", "true"], check=True)
    assert len(list((fresh_sidecar / "inbox").iterdir())) == 1


def test_the_files_are_private(fresh_sidecar):
    assert (fresh_sidecar / "bin").stat().st_mode & 0o777 == 0o700
    assert (fresh_sidecar / "inbox").stat().st_mode & 0o777 == 0o700
    assert (fresh_sidecar / "bin" / "bash").stat().st_mode & 0o777 == 0o700
    assert (fresh_sidecar / "env.bash").stat().st_mode & 0o777 == 0o600


def test_the_callers_own_bash_env_is_chained(tmp_path):
    own = tmp_path / "own file"
    own.write_text("MINE=5\n")
    directory = tmp_path / "s"
    directory.mkdir()
    write_launchers(directory, "/bin/bash", str(own))
    env = {"PATH": "/usr/bin:/bin", "BASH_ENV": str(directory / "env.bash")}
    done = subprocess.run(
        ["/bin/bash", "-c", 'echo "$MINE $?" "${PATH%%:*}"; declare -F'],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"5 0 {directory}/bin\n"
    assert done.stderr == ""


@pytest.mark.parametrize("chained", ["inner", "outer", "none"])
def test_a_session_within_another_reads_the_persons_bash_env_once_and_no_file_of_ours_twice(tmp_path, chained):
    own = tmp_path / "own"
    own.write_text("MINE=$((MINE + 1))\n")
    files = [str(own)]
    for name in ("outer", "middle", "inner"):
        (tmp_path / name).mkdir()
        write_launchers(tmp_path / name, "/bin/bash", files[-1])
        files.append(str(tmp_path / name / "env.bash"))
    env = {"PATH": "/usr/bin:/bin", "BASH_ENV": files[-1]}
    if chained != "none":  # as a shim names what it found: that of the session around, or its own
        env["TABSHELL_BASH_ENV"] = str(tmp_path / chained / "env.bash")
    done = subprocess.run(
        ["/bin/bash", "-c", 'echo "$MINE"'], env=env, capture_output=True, text=True, check=False, timeout=20
    )
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)


def test_without_one_of_the_callers_the_text_stays_as_it_is():
    assert "TABSHELL_BASH_ENV=" not in env_text(None).replace("${TABSHELL_BASH_ENV", "")


def test_a_shell_that_was_started_by_its_full_path_is_sent_through_the_sessions(fresh_sidecar):
    program = str(fresh_sidecar / "bin" / "bash")
    env = {"PATH": "/usr/bin:/bin", "BASH_ENV": str(fresh_sidecar / "env.bash"), "TABSHELL_REEXEC": program}
    done = subprocess.run(
        ["/bin/bash", "-uc", 'echo "$0|$1|$-"; exit 4', "name", "a b"],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("name|a b|huBc\n", 4)
    assert len(list((fresh_sidecar / "inbox").iterdir())) == 1
