"""``tab`` answered by the clerk: the same in every byte as without one, and never done twice."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tabshell import __version__
from tabshell.cli.tab.call import call
from tabshell.cli.tab_client import Caller, ask
from tabshell.model.facts import RequirementAdded, TabAccessed
from tabshell.session import Session
from tabshell.session.clerk import SOCKET, BesideShell, answers, clerk

CALLS = [
    "",
    "help",
    "help --json",
    "prompt",
    "status",
    "status --json",
    "list",
    "list --json",
    "list candidates",
    "list candidates --page 2",
    "list candidates --page 99",
    "list candidates --all --json",
    "list log",
    "list log --json",
    "list notes",
    "list nonsense",
    "show L1",
    "show l1 --json",
    "show L99",
    "show n1",
    "finish",
    "add the travel standards",
    "add|reimbursement of the annex|the menu of the day|a layout",
    "add one more --json",
    "add|",
    "add",
    "add --nonsense",
    "note ask the office",
    "list notes --json",
    "show n1",
    "show r1",
    "list",
    "list --all --json",
    "resolve r1 done L1",
    "resolve r1 done L1 --json",
    "resolve r2 done annex.txt",
    "resolve r2 done hr/annex.txt --json",
    "resolve r2 done L2",
    "resolve r3 done L1 --quote Article",
    "resolve|r1|done|L1|--quote|Article 7",
    "resolve r3 unavailable",
    "resolve r3 unavailable computed",
    "resolve r77 unavailable computed",
    "reopen r3",
    "reopen r3",
    "reopen r3 --json",
    "list",
    "task",
    "task --json",
    "task the menu of the day",
    "list candidates",
    "status",
    "finish --stop exit",
    "finish --stop exit",
    "finish --stop nonsense",
    "finish",
    "finish --json",
    "nonsense",
    "nonsense --json",
    "list requirements --page 1",
    "list log --page 0",
]


@pytest.fixture
def told(make_desk, workspace):
    """Makes a session with something of everything in it; two of them are told the same."""
    (workspace / "hr").mkdir()
    (workspace / "hr" / "annex.txt").write_text("x")

    def told():
        desk = make_desk(task="travel guide with standards", out="out")
        desk.command("ls", listed=["hr/annex.txt", "menu.txt", *(f"plans/guide_{number}.txt" for number in range(30))])
        desk.read("hr/travel_standards.txt", "Article 7\nReimbursement standards: 220\n")
        desk.read("caf\udce9.txt", "odd name\nthe menu \x1b[31mof the day\n")
        return desk

    return told


@pytest.fixture
def attended(told):
    """A session whose clerk is there."""
    desk = told()
    with clerk(desk.directory):
        _await(lambda: answers(desk.directory))
        yield desk


def _await(condition, seconds=20):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.01)
    return found


def _ask(desk, *words, caller=None):
    """The clerk's answer; it must give one (it may still be loading)."""
    return _await(lambda: ask(words, str(desk.directory), caller or Caller()))


def _alone(desk, *words, caller=None):
    return tuple(call(words, lambda: Session.open(desk.directory), caller))


def _words(line):
    return line.split("|") if "|" in line else line.split()


def _facts(desk):
    return [event.fact for event in desk.session.store.events()][1:]


def test_every_operation_says_and_records_the_same_both_ways(told, attended):
    plain = told()
    for line in CALLS:
        words = _words(line)
        assert _ask(attended, *words) == _alone(plain, *words), line
    assert _facts(attended) == _facts(plain)
    assert len([fact for fact in _facts(plain) if isinstance(fact, TabAccessed)]) > 40


@pytest.mark.parametrize("words", [("add",), ("add", "-"), ("note", "-"), ("task", "-"), ("add", "x")])
@pytest.mark.parametrize("kind", ["pipe", "file", "device"])
def test_standard_input_reaches_the_clerk(told, attended, piped, words, kind):
    plain, said = told(), []
    for program in (attended, plain):
        piped("one item\n\n  another \n", kind)
        ran = subprocess.run([program.directory / "bin" / "tab", *words], capture_output=True, timeout=60)
        said.append((ran.returncode, ran.stdout, ran.stderr))
    assert said[0] == said[1]
    assert _facts(attended) == _facts(plain)


