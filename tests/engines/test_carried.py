"""The core that is carried into a sandbox: what is in it, for which Python, and what is said where it cannot be made."""

from __future__ import annotations

import io
import platform
import sys
import tarfile

import pytest

from tabshell.engines.carried import core, core_name
from tabshell.engines.probe import Found
from tabshell.engines.sandbox import SandboxLacks


def found(**more):
    here = {"tag": sys.implementation.cache_tag, "libc": "glibc-2.36", "version": sys.version_info[:2]}
    machine = more.pop("machine", platform.machine())
    return Found("/w", machine, "box", **{**here, **more})


def names(archive):
    return tarfile.open(fileobj=io.BytesIO(archive)).getnames()


def test_the_core_holds_this_tabshell_and_what_a_sandbox_needs_and_nothing_heavy():
    listed = names(core(found()))
    tops = {name.split("/")[1] for name in listed}
    wanted = {"tabshell", "tree_sitter", "tree_sitter_bash", "pyte", "wcwidth", "ptyprocess", "click", "rank_bm25.py"}
    assert wanted <= tops
    assert not tops & {"numpy", "docx", "openpyxl", "inspect_ai"}
    assert any(name.endswith("tabshell/shim/env.bash") for name in listed)
    assert not any("demo/workspace" in name for name in listed)
    assert all(name.startswith("lib/") and ".." not in name for name in listed)


def test_the_core_is_made_once_and_its_name_stays():
    assert core(found()) is core(found())
    assert core_name() == core_name()
    assert core_name().startswith("core-")


def test_a_parser_that_cannot_be_got_is_said_with_two_ways_out(monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SandboxLacks, match=r"tree-sitter==\S+\) for Python 3.99 on riscv64 could not be got"):
        core(found(tag="cpython-399", version=(3, 99), machine="riscv64"))
