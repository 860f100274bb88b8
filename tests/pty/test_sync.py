"""A `tab` that asks through the socket gets its answer when the listener has all that was printed before."""

from __future__ import annotations

import socket
import threading


def ask(path, answers) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(str(path))
        client.sendall(b"sync\n")
        answers.append(client.recv(16))


def test_a_tab_sees_what_was_shown_before_it(door, tmp_path):
    """The answer comes when the listener has everything that the same line printed before the question."""
    path = tmp_path / "door.sock"
    shell = door(socket=str(path))
    client = tmp_path / "ask.py"
    client.write_text(
        "import socket, sys\n"
        f"c = socket.socket(socket.AF_UNIX); c.connect({str(path)!r}); c.sendall(b'sync\\n')\n"
        "assert c.recv(9) == b'ok\\n'; print('answered')\n"
    )
    shell.line(f"seq 20000; python3 -I -S {client}")
    shell.finish()
    (sync,) = shell.heard("sync")
    printed = b"".join(b"%d\r\n" % number for number in range(1, 20_001))
    assert shell.stream()[: sync.at].endswith(printed)
    assert b"]7770" not in shell.seen
    assert not path.exists()


def test_many_ask_at_once_and_each_is_answered(door, tmp_path):
    path = tmp_path / "door.sock"
    shell = door(socket=str(path))
    answers: list[bytes] = []
    threads = [threading.Thread(target=ask, args=(path, answers)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [b"ok\n"] * 20
    shell.finish()


def test_a_stopped_terminal_is_answered_all_the_same(door, tmp_path):
    path = tmp_path / "door.sock"
    shell = door(socket=str(path))
    shell.send(b"\x13")
    answers: list[bytes] = []
    ask(path, answers)
    assert answers == [b"ok\n"]
    shell.send(b"\x11")
    shell.finish()


def test_strangers_on_the_socket_are_dropped(door, tmp_path):
    path = tmp_path / "door.sock"
    shell = door(socket=str(path))
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(str(path))
        client.sendall(b"GET / HTTP/1.0\r\n")
        assert client.recv(16) == b""
    assert shell.heard("sync") == []
    assert path.stat().st_mode & 0o777 == 0o600
    shell.finish()
