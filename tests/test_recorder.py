"""The recorder: raw first, classified next, the same excerpt once."""

import hashlib

import pytest

from tabshell.access.memory import Provenance, ShellMemory
from tabshell.model.accesses import Accesses, Excerpt, Span
from tabshell.model.facts import EntryLogged, EntrySeen, TabAccessed, TurnClassified, TurnEnded, TurnStarted
from tabshell.model.light import replace
from tabshell.model.records import CommandRecord, Gap, ToolRecord
from tabshell.recorder import KEEP_AFTER, MEMORY, Recorder, ended
from tabshell.store.database import Store
from tabshell.text.digests import line_digests


class WholeOutputReader:
    """Stands in for the classifier: every output is an excerpt of the file that the command names last."""

    def __init__(self):
        self.memory, self.provenance = ShellMemory(), Provenance()
        self.seen, self.remembered = [], []

    def classify(self, record):
        self.seen.append(record)
        path = record.command.split()[-1]
        text = hashlib.sha256(record.output).hexdigest()
        span = (Span(0, len(record.output)),)
        return Accesses(read=(path,), excerpts=(Excerpt("read", (path,), (path,), span, len(record.output), text),))

    def remember(self, record, accesses):
        self.remembered.append((record.command, accesses.read))


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "tab.db") as made:
        yield made


@pytest.fixture
def reader():
    return WholeOutputReader()


@pytest.fixture
def recorder(store, reader):
    return Recorder(store, lambda: reader)


def ran(command, output=b"", **more):
    return CommandRecord("shim", command, "argument", "/w", output, 0, 10.0, 0.5, **more)


def facts(store, kind):
    return [event.fact for event in store.events(kind)]


def test_a_record_is_stored_raw_and_classified_by_whoever_reads_next(recorder, store):
    assert recorder.record(ran("cat a.txt", b"alpha\n")) == 1
    assert facts(store, TurnClassified) == []
    recorder.classify_pending()
    (entry,) = facts(store, EntryLogged)
    assert (entry.id, entry.turn, entry.paths, entry.command) == (1, 1, ("a.txt",), "cat a.txt")
    assert store.output(entry.stream, *entry.spans[0]) == b"alpha\n"
    assert facts(store, TurnClassified)[0].read == ("a.txt",)


def test_what_is_classified_once_is_not_classified_again(recorder, reader):
    recorder.record(ran("cat a.txt", b"alpha\n"))
    recorder.classify_pending()
    recorder.classify_pending()
    assert len(reader.seen) == 1


def test_the_record_that_the_classifier_gets_is_the_one_that_the_door_gave(recorder, reader):
    given = ran("cat é", b"\xff\x00\n", agent="pi", cwd_after="/w/x", columns=80, gap=Gap(1, 7), opened=("/w/é",))
    recorder.record(given)
    recorder.classify_pending()
    (taken,) = reader.seen
    assert (taken.command, taken.output, taken.agent, taken.cwd_after) == (given.command, given.output, "pi", "/w/x")
    assert (taken.columns, taken.gap, taken.opened) == (80, Gap(1, 7), ("/w/é",))


def test_a_file_tool_comes_back_as_a_file_tool(recorder, reader, store):
    recorder.record(ToolRecord("hook", "claude-code", "Read", "read", "Read a.txt", "/w", ("a.txt",), b"1\tx\n",
                               numbered=True, first_line=3))  # fmt: skip
    recorder.classify_pending()
    (taken,) = reader.seen
    assert isinstance(taken, ToolRecord)
    assert (taken.tool, taken.action, taken.paths, taken.numbered, taken.first_line) == (
        "Read", "read", ("a.txt",), True, 3,
    )  # fmt: skip


def test_the_same_excerpt_again_adds_its_turn_to_the_old_entry(recorder, store):
    for _ in range(3):
        recorder.record(ran("cat a.txt", b"alpha\n"))
    recorder.record(ran("cat a.txt", b"other\n"))
    recorder.classify_pending()
    assert [entry.id for entry in facts(store, EntryLogged)] == [1, 2]
    assert facts(store, EntrySeen) == [EntrySeen(1, 2), EntrySeen(1, 3)]


