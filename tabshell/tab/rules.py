"""What ``tab resolve`` and ``tab reopen`` accept, and the words of every refusal (S16).

In come the tab, the words given and two ways to look (an entry's text, what file a word names); out comes what to
record, or ``Refused`` with a message that says what was wrong and what to do. Nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tabshell.errors import Refused
from tabshell.model.light import NoReturn, dataclass
from tabshell.model.state import Entry, Requirement, Tab
from tabshell.tab.evidence import TextOf, has_quote, shares_term, unfit
from tabshell.tab.paths import out_prefix
from tabshell.tab.wording import clip, ids, known, number_of, paths_of, status_of
from tabshell.text.harmless import harmless
from tabshell.text.terms import Query, query

#: A word as given -> the keys that it may mean (below the current directory, below the workspace), and whether
#: such a file exists.
Look = Callable[[str], Sequence[tuple[str, bool]]]

_CLOSERS = "computed, authored, or not in the workspace"
_INSTEAD = f"or close it as unavailable with a reason ({_CLOSERS})"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one reference was not accepted."""

    code: str
    message: str


def requirement(tab: Tab, word: str) -> Requirement:
    """The requirement that ``word`` (``r3``, ``R3``) names; refused if there is none."""
    number = number_of("r", word)
    if number is not None and (item := tab.requirements.get(number)):
        return item
    still_open = [number for number, each in tab.requirements.items() if each.status == "open"]
    if not tab.requirements:
        rest = "none was added yet; add them with: tab add TEXT"
    elif still_open:
        rest = f"open: {ids('r', still_open)}"
    else:
        rest = f"none is open; all: {known('r', tab.requirements)}"
    msg = f"no requirement {clip(harmless(word), 60)}; {rest}"
    raise Refused(msg, "unknown-requirement")


def reason(item: Requirement, words: Sequence[str]) -> str:
    """The reason for ``unavailable``; refused if there is none."""
    given = " ".join(words).strip()
    if not given:
        msg = f"{_stays(item)}: unavailable needs a reason after it: {_CLOSERS}, or your own words"
        raise Refused(msg, "no-reason")
    return given


def reference(item: Requirement, words: Sequence[str]) -> str:
    """What was cited where nothing is captured, so nothing can be checked; refused if nothing was."""
    given = " ".join(words).strip()
    if not given:
        msg = f"{_stays(item)}: done needs what its content came from"
        raise Refused(msg, "no-ref")
    return given


def reopenable(item: Requirement) -> None:
    """Refuses to reopen what is open."""
    if item.status == "open":
        msg = f"r{item.id} is open already; nothing to reopen"
        raise Refused(msg, "already-open")


def references(
    tab: Tab, item: Requirement, words: Sequence[str], quote: str | None, look: Look, text_of: TextOf
) -> tuple[int, ...]:
    """The entries that ``words`` cite for ``item``; refused unless every one of them may close it."""
    rules = _Rules(tab, item, quote, look, text_of)
    entries = rules.cited(words)
    checks = tab.session.evidence_check and tab.session.capture
    if quote is not None and checks and not any(has_quote(quote, text_of(entry)) for entry in entries):
        cited = ids("L", [entry.id for entry in entries])
        msg = f"{_stays(item)}: the quote does not stand in {cited}; copy it from: tab show L{entries[0].id}"
        raise Refused(msg, "quote-not-found")
    return tuple(dict.fromkeys(entry.id for entry in entries))


