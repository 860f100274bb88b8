"""The reference page of ``tab`` says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tabshell.cli.tab import lists
from tabshell.cli.tab.words import OPTIONS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "tab.md").read_text(encoding="utf-8")


def test_the_help_on_the_page_is_the_programs(desk):
    shown = re.search(r"<!-- help -->\n```\n(.*?)\n```\n<!-- /help -->", PAGE, re.DOTALL)
    assert shown is not None
    assert shown[1] == lists._HELP
    assert desk.tab("help")[1].endswith(shown[1] + "\n")


@pytest.mark.parametrize("operation", sorted(set(OPTIONS) - {"help"}))
def test_every_operation_has_its_section(operation):
    assert re.search(rf"(?m)^### `tab {operation}\b", PAGE)


def test_every_refusal_code_is_told():
    sources = [*(ROOT / "tabshell" / "tab").glob("*.py"), *(ROOT / "tabshell" / "cli").glob("tab*.py")]
    code = re.compile(r'(?:Refused\(msg, |Refusal\(\s*)"([a-z-]+)"')
    codes = {found for source in sources for found in code.findall(source.read_text(encoding="utf-8"))}
    assert len(codes) >= 8
    assert {found for found in codes if f"`{found}`" not in PAGE} == set()


def test_every_switch_is_told():
    for switch in ("--no-capture", "--no-review", "--no-evidence-check", "--no-finish-check"):
        assert f"`{switch}`" in PAGE


@pytest.mark.parametrize("words", [("list",), ("status",), ("finish",), ("list", "candidates"), ("list", "log")])
def test_every_json_key_is_told(desk, words):
    desk.tab("add", "reimbursement standards")
    table = PAGE[PAGE.index("## JSON") :]
    _, answer = desk.json(*words)
    assert {key for key in answer if key not in table} == set()
