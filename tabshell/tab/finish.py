"""The finish check (S17): what is still open when the agent stops for the first time. Advice, not a gate.

``finish_state`` is what it says of the requirements, ``finish_text`` the words; whether a stop brings it, the session
decides. Ranking the unopened files needs the BM25 library, which is imported only then.
"""

from __future__ import annotations

from tabshell.model.facts import FinishState, StopKind
from tabshell.model.state import Tab
from tabshell.tab.wording import counted, known
from tabshell.text.harmless import harmless

#: How many unopened files it names.
MOST_RELEVANT = 10

_STOPS: dict[StopKind, str] = {
    "exit": "you are about to leave the shell",
    "ctrl-d": "you are about to leave the shell (end of input)",
    "finish": "you asked for it",
    "hook": "you are about to stop",
    "end": "the shell or the agent has ended",
}
_AGAIN: dict[StopKind, str] = {
    "exit": 'This is said once: the next "exit" ends the shell.',
    "ctrl-d": "This is said once: the next end of input ends the shell.",
    "finish": "",
    "hook": "This is said once: stop again when you are done.",
    "end": "",
}


def finish_state(tab: Tab) -> tuple[FinishState, tuple[int, ...]]:
    """The state (no requirement stated, some open, all resolved) and the open requirements."""
    still_open = tuple(number for number, item in tab.requirements.items() if item.status == "open")
    if not tab.requirements:
        return "none", still_open
    return "open" if still_open else "resolved", still_open


def finish_text(tab: Tab, stop: StopKind) -> str:
    """The check, several lines."""
    lines = [f"[tab] Finish check: {_STOPS[stop]}.", *_requirements(tab)]
    if tab.session.capture:
        lines += [*_files(tab), _log(tab)]
    lines.append(_advice(tab))
    if tab.session.finish_check and _AGAIN[stop]:
        lines.append(_AGAIN[stop])
    return "\n".join(lines)


def most_relevant(tab: Tab) -> tuple[list[str], int | None]:
    """Up to ten candidates as lines, best first, and how many are above the threshold in all."""
    from tabshell.tab.candidates import candidate_line, ranked_candidates  # noqa: PLC0415 - numpy costs 75 ms

    ranked = ranked_candidates(tab)
    return [candidate_line(each) for each in ranked[:MOST_RELEVANT]], ranked.above


def _counts(tab: Tab) -> str:
    statuses = [item.status for item in tab.requirements.values()]
    return f"{statuses.count('done')} done, {statuses.count('unavailable')} unavailable"


def _requirements(tab: Tab) -> list[str]:
    state, still_open = finish_state(tab)
    if state == "none":
        return ["No requirement was stated, so nothing tells what the task still owes."]
    if state == "resolved":
        count = len(tab.requirements)
        return [
            f"{'The one requirement is' if count == 1 else f'All {count} requirements are'} resolved: {_counts(tab)}."
        ]
    lines = [f"{counted(len(still_open), 'requirement is', 'requirements are')} still open:"]
    lines += [f"  r{number} {harmless(tab.requirements[number].text)}" for number in still_open]
    return [*lines, f"Resolved: {_counts(tab)}."]


def _files(tab: Tab) -> list[str]:
    if not tab.candidates:
        return ["Files listed but never opened: 0."]
    shown, above = most_relevant(tab)
    over = "" if above is None else f" ({above} above threshold, marked *)"
    lines = [f"Files listed but never opened: {len(tab.candidates)}{over}. Most relevant to the task:"]
    lines += [f"  {line}" for line in shown]
    more = len(tab.candidates) - len(shown)
    return [*lines, f"  {more} more: tab list candidates"] if more else lines


def _log(tab: Tab) -> str:
    if not tab.entries:
        return "Read log: 0 entries."
    last = max(tab.entries)
    count = counted(len(tab.entries), "entry", "entries")
    return f"Read log: {count} ({known('L', tab.entries)}); tab show L{last} shows one again, tab list log all of them."


def _advice(tab: Tab) -> str:
    close = (
        "tab resolve ID done L<n> with the entry that the content came from, or tab resolve ID unavailable REASON "
        "(computed, authored, or not in the workspace)"
    )
    state, _ = finish_state(tab)
    if state == "none":
        return (
            "Now: state one requirement for each fact, figure or element that the task names (tab add TEXT), check "
            f"each against its source and against your deliverable, close each ({close}). Then finish again."
        )
    if state == "open":
        return (
            "Now: for each open requirement put what is missing into your deliverable (tab show L<n> or the file "
            f"itself has the content) and close it: {close}. Then finish again."
        )
    return (
        "Now: check that each resolved requirement is in your deliverable (tab show L<n> shows a source again), "
        "open a listed file that looks like a source you missed, then finish again."
    )
