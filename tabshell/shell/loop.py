"""The loop between two terminals: who can be read and written now, with a queue in each direction.

Nothing here waits but ``poll``. Output is drained until the terminal has no more and written at once; while the
reader of one side is slow the other side is not read further than its queue allows. Signals come in
through a pipe: those that would have reached a shell in our place are passed on to it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import NamedTuple

from tabshell.shell.bash import SideFiles
from tabshell.shell.marks import Mark, encode
from tabshell.shell.outbox import Queue
from tabshell.shell.signals import PASSED_ON, Signals
from tabshell.shell.synchronise import SyncSocket
from tabshell.shell.terminal import ShellTerminal, UserTerminal
from tabshell.shell.traffic import Traffic

#: Bytes that may wait in a queue before its source is left alone.
QUEUE_LIMIT = 1 << 20

#: Bytes of a long output that are read, then written, at once, and how often before anybody else is looked after. A
#: terminal holds little more: who reads on while its reader has nothing left makes each wait for the other in turns.
STEP = 12_000
STEPS = 16

#: Seconds after which bytes that look like the beginning of a mark are shown as they are.
PAUSE = 0.05

#: Seconds of silence after which what was shown is taken for the whole prompt.
QUIET = 0.02

#: Seconds within which the shell gets from the bell to the gate, if nothing has interrupted it; from then on it is
#: looked for there every so often.
GATE_PATIENCE = 1.0
GATE_LATER = 0.2

#: Seconds between two looks at whether a shell still stands with the first line that it has read.
STILL = 0.005

#: Where a shell may stand.
GATES = (0, 1)

#: Seconds that a shell has to leave after its terminal is gone, before its terminal is closed.
GRACE = 2.0


class ShellExit(NamedTuple):
    """How the shell ended: its exit status (128+n after signal n), and that signal or None."""

    status: int
    signal: int | None


class Loop:
    """One shell's loop. A context manager: while it is open it hears the signals of this process."""

    def __init__(self, user: UserTerminal, socket: SyncSocket, side: SideFiles) -> None:
        self._user = user
        self._socket = socket
        self._side = side
        self._gates: tuple[int, ...] = ()
        self._gate_until = 0.0
        self._to_user = Queue()
        self._to_shell = Queue()
        self._user_gone_at: float | None = None
        self._polled: tuple[object, ...] = ()
        self._poller = select.poll()
        #: Whether nothing is due and nothing has happened but that the user's terminal takes more.
        self._only_takes = False
        self._hang_up_told = False
        self._hung_up = False
        self._printed_at = 0.0
        self._signals = Signals()

    def __enter__(self) -> Loop:
        self._signals.__enter__()
        return self

    def __exit__(self, *told: object) -> None:
        self._signals.__exit__(*told)

    @property
    def quiet(self) -> bool:
        """Whether nothing was printed for a moment."""
        return time.monotonic() - self._printed_at > QUIET

    def display(self, data: bytes) -> None:
        """Queues bytes for the user's terminal."""
        if self._user_gone_at is None:
            self._to_user.put(data)

    def run(self, shell: ShellTerminal, traffic: Traffic) -> ShellExit:
        """Until the shell has ended and all that it printed was read and shown."""
        reserve = bytearray(4 << 20)  # for when there is no more memory: passing bytes on needs less
        try:
            return self._until_over(shell, traffic)
        except MemoryError:
            reserve.clear()
        self._signals.again(signal.SIGCHLD, signal.SIGWINCH)
        return self._until_over(shell, traffic)

    def _until_over(self, shell: ShellTerminal, traffic: Traffic) -> ShellExit:
        while True:
            self._write(shell)
            events = self._poll(shell, traffic)
            if self._only_takes:
                continue  # it takes a long output in tens of thousands of steps
            if self._signals.fd in events:
                over = self._answer_signals(shell, traffic)
                if over is not None:
                    self._print_rest(shell, traffic)
                    traffic.ended(over.status)
                    self._show_rest()
                    return over
            self._read_shell(shell, traffic, events)
            if self._side.bell in events:
                self._rung(shell, traffic)
            self._open_gate()
            if self._user.read_fd in events:
                self._read_user(shell, traffic)
            self._answer(shell, traffic, events)
            if traffic.due is not None and time.monotonic() >= traffic.due:
                self._write(shell)
                traffic.settle()
            self._give_up(shell)

    def _poll(self, shell: ShellTerminal, traffic: Traffic) -> set[int]:
        here, to_user, to_shell = self._user_gone_at is None, self._to_user.size, self._to_shell.size
        still = traffic.stands_still
        reads, types, fds = to_user < QUEUE_LIMIT, to_shell < QUEUE_LIMIT and not still, self._socket.fds
        state = (here, self._hung_up, reads, types, still, bool(to_user), bool(to_shell), fds, self._side.bell)
        if state != self._polled:
            self._polled = state
            masks: dict[int, int] = {self._side.bell: select.POLLIN}
            if not still:
                masks[self._signals.fd] = select.POLLIN
            masks.update(dict.fromkeys(fds, select.POLLIN))
            if not self._hung_up:
                masks[shell.fd] = (select.POLLIN if reads else 0) | (select.POLLOUT if to_shell else 0)
            if here and types:
                masks[self._user.read_fd] = select.POLLIN
            if here and to_user:
                masks[self._user.write_fd] = masks.get(self._user.write_fd, 0) | select.POLLOUT
            self._poller = select.poll()
            for fd, mask in masks.items():
                self._poller.register(fd, mask)
        timeout = self._timeout(traffic, still)
        ready = self._poller.poll(timeout)
        self._only_takes = timeout is None and ready == [(self._user.write_fd, select.POLLOUT)]
        return {fd for fd, _ in ready}

    def _timeout(self, traffic: Traffic, still: bool) -> float | None:
        """Milliseconds until something is due that no descriptor tells."""
        restless = still or self._gates or self._hung_up or traffic.undecided or self._user_gone_at is not None
        if not restless and traffic.due is None and self._socket.deadline is None:
            return None
        waits: list[float] = []
        if self._gates:
            waits.append(0.0 if time.monotonic() < self._gate_until else GATE_LATER)
        if still:
            waits.append(STILL)
        if traffic.undecided:
            waits.append(PAUSE)
        if self._hung_up:
            waits.append(PAUSE)
        if self._user_gone_at is not None:
            waits.append(0.2)
        deadlines = [deadline for deadline in (self._socket.deadline, traffic.due) if deadline is not None]
        if deadlines:
            waits.append(max(0.0, min(deadlines) - time.monotonic()))
        return min(waits) * 1000 + 1 if waits else None

    def _write(self, shell: ShellTerminal) -> None:
        if self._to_user.size:
            try:
                self._to_user.took(self._user.write(self._to_user.front()))
            except OSError:
                self._user_is_gone(shell)
        if self._to_shell.size:
            self._to_shell.took(shell.write(self._to_shell.front()))

    def _read_shell(self, shell: ShellTerminal, traffic: Traffic, events: set[int]) -> None:
        if shell.fd not in events and not self._hung_up:
            if traffic.undecided and time.monotonic() - self._printed_at >= PAUSE:
                traffic.decide()
            return
        flowed: list[bytes] = []
        for _ in range(STEPS):
            data = shell.read(STEP) if self._to_user.size < QUEUE_LIMIT else b""
            self._hung_up = data is None
            if not data:
                break
            self._printed_at = time.monotonic()
            if len(data) >= STEP and traffic.flows(data):
                self.display(data)
                flowed.append(data)
            else:
                _tell(traffic, flowed)
                traffic.printed(data)
            if len(data) < STEP:
                break
            self._write(shell)
            if self._to_user.size:
                break
        _tell(traffic, flowed)

    def _rung(self, shell: ShellTerminal, traffic: Traffic) -> None:
        """The shell waits before its prompt: all that was printed so far can be read now (see ``read``)."""
        report = self._side.take_prompt(shell.pid)
        data = shell.read()
        while data:
            traffic.printed(data)
            data = shell.read()
        if report is not None:
            traffic.prompted(report)
        # a shell that rang stands at a gate: also one whose report could not be read must be let go
        self._gates = GATES if report is None else (report.gate,)
        self._gate_until = time.monotonic() + GATE_PATIENCE
        # before anything is written: the shell makes its prompt meanwhile, and what it prints is read only later
        self._open_gate()
        self._write(shell)
        if report is not None:
            traffic.let_go()

    def _open_gate(self) -> None:
        """Lets the shell go on; it may still be on its way to the gate, or may have been interrupted there (then the
        next prompt stands at the other one)."""
        if self._gates and any(map(self._side.open_gate, self._gates)):
            self._gates = ()

    def _read_user(self, shell: ShellTerminal, traffic: Traffic) -> None:
        try:
            data = os.read(self._user.read_fd, 65536)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self._user_is_gone(shell)
            return
        self._to_shell.put(traffic.typed(data))

    def _answer(self, shell: ShellTerminal, traffic: Traffic, events: set[int]) -> None:
        for fd in self._socket.fds:
            if fd in events:
                token = self._socket.ready(fd)
                if token is not None and not shell.print_behind(encode(Mark("Y", token))):
                    self._catch_up(shell, traffic, token)
        for token in self._socket.late():
            self._catch_up(shell, traffic, token)

    def _catch_up(self, shell: ShellTerminal, traffic: Traffic, token: str) -> None:
        data = shell.read() if self._to_user.size < QUEUE_LIMIT else b""
        if data:
            traffic.printed(data)
        traffic.caught_up(token)

    def _answer_signals(self, shell: ShellTerminal, traffic: Traffic) -> ShellExit | None:
        """Answers the signals that came in; gives the shell's exit if it has ended."""
        over = None
        for number in self._signals.take():
            if number == signal.SIGCHLD:
                over = self._child_changed(shell, traffic)
            elif number in {signal.SIGWINCH, signal.SIGCONT}:
                traffic.resized()
            elif number == signal.SIGHUP:
                self._hang_up(shell)
            elif number in PASSED_ON:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(shell.pid, number)
        return over

    def _child_changed(self, shell: ShellTerminal, traffic: Traffic) -> ShellExit | None:
        try:
            pid, status = os.waitpid(shell.pid, os.WNOHANG | os.WUNTRACED)
        except ChildProcessError:
            return ShellExit(127, None)
        if pid == 0:
            return None
        if os.WIFSTOPPED(status):
            self._suspend(shell, traffic)
            return None
        return exit_of(status)

    def _suspend(self, shell: ShellTerminal, traffic: Traffic) -> None:
        """The shell has stopped itself (``suspend``): so do we, with the terminal as it was found."""
        data = shell.read()
        if data:
            traffic.printed(data)
        self._show_rest()
        self._user.restore()
        if os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGSTOP)
        else:
            os.kill(os.getpid(), signal.SIGSTOP)
        self._user.raw()
        traffic.resized()
        with contextlib.suppress(ProcessLookupError):
            os.kill(shell.pid, signal.SIGCONT)

    def _user_is_gone(self, shell: ShellTerminal) -> None:
        if self._user_gone_at is None:
            self._user_gone_at = time.monotonic()
            self._to_user.clear()
            self._hang_up(shell)

    def _hang_up(self, shell: ShellTerminal) -> None:
        """Once only: a second SIGHUP makes bash leave without writing its history."""
        if not self._hang_up_told:
            self._hang_up_told = True
            with contextlib.suppress(ProcessLookupError):
                os.kill(shell.pid, signal.SIGHUP)
                os.kill(shell.pid, signal.SIGCONT)

    def _give_up(self, shell: ShellTerminal) -> None:
        """A shell that does not leave when its terminal is gone loses its own, too."""
        if self._user_gone_at is not None and time.monotonic() - self._user_gone_at > GRACE:
            self._hung_up = True
            shell.close()

    def _print_rest(self, shell: ShellTerminal, traffic: Traffic) -> None:
        """What the shell printed last; what its background jobs print from now on is not waited for."""
        data = shell.read()
        while data:
            traffic.printed(data)
            data = shell.read()

    def _show_rest(self) -> None:
        """Writes what is queued for the user, as long as the terminal takes it."""
        poll = select.poll()
        poll.register(self._user.write_fd, select.POLLOUT)
        with contextlib.suppress(OSError):
            while self._to_user.size and self._user_gone_at is None and poll.poll(2000):
                self._to_user.took(self._user.write(self._to_user.front()))


def _tell(traffic: Traffic, flowed: list[bytes]) -> None:
    """Of a long output many steps are told at once: what is done with each costs as much as with all of them."""
    if flowed:
        traffic.flowed(flowed)
        flowed.clear()


def exit_of(wait_status: int) -> ShellExit:
    """The exit that ``waitpid`` told."""
    if os.WIFSIGNALED(wait_status):
        number = os.WTERMSIG(wait_status)
        return ShellExit(128 + number, number)
    return ShellExit(os.WEXITSTATUS(wait_status), None)
