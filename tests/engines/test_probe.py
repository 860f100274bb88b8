"""What a sandbox lacks is said, with what to do about it."""

from __future__ import annotations

import asyncio
import subprocess

import pytest

from tabshell import __version__
from tabshell.engines.carried import core_name
from tabshell.engines.homecoming import bring_home
from tabshell.engines.probe import SCRIPT, check, found
from tabshell.engines.recorded import Options, record
from tabshell.engines.sandbox import SandboxLacks

GOOD = """here /data/workspace
machine x86_64
host box
bash /usr/bin/bash
home /tmp/tabshell-0
python 3.12 cpython-312 glibc-2.36 /usr/bin/python3.12
"""
TOOLS = ("sh", "cat", "mkdir", "rm", "rmdir", "uname", "id")


def without(text, word):
    return "".join(line + "\n" for line in text.splitlines() if not line.startswith(word))


def test_a_sandbox_with_bash_and_a_python_is_good_enough():
    what = found(GOOD)
    check(what)
    assert (what.version, what.tag, what.libc, what.python) == (
        (3, 12), "cpython-312", "glibc-2.36", "/usr/bin/python3.12",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (without(GOOD, "bash"), "no bash"),
        (GOOD.replace("here /data/workspace", "here /"), "root folder"),
        (without(GOOD, "home") + "unwritable /tmp/t\ninside /data/workspace/s\n", r"tried /tmp/t, /data/workspace/s \(in"),
        (without(GOOD, "python"), "no Python. tabshell needs python3 3.10 or newer"),
        (without(GOOD, "python") + "old /usr/bin/python3\n", r"no Python \(/usr/bin/python3 did not answer\)"),
        (GOOD.replace("3.12", "3.8"), r"is 3.8 \("),
        ("without sqlite3\n" + GOOD, "was built without sqlite3"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named_with_a_way_to_get_it(text, said):
    with pytest.raises(SandboxLacks, match=said):
        check(found(text))


def test_a_core_that_lies_there_needs_no_look_for_python():
    check(found(without(GOOD, "python") + "ready /usr/bin/python3\n"))


def test_a_tabshell_of_another_version_is_not_used():
    assert found(GOOD + f"installed {__version__} /venv/bin/python\n").python == "/venv/bin/python"
    assert found(GOOD + "installed 0.0.1 /venv/bin/python\n").python == "/usr/bin/python3.12"


async def _record(place, **more):
    return await record(place, Options(**more))


def lacks(place, **more):
    with pytest.raises(SandboxLacks) as caught:
        asyncio.run(_record(place, **more))
    return str(caught.value)


def test_a_real_sandbox_without_python_says_so(bare):
    assert "no Python" in lacks(bare(*TOOLS, "bash"))


def test_a_real_sandbox_without_bash_says_so(bare):
    assert "no bash" in lacks(bare(*TOOLS))


def test_a_real_sandbox_that_takes_no_file_says_so(bare):
    place = bare(*TOOLS, "bash", folders=("work",))
    for name in ("tmp", "var", "dev/shm"):  # a file where a folder would have to be: nothing can be made in it
        (place._path(name)).write_text("")
    assert "no folder of this sandbox can take the record" in lacks(place)


def test_a_sandbox_without_a_shell_or_a_workspace_says_so(place):
    class Dead(type(place)):
        async def exec(self, *_words, **_more):
            return await super().exec(["false"])

    assert "cannot run a shell script" in lacks(Dead(place.folder))


def test_the_script_leaves_nothing_in_a_workspace_that_holds_all_candidates(place, tmp_path, monkeypatch):
    monkeypatch.setenv("TABSHELL_HOME", str(place.folder / "workspace" / "state"))
    words = ["sh", "-c", SCRIPT, "sh", core_name()]
    done = subprocess.run(words, cwd=place.folder / "workspace", capture_output=True, text=True, check=True)
    what = found(done.stdout)
    assert what.inside == (str(place.folder / "workspace" / "state"),)
    assert what.home is not None
    assert not what.home.startswith(str(place.folder / "workspace"))
    assert not (place.folder / "workspace" / "state").exists()


@pytest.mark.slow
def test_a_sandbox_without_python_can_be_given_one(bare, portable_python, parsers, tmp_path):
    archive, loaded = portable_python
    place = bare(*TOOLS, "bash", "tar", "gzip", "mv", "wc", loaded=[*loaded, *parsers])
    (place._path("work/own.txt")).write_text("The rent is 1,150 EUR.\n")

    async def go():
        recorded = await record(place, Options(task="rent", carry=str(archive)))
        told = await recorded.run(place, "tab add rent; cat own.txt", login=False)
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert told.stdout.splitlines()[-1].startswith("[tab] requirements: 1 open (r1), 0 resolved")
    assert came.problem is None
    assert (came.turns, came.stats["requirements"], came.stats["entries"]) == (1, 1, 1)


@pytest.mark.slow
def test_a_sandbox_that_cannot_load_the_parser_says_so_and_does_not_record_without_reading(
    bare, portable_python, parsers, libraries_of
):
    archive, loaded = portable_python
    theirs, pythons = ({one for path in paths for one in libraries_of(path)} for paths in (parsers, loaded))
    if not theirs - pythons:
        pytest.skip("the parser needs no library that Python does not need")
    place = bare(*TOOLS, "bash", "tar", "gzip", "mv", "wc", loaded=loaded)
    assert "the parser that tabshell brought cannot be loaded in this sandbox (lib" in lacks(place, carry=str(archive))


def test_a_python_to_carry_that_is_none_says_so(bare, tmp_path):
    (tmp_path / "no.tar.gz").write_bytes(b"nothing")
    place = bare(*TOOLS, "bash", "tar", "gzip", "mv")
    assert "no.tar.gz could not be unpacked in the sandbox" in lacks(place, carry=str(tmp_path / "no.tar.gz"))
    assert "cannot be read" in lacks(place, carry=str(tmp_path / "nowhere.tar.gz"))
