"""The reference says what the program has: commands, options, environment variables, exit statuses, pages."""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import get_args

import click
import pytest

from tabshell.cli.commands import COMMANDS
from tabshell.cli.options.defaults import WITHOUT, configurable
from tabshell.cli.tab.words import OPTIONS
from tabshell.cli.tabshell import tabshell
from tabshell.errors import ExitStatus
from tabshell.model.facts import Fact
from tabshell.store.migrations import migrate

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PAGES = sorted(DOCS.rglob("*.md"))
#: A variable of ours, not a placeholder that is made of the name (``__TABSHELL_HERE_0__``).
VARIABLE = re.compile(r"(?<![A-Z_])TABSHELL_[A-Z0-9]+(?:_[A-Z0-9]+)*(?![A-Z_])")
#: Receivers through which the package reads its environment.
ENVIRONMENTS = re.compile(r"environ|environment|\bgiven\b|\benv\b")
CODE = re.compile(r"(?ms)^```(\w*)\n(.*?)^```|`([^`\n]+)`")


def read(page):
    return page.read_text(encoding="utf-8")


def command(name):
    return tabshell.get_command(click.Context(tabshell), name)


def options_of(name):
    params = [one for one in command(name).params if isinstance(one, click.Option)]
    return {word for one in params for word in (*one.opts, *one.secondary_opts)}


@pytest.fixture
def generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_of_the_commands_is_what_the_help_says_today(generator):
    assert read(generator.PAGE) == generator.page(), "run: python docs/generate.py"


def test_the_page_on_settings_has_every_setting_in_its_table(generator):
    page = read(REFERENCE / "config.md")
    assert page == generator.config_page(), "run: python docs/generate.py"
    for name in COMMANDS:
        section = "".join(part for part in page.split("\n### ") if part.startswith((f"`[{name}]`", "`[session]`")))
        missing = {key for key in configurable(command(name)) if f"| `{key}` |" not in section}
        assert missing == set() or name in WITHOUT, name


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_its_section_with_every_option(name):
    page = read(REFERENCE / "cli.md")
    section = page[page.index(f"## `tabshell {name}`\n") :].split("\n## ", 1)[0]
    assert {word for word in options_of(name) if f"`{word}`" not in section} == set()


def test_every_option_of_tab_is_told():
    page = read(REFERENCE / "tab.md")
    options = {option.rstrip("=") for known in OPTIONS.values() for option in known} | {"--json", "--help"}
    assert {option for option in options if option not in page} == set()


@functools.cache
def read_variables():
    """Every variable that the package reads or names."""
    return frozenset(found_variables())


def found_variables():
    for path in sorted((ROOT / "tabshell").rglob("*")):
        if path.suffix not in (".py", ".bash", ".js", ".ts", ".mjs"):
            continue
        text = read(path)
        yield from VARIABLE.findall(text)
        if path.suffix == ".py":
            yield from looked_up(ast.parse(text))


def looked_up(tree):
    """Constant names by which an environment is asked."""
    for node in ast.walk(tree):
        name, asked = None, ""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr in ("get", "pop", "getenv"):
                name, asked = node.args[0], ast.unparse(node.func.value)
        elif isinstance(node, ast.Subscript):
            name, asked = node.slice, ast.unparse(node.value)
        elif isinstance(node, ast.Compare):
            name, asked = node.left, ast.unparse(node.comparators[0])
        if isinstance(name, ast.Constant) and ENVIRONMENTS.search(asked):
            text = name.value.decode() if isinstance(name.value, bytes) else str(name.value)
            if text.isupper():
                yield text


def test_every_environment_variable_is_told():
    page, names = read(REFERENCE / "environment.md"), read_variables()
    assert {"TABSHELL_HOME", "TABSHELL_REEXEC", "XDG_STATE_HOME", "NO_COLOR", "CODEX_HOME"} <= names
    assert {name for name in names if f"`{name}`" not in page} == set()


def test_no_environment_variable_is_told_that_nothing_reads():
    told = set(VARIABLE.findall("".join(map(read, PAGES))))
    assert told - read_variables() == set()