@dataclass(frozen=True, slots=True)
class _Rules:
    """One call of resolve."""

    tab: Tab
    item: Requirement
    quote: str | None
    look: Look
    text_of: TextOf

    def cited(self, words: Sequence[str]) -> list[Entry]:
        whole = " ".join(words).strip()
        if not whole:
            self._refuse(
                Refusal("no-ref", f"done needs the read-log entry that the content came from ({self._known()})")
            )
        if self._by_path(whole):  # a path may hold commas and spaces
            return [self._entry(whole)]
        refs: list[str] = []
        for word in words:
            split = [word] if self._by_path(word.strip()) else word.split(",")
            refs += [ref.strip() for ref in split if ref.strip()]
        if not refs:
            self._refuse(Refusal("no-ref", f"{clip(harmless(whole), 60)} names no entry ({self._known()})"))
        return [self._entry(ref) for ref in refs]

    def _entry(self, ref: str) -> Entry:
        number = number_of("l", ref)
        if number is not None and (entry := self.tab.entries.get(number)):
            if refusal := self._against(entry):
                self._refuse(refusal)
            return entry
        entries = self._by_path(ref)
        if not entries:
            self._refuse(self._no_entry(ref))
        passing = [entry for entry in entries if self._against(entry) is None]
        if not passing:
            first = self._against(entries[0])
            assert first is not None  # noqa: S101 - none of them passes
            self._refuse(first)
        quoted = [e for e in passing if self.quote is not None and has_quote(self.quote, self.text_of(e))]
        return (quoted or passing)[0]

    def _by_path(self, ref: str) -> list[Entry]:
        """The entries of the file that ``ref`` names, newest first."""
        keys = {ref, *(key for key, _ in self.look(ref))}
        newest_first = sorted(self.tab.entries.values(), key=lambda entry: -entry.id)
        named = [entry for entry in newest_first if not keys.isdisjoint(entry.logged.paths)]
        return named or [entry for entry in newest_first if ref in entry.logged.shown_as]

    def _against(self, entry: Entry) -> Refusal | None:
        """Why ``entry`` cannot close the requirement, or None."""
        if not self.tab.session.evidence_check:
            return None
        why = unfit(self.tab, entry)
        name = f"L{entry.id} ({clip(paths_of(entry), 120)})"
        if why == "binary":
            return Refusal(
                "binary-entry", f"{name} is binary and shows no readable content. Extract its text first, {_INSTEAD}"
            )
        if why is not None:
            return self._own(name, why == "output")
        if not shares_term(_asked(self.item), entry, self.text_of):
            return Refusal(
                "no-shared-term",
                f"neither the path nor the text of {name} has a word in common with the requirement. Cite the entry "
                f"that the content came from (tab list finds it, tab show L{entry.id} shows this one), {_INSTEAD}",
            )
        return None

    def _no_entry(self, ref: str) -> Refusal:
        """A reference that names no entry: a file made by the agent, one never opened, or nothing."""
        shown = clip(harmless(ref), 160)
        prefix = out_prefix(self.tab.session)
        meant = ((ref, False), *self.look(ref))
        keys = [key for key, exists in meant if exists or key in self.tab.candidates or key in self.tab.made]
        for key in keys:
            in_output = prefix is not None and key.startswith(prefix)
            if in_output or key in self.tab.made:
                return self._own(shown, in_output)
        if keys:
            return Refusal(
                "not-opened",
                f"{shown} is not in the read log. Open the file first and cite the entry it then gets, {_INSTEAD}",
            )
        return Refusal("unknown-ref", f"{shown} is neither a read-log entry nor a file ({self._known()})")

    def _own(self, name: str, in_output: bool) -> Refusal:
        what = "lies in the output folder" if in_output else "is what you wrote yourself"
        return Refusal(
            "output-file" if in_output else "own-file",
            f"{name} {what} and does not close an item. Cite the read-log entry of the source that the content came "
            f"from (tab list log shows them), {_INSTEAD}",
        )

    def _known(self) -> str:
        return f"known entries: {known('L', self.tab.entries)}"

    def _refuse(self, refusal: Refusal) -> NoReturn:
        msg = f"{_stays(self.item)}: {refusal.message}"
        raise Refused(msg, refusal.code)


def _asked(item: Requirement) -> Query:
    return query(item.text)


def _stays(item: Requirement) -> str:
    return f"r{item.id} stays {status_of(item) if item.status == 'open' else f'as it is ({status_of(item)})'}"
