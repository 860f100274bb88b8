"""Who owns which row: the meeting of shown lines and suspect files.

In: rows, suspects with their sources, mentions. Out: for each row the suspects whose content it is, with source line
numbers, and for each suspect what its rows prove. Three ways lead to an owner, in this order: the output says so
(``path:line``, ``==> path <==``, a printed name before the content), the row is a line of the file (runs of
neighbouring lines decide between files that share it), the row's phrases and values stand in the file.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import chain

from tabshell.access.meeting.claims import CHEAPEST, LOOKED, Claim, cost_of, floor_of, lines_in
from tabshell.access.meeting.effort import FIRST, WEIGHING, Effort
from tabshell.access.meeting.suspects import Mixture, Trust
from tabshell.access.output.evidence import sampled, terms, worth
from tabshell.access.output.listing import BINARY, Mention
from tabshell.access.output.rows import COMPARED, Rows
from tabshell.access.output.source import forms_of, shown_number, variants
from tabshell.access.output.wanted import Wanted

#: Rows that are weighed term by term, and suspects that one such row is held against.
WEIGHED, AGAINST = 300, 48
#: Rows that are few for several suspects.
FEW_ROWS = 24
#: Characters of a line for which it is worth looking into further files of a whole tree.
TELLING = 8
#: With at most so many suspects a row may belong to two of them, each with a part.
BESIDE = 8
#: A claim that has proven this much is not weighed any more line by line.
ENOUGH = 30.0
_AFTER_PATH = re.compile(r"\x00?(?:[:=-](\d+)[:=-]|[:=\t|\x00-]|\s*:\s)")
_COUNT = re.compile(r"^\s*\d+\s+")
#: A row of git's ``--stat``: below the last of them stands no content of its file.
_STAT = re.compile(r" \S.* \| +(?:\d+(?: [+-]+)?|Bin .*|Unmerged)$")


class Owners:
    """The rows of one output under judgement. ``free`` rows may be content; ``known`` terms prove nothing. ``mixed``
    tells how rows of several files come together."""

    def __init__(
        self,
        rows: Rows,
        claims: list[Claim],
        free: list[int],
        known: frozenset[str],
        mixed: Mixture = Mixture.APART,
        effort: Effort | None = None,
    ) -> None:
        self.rows = rows
        self.claims = claims
        self.free = free
        self.known = known
        self.mixed = mixed
        self.effort = effort or Effort(WEIGHING + FIRST * any(not claim.rank for claim in claims))
        self.hits: dict[int, list[tuple[int, int]]] = {}
        #: rows that name the file whose content follows, with the number of its claim where it has one
        self.headings: dict[int, int | None] = {}
        self.current: int | None = None
        self.headed = False
        self.last: dict[int, int] = {}

    def assign(self, mentions: dict[int, list[Mention]], labels: set[int]) -> None:
        """Gives every free row to the claims that it belongs to; ``labels`` may only be headings."""
        by_path = {claim.suspect.path: n for n, claim in enumerate(self.claims)}
        by_key = {claim.suspect.key: n for n, claim in enumerate(self.claims)}
        self._find_lines(
            {row for row, found in mentions.items() if self._begins_with_path(row, found[0], by_path)},
            {row for row, found in mentions.items() if self._is_heading(row, found[0])},
        )
        weigh = self._to_weigh()
        if len(self.claims) > 2 and len(weigh) + len(labels) <= max(FEW_ROWS, 3 * len(self.claims)):
            for claim in self.claims:  # to search them takes less time than to prepare them
                claim.source.spare()
        for row in sorted({*self.free, *labels}):
            text = self.rows.texts[row]
            if not text.strip():
                continue
            named = [(m, by_path.get(m.path, by_key.get(m.path))) for m in mentions.get(row, ()) if m.kind == "file"]
            if named and self._named(row, text, [(m, n) for m, n in named if n is not None], bool(mentions.get(row))):
                continue
            if row in labels:
                continue
            if row in self.hits:
                self._by_line(row, text)
            elif len(self.claims) > 1 and self._joined(row, text):
                continue
            elif row in weigh:
                self._by_terms(row, text)

    def _begins_with_path(self, row: int, mention: Mention, by_path: dict[str, int]) -> bool:
        """Whether the output itself tells whose row this is (``path:line:``)."""
        number = by_path.get(mention.path)
        if mention.start or number is None or self.claims[number].suspect.trust < Trust.SHOWN:
            return False
        return _AFTER_PATH.match(self.rows.texts[row], mention.end) is not None

    def _is_heading(self, row: int, mention: Mention) -> bool:
        """Whether little but a path stands in a row."""
        return len(self.rows.texts[row]) - (mention.end - mention.start) < 2 * TELLING

    def _find_lines(self, told: set[int], headings: set[int]) -> None:
        """Rows (with or without a tool's prefix) that are whole lines of a source, but for those ``told``. Of a whole
        tree no further files are looked into once every row that tells anything, and is no heading, is found."""
        if not self._comparable(told):
            return
        rows_of: dict[str, list[int]] = {}
        for row in self.free if self.claims else ():
            text = self.rows.texts[row]
            for form in variants(text) if len(text) <= COMPARED and row not in told else ():
                if form:
                    rows_of.setdefault(form, []).append(row)
        wanted = Wanted(rows_of)
        many = len(self.claims) > AGAINST
        open_rows = {row for form, rows in rows_of.items() if len(form) >= TELLING for row in rows} - headings
        for number in sorted(range(len(self.claims)), key=lambda n: self.claims[n].rank):
            source = self.claims[number].source
            if not open_rows and (many or not rows_of):
                source.leave()
            for line, form in lines_in(source, wanted) if rows_of and source.usable else ():
                for row in rows_of[form]:
                    hits = self.hits.setdefault(row, [])
                    if len(hits) < 200:
                        hits.append((number, line))
                    open_rows.discard(row)
        if many:  # they were not looked into in their own order
            for hits in self.hits.values():
                hits.sort()

    def _comparable(self, told: set[int]) -> bool:
        """Whether any of a few suspects has a text to compare rows with: very large files have none. Not asked, for
        asking looks into them, where no row is to be compared or many suspects are not looked into at all."""
        texts = self.rows.texts
        rows = (row for row in self.free if row not in told and len(texts[row]) <= COMPARED and texts[row].strip())
        if len(self.claims) > AGAINST or next(rows, None) is None:
            return True
        return any(claim.source.usable for claim in sorted(self.claims, key=lambda claim: claim.rank))

    def _to_weigh(self) -> frozenset[int]:
        """The rows without a whole line that are held against the suspects term by term."""
        open_rows = [r for r in self.free if r not in self.hits and self.rows.texts[r].strip()]
        return frozenset(open_rows[n] for n in sampled(len(open_rows), WEIGHED))

    def _named(self, row: int, text: str, named: list[tuple[Mention, int]], any_file: bool) -> bool:
        """A row in which paths stand: content behind a path, or a heading for what follows."""
        if row not in self.hits and _STAT.fullmatch(text):
            return True
        named = [each for each in named if not text.startswith(f": {BINARY}", each[0].end)]
        if not named:
            if any_file and row not in self.hits and text.startswith("==>"):
                self.current = None
                self.headings[row] = None
                return True
            return False
        mention, number = next((each for each in named if self._numbers_its_line(text, each[0])), named[0])
        claim = self.claims[number]
        lead = text[: mention.start].strip()
        after = _AFTER_PATH.match(text, mention.end)
        rest = text[after.end() if after else mention.end :]
        leads = not lead or _COUNT.fullmatch(text[: mention.start]) or (after is not None and after.group(1))
        line = int(after.group(1)) if after and after.group(1) and len(after.group(1)) < 10 else 0
        if after and leads and (rest.strip() or line or after.group() == "-"):
            shows = claim.is_prefixed or (bool(rest.strip()) and self._stands(claim, rest))
            if shows:
                self.give(row, number, line, worth(terms(rest), self.known), told=True)
                return True
        if row in self.hits and len(terms(text)) > 3 * len(terms(mention.shown)):
            return False
        self._tail(row, lead)
        self.current, self.headed = number, True
        self.headings[row] = number
        if len(terms(rest)) and self._stands(claim, rest):
            self.give(row, number, 0, worth(terms(rest), self.known))
        return True

    @staticmethod
    def _numbers_its_line(text: str, mention: Mention) -> bool:
        """Whether a line number follows the path, also behind an error message that came in between."""
        after = _AFTER_PATH.match(text, mention.end)
        return after is not None and after.group(1) is not None

    def _tail(self, row: int, lead: str) -> None:
        """A heading that stands behind the last line of a file, because no line break ended it."""
        folded = " ".join(lead[:COMPARED].split())
        for number, end in self._open_ends if len(folded) > 3 else ():
            if len(end) > 3 and folded.startswith(end):
                self.give(row, number, self.claims[number].source.line_count, worth(terms(end), self.known), whole=True)
                return

    def weigh_together(self, claim: Claim) -> float:
        """What the open rows prove for a claim if they are read as one: columns of short values."""
        if len(self.claims) > BESIDE or not claim.source.usable:
            return 0.0
        rows = [row for row in self.free if row not in claim.rows and self.rows.texts[row].strip()][:60]
        words = [word for row in rows for word in terms(self.rows.texts[row][:400])][:240]
        proof, share = claim.source.run(words, self.known, 0.7) if words else (0.0, 0.0)
        if share >= 0.7:
            claim.rows.update(dict.fromkeys(rows, 0))
        return proof

    def _stands(self, claim: Claim, piece: str) -> bool:
        """Whether a piece of a row is content of the claim's source."""
        if not claim.source.usable:
            return claim.is_shown_as_it_is
        if not self.effort.take(cost_of(claim.source)):
            return False
        proof, share = self._weigh(claim, forms_of(piece), 0.5)
        return share >= 0.5 and (proof >= 0.3 or claim.suspect.trust >= Trust.SHOWN)

    def _by_line(self, row: int, text: str) -> None:
        """A row that is a whole line of one or several suspects."""
        found = self.hits[row]
        numbers = list(dict.fromkeys(n for n, _ in found))
        proven = all(self.claims[number].proof > ENOUGH for number in numbers)
        proof = 0.0 if proven else worth(terms(text), self.known)
        if self.mixed is Mixture.MERGED and len(numbers) > 1 and not (self.headed and self.current in numbers):
            for number in numbers:
                self.give(row, number, 0, proof, whole=True)
            return
        number, line = self._nearest(found, text)
        if (
            self._is_under_unread(numbers)
            and line != self.last.get(number, 0) + 1
            and worth(terms(text), self.known) < 3
        ):
            return
        self.current = number if len(numbers) == 1 or self.current is None else self.current
        if self.claims[number].suspect.trust <= Trust.OPENED:
            proof /= len(numbers)
        self.give(row, number, line, proof, whole=True)
        self.current = number

    def _is_under_unread(self, numbers: list[int]) -> bool:
        """Whether the row stands under the name of a file that was not looked into, and may be its own: what it shares
        with others (a rule, a running head) tells nothing then."""
        other = self.current if self.headed and self.current not in numbers else None
        claim = None if other is None else self.claims[other]
        return claim is not None and claim.source.partial and claim.rank < 2 and claim.suspect.trust >= Trust.PROGRAM

    def _nearest(self, found: list[tuple[int, int]], text: str) -> tuple[int, int]:
        """The hit that goes on where the last rows stopped: same file and next line, same file, next file."""
        told = shown_number(text)
        here = [hit for hit in found if hit[0] == self.current]
        for hit in here or found:
            if hit[1] in (told, self.last.get(hit[0], 0) + 1):
                return hit
        if here:
            later = [hit for hit in here if hit[1] > self.last.get(hit[0], 0)]
            # a line that was shown already comes from another file that holds it too, if one was not reached yet
            fresh = [] if later else [hit for hit in found if hit[0] > here[0][0] and hit[0] not in self.last]
            return (later or fresh or here)[0]
        trusted = max(self.claims[n].suspect.trust for n, _ in found)
        return next(hit for hit in found if self.claims[hit[0]].suspect.trust == trusted)

    def _joined(self, row: int, text: str) -> bool:
        """A row that is the last line of one file, without line break, and what came next."""
        folded = " ".join(text[:COMPARED].split())
        for number, end in self._open_ends:
            if len(end) >= len(folded) or not folded.startswith(end):
                continue
            rest = folded[len(end) :].strip()
            for other, next_claim in enumerate(self.claims):
                if not next_claim.source.usable or not self.effort.take(20 + next_claim.source.length * LOOKED):
                    continue
                line = next(next_claim.source.places(rest), 0) if other != number else 0
                if line:
                    end_line = self.claims[number].source.line_count
                    self.give(row, number, end_line, worth(terms(end), self.known), whole=True)
                    self.give(row, other, line, worth(terms(rest), self.known), whole=True)
                    self.current = other
                    return True
            if worth(terms(end), self.known) >= 1:
                self.give(row, number, self.claims[number].source.line_count, worth(terms(end), self.known), whole=True)
                self._named_behind(rest)
                return True
        return False

    def _named_behind(self, rest: str) -> None:
        """What follows belongs to the file whose name the command put behind an open last line."""
        for number, claim in enumerate(self.claims):
            if claim.suspect.shown and rest.startswith(claim.suspect.shown):
                self.current, self.headed = number, True

    @cached_property
    def _open_ends(self) -> list[tuple[int, str]]:
        """The claims whose file ends without a line break, with the last line."""
        ends = [(n, claim.source.open_end) for n, claim in enumerate(self.claims) if claim.source.usable]
        return [(number, end) for number, end in ends if len(end) >= 3]

    @cached_property
    def _compared(self) -> list[int]:
        """Those of the first claims that have a text to hold rows against, and all that a command names one by one."""
        near = [n for n, claim in enumerate(self.claims) if n < AGAINST or not claim.rank]
        return [number for number in near if self.claims[number].source.usable]

    def _by_terms(self, row: int, text: str) -> None:
        """A row that is no whole line: cut, joined, re-cased, re-ordered, or single values."""
        unread = self.headed and self.current is not None and self.claims[self.current].source.partial
        if unread or self.effort.left < CHEAPEST:  # it stands under the name of a file that was not looked into
            return
        first = () if self.current is None or not self.claims[self.current].source.usable else (self.current,)
        others = self._compared
        if not terms(text):  # marks alone stand in every file: only those named by the command may have shown them
            first = first if self.headed else ()
            others = [number for number in others if not self.claims[number].rank]
        forms = forms_of(text)
        best: list[tuple[float, float, int]] = []
        for number in chain(first, (number for number in others if number != self.current)):
            claim = self.claims[number]
            source = claim.source
            may = not claim.rank or self.effort.left >= source.first_row * LOOKED
            if not may or not self.effort.take(cost_of(source) + CHEAPEST * len(forms)):
                continue
            floor = floor_of(claim.suspect)
            proof, share = self._weigh(claim, forms, floor)
            if share >= floor:
                best.append((proof, share, number))
        if not best:
            self._beginnings(row, text)
            return
        held = next((b for b in best if b[2] == self.current), None)
        top = max(best, key=lambda b: (round(b[1], 2), b[0], b[2] == self.current))
        if held is not None and self.headed and held[1] >= 0.75 * top[1]:
            top = held
        equal = [b for b in best if b[0] >= 0.95 * top[0] and b[1] >= 0.95 * top[1]]
        if self.mixed is Mixture.BESIDE:
            equal = best
        elif len(equal) > 1 and (self.mixed is Mixture.APART or (self.headed and held in equal)):
            equal = [b for b in equal if b[2] == self.current] or equal[:1]
        for proof, _, number in equal:
            self.give(row, number, 0, proof)
        self.current = equal[0][2]
        if top[1] < 0.9 and len(self.claims) <= BESIDE:
            self._beside(row, text, equal[0][2])
        self._beginnings(row, text)

    def _beginnings(self, row: int, text: str) -> None:
        """A row in which the beginnings of several files follow each other without a break (``head -c 60 *.txt``)."""
        folded = " ".join(text[:COMPARED].split())
        for number, claim in enumerate(self.claims[:AGAINST]):
            act = claim.suspect.act
            cuts = act is not None and act.utility == "head" and act.lines is None
            begins = claim.source.begins if cuts and row not in claim.rows and claim.source.usable else ""
            if len(begins) >= TELLING and begins in folded:
                self.give(row, number, 1, worth(terms(begins), self.known))

    def _beside(self, row: int, text: str, first: int) -> None:
        """Who brought the rest of a row of which one file brought a part (``paste``, ``join``)."""
        source = self.claims[first].source
        rest = [word for word in terms(text[:4000]) if not source.has(word)]
        if worth(rest, self.known) < 1:
            return
        for number, claim in enumerate(self.claims):
            if number == first or not claim.source.usable or claim.suspect.trust < Trust.PROGRAM:
                continue
            proof, share = claim.source.run(rest[:200], self.known, 0.8)
            if share >= 0.8:
                self.give(row, number, 0, proof)
                return

    def _weigh(self, claim: Claim, forms: list[str], floor: float) -> tuple[float, float]:
        """What a row or a piece of it proves for a claim, and the share of it that stands in the source."""
        source, read = claim.source, claim.source.read
        best = (0.0, 0.0)
        for reading in forms:
            folded = " ".join(reading.split())
            words = terms(reading)
            # a short number stands within others everywhere
            digits = len(folded) < 6 and folded.replace(".", "").isdecimal()
            least = 2 if claim.suspect.trust >= Trust.SHOWN and not digits else 6
            held = len(folded) >= least and source.holds(folded)
            whole = worth([w for w in words if w not in source.part_names], self.known) if held else 0.0
            result = (whole, 1.0) if held else source.run(words[:200], self.known, floor)
            self.effort.left, read = self.effort.left - (source.read - read) * LOOKED, source.read
            best = max(best, result, key=lambda found: (found[1], found[0]))
            if held or self.effort.left < 0:
                break
        return best

    def give(self, row: int, number: int, line: int, proof: float, *, whole: bool = False, told: bool = False) -> None:
        """Row ``row`` is content of claim ``number`` (source line ``line``, 0: unknown)."""
        claim = self.claims[number]
        claim.rows[row] = line
        claim.whole += whole
        claim.told += told
        claim.proof += proof
        if line:
            self.last[number] = line
