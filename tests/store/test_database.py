"""The store: facts in, the same facts out, numbered, chained, by many processes at once."""

import contextlib
import multiprocessing
import os
import sqlite3
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabshell.errors import SidecarError, StoreDamaged, StoreTooNew, StoreUnwritable
from tabshell.model.accesses import Reason, Span, Write
from tabshell.model.facts import (
    EntryLogged,
    NoteAdded,
    OutputChunk,
    RequirementAdded,
    SessionEnded,
    StreamOpened,
    TaskSet,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.store import connections
from tabshell.store.chain import check
from tabshell.store.codec import decode, encode
from tabshell.store.database import Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tab.db"


@pytest.fixture
def store(path):
    with Store.create(path) as made:
        yield made


def test_a_new_store_is_readable_by_its_owner_only(store, path):
    store.append([NoteAdded(0, 1, "x")])
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_every_new_store_of_a_process_is_the_same_empty_file(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "_EMPTY", [])
    made = []
    for name in ("first", "second", "third"):
        path = tmp_path / name
        path.touch()
        connections.make(str(path))
        made.append(path.read_bytes())
    assert made[0] == made[1] == made[2]
    with Store.open(tmp_path / "third") as store:
        assert store.head()[0] == 0
        store.append([TaskSet("the rent")])
    with Store.open(tmp_path / "second") as store:
        assert store.head()[0] == 0


def test_facts_come_back_as_they_went_in(store):
    facts = [
        TurnStarted(0, "pty", "cat 'a b'\n", "history", "/w\udcff"),
        EntryLogged(0, 1, "read", ("ä.txt",), ("./ä.txt",), "cat", 1, (Span(0, 5), Span(9, 12)), 8, "aa", lines=(1, 2)),
        TurnClassified(
            1, ("a",), (), ("b",), (Write("c", ("a",), False, True),), (), (), (Reason("read", "cat", "said", ("a",)),)
        ),
        TurnEnded(1, None, 0.25, 1, 0, 12, 12, silent=(Span(3, 4),), opened=("/w/a",)),
    ]
    given_back = store.append(facts)
    assert [event.fact for event in store.events()] == given_back
    assert given_back[1].spans[1].end == 12
    assert given_back[2].wrote[0].sources == ("a",)
    assert given_back[2].reasons[0].rule == "cat"


def test_numbers_follow_one_another_and_a_zero_means_the_last_of_the_same_call(store):
    first = store.append([TurnStarted(0, "shim", "ls", "argument", "/"), StreamOpened(0, "shim", False)])
    second = store.append(
        [
            TurnStarted(0, "shim", "pwd", "argument", "/"),
            StreamOpened(0, "shim", False),
            OutputChunk(0, 0, ((1.0, 2, "out"),), b"/\n"),
            TurnEnded(0, 0, 0.1, 0, 0, 2, 2),
        ]
    )
    assert (first[0].turn, first[1].stream) == (1, 1)
    assert (second[0].turn, second[1].stream, second[2].stream, second[3].turn, second[3].stream) == (2, 2, 2, 2, 2)
    assert store.pending() == [2]
    assert store.output(2, 0, 2) == b"/\n"


def test_a_listing_of_many_names_is_stored_small(store, path):
    names = tuple(f"folder/report-{number}.txt" for number in range(50_000))
    store.append([TurnClassified(1, (), (), names, (), (), (), ())])
    assert next(iter(store.events(TurnClassified))).fact.listed == names
    store.close()
    assert path.stat().st_size < 600_000


def test_output_is_given_for_any_range_over_chunks(store):
    data = os.urandom(1000)
    store.append([OutputChunk(3, at, ((1.0, 100, "tty"),), data[at : at + 100]) for at in range(0, 1000, 100)])
    assert store.output(3, 0, 1000) == data
    assert store.output(3, 150, 420) == data[150:420]
    assert store.output(4, 0, 10) == b""


def test_a_range_late_in_a_long_stream_is_read_without_reading_what_lies_before(store):
    store.append([OutputChunk(1, 10 * at, ((0.0, 10, "tty"),), b"%010d" % at) for at in range(2000)])
    steps: list[int] = []
    store._connection.set_progress_handler(lambda: steps.append(1) and 0, 10)
    assert store.output(1, 19_985, 19_995) == b"0199800000"
    store._connection.set_progress_handler(None, 0)
    assert len(steps) < 20


def test_facts_can_be_neither_changed_nor_removed_by_sql(store, path):
    store.append([NoteAdded(0, 1, "x")])
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        for sql in ("UPDATE events SET body = '{}'", "DELETE FROM events"):
            with pytest.raises(sqlite3.IntegrityError, match="only ever inserted"):
                raw.execute(sql)
    raw.close()


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("UPDATE events SET body = replace(body, 'two', '2') WHERE seq = 2", "chain-broken"),
        ("DELETE FROM events WHERE seq = 2", "event-missing"),
        ("UPDATE events SET seq = CASE seq WHEN 2 THEN 99 ELSE seq END", "event-missing"),
        (
            "INSERT INTO events SELECT 6, kind, 9, at, body, blob, hash, stream, offset, length FROM events WHERE seq = 1",
            "chain-broken",
        ),
    ],
)
def test_the_chain_finds_what_was_edited_removed_reordered_or_inserted(store, path, sql, code):
    store.append([NoteAdded(0, 1, text) for text in ("one", "two", "three", "four", "five")])
    assert list(check(store.stored())) == []
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("DROP TRIGGER events_are_facts_u")
        raw.execute("DROP TRIGGER events_are_facts_d")
        raw.execute(sql)
    raw.close()
    assert code in {fault.code for fault in check(store.stored())}


