"""The operations of ``tab``: a session and the words of a call in, a reply out. One function per operation.

A reply is text and, for ``--json``, an object; ``main`` in ``tab`` records and prints it. Modules that only one
operation needs are imported there: ranking costs 75 ms, an added requirement must not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from tabshell.cli.tab.words import Words, items_of, lines_of
from tabshell.cli.tab_client import Caller
from tabshell.errors import UsageError
from tabshell.model.facts import (
    FinishChecked,
    NoteAdded,
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    StopKind,
    TaskSet,
)
from tabshell.model.light import TYPE_CHECKING, Any, cast, dataclass, get_args
from tabshell.text.harmless import harmless

if TYPE_CHECKING:
    from tabshell.session import Session

#: What a shell does on this status of ``tab finish --stop``: it stays (S17).
HELD = 10

Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """``shown`` are the ids and candidate paths in ``text``; ``operation`` overrides the one recorded."""

    text: str
    shown: tuple[str, ...] = ()
    json: Callable[[], Object] | None = None
    status: int = 0
    operation: str | None = None


def add(session: Session, words: Words) -> Reply:
    """``tab add``: one requirement per item."""
    arguments, given = words.arguments, _input(words)
    if given is not None:
        items = lines_of(given)
    elif not arguments:
        msg = 'nothing to add; give text (tab add "first item" "second item") or lines on standard input'
        raise UsageError(msg)
    else:
        items = items_of(arguments)
    if not items:
        msg = "nothing to add: no line holds any text"
        raise UsageError(msg)
    turn = session.current_turn()
    added = [
        fact
        for fact in session.append(*(RequirementAdded(0, turn, item) for item in items))
        if isinstance(fact, RequirementAdded)
    ]
    return Reply(
        "\n".join(f"r{fact.id}: {harmless(fact.text)}" for fact in added),
        tuple(f"r{fact.id}" for fact in added),
        lambda: {"added": [{"id": f"r{fact.id}", "text": fact.text} for fact in added]},
    )


def note(session: Session, words: Words) -> Reply:
    """``tab note``: one note, of as many lines as it has."""
    text = _text_of(words, "a note needs text: tab note TEXT")
    (fact,) = session.append(NoteAdded(0, session.current_turn(), text))
    assert isinstance(fact, NoteAdded)  # noqa: S101 - the store gives back what it was given
    return Reply(f"n{fact.id}", (f"n{fact.id}",), lambda: {"added": [{"id": f"n{fact.id}", "text": fact.text}]})


def task(session: Session, words: Words) -> Reply:
    """``tab task``: the task text, or a new one."""
    if not words.arguments:
        text = session.tab(files=False).task
        if text is None:
            return Reply("No task text is set; set it with: tab task TEXT", json=lambda: {"task": None})
        from tabshell.text.harmless import harmless_excerpt  # noqa: PLC0415

        return Reply(harmless_excerpt(text.rstrip("\n")), json=lambda: {"task": text})
    new = _text_of(words, "a task needs text: tab task TEXT")
    session.append(TaskSet(new))
    said = f"Task text set ({len(new)} chars). Candidates are ranked by it; the finish check will be given once more."
    return Reply(said, json=lambda: {"task": new})


def show(session: Session, words: Words) -> Reply:
    """``tab show``: one entry, requirement or note."""
    from tabshell.cli.tab import objects  # noqa: PLC0415
    from tabshell.tab import show as showing  # noqa: PLC0415

    word = _single(words, "which id? tab show L2, tab show r3 or tab show n1")
    tab = session.tab(files=False)
    found = showing.named(tab, word)
    if isinstance(found, NoteAdded):
        return Reply(showing.note_text(found), (f"n{found.id}",), lambda: objects.note(found))
    from tabshell.model.state import Entry  # noqa: PLC0415

    if isinstance(found, Entry):
        text = session.entry_text(found)
        page = None if words.all else words.page or 1
        shown = showing.entry_text(found, text, page)
        return Reply(shown, (f"L{found.id}",), lambda: objects.entry(found, text))
    text = showing.requirement_text(tab, found, session.entry_text)
    refs = [f"L{ref}" for ref in (found.resolution.refs if found.resolution else ())]
    return Reply(text, (f"r{found.id}", *refs), lambda: objects.requirement(found))


def resolve(session: Session, words: Words) -> Reply:
    """``tab resolve``: closes a requirement against evidence or with a reason."""
    from tabshell.tab import rules  # noqa: PLC0415

    word, status, rest = _resolution(words)
    tab = session.tab(files=status == "done")
    item = rules.requirement(tab, word)
    turn = session.current_turn()
    if status == "unavailable":
        fact = RequirementResolved(item.id, turn, "unavailable", (), rules.reason(item, rest))
    elif not tab.session.capture:
        fact = RequirementResolved(item.id, turn, "done", (), rules.reference(item, rest), words.quote)
    else:
        looked = _look_from((words.caller or Caller()).directory(), tab.session.workspace)
        refs = rules.references(tab, item, rest, words.quote, looked, session.entry_text)
        fact = RequirementResolved(item.id, turn, "done", refs, None, words.quote)
    session.append(fact)
    still_open = sum(1 for each in tab.requirements.values() if each.status == "open" and each.id != item.id)
    refs_shown = [f"L{ref}" for ref in fact.refs]
    given = ", ".join(refs_shown) or harmless(fact.reason or "")
    return Reply(
        f"r{item.id} {fact.status} ({given}). Open: {still_open}.",
        (f"r{item.id}", *refs_shown),
        lambda: {
            "ok": True,
            "id": f"r{item.id}",
            "status": fact.status,
            "refs": refs_shown,
            "reason": fact.reason,
            "open": still_open,
        },
    )


def reopen(session: Session, words: Words) -> Reply:
    """``tab reopen``: back to open; the history is kept."""
    from tabshell.tab import rules  # noqa: PLC0415

    word = _single(words, "which requirement? tab reopen r3")
    tab = session.tab(files=False)
    item = rules.requirement(tab, word)
    rules.reopenable(item)
    still_open = 1 + sum(1 for each in tab.requirements.values() if each.status == "open")
    session.append(RequirementReopened(item.id, session.current_turn()))
    return Reply(
        f"r{item.id} open. Open: {still_open}.",
        (f"r{item.id}",),
        lambda: {"ok": True, "id": f"r{item.id}", "status": "open", "refs": [], "open": still_open},
    )


def status(session: Session, words: Words) -> Reply:
    """``tab status``: the status line."""
    _no_more(words)
    line = session.status_line()

    def fields() -> Object:
        from tabshell.cli.tab import objects  # noqa: PLC0415

        return objects.status(session.standing(), line)

    return Reply(line, json=fields)


def finish(session: Session, words: Words) -> Reply:
    """``tab finish``: the finish check now; ``--stop`` is how a door asks whether a stop has to bring it."""
    from tabshell.cli.tab import objects  # noqa: PLC0415
    from tabshell.tab.finish import finish_state, finish_text  # noqa: PLC0415

    _no_more(words)
    if words.stop is not None:
        return _at_stop(session, words.stop)
    tab = session.tab()
    if not tab.session.finish_check:
        text = "The finish check is switched off in this session (--no-finish-check)."
        return Reply(text, json=lambda: objects.finish(tab, text))
    state, still_open = finish_state(tab)
    text = finish_text(tab, "finish")
    first = tab.check is None and session.writable
    if first:
        session.append(FinishChecked(session.current_turn(), "finish", state, still_open))
    held = first and state != "resolved"
    shown = tuple(f"r{number}" for number in still_open)
    return Reply(text, shown, lambda: objects.finish(tab, text), int(held))


def prompt(_session: Session | None, words: Words) -> Reply:
    """``tab prompt``: the block for an agent's system prompt."""
    from tabshell.tab.prompt import prompt_block  # noqa: PLC0415

    _no_more(words)
    text = prompt_block().rstrip("\n")
    return Reply(text, json=lambda: {"prompt": text})


