"""Drafts -> acts: those of one command in a loop become one act, indices follow the order of output."""

from __future__ import annotations

from dataclasses import replace

from tabshell.access.acts import Act, Roots
from tabshell.access.bash.streams import Draft

#: Literal words that are reported.
SHOWN = 400


def freeze(drafts: list[Draft], *, exact: bool) -> tuple[Act, ...]:
    """The acts in the order in which their output appears. Not ``exact``: the walk was cut short."""
    merged: dict[object, Draft] = {}
    kept: list[Draft] = []
    for draft in sorted(drafts, key=lambda d: d.order):
        if draft.verb == "print" and draft.passage == "nothing" and not draft.paths:
            continue
        if not draft.looped:
            kept.append(draft)
            continue
        first = merged.setdefault(_site(draft), draft)
        if first is draft:
            kept.append(draft)
        else:
            _merge(first, draft)
    return tuple(_act(draft, index, exact=exact) for index, draft in enumerate(kept))


def _site(draft: Draft) -> tuple[object, ...]:
    """What acts of one command in a loop have in common."""
    return (
        draft.node, draft.verb, draft.utility, draft.cwd, draft.passage, _shape(draft.roots), draft.appends,
        draft.literal, draft.lines, draft.prefixed, draft.numbered, draft.in_archive, draft.full_screen,
    )  # fmt: skip


def _shape(roots: Roots | None) -> Roots | None:
    """Roots without their directories."""
    return None if roots is None else replace(roots, directories=())


def _merge(first: Draft, draft: Draft) -> None:
    if first.roots is not None and draft.roots is not None:
        directories = dict.fromkeys(first.roots.directories + draft.roots.directories)
        first.roots = replace(first.roots, directories=tuple(directories))
    first.paths += draft.paths
    first.words += draft.words
    first.targets += draft.targets
    first.sources += draft.sources
    first.exact = first.exact and draft.exact


def _act(draft: Draft, index: int, *, exact: bool) -> Act:
    paths, words = draft.paths, draft.words
    if draft.targets or len(words) != len(paths):
        paths, targets = _unique(paths), _unique(draft.targets)
        words = words if len(words) == len(paths) else [*paths]
    else:
        pairs = list(dict.fromkeys(zip(paths, words, strict=True)))
        paths, words, targets = [p for p, _ in pairs], [w for _, w in pairs], []
    return Act(
        verb=draft.verb, utility=draft.utility, cwd=draft.cwd, node=draft.node, index=index,
        paths=tuple(paths), words=tuple(words), roots=draft.roots, passage=draft.passage,
        targets=tuple(targets), sources=tuple(_unique(draft.sources)), appends=draft.appends,
        literal=draft.literal, lines=draft.lines, exact=draft.exact and exact, prefixed=draft.prefixed,
        numbered=draft.numbered, looped=draft.looped, in_archive=draft.in_archive, full_screen=draft.full_screen,
    )  # fmt: skip


def _unique(paths: list[str]) -> list[str]:
    return list(dict.fromkeys(paths))


def shown_words(drafts: list[Draft]) -> tuple[str, ...]:
    """Literal words that reach the screen."""
    return tuple(dict.fromkeys(text for d in drafts if d.passage != "nothing" for text in d.shown))[:SHOWN]
