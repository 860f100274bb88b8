"""The wheel and the source archive hold what they should, and no more."""

from __future__ import annotations

import email
import importlib.util
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tabshell import __version__

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("build", "hatchling", "twine")),
        reason="build, hatchling or twine is not installed (pip install 'tabshell[package]')",
    ),
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout: git says what belongs to the source"),
    pytest.mark.xdist_group("distribution"),
]


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Both, built without the network; the wheel out of the source archive."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as archive:
        yield archive


@pytest.fixture(scope="module")
def metadata(wheel):
    return email.message_from_bytes(wheel.read(f"tabshell-{__version__}.dist-info/METADATA"))


def tracked(*below):
    run = subprocess.run(["git", "ls-files", "-z", *below], cwd=ROOT, capture_output=True, check=True, text=True)
    return {name for name in run.stdout.split("\0") if name and (ROOT / name).exists()}


def test_the_wheel_holds_the_package_the_manual_pages_and_nothing_else(wheel):
    names = set(wheel.namelist())
    info = {name for name in names if name.startswith(f"tabshell-{__version__}.dist-info/")}
    pages = {f"tabshell-{__version__}.data/data/share/man/man1/{Path(name).name}" for name in tracked("docs/man")}
    package = {name for name in names - info - pages if "/__pycache__/" not in name}
    assert pages <= names
    assert tracked("tabshell") - package == set()
    assert {name for name in package if not name.startswith("tabshell/")} == set()
    assert {name for name in names if name.endswith(".pyc")} == set()


def test_files_that_programs_run_are_in_the_wheel(wheel):
    names = set(wheel.namelist())
    assert {"tabshell/py.typed", "tabshell/shell/init.bash", "tabshell/shim/env.bash"} <= names


def test_the_metadata_says_what_it_is(metadata):
    assert (metadata["Name"], metadata["Version"]) == ("tabshell", __version__)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "tabshell demo" in metadata.get_payload()
    needed = [one for one in metadata.get_all("Requires-Dist") if "extra ==" not in one]
    assert len(needed) == 7
    assert "tomli>=2; python_version < '3.11'" in needed


def test_the_program_is_an_entry_point(wheel):
    text = wheel.read(f"tabshell-{__version__}.dist-info/entry_points.txt").decode()
    assert "tabshell = tabshell.__main__:main" in text


def test_the_source_archive_holds_what_building_and_testing_need(dist):
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert tracked() - names == set()
    assert {name for name in names if name.split("/")[0] in (".venv", "site", ".git")} == set()


def test_twine_finds_nothing_wrong(dist):
    files = [str(path) for path in dist.iterdir()]
    run = subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
