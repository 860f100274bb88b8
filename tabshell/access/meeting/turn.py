"""One turn under judgement: acts, rows and mentions in, ``Accesses`` with reasons out."""

from __future__ import annotations

import re
from functools import cached_property

from tabshell.access.acts import Doings
from tabshell.access.meeting import entries
from tabshell.access.meeting.attribute import Part, parts
from tabshell.access.meeting.claims import Claim
from tabshell.access.meeting.effort import PREPARING, READ_THROUGH, Effort
from tabshell.access.meeting.owners import Owners
from tabshell.access.meeting.sources import Looked, is_undecided, rank
from tabshell.access.meeting.suspects import PROGRAMS, Suspect, Trust, follows_nothing, gather, mixture
from tabshell.access.meeting.verdict import NEEDED, Verdict, judge
from tabshell.access.memory import Provenance
from tabshell.access.output.complaints import complains
from tabshell.access.output.evidence import sampled, terms, worth
from tabshell.access.output.listing import BINARY, Mention, broken_names, mentions
from tabshell.access.output.names import FAR, Names
from tabshell.access.output.rows import Rows, rows_of
from tabshell.access.output.sections import sections
from tabshell.access.output.walked import walked
from tabshell.access.paths.folders import Folders
from tabshell.model.accesses import Accesses, Reason, Write
from tabshell.model.files import Files
from tabshell.model.records import Record, ToolRecord

#: Verbs whose programs print paths.
_PRINTS = frozenset({"list", "compute", "print", "opaque", "run", "copy", "move"})
_LONG = re.compile(r"^\s*(?:\d+\s+)?(?:\d+\s+)?[-bcdlps][-rwxsStT]{9}[.+@]?\s")
#: Names of a tree that are looked at where a command prints base names.
DEEP = 3000
#: Files outside the workspace whose base names are looked for.
AWAY = 60
#: So many files of one act are looked at for being empty; so many documents that are too dear are read as a whole.
BY_NAME, UNDECIDED = 100, 2
_DEEP = re.compile(r"%f|basename|\.name\b|\.stem\b|listdir|readdir|##\*/")


def _versioned(suspect: Suspect) -> bool:
    """Whether its content may come out of a repository, so that it need not be there."""
    return suspect.act is not None and suspect.act.utility.startswith("git")