def _at_stop(session: Session, stop: str) -> Reply:
    if stop not in get_args(StopKind):
        msg = f"--stop is one of {', '.join(get_args(StopKind))}, not {stop!r}"
        raise UsageError(msg)
    text = session.finish_check(cast(StopKind, stop))
    if text is None:
        return Reply("", operation="check")
    return Reply(text, status=HELD, operation="check")


def _text_of(words: Words, missing: str) -> str:
    """The arguments as one text, or standard input."""
    given = _input(words)
    text = (" ".join(words.arguments) if given is None else given).strip()
    if not text:
        raise UsageError(missing)
    return text


def _input(words: Words) -> str | None:
    """Standard input, for ``-`` or for nothing where it is a pipe or file; else None. Invalid UTF-8 becomes surrogate
    escapes."""
    caller = words.caller or Caller()
    if words.arguments == ("-",) or (not words.arguments and caller.holds_text()):
        return caller.text().decode("utf-8", "surrogateescape")
    return None


def _single(words: Words, missing: str) -> str:
    if not words.arguments:
        raise UsageError(missing)
    if len(words.arguments) > 1:
        msg = f"tab {words.operation} takes one id, not {len(words.arguments)}"
        raise UsageError(msg)
    return words.arguments[0]


def _no_more(words: Words) -> None:
    if words.arguments:
        msg = f"tab {words.operation} takes no {words.arguments[0]!r}"
        raise UsageError(msg)


def _resolution(words: Words) -> tuple[str, str, Sequence[str]]:
    usage = "tab resolve ID done REF[,REF...] or tab resolve ID unavailable REASON"
    if len(words.arguments) < 2:
        raise UsageError(usage)
    word, given, *rest = words.arguments
    if given.lower() not in ("done", "unavailable"):
        msg = f"a requirement is resolved as done or unavailable, not {given!r}: {usage}"
        raise UsageError(msg)
    if given.lower() == "unavailable" and words.quote is not None:
        msg = "--quote belongs to done; unavailable takes a reason"
        raise UsageError(msg)
    return word, given.lower(), rest


def _look_from(directory: str | None, workspace: str) -> Callable[[str], Sequence[tuple[str, bool]]]:
    """How a word names a file: below the current directory, else below the workspace; keys as in the tab."""

    from tabshell.access.disk.mounts import Mounts  # noqa: PLC0415 - only where a file is named

    mounts = Mounts()

    def look(word: str) -> list[tuple[str, bool]]:
        mounts.look()
        found: dict[str, bool] = {}
        for base in (directory, workspace):
            if base is None:
                continue  # no current directory any more
            if mounts.behind(os.path.join(base, word)):
                continue  # a mount that does not answer
            try:
                real = os.path.realpath(os.path.join(base, word))
                exists = os.path.isfile(real)
            except (OSError, ValueError):  # a word with a null character
                continue
            inside = real.startswith(workspace.rstrip("/") + "/")
            key = os.path.relpath(real, workspace) if inside else real
            found[key] = found.get(key, False) or exists
        return list(found.items())

    return look
