"""``tab list`` (the review and the four lists) and ``tab help``."""

from __future__ import annotations

from tabshell.cli.tab import objects
from tabshell.cli.tab.operations import Reply
from tabshell.cli.tab.words import Words
from tabshell.errors import UsageError
from tabshell.model.light import TYPE_CHECKING
from tabshell.model.state import Requirement, Tab
from tabshell.tab.paging import LINES_PER_PAGE, REQUIREMENTS_PER_PAGE, page_of
from tabshell.text.harmless import harmless

if TYPE_CHECKING:
    from tabshell.session import Session

_KINDS = ("requirements", "candidates", "log", "notes")
_NO_CAPTURE = "Reads and listings are not recorded in this session (--no-capture)."

_HELP = """\
The tab keeps what your task owes. The read log (L1, ...) and the candidates fill by themselves;
you state requirements (r1, ...) and close them.

  tab add TEXT...                   add requirements: one per quoted argument or line; a pipe or heredoc works too
  tab list [--page N]               review: open requirements beside matching entries and unopened files
  tab list candidates|log|notes     files never opened, by relevance; what you read, newest first; your notes
  tab show L2                       an entry as you first saw it; also r3, n1
  tab resolve r3 done L2[,L4]       close with the entries its content came from [--quote "words from them"]
  tab resolve r3 unavailable WHY    close with a reason: computed, authored, not in the workspace
  tab reopen r3                     open again
  tab note TEXT                     keep a note
  tab task [TEXT]                   show or set the task text
  tab status | tab finish           the status line; the finish check now
  tab prompt                        the block for a system prompt

Every command takes --json; lists take --page N and --all. Text that begins with -- goes after a lone --.
Exit status: 0 done, 1 refused (the message says what to do), 2 wrong usage."""


def help_(session: Session | None, words: Words) -> Reply:
    """``tab``, ``tab help``: the operations, the state on top."""
    del words
    line = session.status_line() if session is not None else "[tab] no session"
    return Reply(f"{line}\n\n{_HELP}", json=lambda: {"line": line, "help": _HELP})


def list_(session: Session, words: Words) -> Reply:
    """``tab list``."""
    kind = _kind(words)
    page = None if words.all else words.page or (None if words.json else 1)
    tab = session.tab(files=kind not in ("notes", "log"))
    if kind == "requirements":
        if tab.session.capture and tab.session.review and tab.requirements:
            return _review(session, tab, page)
        return _plain(tab, page)
    if kind == "notes":
        return _notes(tab, page)
    if not tab.session.capture:
        return Reply(_NO_CAPTURE, json=lambda: {kind: []})
    return _candidates(tab, page) if kind == "candidates" else _log(session, tab, page)


def _kind(words: Words) -> str:
    if not words.arguments:
        return "requirements"
    given = words.arguments[0].lower()
    if len(words.arguments) > 1 or given not in _KINDS:
        msg = f"tab list takes one of {', '.join(_KINDS)}, not {' '.join(words.arguments)!r}"
        raise UsageError(msg)
    return given


def _review(session: Session, tab: Tab, number: int | None) -> Reply:
    from tabshell.tab.review import review, review_text  # noqa: PLC0415 - ranks

    page = page_of(list(tab.requirements.values()), REQUIREMENTS_PER_PAGE, number)
    reviewed = review(tab, list(page.items), session.entry_text, session.entry_terms)
    session.keep_terms()
    shown: dict[str, None] = {}
    for each in reviewed:
        shown.update(dict.fromkeys((f"r{each.item.id}", *(f"L{c.entry}" for c in each.entries), *each.unopened)))
    return Reply(review_text(tab, page, reviewed), tuple(shown), lambda: objects.review(tab, reviewed))


def _plain(tab: Tab, number: int | None) -> Reply:
    from tabshell.tab.plain import plain_text  # noqa: PLC0415

    page = page_of(list(tab.requirements.values()), REQUIREMENTS_PER_PAGE, number)
    items: list[Requirement] = list(page.items)
    return Reply(plain_text(tab, page), tuple(f"r{item.id}" for item in items), lambda: objects.plain(tab, items))


def _candidates(tab: Tab, number: int | None) -> Reply:
    from tabshell.tab.candidates import candidates_page  # noqa: PLC0415 - ranks

    text, page = candidates_page(tab, number)
    paths = tuple(each.candidate.path for each in page.items)
    return Reply(text, paths, lambda: objects.candidates(page.items))


def _log(session: Session, tab: Tab, number: int | None) -> Reply:
    from tabshell.tab.log import log_page  # noqa: PLC0415

    text, page = log_page(tab, number)
    shown = tuple(f"L{entry.id}" for entry in page.items)
    return Reply(text, shown, lambda: objects.log(page.items, session.entry_text))


def _notes(tab: Tab, number: int | None) -> Reply:
    page = page_of(list(tab.notes.values()), LINES_PER_PAGE, number)
    lines = [f"n{note.id} (turn {note.turn}): {harmless(note.text)}" for note in page.items]
    head = f"Notes: {len(tab.notes)}" if tab.notes else "Notes: none yet; keep one with: tab note TEXT"
    text = "\n".join([head, *lines, *page.footer("tab list notes")])
    shown = tuple(f"n{note.id}" for note in page.items)
    return Reply(text, shown, lambda: {"notes": [objects.note(note) for note in page.items]})
