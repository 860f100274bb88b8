"""The manual pages say what the program says, and man and mandoc read them without complaint."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from tabshell.cli.commands import COMMANDS, command_of
from tabshell.errors import ExitStatus

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "man").glob("*.1"))


@pytest.fixture(scope="module")
def man():
    spec = importlib.util.spec_from_file_location("man", DOCS / "man.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_help_says_today(man):
    assert {page.name: page.read_text(encoding="ascii") for page in PAGES} == man.pages(), (
        "run: python docs/generate.py"
    )


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_a_page_with_every_option(name):
    page = (DOCS / "man" / f"tabshell-{name}.1").read_text().replace("\\-", "-")
    options = [one for one in command_of(name).params if isinstance(one, click.Option)]
    assert {word for one in options for word in (*one.opts, *one.secondary_opts) if word not in page} == set()
    assert f"tabshell-{name}(1)" in (DOCS / "man" / "tabshell.1").read_text().replace("\\-", "-")


def test_every_exit_status_is_told(man):
    statuses = {str(number) for name, number in vars(ExitStatus).items() if name.isupper()}
    assert len(statuses) > 8
    assert statuses - set(man._STATUS) == set()


def test_text_that_roff_would_take_for_its_own_is_escaped(man):
    assert man._text(".PP\n'so x\\y -z…") == "\\&.PP\n\\&'so x\\ey \\-z\\[u2026]"


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_finds_nothing_wrong():
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *map(str, PAGES)], capture_output=True, text=True)
    # a page that is made has no date: the same program gives the same bytes
    assert [line for line in run.stdout.splitlines() if "missing date" not in line] == []


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_man_shows_each_page_without_a_warning():
    run = subprocess.run(
        ["man", "--warnings", "-l", *map(str, PAGES)],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "PAGER": "cat"},
    )
    assert (run.returncode, run.stderr) == (0, "")
    shown = re.sub(r".\x08", "", run.stdout)
    assert "TABSHELL-RUN(1)" in shown
    assert "$0 $1 …" in shown
