"""The paper's measures on own sessions (S26): what the tab holds, how the agent works it, what became of values. Pure.

One ``SessionStats`` for each session; ``overview`` gives medians and shares over many. ``outcomes`` says of expected
values whether they were shown, delivered, and held in the tab.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tabshell.audit.excerpt import Excerpt
from tabshell.audit.index import LogIndex, Wanted
from tabshell.audit.mentions import find_mentions
from tabshell.audit.value import Value, agree
from tabshell.audit.values import find_values
from tabshell.documents.document import Document
from tabshell.model.facts import FinishChecked, TabAccessed
from tabshell.model.state import Entry, Requirement, Tab
from tabshell.text.terms import fold_white, matching_terms

Outcome = Literal["delivered", "shown but missing", "other", "not shown"]


@dataclass(frozen=True, slots=True)
class SessionStats:
    """Table 2 (amounts; shares in percent, None where there is nothing to share) and Table 3 (does it or not).

    ``name``, ``model`` and ``variant`` are what the session was started with, to group by.
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
        done_percent=_percent(done, len(requirements)),
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
    )


def _percent(part: int, whole: int) -> float | None:
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
    return _percent(beside, shown)


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


@dataclass(frozen=True, slots=True)
class Overview:
    """Medians of the amounts and shares (in percent) of the habits, over sessions."""

    sessions: int
    medians: dict[str, float | None]
    shares: dict[str, float]


AMOUNTS = (
    "requirements", "done_percent", "reviewed_percent", "entries", "files", "excerpt_chars", "unopened", "shown_chars",
)  # fmt: skip
HABITS = (
    "states_before_check", "reviews_before_check", "cites_reviewed", "shows_entry", "operates_after_check",
    "edits_after_check", "opens_listed",
)  # fmt: skip


def overview(sessions: Sequence[SessionStats]) -> Overview:
    """Over many sessions; ``sessions`` must not be empty."""
    medians: dict[str, float | None] = {}
    for name in AMOUNTS:
        values = [value for one in sessions if (value := getattr(one, name)) is not None]
        medians[name] = statistics.median(values) if values else None
    shares = {name: 100 * sum(getattr(one, name) for one in sessions) / len(sessions) for name in HABITS}
    return Overview(len(sessions), medians, shares)


@dataclass(frozen=True, slots=True)
class ExpectedValue:
    """A value that a deliverable should have: what became of it, and whether the read log holds it."""

    text: str
    outcome: Outcome
    held: bool


def outcomes(
    expected: Iterable[str], observations: Sequence[str], excerpts: Sequence[str], documents: Sequence[Document]
) -> list[ExpectedValue]:
    """Each expected value (one a line; blank lines and ``#`` comments are passed over).

    ``observations`` are the outputs of all turns, ``excerpts`` those of the read log. ``other``: shown, and in the
    deliverable only rounded or in another scale.
    """
    wanted = [line.strip() for line in expected if line.strip() and not line.lstrip().startswith("#")]
    values = {text: next(iter(find_values(text)), None) for text in wanted}
    shown = _Texts(observations, values.values())
    held = _Texts(excerpts, values.values())
    delivered = [mention.value for document in documents for mention in find_mentions(document)]
    plain = fold_white(" ".join(document.text for document in documents)).casefold()
    found = []
    for text in wanted:
        outcome: Outcome = "not shown"
        if shown.hold(text, values[text]):
            outcome = _delivery(text, values[text], delivered, plain)
        found.append(ExpectedValue(text, outcome, held.hold(text, values[text])))
    return found


def _delivery(text: str, value: Value | None, delivered: Sequence[Value], plain: str) -> Outcome:
    if value is None:
        return "delivered" if fold_white(text).casefold() in plain else "shown but missing"
    agreements = {agree(given, value) for given in delivered}
    if "same" in agreements:
        return "delivered"
    return "other" if agreements & {"rounded", "scaled", "reread"} else "shown but missing"


class _Texts:
    """Texts that are asked whether they hold a value."""

    def __init__(self, texts: Sequence[str], values: Iterable[Value | None]) -> None:
        wanted = Wanted()
        for value in values:
            if value is not None:
                wanted.add(value)
        self.excerpts = [Excerpt(number, text) for number, text in enumerate(texts)]
        self.index = LogIndex(self.excerpts, wanted)

    def hold(self, text: str, value: Value | None) -> bool:
        """Whether one of the texts shows the value, or the words where there is none."""
        if value is None:
            needle = fold_white(text).casefold()
            return any(needle in fold_white(excerpt.text).casefold() for excerpt in self.excerpts)
        places = [
            (n, line)
            for n, token in self.index.places(value, range(len(self.excerpts)))
            for line in self.index.lines(n, token)
        ]
        places += list(self.index.month_lines(value)) if value.dates else []
        return any(
            agree(value, given) in ("same", "rounded")
            for number, line in places
            for given in find_values(self.excerpts[number].line(line))
        )


def shares(expected: Sequence[ExpectedValue]) -> dict[str, float | None]:
    """Figure 2 and 4: of the values shown, the share of each outcome; of the missing ones, the share held (percent)."""
    shown = [value for value in expected if value.outcome != "not shown"]
    missing = [value for value in shown if value.outcome == "shown but missing"]
    return {
        "delivered": _percent(sum(v.outcome == "delivered" for v in shown), len(shown)),
        "shown but missing": _percent(len(missing), len(shown)),
        "other": _percent(sum(v.outcome == "other" for v in shown), len(shown)),
        "missing but held": _percent(sum(v.held for v in missing), len(missing)),
    }
