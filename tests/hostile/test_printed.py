"""Names, commands, outputs, requirements and reasons that want to act on the reviewer's terminal or browser: whatever
tabshell prints of them is text."""

from __future__ import annotations

import html.parser
import json
import os
import re
import shutil
import subprocess

import pytest

from tabshell.model.facts import RecordingGap
from tabshell.session import Session, SessionOptions

#: Moves the cursor, sets the title, answers with keys, 8-bit CSI, DEL, backspaces, overrides the direction, closes tags
#: and statements; ends with a word that BM25 and the evidence check find.
EVIL = (
    "\x1b[2J\x1b]0;owned\x07\x1b[6n\x9b31m\x7f\b\b\r\u202egnp\u2066\u2028<script>alert(1)</script>"
    "<img src=x onerror=alert(1)>\"'><xss a=1>'; DROP TABLE events;-- %s %n {0} ${HOME} $(id) alpha"
)
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: As far as a file's name may go (255 bytes, no slash).
NAME = "\x1b[2J\x1b]0;o\x07\x9b31m\x7f\b\u202egnp<script>alert(1)<xss>'; DROP TABLE x;-- \n../alpha"


def _made(workspace, environment):
    """A session in which everything that can be chosen is hostile; its directory."""
    name = NAME.replace("/", "\\")
    (workspace / name).write_text(f"{EVIL}\nsecond alpha 42\n")
    (workspace / f"{name}.listed").write_text("x")
    options = SessionOptions(str(workspace), name=f"evil{EVIL}", task=f"task {EVIL}", agent=f"agent{EVIL}", model=EVIL)
    quiet = {"cwd": workspace, "env": environment, "capture_output": True, "check": False}
    with Session.create(options, environment) as made:
        run = [made.directory / "bin" / "bash", "-c"]
        for command in (
            "ls",
            "cat *alpha",
            f"echo {'x' * 10} '{EVIL.replace(chr(39), '')}'; cat *alpha",
            "cat nothing; false",
        ):
            subprocess.run([*run, command], stdin=subprocess.DEVNULL, **quiet)
        tab = made.directory / "bin" / "tab"
        for words in (
            ["add", EVIL, f"second {EVIL}", f"third {EVIL}"],
            ["note", EVIL],
            ["resolve", "r1", "unavailable", EVIL],
            ["resolve", "r2", "done", "L1", "--quote", "alpha 42"],
            ["reopen", "r1"],
        ):
            subprocess.run([tab, *words], **quiet)
        made.append(RecordingGap(1, f"gap {EVIL}"))
        made.catch_up()
    (workspace / "out.md").write_text(f"# {EVIL}\n\nThe value is 42 and {EVIL} 777, on 2026-01-02.\n")
    return made.directory


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """Home, workspace and session, made once, and a copy of the first two."""
    top = tmp_path_factory.mktemp("evil")
    home, workspace = top / "home", top / "workspace"
    home.mkdir()
    workspace.mkdir()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("TABSHELL_", "XDG_", "BASH_"))
    }
    directory = _made(workspace, {**environment, "HOME": str(home), "TABSHELL_HOME": str(home / "sidecars")})
    for place in (home, workspace):
        shutil.copytree(place, top / f"{place.name}.kept", symlinks=True)
    return home, workspace, directory


def _as_it_was(place):
    shutil.rmtree(place)
    shutil.copytree(f"{place}.kept", place, symlinks=True)
    return place


@pytest.fixture
def own_home(once, monkeypatch, own_home):
    """The home of the session, as it was."""
    home = _as_it_was(once[0])
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TABSHELL_HOME", str(home / "sidecars"))
    return home


@pytest.fixture
def workspace(once):
    """Its workspace, as it was."""
    return _as_it_was(once[1])


@pytest.fixture
def session(once, own_home, workspace):
    """The session's directory."""
    return once[2]


def harmless(printed: bytes) -> str:
    text = printed.decode("utf-8")
    found = ACTING.search(text)
    assert found is None, (ascii(found.group()), ascii(text[max(0, found.start() - 200) : found.end() + 50]))
    return text


