"""What a caller that is a program sees: signals both ways, groups, sockets, ends of streams."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import time

import pytest


@pytest.fixture(params=["plain", "shim"])
def program(request, session) -> str:
    """Each test runs with the system's bash too: what it asserts is what bash does."""
    return "/bin/bash" if request.param == "plain" else str(session.directory / "bin" / "bash")


@pytest.fixture
def start(program):
    """Starts ``program -c TEXT``; afterwards nothing of it is left."""
    children = []

    def begin(text, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        children.append(subprocess.Popen([program, "-c", text], **options))
        return children[-1]

    yield begin
    for child in children:
        child.kill()
        child.wait(10)
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                stream.close()


def _line(stream) -> bytes:
    return stream.readline()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM])
def test_a_signal_to_the_process_alone_ends_it_by_that_signal(start, number):
    child = start("ulimit -c 0; echo ready; while :; do sleep 0.05; done", start_new_session=True)
    assert _line(child.stdout) == b"ready\n"
    child.send_signal(number)
    assert child.wait(10) == -number


def test_a_trapped_signal_to_the_group_is_trapped_once(start):
    child = start('trap "echo T; n=1" TERM; echo ready; while [ -z "$n" ]; do sleep 0.1; done; sleep 0.2; exit 6',
                   start_new_session=True)  # fmt: skip
    assert _line(child.stdout) == b"ready\n"
    os.killpg(child.pid, signal.SIGTERM)
    out, _ = child.communicate(timeout=10)
    assert (out, child.returncode) == (b"T\n", 6)


def test_a_trapped_signal_to_the_process_alone_is_trapped_once(start):
    child = start('trap "echo T; n=1" TERM; echo ready; while [ -z "$n" ]; do sleep 0.1; done; sleep 0.2; exit 6')
    assert _line(child.stdout) == b"ready\n"
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=10)
    assert (out, child.returncode) == (b"T\n", 6)


def test_the_group_killed_leaves_nobody(start, until):
    child = start("echo $$; sleep 60", start_new_session=True)
    inner = int(_line(child.stdout))
    os.killpg(child.pid, signal.SIGKILL)
    assert child.wait(10) == -signal.SIGKILL
    assert child.stdout.read() == b""
    until(lambda: not os.path.exists(f"/proc/{inner}") or _state(inner) == "Z")


def test_the_process_killed_alone_takes_bash_with_it_but_not_its_children(start, until):
    child = start("(sleep 1.5; echo late) & echo $$; wait", start_new_session=True)
    inner = int(_line(child.stdout))
    child.kill()
    assert child.wait(10) == -signal.SIGKILL
    until(lambda: not os.path.exists(f"/proc/{inner}") or _state(inner) == "Z")
    assert child.stdout.read() == b"late\n"


def _state(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_bash_stays_in_the_group_of_its_caller(start):
    child = start("ps -o pgid= -p $$", start_new_session=True)
    out, _ = child.communicate(timeout=10)
    assert int(out) == child.pid


def test_stopped_and_continued(start):
    child = start("echo a; kill -STOP $$; echo b; exit 3")
    assert _line(child.stdout) == b"a\n"
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    child.send_signal(signal.SIGCONT)
    out, _ = child.communicate(timeout=10)
    assert (out, child.returncode) == (b"b\n", 3)


def test_an_ignored_signal_stays_ignored(start):
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        child = start("kill -TERM $$; echo alive", start_new_session=True)
        out, _ = child.communicate(timeout=10)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (out, child.returncode) == (b"alive\n", 0)


def test_sockets_stay_sockets_and_carry_everything(start):
    ours, theirs = socket.socketpair()
    errors, their_errors = socket.socketpair()
    child = start("stat -Lc %F /dev/fd/1; head -c 300000 /dev/zero; echo e >&2", stdout=theirs, stderr=their_errors)
    theirs.close()
    their_errors.close()
    got = b""
    while data := ours.recv(65536):
        got += data
    assert errors.recv(100) == b"e\n"
    ours.close()
    errors.close()
    assert child.wait(10) == 0
    assert got == b"socket\n" + bytes(300000)


def test_a_socket_whose_reader_leaves_ends_the_writer(start):
    ours, theirs = socket.socketpair()
    child = start("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done", stdout=theirs)
    theirs.close()
    assert ours.recv(10)
    ours.close()
    assert child.wait(10) == -signal.SIGPIPE


def test_the_status_is_there_while_a_background_child_holds_the_pipe(start):
    child = start("(sleep 1.5; echo late) & echo now; exit 5")
    began = time.monotonic()
    assert child.wait(10) == 5
    assert time.monotonic() - began < 1.2
    assert child.stdout.read() == b"now\nlate\n"


def test_all_that_was_written_is_in_the_pipe_when_the_process_has_ended(start):
    for _ in range(5):
        child = start("printf %s abcdef; sleep 5 & disown; exit 0")
        assert child.wait(10) == 0
        assert select.select([child.stdout], [], [], 0)[0]
        assert os.read(child.stdout.fileno(), 100) == b"abcdef"


def test_errors_can_be_read_to_their_end_before_the_output(start):
    child = start("seq 20000; echo e >&2")  # more than one pipe holds
    assert _line(child.stdout) == b"1\n"
    rest = os.fdopen(os.dup(child.stdout.fileno()), "rb")
    got = bytearray()
    while select.select([rest], [], [], 10)[0]:
        data = os.read(rest.fileno(), 65536)
        if not data:
            break
        got += data
    assert child.stderr.read() == b"e\n"
    assert child.wait(10) == 0
    rest.close()


def test_a_closed_stdout_of_bash_ends_the_callers_pipe(start):
    child = start("echo a; exec >/dev/null; sleep 1.5")
    began = time.monotonic()
    assert child.stdout.read() == b"a\n"
    assert time.monotonic() - began < 1.2
    child.wait(10)


def test_a_stdin_that_bash_closes_is_closed_for_its_writer(start):
    child = start("exec </dev/null; echo closed; sleep 1.5", stdin=subprocess.PIPE)
    assert _line(child.stdout) == b"closed\n"
    # the shim notices it a moment later, long before the shell ends
    with pytest.raises(BrokenPipeError):
        _write_for_a_second(child.stdin.fileno())


def _write_for_a_second(descriptor):
    for _ in range(50):
        os.write(descriptor, b"x")
        time.sleep(0.02)


def test_an_appended_file_is_the_childs_own(start, tmp_path):
    path = tmp_path / "output"
    path.write_text("before\n")
    with path.open("ab") as stream:
        child = start(
            "echo a; echo b >&2; (sleep 0.3; echo late) & stat -Lc %F /dev/stdout", stdout=stream, stderr=stream
        )
        assert child.wait(10) == 0
    assert path.read_text().startswith("before\na\nb\n")
    deadline = time.monotonic() + 10
    while "late" not in path.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_descriptors_that_a_caller_hands_on_arrive_and_end(start):
    read, write = os.pipe()
    start(f"echo through >&{write}; exec {write}>&-; sleep 1.5", pass_fds=[write])
    os.close(write)
    began = time.monotonic()
    with os.fdopen(read, "rb") as stream:
        assert stream.read() == b"through\n"
    assert time.monotonic() - began < 1.2


def test_hundreds_of_megabytes_arrive_whole(start):
    child = start("head -c 200000000 /dev/zero; exit 9")
    size = 0
    while data := os.read(child.stdout.fileno(), 1 << 20):
        size += len(data)
    assert (size, child.wait(10)) == (200_000_000, 9)