def test_the_end_of_a_session_keeps_where_the_chain_stood(store):
    store.append([NoteAdded(0, 1, "x"), SessionEnded(0)])
    assert store.ended_at() == store.head()
    store.append([NoteAdded(0, 1, "later")])
    assert store.ended_at()[0] == store.head()[0] - 1


def _add(path, count):
    with Store.open(path) as store:
        for number in range(count):
            store.append([RequirementAdded(0, 1, f"{os.getpid()} {number}")])


def test_processes_that_write_at_once_lose_nothing_and_share_no_number(store, path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_add, args=(path, 25)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    numbers = [event.fact.id for event in store.events(RequirementAdded)]
    assert numbers == list(range(1, 101))
    assert list(check(store.stored())) == []


def test_a_file_that_is_no_database_is_called_damaged(path):
    path.write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(StoreDamaged, match="damaged"):
        Store.open(path)


def test_a_foreign_database_is_refused(path):
    sqlite3.connect(path).execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(StoreDamaged, match="not a tabshell store"):
        Store.open(path)


def test_a_store_of_a_newer_version_is_refused_with_both_versions(store, path):
    store.close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreTooNew, match="schema version 99"):
        Store.open(path)


@pytest.mark.parametrize("how", [{}, {"readonly": True}, {"still": True}])
@pytest.mark.parametrize("version", [0, 99])
def test_a_store_that_is_refused_leaves_no_descriptor_open(store, path, how, version):
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
        raw.execute("PRAGMA application_id = 7" if version == 0 else f"PRAGMA user_version = {version}")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises((StoreDamaged, StoreTooNew)) as refusal:
        Store.open(path, **how)
    assert len(os.listdir("/proc/self/fd")) == before, refusal


def test_no_store_is_said_and_none_is_made(path):
    with pytest.raises(SidecarError, match="no store"):
        Store.open(path)
    assert not path.exists()


