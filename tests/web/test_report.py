"""The HTML report in a real browser: links, search, replay, no scripts, dark, print, no network."""

from __future__ import annotations

import base64

import pytest
from reports import make
from session import tab_of
from world import shown_of_company

from tabshell.audit.as_html import Played, audit_html
from tabshell.audit.as_json import Integrity
from tabshell.audit.audit import Deliverable, audit
from tabshell.documents import extract
from tabshell.model.state import Candidate, RankedCandidate

pytestmark = [pytest.mark.web, pytest.mark.slow]
HOSTILE = "\x1b[31m<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    made = make(shown_of_company(2), 2, ("docx", "md"), (30, 6, 6, 5))
    made.files["evil.md"] = f"# {HOSTILE}\nfigure 77,123 {HOSTILE}\n".encode()
    tab, text_of = tab_of(made)
    documents = [Deliverable(name, name, extract(data, name)) for name, data in made.files.items()]
    candidates = [RankedCandidate(Candidate(f"old/{HOSTILE}.txt", 1), True, 1.0)]
    found = audit(tab, text_of, candidates, Integrity(True, 99, "ab" * 32), documents)
    film = [
        Played(10.0 + n, f"$ cat file{n}\r\n\x1b[1mline {n}\x1b[0m {HOSTILE}\r\n".encode(), n + 1) for n in range(20)
    ]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(audit_html(found, film), "utf-8")
    return path


VISIBLE = (
    "(e => { const b = e.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight + 1 && b.height > 0; })"
)


def test_a_click_on_a_value_shows_its_excerpt(page, report):
    page.open(report)
    wanted = page.run("document.querySelector('a.v.sourced').textContent")
    page.run("document.querySelector('a.v.sourced').click()")
    target = page.run("location.hash.slice(1)")
    assert target.startswith("L")
    assert page.run(f"{VISIBLE}(document.getElementById({target!r}))")
    marked = page.run(
        f"Array.from(document.getElementById({target!r}).querySelectorAll('mark')).map(m => m.textContent)"
    )
    assert marked, wanted


def test_no_file_content_runs_and_nothing_is_fetched(page, report):
    page.open(report)
    assert page.run("document.title").startswith("Audit of")
    assert page.run("document.images.length") == 0
    requests = [e["params"]["request"]["url"] for e in page.events if e.get("method") == "Network.requestWillBeSent"]
    assert [url for url in requests if not url.startswith("file:")] == []
    assert [e for e in page.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")] == []


def test_search_keeps_only_what_matches_and_slash_reaches_it(page, report):
    page.open(report)
    page.press("/")
    assert page.run("document.activeElement.id") == "search"
    page.run("search.value = 'statement_2021'; search.dispatchEvent(new Event('input'))")
    page.run("new Promise(done => setTimeout(done, 300))")
    left = page.run("Array.from(document.querySelectorAll('.excerpt:not(.hidden) h3 .path')).map(e => e.textContent)")
    assert left == ["statements/statement_2021.txt"]
    assert page.run("document.getElementById('found').textContent").endswith("found")


def test_the_filter_shows_only_lines_with_unsourced_values(page, report):
    page.open(report)
    page.run("document.querySelector('.filter input[value=none]').click()")
    states = page.run(
        "Array.from(document.querySelector('.rows').children).filter(r => r.getBoundingClientRect().height).map(r => r.className)"
    )
    assert states
    assert all("s-none" in state for state in states)


def test_the_replay_plays_steps_and_seeks(page, report):
    page.open(report)
    page.run("document.getElementById('next').click()")
    first = page.run("document.getElementById('screen').textContent")
    assert "$ cat file" in first
    assert "\x1b" not in first
    page.run("seek.value = seek.max; seek.dispatchEvent(new Event('input'))")
    assert "line 19" in page.run("document.getElementById('screen').textContent")
    page.run("document.getElementById('play').click()")
    assert page.run("document.getElementById('play').textContent") == "Pause"
    page.run("document.getElementById('play').click()")


def test_it_is_readable_without_javascript(page, report):
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(report)
        tree = page.send("DOMSnapshot.captureSnapshot", computedStyles=[])["strings"]
        for words in ("Summary", "Requirements", "statements/statement_2021.txt"):
            assert words in tree
        shown = page.send("Page.captureScreenshot", format="png")["data"]
        assert len(base64.b64decode(shown)) > 20_000
    finally:
        page.send("Emulation.setScriptExecutionDisabled", value=False)


def test_dark_and_light_have_contrast_and_it_prints(page, report):
    for scheme in ("light", "dark"):
        page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.open(report)
        ratio = page.run(
            "(() => { const s = getComputedStyle(document.body), l = c => { const v = c.match(/\\d+/g).slice(0, 3).map(n => {"
            " n /= 255; return n <= 0.03928 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4; });"
            " return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; }, a = l(s.color), b = l(s.backgroundColor);"
            " return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); })()"
        )
        assert ratio > 7, scheme
    page.send("Emulation.setEmulatedMedia", features=[])
    printed = base64.b64decode(page.send("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF")


def test_every_control_is_reached_by_the_keyboard(page, report):
    page.open(report)
    assert page.run("document.querySelectorAll('[onclick], [tabindex=\"-1\"]').length") == 0
    page.run("document.querySelector('.skip').focus()")
    assert page.run(f"{VISIBLE}(document.activeElement)")
    names = page.run(
        "Array.from(document.querySelectorAll('button, input, select')).filter(e => !e.textContent && !e.labels?.length).length"
    )
    assert names == 0