def test_the_program_prints_what_the_clerk_says(attended):
    tab = str(attended.directory / "bin" / "tab")
    line = f"{tab} add 'Büro – 経費'; {tab} show r1 2>&1 | cat; {tab} nonsense; echo $?"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    out = ran.stdout.decode()
    assert out.startswith("r1: Büro – 経費\nr1 [open] Büro – 経費\n")
    assert out.endswith("2\n")
    assert ran.stderr.startswith(b"tab: no operation 'nonsense'")


def test_a_relative_path_is_looked_for_where_the_caller_is(attended, workspace, monkeypatch):
    _ask(attended, "add", "travel standards")
    monkeypatch.chdir(workspace / "hr")
    assert _ask(attended, "resolve", "r1", "done", "travel_standards.txt")[2] == "r1 done (L1). Open: 0.\n".strip()


def test_calls_at_the_same_time_never_share_an_id(attended):
    line = 'for n in {1..12}; do "$0" add "item $n" & done; wait'
    tab = str(attended.directory / "bin" / "tab")
    ran = subprocess.run(["bash", "-c", line, tab], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    assert sorted(row.split(b":")[0] for row in ran.stdout.splitlines()) == sorted(b"r%d" % n for n in range(1, 13))


def test_a_clerk_that_does_not_answer_is_passed_over_and_does_nothing_later(attended, desk_clerk):
    os.kill(desk_clerk(attended), signal.SIGSTOP)
    try:
        began = time.monotonic()
        ran = subprocess.run([attended.directory / "bin" / "tab", "add", "one item"], capture_output=True, timeout=60)
        assert time.monotonic() - began < 10
        assert ran.stdout == b"r1: one item\n"
    finally:
        os.kill(desk_clerk(attended), signal.SIGCONT)
    assert _ask(attended, "add", "another")[2] == "r2: another"
    assert _added(attended) == ["one item", "another"]


def test_a_killed_clerk_is_no_trouble(attended, desk_clerk):
    os.kill(desk_clerk(attended), signal.SIGKILL)
    _await(lambda: not answers(attended.directory))
    ran = subprocess.run([attended.directory / "bin" / "tab", "add", "one item"], capture_output=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"r1: one item\n", b"")


def test_nothing_is_done_for_a_caller_that_went_away_before_it_said_go(attended):
    _ask(attended, "status")
    with _connected(attended) as asking:
        asking.sendall(_request(os.getpid(), "add", "never said go"))
        assert asking.recv(64).startswith(b"wait\n")
    assert _ask(attended, "add", "another")[2] == "r1: another"
    assert _added(attended) == ["another"]


@pytest.mark.parametrize(
    "request_of",
    [
        lambda: _request(os.getpid(), "add", "x", version="0.0.0"),
        lambda: _request(os.getppid(), "add", "x"),
        lambda: b"tab 3\nabc",
        lambda: b"tab 99999999999\n",
        lambda: b"tab \n",
        lambda: b"\0\xff\n",
        lambda: _request(os.getpid(), "add", "x", count=7),
    ],
    ids=["version", "process", "short", "long", "empty", "bytes", "count"],
)
def test_a_call_that_is_none_of_its_kind_is_left_to_the_caller(attended, request_of):
    with _connected(attended) as asking:
        asking.sendall(request_of())
        asking.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := asking.recv(64):
            answer += piece
    assert b"ready" not in answer
    assert _ask(attended, "add", "another")[2] == "r1: another"


def test_a_store_that_was_put_in_its_place_is_the_one_that_is_told(attended, told):
    _ask(attended, "add", "in the first one")
    other = told()
    assert _alone(other, "add", "in the other one")[0] == 0
    other.session.close()
    attended.session.close()
    for name in ("tab.db", "tab.db-wal", "tab.db-shm"):
        (attended.directory / name).unlink(missing_ok=True)
    os.replace(other.directory / "tab.db", attended.directory / "tab.db")
    assert _ask(attended, "show", "r1")[2].startswith("r1 [open] in the other one")


def test_a_clerk_whose_store_is_gone_leaves_it_to_the_caller(attended):
    _ask(attended, "status")
    (attended.directory / "tab.db").unlink()
    assert ask(("status",), str(attended.directory), Caller()) is None
    ran = subprocess.run([attended.directory / "bin" / "tab", "status"], capture_output=True, timeout=60)
    assert ran.returncode == 4
    assert b"no store at" in ran.stderr


@pytest.mark.parametrize(("words", "status"), [(("add", "x"), 1), (("list",), 0), ((), 0), (("--json", "list"), 0)])
def test_what_only_looks_is_done_again_where_the_clerk_broke_off_and_nothing_else(desk, words, status):
    """A clerk that is killed between ``go`` and its answer."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(desk.directory / SOCKET))
        listening.listen()

        def break_off():
            asking, _ = listening.accept()
            with asking:
                asking.recv(1 << 16)
                asking.sendall(b"wait\nready\n")
                asking.recv(16)

        thread = threading.Thread(target=break_off)
        thread.start()
        ran = subprocess.run([desk.directory / "bin" / "tab", *words], capture_output=True, timeout=60)
        thread.join()
    assert ran.returncode == status
    assert (b"ended half-way" in ran.stderr) == bool(status)
    assert _added(desk) == []


def test_a_clerk_ends_with_its_parent(desk):
    code = (
        "import sys, time; from pathlib import Path; from tabshell.session.clerk import BesideShell\n"
        "beside = BesideShell(Path(sys.argv[1])); beside.start(); print(beside._child.pid, flush=True); time.sleep(60)"
    )
    words = [sys.executable, "-c", code, desk.directory]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as parent:
        child = int(parent.stdout.readline())
        _await(lambda: ask(("status",), str(desk.directory), Caller()))
        parent.kill()
    _await(lambda: not os.path.exists(f"/proc/{child}"))
    assert not answers(desk.directory)


def test_a_session_has_one_clerk_and_the_second_takes_nothing_from_it(attended):
    second = BesideShell(attended.directory)
    second.start()
    second.stop()
    assert answers(attended.directory)
    assert _ask(attended, "add", "x")[2] == "r1: x"


def test_a_clerk_that_hangs_holds_nobody_up_at_the_end(desk, desk_clerk, monkeypatch):
    monkeypatch.setattr("tabshell.session.clerk.END_S", 0.2)
    with clerk(desk.directory):
        process = _await(lambda: desk_clerk(desk))
        os.kill(process, signal.SIGSTOP)
    assert not os.path.exists(f"/proc/{process}")


def test_a_clerk_that_was_stopped_before_its_time_is_never_started(desk):
    with BesideShell(desk.directory) as beside:
        pass
    beside.start()
    assert not (desk.directory / SOCKET).exists()


@pytest.fixture
def desk_clerk():
    """The process of a session's clerk."""

    def find(desk):
        found = []
        _await(lambda: found.extend(clerks(desk.directory)) or found)  # it listens before it is its own program
        return found[0]

    def clerks(directory):
        for name in os.listdir("/proc"):
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if os.fsencode(directory) in words and any(b"tab.clerk" in word for word in words):
                yield int(name)

    return find


def _added(desk):
    with Session.open(desk.directory) as session:
        return [event.fact.text for event in session.store.events(RequirementAdded)]


def _connected(desk):
    asking = socket.socket(socket.AF_UNIX)
    asking.settimeout(20)
    asking.connect(str(desk.directory / SOCKET))
    return asking


def _request(process, *words, version=__version__, count=None):
    fields = [version, str(process), "0", "0", "/", str(len(words) if count is None else count), *words]
    body = b"".join(field.encode() + b"\0" for field in fields)
    return b"tab %d\n%s" % (len(body), body)
