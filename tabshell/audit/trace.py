"""Tracing: each value of a deliverable -> the log entry and line it came from, a formula, or nothing. Pure.

A value is *sourced* where an excerpt shows the same value (or one that rounds to it) and nothing speaks against
it: units agree; a scale that only the table's heading states is stated; and where the value alone proves little
(few digits, bare small numbers, years) the words around it agree too. What is left is tried as *computed*
(``computed``). The rest has *no source*; ``weak`` ones among them are no alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tabshell.audit.index import DENSE, LogIndex, spellings
from tabshell.audit.log import Log
from tabshell.audit.mentions import Mention
from tabshell.audit.passages import fold_passage, plain_words
from tabshell.audit.scan import Wanted
from tabshell.audit.surroundings import is_number
from tabshell.audit.traced import Source
from tabshell.audit.value import Agreement, Value, agree
from tabshell.model.beside import Share

Asked = tuple[Value, frozenset[str], frozenset[str]]

#: Lines that one value looks at, the likeliest first.
MAX_LINES = 60
#: Of these as many are parsed for values with few digits; excerpts that a weak value looks at.
MAX_THIN_LINES = 8
MAX_WEAK_LINES = 12
#: A value with more digits is known by them alone.
MAX_THIN = 4
#: What equality is worth less where three digits are all there is, for they are equal to many a number.
THIN_SAME = 0.7
#: What it is worth that all words of a line, the label of a row, are said of the value.
LABELLED = 0.5
#: Once there is a source, lines that share so many words less than the best are not read.
HOPELESS = 2
#: Lines with more digits than the value that are looked at (rounding), and of these read.
MAX_ROUNDED = 2_000
MAX_ROUNDED_READ = 16
#: Where a line shares as many words as are enough, no more lines than this are looked at.
MAX_ROUNDED_MET = 200
MOST_OVERLAP = 4
#: Runs of equal digits in excerpts that are looked at.
MAX_PAIRS = 80
#: Excerpts that are searched for one quotation, for one sentence that nobody quoted.
MAX_HOLDING = 40
MAX_HOLDING_OWN = 12
#: Terms of scripts without spaces that are looked for on a line, and characters of the line.
MAX_DENSE = 400
MAX_DENSE_LINE = 4_000
#: Sources that are shown for one value.
MAX_SOURCES = 3
AGREEMENT_SCORE: dict[Agreement, float] = {"same": 2.5, "reread": 1.8, "scaled": 2.0, "rounded": 1.5, "no": 0.0}


def wanted_by(mentions: Iterable[Mention], terms: Iterable[str] = ()) -> Wanted:
    """What the log must be searched for, for these mentions and further terms (of requirements)."""
    wanted = Wanted()
    near: set[str] = set(terms)
    for mention in mentions:
        if mention.value.kind == "quote":
            wanted.words |= plain_words(mention.value.text)
        else:
            wanted.add(mention.value)
            near |= mention.near
    wanted.words.update(word for term in near for word in spellings(term))
    return wanted


@dataclass(slots=True)
class Tracer:
    """Finds sources. One for a log; asks the index, reads lines, weighs the words around."""

    log: Log
    index: LogIndex
    _known: dict[Asked, tuple[Source, ...]] = field(default_factory=dict)
    _spellings: dict[frozenset[str], tuple[frozenset[str], tuple[str, ...]]] = field(default_factory=dict)
    _holders: dict[str, frozenset[int]] = field(default_factory=dict)

    def look_up(self, mentions: Iterable[Mention], share: Share) -> Callable[[], None]:
        """Begins to find the sources of many, shared with whoever takes part; what it gives ends it."""
        asked = {_key(mention): mention for mention in mentions}
        # those with the same words look at the same lines: whoever takes one takes its like
        asked = dict(sorted(asked.items(), key=lambda pair: sorted(pair[0][1])))
        waiting = share(self._find, list(asked.values()))
        return lambda: self._known.update(zip(asked, waiting(), strict=True))

    def sources(self, mention: Mention) -> tuple[Source, ...]:
        """The places that may have given a value, best first; those that prove it only."""
        key = _key(mention)
        if key not in self._known:
            self._known[key] = self._find(mention)
        return self._known[key]

    def _find(self, mention: Mention) -> tuple[Source, ...]:
        value = mention.value
        if value.kind == "quote":
            return self._passage(value)
        found = self._proven(mention, self._places(mention))
        if value.readings and not value.weak and self._is_doubtful(mention, found):
            found += self._proven(mention, self._rounded_places(mention))
        found.sort(key=lambda source: (-source.score, source.entry, source.line))
        return tuple(found[:MAX_SOURCES])

    def _is_doubtful(self, mention: Mention, found: Sequence[Source]) -> bool:
        """Whether a longer number that rounds to the value may be its source: where nothing is equal to it, or few
        digits are and they stand beside other words."""
        if not found or mention.value.digits > MAX_THIN:
            return not found
        enough = (2 * len(_telling(mention)) + 2) // 3
        return not any(len(self._direct(mention, source)) >= enough for source in found)

    def _direct(self, mention: Mention, source: Source) -> frozenset[str]:
        """The words around a value that stand on its source's line or head its column."""
        number, index = self.log.numbers[source.entry], source.row
        near = _telling(mention)
        return (near & self.log.terms(number, index)) | (near & self.log.head_terms(number, index, source.value))

    def _proven(self, mention: Mention, places: Iterable[tuple[int, int]]) -> list[Source]:
        """The sources among the first of some places; of values with few digits those with most words in common."""
        value = mention.value
        overlap = self._overlap(mention)
        ranked = [(overlap(*place), place) for place in islice(_once(places), MAX_LINES)]
        ranked.sort(key=lambda pair: -pair[0])
        if value.weak or 0 < value.digits <= 3:  # many places, most of them about something else
            del ranked[MAX_THIN_LINES:]
        found: list[Source] = []
        for shared, place in ranked:
            if found and shared < ranked[0][0] - HOPELESS:
                break
            source = self._weigh(mention, *place)
            if source is not None and _proves(value, source, self._shared(mention, source)):
                found.append(source)
        return found

    def _places(self, mention: Mention) -> Iterable[tuple[int, int]]:
        """Lines that may hold the value: in entries that speak of the same things first."""
        value = mention.value
        order = {number: rank for rank, number in enumerate(self.index.near(sorted(_telling(mention))))}
        pairs = list(self.index.places(value, order))
        if len(pairs) > 8:
            pairs.sort(key=lambda pair: (order.get(pair[0], len(order)), not self.log.texts[pair[0]].cited))
        for number, token in pairs[: MAX_WEAK_LINES if value.weak else MAX_PAIRS]:
            for index in self._likeliest(mention, number, token):
                yield number, index
        if value.dates:
            yield from self.index.month_lines(value)

    def _rounded_places(self, mention: Mention) -> Iterable[tuple[int, int]]:
        """Lines with longer numbers that may round to the value, where the words around agree."""
        order = {number: rank for rank, number in enumerate(self.index.near(sorted(_telling(mention))))}
        found: dict[tuple[int, int], int] = {}
        overlap = self._overlap(mention)
        best, enough = 0, min(MOST_OVERLAP, len(_telling(mention)))
        for number, token in self.index.rounded_places(mention.value, order):
            for index in self.index.lines(number, token):
                if (number, index) not in found:
                    found[number, index] = overlap(number, index)
                    best = max(best, found[number, index])
            if len(found) >= (MAX_ROUNDED if best < enough else MAX_ROUNDED_MET):
                break
        likely = sorted(found, key=found.__getitem__, reverse=True)[: 4 * MAX_ROUNDED_READ]
        names, _ = self._spellings[mention.near]
        named = {place: len(names & self.log.texts[place[0]].words_on(place[1])) for place in likely}
        yield from sorted(likely, key=named.__getitem__, reverse=True)[:MAX_ROUNDED_READ]

    def _likeliest(self, mention: Mention, number: int, token: str) -> list[int]:
        """The lines with a token; of many those that share most words with the value. Where words must agree,
        lines without any of them are not looked at."""
        lines = self.index.lines(number, token)
        if len(lines) <= 4 and not mention.value.weak:
            return lines
        lines = lines[: 4 * MAX_WEAK_LINES if mention.value.weak else None]
        overlap = self._overlap(mention)
        weighed = [(overlap(number, index), index) for index in lines]
        if mention.value.weak:
            weighed = [(shared, index) for shared, index in weighed if shared]
        weighed.sort(key=lambda pair: (-pair[0], pair[1]))
        return [index for _, index in weighed[: 6 if mention.value.weak else 16]]

    def _overlap(self, mention: Mention) -> Callable[[int, int], int]:
        """A quick look at how many of the words around stand on a line, before it is parsed."""
        wanted, dense = self._spelled(mention)
        texts = self.log.texts

        def overlap(number: int, index: int) -> int:
            text = texts[number]
            shared = len(wanted & text.words_on(index))
            if dense:
                line = text.excerpt.line(index)[:MAX_DENSE_LINE]
                shared += sum(term in line for term in dense)
            return shared

        return overlap

    def _spelled(self, mention: Mention) -> tuple[frozenset[str], tuple[str, ...]]:
        """The words around as they may be written; apart from them those of scripts without spaces."""
        if mention.near not in self._spellings:
            plain = frozenset(word for term in mention.near for word in spellings(term))
            self._spellings[mention.near] = (
                plain,
                tuple(sorted(term for term in mention.near if DENSE.match(term)))[:MAX_DENSE],
            )
        plain, dense = self._spellings[mention.near]
        return (plain | mention.spoken) - {mention.value.shown}, dense

    def _weigh(self, mention: Mention, number: int, index: int) -> Source | None:
        """The best value on a line as a source, or None if none agrees."""
        value = mention.value
        best: Source | None = None
        thin = 0 < value.digits <= 3 and not value.weak
        line = self.log.line(number, index)
        for given in line.candidates(value):
            agreement = agree(value, given)
            if agreement == "no" or (given.label and not value.label):
                continue
            score = AGREEMENT_SCORE[agreement] - (THIN_SAME if agreement == "same" and thin else 0.0)
            score += self._closeness(mention, number, index, given)
            stated = agreement != "scaled" or self._scale_is_stated(value, given, number, index)
            score -= 0.0 if stated else 1.5
            score -= _distance(value, given) if agreement == "rounded" else 0.0
            score += 0.3 * (given.text == value.text) + 0.3 * (given.unit == value.unit != "")
            score += 0.5 * self.log.texts[number].cited
            if best is None or score > best.score:
                best = Source.at(self.log, (number, index), (given.start, given.end), agreement, score, given, stated)
        return best

    def _closeness(self, mention: Mention, number: int, index: int, given: Value) -> float:
        """How much the words around the value and around its source have in common."""
        near = _telling(mention)
        line = self.log.terms(number, index)
        direct = (near & line) | (near & self.log.head_terms(number, index, given))
        score = LABELLED if line and line <= near else 0.0
        score += 1.2 * min(8, len(direct)) + 0.4 * min(3, len(self._beside(near, number, index) - direct))
        score += 0.3 * min(2, len(near & self.log.texts[number].path_terms))
        score += 0.1 * min(3, len((mention.far & line) | self._beside(mention.far, number, index)))
        spoken = self.log.texts[number].excerpt.words_on(index) & mention.spoken - {given.shown}
        score += 0.15 * min(8, len(spoken))
        return score

    def _beside(self, words: frozenset[str], number: int, index: int) -> frozenset[str]:
        """Which words stand on the lines before and after; rows of a table that have words of their own have no
        neighbours."""
        if len(self.log.line(number, index).cells) > 2 and self.log.terms(number, index):
            return frozenset()
        before = words & self.log.terms(number, index - 1) if index else frozenset()
        return before | (words & self.log.terms(number, index + 1))

    def _shared(self, mention: Mention, source: Source) -> float:
        """The words that the value and its source share: those of the line and its head count whole,
        neighbouring lines and the path half."""
        number = self.log.numbers[source.entry]
        near = frozenset(term for term in _telling(mention) if not is_year(term))
        index = source.row
        line = (near & self.log.terms(number, index)) | (near & self.log.head_terms(number, index, source.value))
        rest = self._beside(near, number, index) | (near & self.log.texts[number].path_terms)
        return len(line) + 0.5 * len(rest - line)

    def _scale_is_stated(self, value: Value, given: Value, number: int, index: int) -> bool:
        scale = self.log.stated_scale(number, index)
        if scale is None or not given.readings[0].number:
            return False
        return abs(value.readings[0].number / given.readings[0].number / scale - 1) < 0.06

    def _passage(self, value: Value) -> tuple[Source, ...]:
        words = plain_words(value.text)
        wanted = fold_passage(value.text).strip("\"' .。!?,;:")
        if len(wanted) < 8:
            return ()
        probes = _probes(value.text)
        for number in islice(self._holding(words), MAX_HOLDING_OWN if value.label else MAX_HOLDING):
            excerpt = self.log.texts[number].excerpt
            if probes and not any(probe in excerpt.text for probe in probes):
                continue
            folded = self.log.folded(number)
            place = folded.text.find(wanted)
            if place >= 0:
                index = next(n for n, end in enumerate(folded.ends) if end > place)
                whole = (0, len(excerpt.line(index)))
                return (Source.at(self.log, (number, index), whole, "same", 5.0, value),)
        return ()

    def _holding(self, words: frozenset[str]) -> Iterator[int]:
        """Excerpts that hold all of ``words``, in order, found as late as possible; all excerpts if there is no plain
        word to go by."""
        found: Iterable[int] = range(len(self.log.texts))
        if words:
            for word in words:
                if word not in self._holders:
                    self._holders[word] = frozenset(self.index.words.get(word, ()))
            first, *others = sorted((self._holders[word] for word in words), key=len)
            found = (number for number in sorted(first) if all(number in holder for holder in others))
        yield from found


