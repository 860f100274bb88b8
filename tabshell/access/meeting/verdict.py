"""Which suspects were read: what their rows prove against what the command's word is worth.

In: the claims after ``owners``. Out: the accepted ones, each with the rule that decided and its evidence in words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tabshell.access.meeting.claims import Claim
from tabshell.access.meeting.owners import Owners
from tabshell.access.meeting.suspects import ENCODERS, Trust

#: What the rows must prove for each level of trust; a long word or number proves 1.
NEEDED = {Trust.SHOWN: 0.0, Trust.PROGRAM: 0.5, Trust.NAMED: 1.0, Trust.OPENED: 1.5, Trust.SEARCHED: 3.0}

_DIFF = re.compile(r"diff --|(?:---|\+\+\+) ")
_WORD = re.compile(r"[^\W_]")
#: The rank of claims whose file the output names; those behind it are some of many.
MENTIONED = 1
#: Files that were not looked into are believed to be shown where they are no more than these.
BELIEVED = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim accepted or not. ``word``: accepted by the command's word alone, its rows are still open."""

    claim: Claim
    accepted: bool
    rule: str
    evidence: str
    word: bool = False


def judge(owners: Owners, gone: frozenset[str]) -> list[Verdict]:
    """A verdict for each claim. ``gone`` are the keys of files that are not there and cannot have been."""
    under = _under_own_name(owners)
    verdicts = [_by_evidence(claim, owners, headed=n in under) for n, claim in enumerate(owners.claims)]
    if not any(v.accepted for v in verdicts):
        verdicts = [_together(owners, v) for v in verdicts]
    taken = {row for v in verdicts if v.accepted for row in v.claim.rows}
    left = [r for r in owners.free if r not in taken and r not in owners.headings and owners.rows.texts[r].strip()]
    if not left:
        return verdicts
    others = any(v.accepted for v in verdicts)
    unseen = sum(v.claim.source.partial and not v.claim.rows for v in verdicts)
    believed = not others and unseen <= BELIEVED
    headed = _headed(owners, taken, left)
    return [
        v
        if v.accepted or v.claim.suspect.key in gone
        else _by_word(v, alone=not others or n in headed, believed=believed or n in headed)
        for n, v in enumerate(verdicts)
    ]


def _headed(owners: Owners, taken: set[int], left: list[int]) -> set[int]:
    """The claims whose name stands over rows that nobody owns."""
    found: set[int] = set()
    current: int | None = None
    for row in sorted({*owners.headings, *taken, *left}) if owners.headings else ():
        if row in owners.headings:
            current = owners.headings[row]
            if current is not None and _is_from_git(owners.claims[current]) and not _DIFF.match(owners.rows.texts[row]):
                current = None  # its changes stand below a header of their own
        elif row in taken:
            current = None
        elif current is not None:
            found.add(current)
    return found


def _is_from_git(claim: Claim) -> bool:
    """Whether git alone may have shown it, as one of a tree."""
    act = claim.suspect.act
    return act is not None and act.utility.startswith("git") and act.roots is not None


def _under_own_name(owners: Owners) -> set[int]:
    """The claims of which a row stands under the file's name (and that row is no content), no other's in between."""
    rows = sorted((row, n) for n, claim in enumerate(owners.claims) for row in claim.rows) if owners.headings else []
    headings = sorted(owners.headings.keys() - set(owners.free)) if rows else []
    found: set[int] = set()
    at = 0
    for row, number in rows:
        while at < len(headings) and headings[at] <= row:
            at += 1
        if at and owners.headings[headings[at - 1]] == number:
            found.add(number)
    return found


def _by_evidence(claim: Claim, owners: Owners, *, headed: bool) -> Verdict:
    """By the rows that are content of the file. ``headed``: some of them stand under its name."""
    suspect = claim.suspect
    counted = f"{len(claim.rows)} rows, {claim.whole} whole lines, {claim.told} ascribed by the output"
    counted += f", proof {claim.proof:.1f}"
    if not claim.rows:
        return Verdict(claim, False, "no content in the output", "no row of the output stands in the file")
    if suspect.script:
        enough = claim.whole >= 3 and claim.proof >= 3
        return Verdict(claim, enough, "a script's own text shown" if enough else "a script was run", counted)
    if claim.told and suspect.trust >= Trust.SHOWN:
        return Verdict(claim, True, "the output ascribes rows to it", counted)
    found_whole = suspect.search and claim.whole > 0 and suspect.act is not None and suspect.act.roots is not None
    needed = NEEDED[suspect.trust]
    if claim.rank and not claim.whole and not headed:  # among so many files some hold the words of any text
        needed = max(needed, NEEDED[Trust.OPENED if claim.rank > MENTIONED else Trust.PROGRAM])
    enough = claim.proof >= needed or found_whole
    if claim.rank > MENTIONED and not claim.proof:  # and very many the same marks
        enough = enough and any(_WORD.search(owners.rows.texts[row]) for row in claim.rows)
    if suspect.trust == Trust.SEARCHED:
        enough = enough and claim.whole > 0
    rule = "whole lines shown" if claim.whole else "phrases or values shown"
    return Verdict(claim, enough, rule if enough else "too little content in the output", counted)


def _together(owners: Owners, verdict: Verdict) -> Verdict:
    """A file that a program names, by all its rows read as one."""
    claim = verdict.claim
    if claim.suspect.trust not in (Trust.NAMED, Trust.PROGRAM) or claim.suspect.script:
        return verdict
    proof = owners.weigh_together(claim)
    if proof < NEEDED[claim.suspect.trust]:
        return verdict
    return Verdict(claim, True, "values shown in the file's order", f"{len(claim.rows)} rows, proof {proof:.1f}")


def _by_word(verdict: Verdict, *, alone: bool, believed: bool) -> Verdict:
    """By the command's word, where the file cannot be compared or was shown in another form. ``alone``: no other file
    was shown, or its name stands over rows that nobody owns. ``believed``: even if it was not looked into, since that
    would have taken too long; of many such files nobody can tell whose the rows are.
    """
    claim, act = verdict.claim, verdict.claim.suspect.act
    if claim.suspect.trust < Trust.SHOWN or act is None or claim.rows or act.verb not in ("read", "search"):
        return verdict
    if claim.source.partial and not believed:
        return Verdict(claim, False, "not looked into", "more files than one turn looks into")
    alone = alone or (act.utility in ENCODERS and act.exact)
    unknown = not claim.source.texts
    other_form = act.passage == "altered" or act.in_archive or act.utility.startswith("git")
    if claim.source.large or claim.source.partial or unknown or (other_form and alone):
        why = "its text cannot be had for comparing" if unknown else "it was shown in another form"
        if claim.source.partial:
            why = "looking into all of it would take too long"
        return Verdict(claim, True, "the command's word", f"{act.node}: {why}", word=True)
    return verdict
