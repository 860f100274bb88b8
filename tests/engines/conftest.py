"""A sandbox for the tests: three operations on a folder of this machine, or in a root of its own that has no Python."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass
class Ran:
    returncode: int
    stdout: str
    stderr: str

    @property
    def success(self):
        return self.returncode == 0


class Place:
    """A sandbox below ``folder``. ``inside``: words before each command (chroot)."""

    def __init__(self, folder, inside=(), environment=None):
        self.folder, self.inside, self.environment = Path(folder), list(inside), environment
        self.calls = []
        self.broken = False

    def _path(self, file):
        return self.folder / file if not self.inside else Path(self.inside[1]) / str(file).lstrip("/")

    async def exec(self, cmd, input=None, cwd=None, env=None, user=None, timeout=None, timeout_retry=True):  # noqa: A002
        self.calls.append(cmd)
        if self.broken:
            raise RuntimeError("the sandbox is gone")
        words = [*self.inside, *cmd]
        where = self.folder if cwd is None or self.inside else self.folder / cwd
        given = {**(os.environ if self.environment is None else self.environment), **(env or {})}
        try:
            child = await asyncio.create_subprocess_exec(
                *words, cwd=where, env=given, start_new_session=True,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
        except FileNotFoundError as error:
            return Ran(127, "", str(error))
        data = input.encode() if isinstance(input, str) else input
        try:
            out, err = await asyncio.wait_for(child.communicate(data), timeout)
        except asyncio.TimeoutError:
            os.killpg(child.pid, signal.SIGKILL)
            await child.wait()
            child._transport.close()
            raise TimeoutError from None
        return Ran(child.returncode, out.decode(errors="replace"), err.decode(errors="replace"))

    async def write_file(self, file, contents):
        path = self._path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    async def read_file(self, file, text=True):
        data = self._path(file).read_bytes()
        return data.decode() if text else data


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """One state directory for the sandboxes of all tests, so that the core is carried once."""
    home = tmp_path_factory.mktemp("sandbox") / "state"
    yield (str(home),)
    shutil.rmtree(home, ignore_errors=True)  # the processes that wait there go when it is gone


@pytest.fixture
def place(tmp_path):
    """A sandbox on this machine, with a workspace in it."""
    workspace = tmp_path / "place" / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "own.txt").write_text("The rent of the hall is 1,150 EUR.\n")
    (workspace / "table.csv").write_text("month,people\nMay,1866\n")
    return Place(tmp_path / "place")


def libraries(path):
    """The libraries that a program loads."""
    listed = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
    return [word for word in listed.split() if word.startswith("/") and os.path.exists(word)]


def _tool(root, name, path):
    """A program with the libraries that it loads."""
    for one in (*libraries(path), path):
        target = root / (f"bin/{name}" if one == path else one.lstrip("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy(os.path.realpath(one), target)


@pytest.fixture
def portable_python(tmp_path):
    """The Python that runs here as an archive, as if it were one that needs no place of its own; and its libraries."""
    base = Path(sys.base_prefix)
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    library = base / "lib" / name
    if not (library / "os.py").exists():
        pytest.skip(f"this Python keeps its library elsewhere than in {library}")
    archive = tmp_path / "portable.tar.gz"
    real = os.path.realpath(sys.executable)
    with tarfile.open(archive, "w:gz", compresslevel=1) as packing:
        packing.add(real, f"python/bin/{name}")
        link = tarfile.TarInfo("python/bin/python3")
        link.type, link.linkname = tarfile.SYMTYPE, name
        packing.addfile(link)
        left_out = (
            "test",
            "site-packages",
            "dist-packages",
            "idlelib",
            "ensurepip",
            "lib2to3",
            "__pycache__",
            "tkinter",
        )
        packing.add(
            library, f"python/lib/{name}", filter=lambda one: None if one.name.split("/")[-1] in left_out else one
        )
    compiled = [str(path) for path in (library / "lib-dynload").glob("*.so") if not path.name.startswith("_tkinter")]
    return archive, [real, *compiled]


@pytest.fixture
def libraries_of():
    """What gives the libraries that a program or a compiled file loads."""
    return libraries


@pytest.fixture
def parsers():
    """The compiled files of the parser that is carried into a sandbox."""
    found = []
    for package in ("tree_sitter", "tree_sitter_bash"):
        folder = Path(importlib.util.find_spec(package).origin).parent
        found += map(str, folder.glob("*.so"))
    return found


@pytest.fixture
def bare(tmp_path):
    """A maker of sandboxes that have only the named programs: ``bare("sh", "bash", …)``."""
    if os.geteuid() != 0 or shutil.which("chroot") is None or shutil.which("ldd") is None:
        pytest.skip("a root of its own needs the rights of root, chroot and ldd")

    def make(*names, folders=("tmp", "work"), loaded=()):
        root = tmp_path / "root"
        for name in (*folders, "dev"):
            (root / name).mkdir(parents=True)
        (root / "dev" / "null").write_text("")
        for name in names:
            found = shutil.which("dash" if name == "sh" and shutil.which("dash") else name)
            _tool(root, name, found)
        for library in {one for path in loaded for one in libraries(path)}:
            target = root / library.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                shutil.copy(os.path.realpath(library), target)
        if subprocess.run(["chroot", root, "/bin/sh", "-c", "exit 0"]).returncode != 0:
            pytest.skip("chroot does not work here")
        enter = [shutil.which("chroot"), str(root), "/bin/sh", "-c", 'cd /work && exec "$@"', "sh"]
        return Place(root / "work", enter, {"PATH": "/bin", "HOME": "/tmp"})

    return make
