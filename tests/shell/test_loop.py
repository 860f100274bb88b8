"""Of a long output no more is read than the reader has taken, and nobody else is forgotten over it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tabshell.shell.loop import STEP, STEPS, Loop
from tabshell.shell.report import Report


class SeenError(Exception):
    """Enough was seen."""


class Endless:
    """A shell's terminal that always has more, and what is done about it."""

    def __init__(self, fd: int, done: list[str]) -> None:
        self.fd, self.pid, self.done = fd, os.getpid(), done

    def read(self, limit: int = STEP) -> bytes:
        self.done.append("read")
        return b"x" * limit

    def write(self, data: bytes | memoryview) -> int:
        self.done.append(bytes(data).decode())
        raise SeenError


class Taking:
    """The user's terminal: takes so many bytes at once."""

    def __init__(self, fd: int, done: list[str], most: int) -> None:
        self.read_fd = self.write_fd = fd
        self.done, self.most = done, most

    def write(self, data: bytes | memoryview) -> int:
        self.done.append("shown")
        return min(len(data), self.most)


class Passing:
    """Passes everything on."""

    undecided = stands_still = False
    due = None
    loop: Loop

    def __init__(self, flowing: int) -> None:
        self.told: list[int] = []
        self.flowing = flowing

    def printed(self, data: bytes) -> None:
        self.told.append(-len(data))
        self.loop.display(data)

    def flows(self, data: bytes) -> bool:
        self.flowing -= 1
        return self.flowing >= 0

    def flowed(self, pieces: list[bytes]) -> None:
        self.told += [sum(map(len, pieces))]

    def typed(self, data: bytes) -> bytes:
        return data

    def prompted(self, report: Report) -> None:
        raise AssertionError


class Nobody:
    """No client, no bell."""

    fds = ()
    deadline = None

    def __init__(self, fd: int) -> None:
        self.bell = fd

    def late(self) -> list[str]:
        return []


@pytest.fixture
def pipes() -> Iterator[list[int]]:
    ends = [end for _ in range(3) for end in os.pipe()]
    yield ends
    for end in ends:
        os.close(end)


def run(pipes: list[int], most: int, flowing: int = STEPS) -> tuple[list[str], list[int]]:
    """What is done, in order, until a key that was typed at the beginning reaches the shell, and how many bytes are
    told at once (less than 0: such as do not flow). So many steps flow."""
    shell, shell_write, bell, _, keys, keys_write = pipes
    done: list[str] = []
    os.write(shell_write, b"x")
    os.write(keys_write, b"key")
    traffic = Passing(flowing)
    nobody = Nobody(bell)
    traffic.loop = Loop(Taking(keys, done, most), nobody, nobody)
    with traffic.loop, pytest.raises(SeenError):
        traffic.loop.run(Endless(shell, done), traffic)
    return done, traffic.told


def test_each_piece_of_a_long_output_is_shown_before_the_next_is_read(pipes: list[int]) -> None:
    done, told = run(pipes, 2 * STEP)
    assert done == ["read", "shown"] * STEPS + ["key"]
    assert told == [STEPS * STEP]


def test_of_a_long_output_no_more_is_read_while_the_last_piece_is_not_taken(pipes: list[int]) -> None:
    assert run(pipes, 1_000) == (["read", "shown", "shown", "key"], [STEP])


def test_what_flowed_is_told_before_what_has_to_be_looked_at(pipes: list[int]) -> None:
    _, told = run(pipes, 2 * STEP, flowing=3)
    assert told == [3 * STEP, *[-STEP] * (STEPS - 3)]
