"""The signals of this process while a shell runs behind it: heard through a pipe, one read after the other.

In: signals. Out: their numbers, when the loop asks. Signals that were ignored when we were started stay ignored, here
and in the shell (``nohup``).
"""

from __future__ import annotations

import os
import signal

#: Signals that reach the shell as if it stood in tabshell's place.
PASSED_ON = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM),
    # these would end us at once, with the terminal left as it is while a shell runs
    *(signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU, signal.SIGIO, signal.SIGPWR),
    *range(signal.SIGRTMIN, signal.SIGRTMAX + 1),
)

#: Signals that a shell with job control does not stop at, and those that the loop itself answers.
_HEARD = (*PASSED_ON, signal.SIGTSTP, signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT)


class Signals:
    """A context manager: while it is open, signals of this process do nothing but come in here."""

    def __init__(self) -> None:
        #: Can be read when one has come in.
        self.fd = -1
        self._write = self._write_before = -1
        self._before: dict[int, signal.Handlers] = {}

    def __enter__(self) -> Signals:
        self.fd, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._write_before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in _HEARD:
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN:
                self._before[number] = before  # type: ignore[assignment]
                signal.signal(number, lambda *_: None)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._write_before)
        os.close(self.fd)
        os.close(self._write)

    def take(self) -> set[int]:
        """The numbers of those that came in since."""
        try:
            return set(os.read(self.fd, 4096))
        except BlockingIOError:
            return set()

    def again(self, *numbers: int) -> None:
        """These were taken, but not answered."""
        os.write(self._write, bytes(numbers))
