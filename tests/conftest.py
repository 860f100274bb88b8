"""What every test gets: a home of its own, so that no test can touch the person's files or sessions."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

# laws are checked for what they say; a busy machine must not fail them
settings.register_profile("tabshell", deadline=None)
settings.load_profile("tabshell")

# a run that was started by `&` in a script has these ignored, and every plain bash to compare with would have, too
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def pytest_collection_modifyitems(items):
    """Each of several workers begins with its share of the slow tests, so that none of them comes last and alone."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers < 2:
        return
    kinds = [[item for item in items if ("slow" in item.keywords) == slow] for slow in (True, False)]
    items[:] = [
        item
        for n in range(workers)
        for kind in kinds
        for item in kind[n * len(kind) // workers : (n + 1) * len(kind) // workers]
    ]


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory, monkeypatch) -> Path:
    """HOME, XDG and TABSHELL_HOME in a fresh directory outside every workspace; no session inherited."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith(("TABSHELL_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TABSHELL_HOME", str(home / "sidecars"))
    monkeypatch.delenv("BASH_ENV", raising=False)
    return home


@pytest.fixture
def workspace(tmp_path) -> Path:
    """An empty workspace that is not below the home."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def mount_that_hangs():
    """Makes a folder a FUSE mount whose other end never answers, until the test is over."""
    made: list[tuple[int, Path]] = []

    def mount(point: Path) -> Path:
        point.mkdir()
        try:
            channel = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            pytest.skip("there is no /dev/fuse")
        words = f"fd={channel},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
        if ctypes.CDLL(None).mount(b"silent", os.fsencode(point), b"fuse", 0, words):
            os.close(channel)
            pytest.skip("this container may not mount")
        made.append((channel, point))
        return point

    yield mount
    for channel, point in made:
        os.close(channel)
        subprocess.run(["umount", "-l", str(point)], check=True)
