"""The paper's measures on one own session (S26): what the tab holds, how the agent works it. Pure.

``stats_tally`` adds up many of them, ``stats_expected`` says what became of expected values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tabshell.model.facts import FinishChecked, TabAccessed
from tabshell.model.state import Entry, Requirement, Tab
from tabshell.text.terms import matching_terms


@dataclass(frozen=True, slots=True)
class SessionStats:
    """Table 2 (amounts; shares in percent, None where there is nothing to share) and Table 3 (does it or not).

    ``name``, ``agent``, ``model`` and ``variant`` are what the session was started with, to group by. ``ended``: it
    came to its end (else it runs, or was cut off); ``seconds`` are those from its start to its end, else to the last
    thing known of it. ``gaps`` were not recorded. ``pending`` turns are recorded and not classified yet, so that what
    they read is not counted; ``directory`` is where it lies. The last two are the caller's to tell.
    """

    session: str
    requirements: int
    done_percent: float | None
    reviewed_percent: float | None
    entries: int
    files: int
    excerpt_chars: int
    unopened: int
    shown_chars: int
    states_before_check: bool
    reviews_before_check: bool
    cites_reviewed: bool
    shows_entry: bool
    operates_after_check: bool
    edits_after_check: bool
    opens_listed: bool
    name: str | None = None
    model: str | None = None
    variant: str | None = None
    agent: str | None = None
    ended: bool = True
    turns: int = 0
    seconds: float = 0.0
    gaps: int = 0
    pending: int = 0
    directory: str | None = None


def session_stats(
    tab: Tab, entry_text: Callable[[Entry], str], output_chars: Callable[[int], int] | None = None
) -> SessionStats:
    """The measures of one session. ``output_chars`` tells the characters a turn showed (else its bytes count)."""
    requirements = list(tab.requirements.values())
    done = sum(item.status == "done" for item in requirements)
    check = tab.checks[0] if tab.checks else None
    entries = [entry for entry in tab.entries.values() if not entry.logged.own]
    shown = sum(
        output_chars(number) if output_chars is not None else turn.ended.output_bytes
        for number, turn in tab.turns.items()
        if turn.ended is not None
    )
    return SessionStats(
        session=tab.session.id,
        requirements=len(requirements),
        done_percent=percent(done, len(requirements)),
        reviewed_percent=_reviewed(tab, entry_text),
        entries=len(tab.entries),
        files=len({path for entry in entries for path in (entry.logged.derived_from or entry.logged.paths)}),
        excerpt_chars=sum(entry.logged.chars for entry in tab.entries.values()),
        unopened=len(tab.candidates),
        shown_chars=shown,
        states_before_check=any(check is None or item.added.turn <= check.turn for item in requirements),
        reviews_before_check=any(check is None or access.turn <= check.turn for access in _reviews(tab)),
        cites_reviewed=_cites_reviewed(tab),
        shows_entry=any(a.operation == "show" and _entries_in(a) for a in tab.accesses),
        operates_after_check=check is not None and any(access.turn > check.turn for access in tab.accesses),
        edits_after_check=check is not None and _edits_after(tab, check),
        opens_listed=_opens_listed(tab),
        name=tab.session.name,
        model=tab.session.model,
        variant=tab.session.variant,
        agent=tab.session.agent,
        ended=tab.ended is not None,
        turns=len(tab.turns),
        seconds=_seconds(tab),
        gaps=len(tab.gaps),
    )


def _seconds(tab: Tab) -> float:
    ends = [turn.started_at + (turn.ended.duration_s if turn.ended else 0.0) for turn in tab.turns.values()]
    began = min([tab.started_at, *(turn.started_at for turn in tab.turns.values())])
    return max(0.0, max([tab.ended_at or tab.started_at, *ends]) - began)


def percent(part: int, whole: int) -> float | None:
    """The share in percent; None of nothing."""
    return 100 * part / whole if whole else None


def _reviews(tab: Tab) -> list[TabAccessed]:
    """The accesses that showed requirements beside what may supply them."""
    return [a for a in tab.accesses if a.operation.startswith("list") and any(_is_id(i, "r") for i in a.shown)]


def _is_id(shown: str, letter: str) -> bool:
    return shown[:1] == letter and shown[1:].isdigit()


def _entries_in(access: TabAccessed) -> list[int]:
    return [int(shown[1:]) for shown in access.shown if _is_id(shown, "L")]


def _reviewed(tab: Tab, entry_text: Callable[[Entry], str]) -> float | None:
    """Of the open requirements that reviews showed: how many beside an entry with a line that has words of theirs."""
    terms: dict[int, frozenset[str]] = {}
    shown, beside = 0, 0
    for access in _reviews(tab):
        entries = [number for number in _entries_in(access) if number in tab.entries]
        for number in entries:
            if number not in terms:
                terms[number] = matching_terms(entry_text(tab.entries[number]))
        for name in access.shown:
            item = tab.requirements.get(int(name[1:])) if _is_id(name, "r") else None
            if item is None or not _was_open(item, access.turn):
                continue
            shown += 1
            beside += any(matching_terms(item.text) & terms[number] for number in entries)
    return percent(beside, shown)


def _was_open(item: Requirement, turn: int) -> bool:
    steps = [step for step in item.history if step.turn < turn]
    return not steps or not hasattr(steps[-1], "status")


def _cites_reviewed(tab: Tab) -> bool:
    """Whether a requirement was closed as done by an entry that a review had shown before."""
    for item in tab.requirements.values():
        for step in item.history:
            refs = getattr(step, "refs", ())
            if refs and any(a.turn <= step.turn and set(refs) & set(_entries_in(a)) for a in _reviews(tab)):
                return True
    return False


def _edits_after(tab: Tab, check: FinishChecked) -> bool:
    """Whether a file was written after the check: under ``--out`` if there is one, else any."""
    out = tab.session.out
    for number, turn in tab.turns.items():
        if number <= check.turn or turn.files is None:
            continue
        for write in turn.files.wrote:
            path = write.path if write.path.startswith("/") else f"{tab.session.workspace}/{write.path}"
            if out is None or path.startswith(out.rstrip("/") + "/"):
                return True
    return False


def _opens_listed(tab: Tab) -> bool:
    """Whether a file was opened that the tab had shown as not yet opened."""
    listed: dict[str, int] = {}
    for access in tab.accesses:
        for shown in access.shown:
            if not (_is_id(shown, "r") or _is_id(shown, "L") or _is_id(shown, "n")):
                listed.setdefault(shown, access.turn)
    for number, turn in tab.turns.items():
        if turn.files is not None:
            opened = (*turn.files.read, *turn.files.opened)
            if any(path in listed and listed[path] <= number for path in opened):
                return True
    return False