def test_another_process_knows_the_entries_of_the_first(recorder, store, reader):
    recorder.record(ran("cat a.txt", b"alpha\n"))
    recorder.classify_pending()
    other = WholeOutputReader()
    second = Recorder(store, lambda: other)
    second.record(ran("cat a.txt", b"alpha\n"))
    second.classify_pending()
    assert facts(store, EntrySeen) == [EntrySeen(1, 2)]
    assert other.remembered == [("cat a.txt", ("a.txt",))]


def begin(store, command):
    """A command that runs; its turn."""
    return store.append([TurnStarted(0, "shim", command, "argument", "/w")])[0].turn


def finish(store, turn, record):
    """It is over."""
    store.append([replace(fact, turn=turn) if isinstance(fact, TurnEnded) else fact for fact in ended(record)])


def test_a_turn_that_still_runs_is_seen_in_part_and_then_whole(recorder, store, reader):
    turn = begin(store, "cat a.txt")
    assert store.pending() == []
    finish(store, turn, ran("cat a.txt", b"alpha\n"))
    assert facts(store, TurnEnded)[0].turn == turn
    assert store.pending() == [turn]


def test_what_tab_printed_is_marked_in_the_record(recorder, store, reader):
    said = "[tab] L1 something\n"
    turn = begin(store, "cat a; tab list")
    store.append([TabAccessed(turn, "list", ("L1",), line_digests(said))])
    finish(store, turn, ran("cat a; tab list", b"alpha\n" + said.encode()))
    recorder.classify_pending()
    assert reader.seen[0].silent == (Span(6, 6 + len(said)),)


def test_output_over_the_bound_keeps_its_ends_and_says_so(recorder, store, monkeypatch):
    monkeypatch.setattr("tabshell.store.stream.StreamWriter.__init__.__defaults__", (0, 100))
    recorder.record(ran("cat a.txt", b"a" * 80 + b"b" * 80))
    (over,) = facts(store, TurnEnded)
    assert (over.output_bytes, over.dropped, over.gap_at, over.end) == (160, 60, 50, 100)
    assert store.output(over.stream, 0, 100) == b"a" * 50 + b"b" * 50


def test_a_new_process_goes_on_from_what_was_kept_and_takes_up_only_what_came_since(store, reader, tmp_path):
    recorder = Recorder(store, lambda: reader)
    for number in range(KEEP_AFTER + 3):
        reader.memory.variables["n"] = str(number)
        recorder.record(ran(f"cat {number}.txt", b"alpha\n"))
        recorder.classify_pending()
    recorder.record(ran("cat z.txt", b"omega\n"))
    later = WholeOutputReader()
    Recorder(store, lambda: later).classify_pending()
    assert [record.command for record in later.seen] == ["cat z.txt"]
    assert [command for command, _ in later.remembered] == ["cat 8.txt", "cat 9.txt", "cat 10.txt"]
    assert later.memory.variables == {"n": str(KEEP_AFTER)}  # as it stood when the ninth turn was to be classified


def test_without_the_kept_file_every_turn_is_taken_up_again(store, reader, tmp_path):
    recorder = Recorder(store, lambda: reader)
    for number in range(KEEP_AFTER + 1):
        recorder.record(ran(f"cat {number}.txt", b"alpha\n"))
        recorder.classify_pending()
    (tmp_path / MEMORY).unlink()
    recorder.record(ran("cat z.txt", b"omega\n"))
    later = WholeOutputReader()
    Recorder(store, lambda: later).classify_pending()
    assert len(later.remembered) == KEEP_AFTER + 1
    assert (tmp_path / MEMORY).exists()


def test_two_processes_take_up_each_other_s_turns(store, reader):
    here, there = Recorder(store, lambda: reader), WholeOutputReader()
    here.record(ran("cat a.txt", b"alpha\n"))
    here.classify_pending()
    with Store.open(store.path) as another:
        away = Recorder(another, lambda: there)
        away.record(ran("cp b.txt c.txt"))
        away.classify_pending()
    assert there.remembered == [("cat a.txt", ("a.txt",))]
    here.record(ran("cat c.txt", b"beta\n"))
    here.classify_pending()
    assert reader.remembered == [("cp b.txt c.txt", ("c.txt",))]