class Turn:
    """Everything that is known of one record; each property is computed once."""

    def __init__(
        self,
        record: Record,
        doings: Doings,
        folders: Folders,
        files: Files,
        provenance: Provenance,
        wrote: tuple[Write, ...],
    ) -> None:
        self.record = record
        self.doings = doings
        self.folders = folders
        self.files = files
        self.provenance = provenance
        self.wrote = wrote
        self.reasons: list[Reason] = []

    # -- what is there --------------------------------------------------------------------------------------

    @cached_property
    def prints_paths(self) -> bool:
        """Whether some program of the command prints paths that are no content."""
        return not self.doings.parsed or any(
            (act.verb in _PRINTS and act.passage != "nothing") or act.passage == "counted" for act in self.doings.acts
        )

    @cached_property
    def rows(self) -> Rows:
        """The output's rows; without windows where paths may be listed."""
        record = self.record
        silent = () if isinstance(record, ToolRecord) else record.silent
        columns = 0 if isinstance(record, ToolRecord) else record.columns
        gap = record.gap.offset if record.gap else None
        lists = any(act.verb == "list" and act.passage != "nothing" for act in self.doings.acts)
        rows = rows_of(record.output, columns, gap, silent, sampled=not lists)
        if self.doings.tab and not self.doings.acts:
            rows.masked.update(range(len(rows)))
        return rows

    @cached_property
    def names(self) -> Names:
        """The directories against which shown names resolve, those that acts list first."""
        bases: list[str] = []
        deep: list[str] = []
        for act in self.doings.acts:
            if act.verb in ("list", "compute"):
                bases += self._directories(act.paths)
            bases.append(act.cwd)
            if act.roots:
                bases += act.roots.directories
            deep += act.paths
            if act.roots and _DEEP.search(self.record.command):
                deep += self.folders.walk(act.roots, DEEP)
        bases.append(self.record.cwd)
        after = None if isinstance(self.record, ToolRecord) else self.record.cwd_after
        if after:
            bases.append(after)
        bases.append(self.folders.workspace)
        every = list(dict.fromkeys(deep))[:DEEP]
        outside = [path for path in every if not self.folders.is_inside(path)]
        if len(outside) > AWAY:
            every = [path for path in every if self.folders.is_inside(path)] + outside[:AWAY]
        files = [path for path in every if self.folders.kind(path) == "file"]
        return Names(self.folders, bases, files)

    def _directories(self, paths: tuple[str, ...]) -> list[str]:
        """The directories among some paths. Of those far from the workspace as many as names resolve against: a tree of
        links is dear to ask about."""
        found: list[str] = []
        room = FAR
        for path in paths:
            near = self.folders.is_near(path)
            if (near or room > 0) and self.folders.kind(path) == "dir":
                found.append(path)
                room -= not near
        return found

    @cached_property
    def mentions(self) -> dict[int, list[Mention]]:
        """The paths in each row."""
        found: dict[int, list[Mention]] = {}
        wanted = [row for row in range(len(self.rows)) if row not in self.rows.masked]
        if not wanted:
            return found
        if not self.prints_paths and not self._needs_paths():
            wanted = [row for row in wanted if row in self.errors]
        acts = self.doings.acts
        places = sections(acts, self.names), walked(acts, self.folders)
        for mention in mentions(self.rows.texts, self.names, wanted, *places):
            if mention.row in found:
                found[mention.row].append(mention)
            else:
                found[mention.row] = [mention]
        if self.prints_paths:
            for mention in broken_names(self.rows.texts, self.names):
                found.setdefault(mention.row, []).append(mention)
        return found

    @cached_property
    def errors(self) -> frozenset[int]:
        """Rows in which a program complains."""
        return frozenset(row for row, text in enumerate(self.rows.texts) if complains(text))

    def _needs_paths(self) -> bool:
        """Whether paths tell whose content follows: not when one file alone is shown."""
        reads = [act for act in self.doings.acts if act.verb in ("read", "search")]
        return any(act.roots or act.prefixed or not act.exact for act in reads) or (
            sum(len(act.paths) for act in reads) > 1
        )

    @cached_property
    def labels(self) -> frozenset[str]:
        """Lines that the command prints itself."""
        return frozenset(" ".join(line.split()) for text in self.doings.text_shown for line in text.split("\n"))

    @cached_property
    def known(self) -> frozenset[str]:
        """Terms that prove nothing, because the command or its script wrote them."""
        command = self.record.command
        for word in {word for act in self.doings.acts for word in act.words if len(word) > 3}:
            command = command.replace(word, " ")  # a path of which a word stands in the file as well
        found = set(terms(command))
        for act in self.doings.acts:
            for path in act.paths if act.verb == "run" else ():
                found.update(terms(path))
                info = self.folders.info(path)
                if path.endswith((".py", ".sh", ".R", ".pl", ".js")) and info and info.size < 1 << 18:
                    found.update(terms(self.files.text(path) or ""))
        return frozenset(found)

    @cached_property
    def free(self) -> list[int]:
        """Rows that may be content: not masked, no error, no label, no mere listing."""
        masked, errors, labels = self.rows.masked, self.errors, self.labels
        mentioned = self.mentions if self.prints_paths else {}
        free: list[int] = []
        for row, text in enumerate(self.rows.texts):
            if row in masked or row in errors or (row in mentioned and self._only_paths(row)):
                continue
            if labels and " ".join(text.split()) in labels:
                continue
            free.append(row)
        return free

    @cached_property
    def label_rows(self) -> set[int]:
        """Rows that are no content but in which a path stands: they may be headings."""
        return self.mentions.keys() - self.errors - set(self.free)

    def _only_paths(self, row: int) -> bool:
        """Whether little but paths and numbers stands in a row."""
        text = self.rows.texts[row]
        first = self.mentions[row][0]
        if (first.end == len(text) and (not first.start or not text[: first.start].strip())) or _LONG.match(text):
            return True
        for start, end in sorted({(m.start, m.end) for m in self.mentions[row]}, reverse=True):
            text = text[:start] + " " + text[end:]
        left = [t for t in terms(text) if t not in self.known]
        words = worth([t for t in left if not t[0].isdecimal()], frozenset())
        return words < 1.2 and not (self.may_show_values and worth(left, frozenset()) >= 0.5)

    @cached_property
    def may_show_values(self) -> bool:
        """Whether some program may print single values of a file beside its path."""
        acts = self.doings.acts
        mixed = any(a.verb == "print" and not a.exact and a.passage != "nothing" for a in acts)  # echo "$f: $(cat $f)"
        return any(a.verb in ("read", "search", "run") and (mixed or a.passage == "altered") for a in acts)

    # -- what was read --------------------------------------------------------------------------------------

    @cached_property
    def suspects(self) -> list[Suspect]:
        """The files that may have been shown."""
        if not self.record.output or self.record.output.isspace():
            return []  # many commands say nothing: none of what follows is worked out for them
        if not any(self.rows.texts[row].strip() for row in (*self.free, *self.label_rows)):
            return []
        opened = None if isinstance(self.record, ToolRecord) else self.record.opened
        every = (m for found in self.mentions.values() for m in found)
        return gather(self.doings, every, opened, self.folders)

    @cached_property
    def owners(self) -> Owners:
        """Who owns which row."""
        owners = self._assigned(frozenset())
        undecided = [claim for claim in owners.claims if is_undecided(claim)]
        if undecided and len(undecided) <= UNDECIDED and self._may_prove(owners):
            owners = self._assigned(frozenset(claim.suspect.key for claim in undecided))
        self._look_into_large(owners)
        return owners

    def _assigned(self, whole: frozenset[str]) -> Owners:
        """The rows given to the suspects. ``whole`` are the keys of those that are read whatever it takes."""
        mixed = mixture(self.record.command, self.doings.acts)
        ranks = [rank(suspect, self._mentioned) for suspect in self.suspects]
        looked = Looked(self.files, self.folders, ranks, Effort(PREPARING), whole)
        claims = [Claim(s, looked.source(s, r), r) for s, r in zip(self.suspects, ranks, strict=True)]
        owners = Owners(self.rows, claims, self.free, self.known, mixed)
        owners.assign(self.mentions, self.label_rows)
        return owners

    def _may_prove(self, owners: Owners) -> bool:
        """Whether the rows that nobody owns hold enough to prove anything."""
        owned = {row for claim in owners.claims for row in claim.rows} | owners.headings.keys()
        rows = [self.rows.texts[row][:400] for row in self.free if row not in owned][:60]
        return sum(worth(terms(row), self.known) for row in rows) >= NEEDED[Trust.PROGRAM]

    @cached_property
    def _mentioned(self) -> frozenset[str]:
        return frozenset(mention.path for found in self.mentions.values() for mention in found)

    def _look_into_large(self, owners: Owners) -> None:
        """Files too large to be prepared: some rows are looked up in their bytes."""
        effort = Effort(READ_THROUGH)
        for number, claim in enumerate(owners.claims):
            if claim.source.texts or claim.source.size <= entries.PREPARED:
                continue
            if claim.rank and not effort.take(4 * claim.source.size):
                continue
            tried = [self.free[n] for n in sampled(len(self.free), 300)]
            worths = {r: worth(terms(self.rows.texts[r][:200]), self.known) for r in tried if r not in claim.rows}
            rows = [row for row, value in worths.items() if value >= 0.3]
            picked = [rows[n] for n in sampled(len(rows), 24)]
            pieces = [self.rows.texts[r].strip()[:200].encode("utf-8", "surrogateescape") for r in picked]
            for row, there in zip(picked, entries.holds(self.files, claim.suspect.path, pieces), strict=True):
                if there:
                    owners.give(row, number, 0, worths[row], whole=True)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Who was read."""
        if not self.suspects:
            return []
        made = {write.path for write in self.wrote}
        gone = {
            s.key
            for s in self.suspects
            if self.record.confirmable and s.key not in made and not self.folders.kind(s.path) and not _versioned(s)
        }
        return judge(self.owners, frozenset(gone))

    @cached_property
    def parts(self) -> list[Part]:
        """Which rows go into which entry."""
        accepted = [v for v in self.verdicts if v.accepted]
        return parts(self.owners, accepted, self.free) if accepted else []

    # -- the answer -----------------------------------------------------------------------------------------

    def accesses(self) -> Accesses:
        """The classification of this turn."""
        if self.record.confirmable and len(self.record.output) >= entries.LONG:
            entries.digest_aside(self.suspects, self.files)
        excerpts = tuple(entries.excerpt(part, self) for part in self.parts)
        read: dict[str, None] = {}
        searched: dict[str, None] = {}
        for excerpt in excerpts:
            (searched if excerpt.kind == "search" else read).update(dict.fromkeys(excerpt.paths))
        searched = {key: None for key in searched if key not in read}
        listed = self._listed({*read, *searched})
        self.reasons += self._reasons_of_verdicts()
        for write in self.wrote:
            how = "from no file" if write.own else f"from {', '.join(write.sources) or write.moved_from or 'itself'}"
            self.reasons.append(Reason("wrote", "the command writes it", how, (write.path,)))
        return Accesses(
            tuple(read),
            tuple(searched),
            listed,
            self.wrote,
            self._computed_from({*read, *searched}),
            self._opened({*read, *searched}),
            excerpts,
            tuple(self.reasons),
        )

    def _reasons_of_verdicts(self) -> list[Reason]:
        """Why each suspect was read or not; those of which the same is said go together."""
        said: dict[tuple[str, str, str], list[str]] = {}
        for verdict in self.verdicts:
            kind: str = "nothing"
            if verdict.accepted:
                kind = "search" if verdict.claim.suspect.search else "read"
            said.setdefault((kind, verdict.rule, verdict.evidence), []).append(verdict.claim.suspect.key)
        return [Reason(*told, tuple(keys)) for told, keys in said.items()]

    def _listed(self, read: set[str]) -> tuple[str, ...]:
        """Files whose path stands outside content."""
        content = {row for part in self.parts for row in part.rows}
        found: dict[str, int] = {}
        headings = self.owners.headings if self.suspects else {}
        texts, key_of, is_inside = self.rows.texts, self.folders.key, self.folders.is_inside
        for row, present in self.mentions.items():
            text = texts[row]
            told = self.prints_paths or row in headings or row in self.errors
            if BINARY in text:
                present = [m for m in present if m.start < text.find(BINARY)]  # noqa: PLW2901 - the file it is said of
            elif row in content or not told:
                continue
            for mention in present:
                if mention.kind == "file" and is_inside(mention.path):
                    key = key_of(mention.path)
                    if key is not None and not key.startswith("/") and key not in read:
                        found.setdefault(key, row)
        if found:
            rows = sorted(set(found.values()))
            shown = texts[rows[0]].strip()[:200]
            more = f" … and {len(rows) - 1} further lines" if len(rows) > 1 else ""
            self.reasons.append(Reason("listed", "the path stands in the output", shown + more, tuple(found)))
        return tuple(found)

    def _computed_from(self, read: set[str]) -> tuple[str, ...]:
        """Files of which only something computed was shown."""
        if not any(text.strip() for text in self.rows.texts):
            return ()
        found: dict[str, None] = {}
        for act in self.doings.acts:
            facts = act.verb == "list" and act.utility in PROGRAMS and act.passage != "nothing"
            counts = facts or act.verb == "compute" or (act.verb in ("read", "search") and act.passage == "counted")
            for path in act.paths if counts else ():
                key = self.folders.key(path)
                if key is not None and self.folders.kind(path) == "file":
                    found[key] = None
        for verdict in self.verdicts:
            suspect, by = verdict.claim.suspect, verdict.claim.suspect.act
            doubtful = suspect.trust in (Trust.PROGRAM, Trust.NAMED) and self.folders.kind(suspect.path) == "file"
            if verdict.accepted or suspect.script or by is None or not doubtful:
                continue
            if by.verb in ("run", "opaque") or (by.verb == "read" and by.utility in PROGRAMS):
                found[suspect.key] = None
        return tuple(key for key in found if key not in read)

    def _opened(self, read: set[str]) -> tuple[str, ...]:
        """Empty files that were opened by name, not as one of very many."""
        found: dict[str, None] = {}
        for act in self.doings.acts:
            for path in act.paths[:BY_NAME] if act.verb == "read" else ():
                info = self.folders.info(path)
                key = self.folders.key(path) if info and info.kind == "file" and info.size == 0 else None
                if key is not None and key not in read:
                    found[key] = None
        return tuple(found)

    @property
    def follows_nothing(self) -> bool:
        """Whether the words do not tell all files that may have been touched."""
        return follows_nothing(self.doings)
