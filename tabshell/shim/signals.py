"""Signals as the shim needs them: dispositions and masks kept as the caller left them, delivered both ways.

The standard ``signal`` module imports ``enum``, which costs as much as starting Python; so this one stands on
``_signal``, the C module under it (same functions, plain numbers), and gives them types.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: What a caller may send to a shell and the shell may answer: everything that can be caught, but for SIGCHLD and
#: the signals that a fault of the process itself raises.
FORWARDED: tuple[int, ...] = tuple(
    sorted(
        getattr(_signal, name)
        for name in (
            "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF",
            "SIGCONT", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGWINCH", "SIGURG", "SIGIO", "SIGPWR", "SIGABRT",
            "SIGXCPU", "SIGXFSZ", "SIGSYS", "SIGPIPE", "SIGTRAP", "SIGSTKFLT",
        )
        if hasattr(_signal, name)
    )
)  # fmt: skip
KILL: int = _signal.SIGKILL
STOP: int = _signal.SIGSTOP
INT: int = _signal.SIGINT
#: Python ignores these two when it starts; bash must not inherit that.
PYTHONS_OWN: tuple[int, ...] = (_signal.SIGPIPE, _signal.SIGXFSZ)


def block(numbers: Iterable[int]) -> set[int]:
    """Blocks ``numbers``; gives the mask that was."""
    mask: set[int] = _signal.pthread_sigmask(_signal.SIG_BLOCK, numbers)
    return mask


def set_mask(mask: Iterable[int]) -> None:
    """Makes ``mask`` the blocked signals."""
    _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)


def restore_inherited() -> None:
    """Undoes what Python did to the dispositions when it started.

    Whether SIGPIPE was ignored before, Python does not tell. A shell that ignores it hands that on to each of its
    children, so a parent that is one is asked; every other caller is taken to have left it alone.
    """
    if _signal.getsignal(INT) is _signal.default_int_handler:
        _signal.signal(INT, _signal.SIG_DFL)
    ignored = _ignored_by_parent_shell()
    for number in PYTHONS_OWN:
        _signal.signal(number, _signal.SIG_IGN if ignored >> (number - 1) & 1 else _signal.SIG_DFL)


def _ignored_by_parent_shell() -> int:
    """The parent's mask of ignored signals if the parent is a shell, else 0."""
    try:
        with open(f"/proc/{posix.getppid()}/status", "rb", buffering=0) as status:
            text = status.read(4096)
    except OSError:
        return 0
    if text[6 : text.find(b"\n")] not in (b"bash", b"sh", b"dash", b"zsh", b"ksh", b"busybox"):
        return 0
    at = text.find(b"SigIgn:")
    return int(text[at + 7 : at + 25], 16) if at >= 0 else 0


def catch(numbers: Iterable[int], handler: Callable[[int, object], None]) -> None:
    """Calls ``handler`` for each of ``numbers`` that the caller did not ignore."""
    for number in numbers:
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, handler)


def ignore(numbers: Iterable[int]) -> None:
    """Ignores ``numbers``."""
    for number in numbers:
        _signal.signal(number, _signal.SIG_IGN)


def default(numbers: Iterable[int]) -> None:
    """Gives ``numbers`` their default effect again, where they were not ignored."""
    for number in numbers:
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, _signal.SIG_DFL)


def pending_in(pid: int, number: int) -> bool:
    """Whether ``number`` waits, blocked, in process ``pid``."""
    try:
        with open(f"/proc/{pid}/status", "rb", buffering=0) as status:
            text = status.read(8192)
    except OSError:
        return False
    at = text.find(b"ShdPnd:")
    return at >= 0 and bool(int(text[at + 7 : at + 25], 16) >> (number - 1) & 1)


def consume(numbers: Iterable[int]) -> None:
    """Takes every blocked signal of ``numbers`` that waits."""
    while _signal.sigtimedwait(numbers, 0) is not None:
        pass


def die_by(number: int) -> None:
    """Ends this process by ``number``, without a second core file. Returns only if that cannot be."""
    import resource  # noqa: PLC0415 - one run in a thousand

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    try:
        _signal.signal(number, _signal.SIG_DFL)
    except (OSError, ValueError):
        pass  # SIGKILL has no disposition
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [number])
    posix.kill(posix.getpid(), number)