def test_every_extra_is_told():
    text = read(ROOT / "pyproject.toml")
    extras = re.findall(r"(?m)^(\w+) = \[", re.search(r"(?s)optional-dependencies\]\n(.*?)\n\[", text)[1])
    assert {"all", "office", "html", "lint"} <= set(extras)
    page = read(DOCS / "how-to" / "install.md")
    assert {extra for extra in extras if f"`{extra}`" not in page} == set()


def test_every_exit_status_is_told():
    page = read(REFERENCE / "exit-status.md")
    statuses = [number for name, number in vars(ExitStatus).items() if name.isupper()]
    assert len(statuses) > 8
    assert {one for one in statuses if not re.search(rf"(?m)^\| {one} \|", page)} == set()


def commands_on(page):
    """What a page types: inline code, lines behind ``$``, scripts."""
    for match in CODE.finditer(read(page)):
        language, block, inline = match.groups()
        if inline is not None:
            yield inline
        elif language == "console":
            yield from (line[2:] for line in block.splitlines() if line.startswith("$ "))
        elif language == "sh":
            yield from block.replace("\\\n", " ").splitlines()


def calls(page, program):
    """The words after ``program`` wherever a page calls it; quoted words that call nothing of ours are ``…``."""
    for line in commands_on(page):
        bare = re.sub(r"'(?:(?!\btab ).)*?'|\"(?:(?!\btabshell |\btab ).)*?\"", "…", line)
        for call in re.finditer(rf"(?:^|[\s(;$']){program} ([^;|)>`]*)", bare):
            yield [word.strip("'\"") for word in call[1].split()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_call_of_tabshell_on_a_page_has_options_that_there_are(page):
    for words in calls(page, "tabshell"):
        named = bool(words) and words[0] in COMMANDS
        name, rest = (words[0], words[1:]) if named else ("run", words)
        known = options_of(name) | {"--help", "--version"}
        for word in rest:
            if word == "--" or name == "tab" or (name == "run" and word == "-c"):
                break  # what follows is another program's
            if re.fullmatch(r"--[a-z-]+(=.*)?", word):
                assert word.partition("=")[0] in known, f"tabshell {' '.join(words)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_call_of_tab_on_a_page_is_an_operation(page):
    for words in calls(page, "tab"):
        if words and re.fullmatch(r"[a-z]+", words[0]):
            assert words[0] in OPTIONS, f"tab {' '.join(words)}"


def schema(connection):
    """Every table, index and trigger by its name, as words without comments."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {name: re.findall(r"\w+|[^\w\s]", re.sub(r"--.*", "", sql)) for name, sql in rows}


def test_the_schema_on_the_page_is_the_stores():
    told, real = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    told.executescript(re.search(r"(?s)```sql\n(.*?)```", read(REFERENCE / "store.md"))[1])
    migrate(real, 0)
    assert schema(told) == schema(real)
    told.close()
    real.close()


def test_every_kind_of_fact_is_told():
    page = read(REFERENCE / "store.md")
    assert {kind.__name__ for kind in get_args(Fact) if f"`{kind.__name__}`" not in page} == set()


def test_every_clause_that_the_code_refers_to_is_in_the_contract():
    told = set(re.findall(r"(?m)^\| (S\d+) \|", read(REFERENCE / "contract.md")))
    groups = re.findall(r"\((S\d+(?:, S\d+)*)\)", "".join(read(path) for path in ROOT.glob("tabshell/**/*.py")))
    assert told == {f"S{number}" for number in range(1, 28)}
    assert {clause for group in groups for clause in group.split(", ")} - told == set()


def test_every_page_can_be_found_from_the_navigation():
    yaml = read(ROOT / "mkdocs.yml")
    named = set(re.findall(r"([\w/-]+\.md)", yaml[yaml.index("\nnav:") :]))
    assert named == {page.relative_to(DOCS).as_posix() for page in PAGES}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_what_the_pages_beside_the_documentation_link_to_is_there(name):
    links = re.findall(r"\]\(([^)#]+)", read(ROOT / name))
    assert {link for link in links if "://" not in link and not (ROOT / link).exists()} == set()


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning(tmp_path):
    pytest.importorskip("material", reason="mkdocs-material is not installed (pip install 'tabshell[docs]')")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / "site" / "index.html").exists()
