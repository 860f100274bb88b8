"""The hatch: named pipes at which programs without a Python of their own reach a process that waits.

Behind a session's hatch its clerk records commands (``hatch_run``) and hands questions on to itself; behind the one
among all sessions stands the warm process (``engines.warm``). In a folder of its own lie ``ask``, ``free``, one pipe
for each slot, and ``process``, the number of who serves. ``free`` holds the digits of the free slots, so that who
reads one has it alone; when the process is gone the kernel forgets them, and nobody waits. A caller writes one line:

    run SLOT PROCESS OUT       record this command; OUT is its standard output
                               <- "PATH PATH", where its output and its errors go, or "no"
    pid SLOT PROCESS           its bash
    end SLOT STATUS            bash ended  <- "done", when everything was handed on and the record is complete
    no SLOT PROCESS            nothing was run after all
    ask SLOT PROCESS OUT VERB  <- the answer at its descriptor OUT, then "done", or "no"
    tab SLOT PROCESS OUT       a call of ``tab``  <- its outputs, then "done STATUS", or "no"

What is asked is read from the caller's own words, directory and environment in ``/proc``, and its output is opened
there; so only processes of the same user are served, with ``/proc``, whose output is a pipe. Everyone else gets "no"
and does it alone.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import threading
from collections.abc import Callable

from tabshell.engines.hatch_calls import HATCH, TEXTS, asked_body
from tabshell.engines.hatch_run import Line, Run, words_of
from tabshell.engines.hatch_tab import operate

#: Callers at a time.
SLOTS = 8
#: Milliseconds between two looks at whether callers live, where the kernel does not tell.
_LOOK_MS = 1000

Ask = Callable[[str, bytes], bytes | None]
"""What answers a question: its verb and object in, a line out, or None where it cannot be answered."""


class Hatch:
    """The pipes in ``directory``. Raises OSError where they cannot be made."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self._folder = os.path.join(directory, HATCH)
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        for name, text in TEXTS.items():
            self._write(name, text)  # first: without pipes they go on alone
        self.asking = self._pipe("ask")
        self._free = self._pipe("free")
        self._slots: dict[bytes, int] = {}
        self._rest = b""
        os.write(self._free, b"".join(b"%d" % number for number in range(SLOTS)))
        for number in range(SLOTS):
            self._slots[b"%d" % number] = self._pipe(str(number))
        self._write("process", f"{os.getpid()}\n")

    def _write(self, name: str, text: str) -> None:
        with open(os.path.join(self._folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def _pipe(self, name: str) -> int:
        """Open for both directions, so that it never ends."""
        path = os.path.join(self._folder, name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        os.mkfifo(path, 0o600)
        return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)

    def heard(self) -> list[list[bytes]]:
        """The words of the lines that came."""
        with contextlib.suppress(BlockingIOError):
            self._rest += os.read(self.asking, 1 << 16)
        *lines, self._rest = self._rest.split(b"\n")
        return [line.split() for line in lines if line]

    def note(self, line: bytes) -> None:
        """A line to ourselves, behind those that came."""
        with contextlib.suppress(OSError):
            os.write(self.asking, line + b"\n")

    def say(self, slot: bytes, word: bytes) -> None:
        """A line for the caller at ``slot``."""
        with contextlib.suppress(OSError, KeyError):
            os.write(self._slots[slot], word + b"\n")

    def last(self, slot: bytes, word: bytes, *, renew: bool = True) -> None:
        """The last line for the caller at ``slot``, and then the slot is free.

        Its pipe becomes a new one: what the last caller did not read is nothing for the next. A process that was
        forked for one caller cannot do that for the other one (``renew``).
        """
        self.say(slot, word)
        self.give_back(slot, renew=renew)

    def give_back(self, slot: bytes, *, renew: bool = True) -> None:
        """The slot is free."""
        with contextlib.suppress(OSError, KeyError, ValueError):
            if renew:
                old = self._slots[slot]
                self._slots[slot] = self._pipe(str(int(slot)))
                os.close(old)
            os.write(self._free, slot)

    def close(self) -> None:
        """This process's ends."""
        for number in (self.asking, self._free, *self._slots.values()):
            with contextlib.suppress(OSError):
                os.close(number)


def answer_to(process: int, out: int, said: bytes) -> None:
    """Writes an answer to a descriptor of a process. Raises OSError."""
    there = os.open(f"/proc/{process}/fd/{out}", os.O_WRONLY | os.O_CLOEXEC)
    try:
        view = memoryview(said)
        while view:
            view = view[os.write(there, view) :]
    finally:
        os.close(there)


def _no_line() -> None:
    """Until the clerk attends."""


class SessionHatch:
    """A session's hatch, served by a thread of its clerk. ``ask`` answers questions and is called in threads that may
    wait; so is what tells the status line."""

    def __init__(self, directory: str, ask: Ask) -> None:
        self._directory = directory
        self._ask = ask
        self._line: Line = _no_line
        self._hatch = Hatch(directory)
        self._runs: dict[bytes, Run] = {}
        self._watched: dict[int, tuple[bytes, Run]] = {}
        self._busy: set[threading.Thread] = set()
        self._poll = select.poll()
        self._poll.register(self._hatch.asking, select.POLLIN)

    def have_line(self, line: Line) -> None:
        """What tells the status line from now on."""
        self._line = line

    def serve(self) -> None:
        """For ever; the process ends without it."""
        while True:
            unwatched = [(slot, run) for slot, run in self._runs.items() if run.watch < 0 and not run.ending]
            ready = [number for number, _ in self._poll.poll(_LOOK_MS if unwatched else None)]
            # who is gone comes first: a new caller may get the number of a descriptor that is given up
            gone = [self._watched[number] for number in ready if number in self._watched]
            for slot, run in (*gone, *((slot, run) for slot, run in unwatched if run.is_gone())):
                self._gone(slot, run)
            for words in self._hatch.heard() if self._hatch.asking in ready else ():
                with contextlib.suppress(Exception):  # a line that means nothing takes nothing from the next
                    self._do(words)

    def _do(self, words: list[bytes]) -> None:
        verb, slot, number = words[0], words[1], int(words[2])
        if verb == b"run":
            self._run(slot, number, int(words[3]))
        elif verb == b"ask":
            self._in_thread(self._answer, slot, number, int(words[3]), words[4].decode())
        elif verb == b"tab":
            self._in_thread(self._operate, slot, number, int(words[3]))
        elif verb == b"pid":
            self._runs[slot].bash(number)
        elif verb == b"no":
            self._runs[slot].take_back()
            self._gone(slot, self._runs[slot])
        elif verb == b"end":
            self._runs[slot].end(number, self._line, functools.partial(self._end, slot))
        elif verb == b"over":
            self._forget(slot, self._runs[slot])

    def _run(self, slot: bytes, process: int, out: int) -> None:
        try:
            self._runs[slot] = run = Run(self._directory, process, out)
        except (OSError, ValueError):
            self._hatch.last(slot, b"no")
            return
        if run.watch >= 0:
            self._watched[run.watch] = slot, run
            self._poll.register(run.watch, select.POLLIN)
        self._hatch.say(slot, run.paths())

    def _end(self, slot: bytes) -> None:
        self._hatch.note(b"over %s 0" % slot)  # heard before anything of the slot's next caller
        self._hatch.last(slot, b"done")

    def _gone(self, slot: bytes, run: Run) -> None:
        """The caller is no more; unless its command is over, bash and the slot are ours to care for."""
        if run.ending:
            self._unwatch(run)
            return
        self._forget(slot, run)
        self._hatch.give_back(slot)

    def _forget(self, slot: bytes, run: Run) -> None:
        self._unwatch(run)
        if self._runs.get(slot) is run:
            del self._runs[slot]
        run.forget()

    def _unwatch(self, run: Run) -> None:
        if self._watched.pop(run.watch, None) is not None:
            self._poll.unregister(run.watch)

    def _answer(self, slot: bytes, process: int, out: int, verb: str) -> None:
        word = b"no"
        with contextlib.suppress(OSError, ValueError):
            said = self._ask(verb, asked_body(self._directory, words_of(process)))
            if said is not None:
                answer_to(process, out, said)
                word = b"done"
        self._hatch.last(slot, word)

    def _operate(self, slot: bytes, process: int, out: int) -> None:
        word = b"no"
        with contextlib.suppress(OSError, ValueError):
            status = operate(self._directory, process, out)
            if status is not None:
                word = b"done %d" % status
        self._hatch.last(slot, word)

    def _in_thread(self, do: Callable[..., None], *words: object) -> None:
        def work() -> None:
            try:
                do(*words)
            finally:
                self._busy.discard(thread)

        thread = threading.Thread(target=work, daemon=True)
        self._busy.add(thread)
        thread.start()

    def rest(self, seconds: float) -> None:
        """Waits until what was asked is answered, before the process ends."""
        for thread in list(self._busy):
            thread.join(seconds)
        for run in list(self._runs.values()):
            if run.ending:
                run.over.wait(seconds)