def test_a_store_held_by_another_writer_is_called_unwritable_and_nothing_is_half_written(store, path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store.open(path, busy_s=0.01) as late, pytest.raises(StoreUnwritable, match="locked"):
        late.append([NoteAdded(0, 1, "a"), NoteAdded(0, 1, "b")])
    other.close()
    assert list(store.events(NoteAdded)) == []
    assert store.append([NoteAdded(0, 1, "c")])[0].id == 1


def test_a_read_only_store_reads_and_says_that_it_records_nothing(store, path):
    store.append([NoteAdded(0, 1, "kept")])
    store.close()
    with Store.open(path, readonly=True) as reader:
        assert next(iter(reader.events())).fact.text == "kept"
        with pytest.raises(StoreUnwritable, match="read-only"):
            reader.append([NoteAdded(0, 1, "x")])


@settings(max_examples=60)
@given(st.text(max_size=60), st.integers(-1, 255) | st.none(), st.lists(st.text(max_size=12), max_size=4))
def test_any_text_survives_the_row(text, status, names):
    for fact in (
        TurnStarted(4, "pty", text, "screen", text, paths=tuple(names)),
        TurnEnded(4, status, 0.5, 1, 2, 3, 4, unobserved=text),
    ):
        row = encode(fact)
        assert decode(row.kind, row.body, row.blob) == fact


@pytest.mark.parametrize("name", ["a b", "50%", "what?", "no#1", "é", "a'b", "&x=1"])
def test_a_directory_may_have_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    with Store.create(folder / "tab.db") as store:
        store.append([NoteAdded(0, 1, "kept")])
    with Store.open(folder / "tab.db", readonly=True) as store:
        assert next(iter(store.events())).fact.text == "kept"
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def ended(turn):
    return TurnEnded(turn, 0, 0.1, 0, 0, 0, 0)


def classified(turn):
    return TurnClassified(turn, (), (), (), (), (), (), ())


def test_pending_turns_are_those_that_ended_whatever_their_order(store):
    """A turn with a small number may end long after those behind it were classified."""
    store.append([TurnStarted(0, "pty", f"command {n}", "history", "/w", "", 80) for n in range(5)])
    assert store.pending() == []
    store.append([ended(2), ended(3)])
    assert store.pending() == [2, 3]
    store.append([classified(2), classified(3)])
    assert store.pending() == []
    store.append([ended(1), ended(5)])
    assert store.pending() == [1, 5]
    store.append([classified(5)])
    assert store.pending() == [1]
    with Store.open(store.path) as another:
        assert another.pending() == [1]
        store.append([classified(1)])
        assert another.pending() == store.pending() == []
        assert another.settled == store.head()[0]


def test_what_was_planned_is_stored_as_it_was_numbered(store):
    store.append([NoteAdded(0, 1, "first")])
    planned = store.plan([TurnStarted(0, "pty", "ls", "history", "/w"), TurnEnded(0, 0, 0.1, 1, 0, 0, 0)])
    assert [fact.turn for fact in planned.numbered] == [1, 1]
    assert store.last_number(TurnStarted) == 0
    assert store.carry_out(planned) is planned.numbered
    assert store.last_number(TurnStarted) == 1
    assert list(check(store.stored())) == []


def test_a_plan_that_others_overtook_is_numbered_anew(store):
    store.append([NoteAdded(0, 1, "first")])
    planned = store.plan([TurnStarted(0, "pty", "ls", "history", "/w"), TurnEnded(0, 0, 0.1, 1, 0, 0, 0)])
    with Store.open(store.path) as other:
        other.append([TurnStarted(0, "shim", "date", "argument", "/w")])
    given = store.carry_out(planned)
    assert given is not planned.numbered
    assert [fact.turn for fact in given] == [2, 2]
    assert list(check(store.stored())) == []


def test_plans_follow_what_others_store(store):
    store.append([NoteAdded(0, 1, "first")])
    for turn in range(1, 6, 2):
        planned = store.plan([TurnStarted(0, "pty", "ls", "history", "/w")])
        assert store.carry_out(planned) == planned.numbered
        with Store.open(store.path) as other:
            other.append([TurnStarted(0, "shim", "date", "argument", "/w")])
        assert store.last_number(TurnStarted) == turn + 1


def test_a_plan_that_cannot_be_stored_leaves_nothing(tmp_path):
    with Store.create(tmp_path / "tab.db") as made:
        made.append([NoteAdded(0, 1, "first")])
    with Store.open(tmp_path / "tab.db", busy_s=0.0) as store, Store.open(tmp_path / "tab.db") as other:
        planned = store.plan([TurnStarted(0, "pty", "ls", "history", "/w")])
        other._connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnwritable):
            store.carry_out(planned)
        other._connection.execute("ROLLBACK")
        assert store.last_number(TurnStarted) == 0
        assert store.append([TurnStarted(0, "pty", "ls", "history", "/w")])[0].turn == 1


def test_a_store_tells_when_others_have_written(store):
    store.append([NoteAdded(0, 1, "first")])
    before = store.foreign()
    store.append([NoteAdded(0, 1, "own")])
    assert store.foreign() == before
    with Store.open(store.path) as other:
        other.append([NoteAdded(0, 1, "another's")])
    assert store.foreign() != before
