"""A session's film: every recorded byte, in order, cut at the turns."""

import os

from tabshell.recordings.film import Film, Frame, LeftOut, Size
from tabshell.recordings.strip import without_tab
from tabshell.session import Session
from tabshell.session.importing import import_file


def data(frames):
    return b"".join(frame.data for frame in frames if isinstance(frame, Frame))


def test_the_frames_of_a_terminal_are_its_bytes_and_nothing_else(recorded):
    film = Film(recorded.session.store)
    assert data(film.frames()) == recorded.shown
    assert not any(frame.made for frame in film.frames() if isinstance(frame, Frame))


def test_frames_keep_their_times_and_the_terminal_its_sizes(recorded):
    film = Film(recorded.session.store)
    frames = list(film.frames())
    times = [frame.at for frame in frames]
    assert times == sorted(times)
    assert (film.rows, film.columns) == (24, 80)
    assert [(frame.rows, frame.columns) for frame in frames if isinstance(frame, Size)] == [(40, 100)]
    output = [frame for frame in frames if isinstance(frame, Frame) and frame.turn == 1]
    assert round(output[1].at - output[0].at, 6) == 0.25


def test_each_turn_has_exactly_its_own_bytes(recorded):
    film = Film(recorded.session.store)
    frames = [frame for frame in film.frames() if isinstance(frame, Frame)]
    by_turn = {turn: data(frame for frame in frames if frame.turn == turn) for turn in range(1, 7)}
    assert by_turn == {
        1: b"hour,rate\r\n0:00,21\r\n",
        2: b"r1 rate\r\n",
        3: b"caf\xc3\xa9 \xff",
        4: b"[tab] requirements: none\r\n",
        5: b"",
        6: b"[tab] Finish check: nothing was stated.\r\n",
    }
    assert any(frame.turn == 5 for frame in frames)
    assert film.scenes[1].command == "cat day.csv"


def test_one_turn_alone_is_its_command_and_its_bytes(recorded):
    frames = list(Film(recorded.session.store).turn_frames(1))
    assert frames[0].made
    assert frames[0].data == b"$ cat day.csv\n"
    assert data(frames[1:]) == b"hour,rate\r\n0:00,21\r\n"


def test_only_turns_on_the_tab_are_tab_turns_and_entries_stand_with_their_turn(recorded):
    film = Film(recorded.session.store)
    assert {turn: scene.tab for turn, scene in film.scenes.items()} == {
        1: False,
        2: True,
        3: False,
        4: True,
        5: False,
        6: True,
    }
    assert film.scenes[1].entries == (1,)


def test_without_tab_operations_neither_their_turn_nor_a_status_line_is_left(recorded):
    film = Film(recorded.session.store)
    left = data(without_tab(film))
    assert b"tab" not in left
    assert (
        left
        == b"$ cat day.csv\r\nhour,rate\r\n0:00,21\r\n$ printf 'caf\\303\\251 \\377'\r\ncaf\xc3\xa9 \xff\r\n$ false\r\n$ "
    )


def test_a_session_without_a_terminal_shows_each_command_before_its_output(transcript, tmp_path, own_home):
    path = tmp_path / "rates.cast"
    path.write_bytes(transcript("asciicast_3_input"))
    with Session.open(import_file(path, os.environ).directory, readonly=True) as session:
        film = Film(session.store)
        frames = [frame for frame in film.frames() if isinstance(frame, Frame)]
        assert not film.terminal
        assert data(frames).startswith(
            b"$ cat rates/day.csv\nhour,rate\r\nno newline at end\n$ cat > n.txt <<E\n> hello\n> E\n$ vi"
        )
        recorded = b"".join(session.output(turn) for turn in film.scenes)
        assert data(frame for frame in frames if not frame.made) == recorded


def test_pieces_that_nobody_wants_are_not_read_and_counted(recorded):
    film = Film(recorded.session.store)
    whole = [frame for frame in film.frames() if isinstance(frame, Frame)]
    some = list(film.shots(lambda size: size < 20))
    assert [frame for frame in some if isinstance(frame, Frame)] == [frame for frame in whole if len(frame.data) < 20]
    assert sum(shot.size for shot in some if isinstance(shot, LeftOut)) == sum(
        len(frame.data) for frame in whole if len(frame.data) >= 20
    )
