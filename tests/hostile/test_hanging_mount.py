"""A workspace with a mount that hangs: commands that only name it are recorded, and the prompt comes."""

from __future__ import annotations

import os
import subprocess

import pytest


@pytest.fixture
def hung(mount_that_hangs, workspace):
    return mount_that_hangs(workspace / "silent")


def test_the_prompt_comes_and_other_files_are_recorded(terminal, record, workspace, hung):
    (workspace / "a.txt").write_text("alpha 42\nbeta\n")
    (workspace / "paths.txt").write_text("silent/report.txt\nsilent/deep/x.csv\na.txt\n")
    (workspace / "link.txt").symlink_to("silent/report.txt")
    shell = terminal("--task", "alpha report")
    for line in (
        "echo silent/report.txt",
        "cat paths.txt",
        "true silent/x && cat a.txt",
        "echo link.txt; ls -d silent link.txt 2>/dev/null; cat a.txt",
        "tab add 'alpha value'",
        "tab list",
        "tab resolve r1 done silent/report.txt",
        "tab resolve r1 done a.txt",
    ):
        os.write(shell.fd, line.encode() + b"\r")
        if " -d " in line:
            # ls itself hangs there, as it would in any shell: it is interrupted, again where ^C met
            # a child of bash that was not yet ls and so was lost (in a pipeline bash 5.2 then waits for good)
            shell.see(b"link.txt\r\n")
            os.write(shell.fd, b"\x03")
            shell.until(again=b"\x03")
            continue
        shell.until()
    shell.run("cat a.txt; echo done")
    assert shell.took < 8
    assert shell.leave("exit 3") == 3
    found = record()
    assert found.sound()
    assert "cat a.txt; echo done" in found.commands()
    done = subprocess.run([found.directory / "bin" / "tab", "show", "r1"], capture_output=True, timeout=20, check=True)
    assert b"done" in done.stdout


@pytest.mark.slow
def test_the_shim_and_the_audit_do_not_wait_for_it(workspace, hung, tabshell):
    (workspace / "a.txt").write_text("alpha 42\n")
    said = tabshell("--status", "stderr", "-c", "echo silent/report.txt; cat a.txt", status=0, timeout=20)
    assert said.stdout == b"silent/report.txt\nalpha 42\n"
    for words in (("audit", "last"), ("verify", "last"), ("explain", "last", "1"), ("stats", "last")):
        tabshell(*words, status=0, timeout=20)
