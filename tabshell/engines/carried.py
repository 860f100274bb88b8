"""The core: tabshell and what it needs, as one archive for a sandbox that has Python but no tabshell.

In: which Python the sandbox has. Out: a gzipped tar with ``lib/`` (this very tabshell, and the packages that the
shim, ``tab`` and the classifier import) and its name, which changes with its content. The classifier's parser is
compiled: where the sandbox's Python is not of the kind that runs here, its wheels are got with pip, once, into the
user's cache. Office packages and numpy stay at home: what is done in a sandbox needs neither.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import importlib.metadata
import importlib.util
import io
import os
import platform
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tabshell.engines.probe import Found
from tabshell.engines.sandbox import SandboxLacks

#: Pure packages: the same files for every Python.
PURE = ("click", "ptyprocess", "pyte", "rank_bm25", "wcwidth")
#: Compiled ones, by the name of their distribution.
COMPILED = {"tree_sitter": "tree-sitter", "tree_sitter_bash": "tree-sitter-bash"}
_LEFT_OUT = ("workspace", "queries", "templates")
_PACKAGE = Path(__file__).resolve().parents[1]


@functools.cache
def core_name() -> str:
    """The folder that the core has in a sandbox, after what is in it."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*")):
        if path.suffix in (".py", ".bash", ".js", ".ts") and not _left_out(path.parts):
            digest.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + path.read_bytes())
    for name in (*PURE, *COMPILED.values()):
        digest.update(f"{name}=={importlib.metadata.version(name.replace('_', '-'))}\n".encode())
    return f"core-{digest.hexdigest()[:16]}"


def core(what: Found) -> bytes:
    """The archive for the Python that the probe found. Raises SandboxLacks where its compiled part cannot be had."""
    return _core(what.tag, what.machine, what.libc == "musl", what.version or (0, 0))


@functools.cache
def _core(tag: str, machine: str, musl: bool, version: tuple[int, int]) -> bytes:
    stream = io.BytesIO()
    same = (tag, machine, musl) == (sys.implementation.cache_tag, platform.machine(), _musl())
    with (
        gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=6, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        _add(archive, _PACKAGE, tag)
        for name in PURE:
            _add(archive, _home_of(name), tag)
        for name, distribution in COMPILED.items():
            if same:
                _add(archive, _home_of(name), tag)
            else:
                _add_wheel(archive, _wheel(distribution, machine, musl, version))
    return stream.getvalue()


def _musl() -> bool:
    return platform.libc_ver()[0] != "glibc"


def _home_of(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        msg = f"the package {package!r} is not installed here; reinstall tabshell"
        raise SandboxLacks(msg)
    path = Path(spec.origin)
    return path.parent if path.name == "__init__.py" else path


def _left_out(parts: tuple[str, ...]) -> bool:
    return any(part in _LEFT_OUT for part in parts)


def _add(archive: tarfile.TarFile, package: Path, tag: str) -> None:
    """A package's files; compiled bytecode only where the sandbox's Python can use it (times are kept for it)."""
    for path in sorted(package.rglob("*")) if package.is_dir() else [package]:
        relative = path.relative_to(package.parent)
        if not path.is_file() or _left_out(relative.parts) or path.suffix in (".c", ".pyi"):
            continue
        if path.suffix == ".pyc" and not path.name.endswith(f".{tag}.pyc"):
            continue
        archive.add(path, f"lib/{relative}", recursive=False, filter=_anonymous)


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry


def _add_wheel(archive: tarfile.TarFile, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        for name in packed.namelist():
            if name.endswith("/") or ".dist-info/" in name or _left_out(tuple(name.split("/"))):
                continue
            data = packed.read(name)
            entry = tarfile.TarInfo(f"lib/{name}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))


def _wheel(distribution: str, machine: str, musl: bool, version: tuple[int, int]) -> Path:
    """A wheel of the version that is installed here, for another Python, out of the cache or by pip."""
    exact = f"{distribution}=={importlib.metadata.version(distribution)}"
    folder = _cache() / f"{machine}-{'musl' if musl else 'glibc'}-{version[0]}.{version[1]}" / exact
    for wheel in folder.glob("*.whl"):
        return wheel
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        str(folder),
    ]
    pip += ["--python-version", f"{version[0]}.{version[1]}", *_platforms(machine, musl), exact]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    for wheel in folder.glob("*.whl"):
        return wheel
    said = (done.stderr or done.stdout).strip().splitlines()
    msg = (
        f"tabshell's parser ({exact}) for Python {version[0]}.{version[1]} on {machine} could not be got: "
        f"{said[-1] if said else 'pip said nothing'}. Install tabshell in the image (pip install tabshell), or use a "
        f"Python {sys.version_info[0]}.{sys.version_info[1]} there, as here"
    )
    raise SandboxLacks(msg)


def _platforms(machine: str, musl: bool) -> Iterator[str]:
    kinds = ("musllinux_1_2", "musllinux_1_1") if musl else ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
    for kind in kinds:
        yield "--platform"
        yield f"{kind}_{machine}"


def _cache() -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".cache"
    return base / "tabshell" / "wheels"