TAB = (
    ["list"], ["list", "log"], ["list", "candidates"], ["list", "notes"], ["list", "requirements", "--all"], ["show", "L1"],
    ["show", "r1"], ["show", "r2"], ["show", "n1"], ["show", EVIL], ["resolve", EVIL, "done", "L1"], ["status"], ["task"],
    ["resolve", "r3", "done", EVIL], ["resolve", "r3", "done", "L1", "--quote", EVIL], ["resolve", "r3", EVIL], ["finish"],
    ["resolve", "r3", "unavailable", EVIL], [EVIL], ["list", EVIL], ["list", "--page", EVIL], ["reopen", EVIL], ["add", EVIL],
    ["note", EVIL], [], ["prompt"],
)  # fmt: skip


@pytest.mark.parametrize("words", [pytest.param(words, id=ascii(" ".join(words))[:40]) for words in TAB])
def test_nothing_that_tab_prints_acts(session, words, workspace):
    done = subprocess.run(
        [session / "bin" / "tab", *words], cwd=workspace, capture_output=True, stdin=subprocess.DEVNULL, check=False
    )
    assert b"Traceback" not in done.stderr
    assert harmless(done.stdout) + harmless(done.stderr)
    as_json = subprocess.run(
        [session / "bin" / "tab", *words, "--json"], cwd=workspace, capture_output=True, stdin=subprocess.DEVNULL,
        check=False,
    )  # fmt: skip
    assert json.loads(harmless(as_json.stdout))["schema"] == "tabshell/1"


TABSHELL = (
    ["sessions"], ["audit", "last"], ["audit", "last", "--deliverable", "out.md"], ["trace", "out.md"], ["stats"],
    ["missing", "out.md"], ["verify", "last"], ["verify", "last", "--head", EVIL], *(["explain", "last", str(n)] for n in (1, 2, 3, 4)),
    ["stats", "last", "--format", "csv"], ["audit", EVIL], ["explain", "last", EVIL], ["trace", EVIL], ["import", EVIL],
    ["-w", EVIL, "-c", "true"], ["export", "last", "--format", EVIL], [EVIL], ["stats", EVIL], ["replay", EVIL], ["verify", EVIL],
    ["run", "--resume", EVIL, "-c", "true"], ["hook", EVIL], ["install", EVIL], ["doctor", EVIL], ["--task-file", EVIL],
    ["export", "last", "--format", "json"], ["export", "last", "--format", "jsonl"], ["export", "last", "--format", "prov"],
    ["export", "last", "--format", "otlp"], ["export", "last", "--format", "atif"], ["sessions", "--json"],
    ["audit", "last", "--format", "json", "--deliverable", "out.md"], ["trace", "out.md", "--json"], ["--shell", EVIL, "-c", "true"],
    ["run", "--", EVIL], ["export", "last", "--redact", "("],
)  # fmt: skip


@pytest.mark.parametrize("words", [pytest.param(words, id=ascii(" ".join(words))[:50]) for words in TABSHELL])
def test_nothing_that_tabshell_prints_acts(session, words, tabshell):
    done = tabshell(*words)
    assert harmless(done.stdout) + harmless(done.stderr) or words[0] == "hook"
    if "--json" in words or "json" in words:
        json.loads(done.stdout)


class Page(html.parser.HTMLParser):
    """The elements of a page and what could act in them."""

    def __init__(self):
        super().__init__()
        self.tags, self.handlers, self.links, self.scripts = set(), [], [], []
        self.inside = None

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.handlers += [(tag, name) for name, _ in attrs if name.startswith("on")]
        self.links += [
            value or "" for name, value in attrs if name in ("href", "src", "action", "formaction", "xlink:href")
        ]
        self.inside = tag if tag == "script" else self.inside

    def handle_endtag(self, tag):
        self.inside = None if tag == "script" else self.inside

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts.append(data)


def test_the_report_in_html_holds_text_only(session, tabshell):
    done = tabshell("audit", "last", "--format", "html", "--deliverable", "out.md", status=0)
    text = done.stdout.decode("utf-8")
    page = Page()
    page.feed(text)
    assert not page.tags & {"xss", "img", "iframe", "object", "embed", "base", "form"}
    assert page.handlers == []
    assert all(link.startswith(("#", "data:")) for link in page.links), page.links
    assert not [script for script in page.scripts if "alert(1)" in script and "<" in script]
    assert "&lt;script&gt;alert(1)" in text
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)


def test_a_replay_shows_recorded_bytes_and_only_those(session, tabshell):
    done = tabshell("replay", "last", "--speed", "1000", "--turn", "2", status=0)
    assert b"\x1b]0;owned\x07" in done.stdout
    assert harmless(done.stderr) == done.stderr.decode()
