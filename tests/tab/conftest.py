"""A session told as a story: each call is a turn and its facts, without shell, store or disk."""

from __future__ import annotations

import hashlib
import itertools

import pytest

from tabshell.model.accesses import Reason, Span, Write
from tabshell.model.facts import (
    EntryLogged,
    EntrySeen,
    Event,
    FinishChecked,
    NoteAdded,
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    SessionStarted,
    TabAccessed,
    TaskSet,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.tab.fold import fold


class Story:
    """Collects events; ``tab()`` folds them, ``text_of`` gives an entry's excerpt."""

    def __init__(self, *, task=None, workspace="/ws", out=None, **switches):
        self.events = []
        self.texts = {}
        self.turn = 0
        self.ids = {"L": itertools.count(1), "r": itertools.count(1), "n": itertools.count(1)}
        self.say(SessionStarted("s1", None, workspace, out, None, "/bin/bash", "0", **switches))
        if task is not None:
            self.say(TaskSet(task))

    def say(self, fact):
        self.events.append(Event(len(self.events) + 1, 1000.0 + len(self.events), fact))
        return fact

    def tab(self, **options):
        return fold(self.events, **options)

    def text_of(self, entry):
        return self.texts[entry.id]

    def start(self, command="true", cwd=None):
        self.turn += 1
        self.say(TurnStarted(self.turn, "pty", command, "history", cwd or "/ws"))

    def end(self, *, read=(), searched=(), listed=(), wrote=(), opened=(), computed=()):
        reasons = (Reason("listed", "told", "by the story", tuple(listed)),)
        self.say(TurnEnded(self.turn, 0, 0.1, 1, 0, 10, 10))
        self.say(
            TurnClassified(
                self.turn,
                tuple(read),
                tuple(searched),
                tuple(listed),
                tuple(wrote),
                tuple(computed),
                tuple(opened),
                reasons,
            )
        )

    def idle(self, times=1):
        for _ in range(times):
            self.start()
            self.end()

    def listing(self, *paths):
        self.start("ls")
        self.end(listed=paths)

    def entry(self, *paths, text, kind="read", command=None, **flags):
        number = next(self.ids["L"])
        self.texts[number] = text
        flags.setdefault("derived_from", ())
        return self.say(
            EntryLogged(
                number, self.turn, kind, paths, paths, command or f"cat {' '.join(paths)}", 1, (Span(0, len(text)),),
                len(text), hashlib.sha256(text.encode()).hexdigest(), **flags,
            )
        )  # fmt: skip

    def reading(self, *paths, text, command=None, **flags):
        command = command or f"cat {' '.join(paths)}"
        self.start(command)
        logged = self.entry(*paths, text=text, command=command, **flags)
        self.end(read=paths)
        return logged.id

    def searching(self, *paths, text):
        self.start("grep -rn x .")
        logged = self.entry(*paths, text=text, kind="search", command="grep -rn x .")
        self.end(searched=paths)
        return logged.id

    def seen_again(self, entry):
        self.start("cat again")
        self.say(EntrySeen(entry, self.turn))
        self.end()

    def writing(self, path, *, sources=(), own=True, appended=False, moved_from=None):
        self.start("write")
        self.end(wrote=[Write(path, tuple(sources), own, appended, moved_from)])

    def add(self, *texts):
        self.start("tab add")
        numbers = [self.say(RequirementAdded(next(self.ids["r"]), self.turn, text)).id for text in texts]
        self.access("add", *(f"r{number}" for number in numbers))
        return numbers

    def note(self, text):
        self.start("tab note")
        return self.say(NoteAdded(next(self.ids["n"]), self.turn, text)).id

    def access(self, operation, *shown):
        self.say(TabAccessed(self.turn, operation, shown))

    def done(self, requirement, *refs, quote=None):
        self.start("tab resolve")
        self.say(RequirementResolved(requirement, self.turn, "done", refs, None, quote))

    def unavailable(self, requirement, reason):
        self.start("tab resolve")
        self.say(RequirementResolved(requirement, self.turn, "unavailable", (), reason))

    def reopen(self, requirement):
        self.start("tab reopen")
        self.say(RequirementReopened(requirement, self.turn))

    def check(self, state="open"):
        self.say(FinishChecked(self.turn, "exit", state, ()))


@pytest.fixture(scope="session")
def story():
    """Makes a story: ``story(task=…, out=…, capture=False)``."""
    return Story