def _once(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Each place once, found as late as possible: most are never asked for."""
    seen: set[tuple[int, int]] = set()
    for place in places:
        if place not in seen:
            seen.add(place)
            yield place


def _probes(text: str) -> list[str]:
    """Pieces of a passage that a copy holds as they are, unless a line break falls into each of them."""
    words = text.split()
    if len(words) < 8 or not text.isascii():
        return []
    return [" ".join(words[place : place + 3]) for place in (1, len(words) // 2 - 1, len(words) - 4)]


def _distance(value: Value, given: Value) -> float:
    """How far the source lies from the shown number, in steps of its last digit: 0 to 0.5."""
    if not value.readings or not given.readings or not value.readings[0].step:
        return 0.0
    wanted, step = value.readings[0]
    return min(abs(abs(wanted) - abs(given.readings[0].number) * factor) / step for factor in (1, 100, 0.01)) % 1.0


def _telling(mention: Mention) -> frozenset[str]:
    """The words around a value without the value itself."""
    return mention.near - {mention.value.shown, mention.value.text.lower()}


def is_year(term: str) -> bool:
    """Whether a term is a year."""
    return term[0].isdigit() and not is_number(term)


def _proves(value: Value, source: Source, shared: float) -> bool:
    """Whether an agreeing place is enough to call the value sourced."""
    if value.weak:
        return shared >= 1 and source.agreement == "same"
    if value.kind == "date":
        return source.agreement == "same" or shared >= 1
    if source.agreement == "same":
        return value.digits >= 3 or shared >= 1
    if not source.stated:
        return value.digits >= 3 and shared >= 1
    if value.digits < 2 and not (value.unit == "%" and len(value.shown) > 1):  # 6.0% says two digits
        return shared >= 2
    return shared >= 1 if value.digits < 5 else shared >= 0.5


def _key(mention: Mention) -> Asked:
    """What the sources of a value depend on, wherever it stands; of a passage its text alone."""
    value = mention.value._replace(start=0, end=0)
    return (value, mention.near, mention.spoken) if value.kind != "quote" else (value, frozenset(), frozenset())
