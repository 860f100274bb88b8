"""Laws and borders of the classifier: it never raises, knows its doors, remembers, and costs no more than its output."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.model.accesses import Accesses
from tabshell.model.records import CommandRecord, Gap, Record, ToolRecord
from tabshell.text.observation import excerpt_text

OWN = Path(__file__).parents[2] / "fixtures" / "commands" / "own.txt"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    top = tmp_path / "ws"
    (top / "docs").mkdir(parents=True)
    (top / "notes.md").write_text("# Notes\n\nThe tender closes on 12 May 2026.\nOffers above 48,500 EUR are void.\n")
    (top / "docs" / "lease.txt").write_text("".join(f"Clause {n}: rent of {n * 131} EUR\n" for n in range(1, 200)))
    (top / "rows.csv").write_text("item,eur\nchairs,1200\ndesks,5400\n")
    return top


def record(top: Path, command: str, output: bytes | str, **more) -> CommandRecord:
    data = output.encode() if isinstance(output, str) else output
    return CommandRecord("shim", command, "argument", str(top), data, more.pop("exit_code", 0), **more)


def tool(top: Path, name: str, action: str, paths: tuple[str, ...], output: str, **more) -> ToolRecord:
    return ToolRecord(
        "hook", "agent", name, action, f"{name} {' '.join(paths)}", str(top), paths, output.encode(), **more
    )


def classify(top: Path, *records: Record) -> list[Accesses]:
    classifier = Classifier(str(top), None, Disk(60))
    return [classifier.classify(each) for each in records]


COMMANDS = st.one_of(
    st.text(max_size=60),
    st.sampled_from([line[2:] for line in OWN.read_text().splitlines() if line.startswith("$ ")] or ["cat notes.md"]),
    st.lists(st.sampled_from(["cat", "head", "notes.md", "rows.csv", "docs/lease.txt", "|", ";", "&&", "$(", ")", "'", '"', "<", ">", "<<", "E", "-n", "for", "do"]), max_size=12).map(" ".join),
)  # fmt: skip
OUTPUTS = st.one_of(
    st.binary(max_size=200),
    st.lists(
        st.sampled_from(
            [b"# Notes\r\n", b"item,eur\n", b"docs/lease.txt:3:Clause 3: rent of 393 EUR\n", b"==> rows.csv <==\n", b"\x1b[31m",
             b"./docs\n", b"docs:\n", b"lease.txt  rows.csv\n", b"\x1b[?1049h", b"\x1b[?1049l", b"'", b"\xff\xfe", b"\r", b"1200 "]
        ),
        max_size=15,
    ).map(b"".join),
)  # fmt: skip


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(COMMANDS, OUTPUTS, st.booleans(), st.sampled_from([0, 80]), st.booleans())
def test_no_command_and_no_output_raise(workspace, command, output, confirmable, columns, witnessed) -> None:
    opened = (str(workspace / "rows.csv"), "/nowhere") if witnessed else None
    made = record(workspace, command, output, confirmable=confirmable, columns=columns, opened=opened)
    accesses = Classifier(str(workspace), None, Disk(60)).classify(made)
    assert not [r.evidence for r in accesses.reasons if r.rule == "internal fault"]
    for entry in accesses.excerpts:
        assert all(0 <= start < end <= len(output) for start, end in entry.spans)
        text = excerpt_text(output, entry.spans, entry.screen, columns or 80)
        assert (entry.chars, entry.text_sha256) == (
            len(text),
            hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest(),
        )


def test_a_fault_becomes_a_reason(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabshell.access.classify.follow", lambda *_: 1 / 0)
    (accesses,) = classify(workspace, record(workspace, "cat notes.md", "# Notes\n"))
    assert [r.rule for r in accesses.reasons] == ["internal fault"]


def test_an_agents_read_tool_is_a_read_with_its_lines(workspace: Path) -> None:
    shown = "     3→The tender closes on 12 May 2026.\n     4→Offers above 48,500 EUR are void.\n"
    (accesses,) = classify(
        workspace, tool(workspace, "Read", "read", ("notes.md",), shown, numbered=True, first_line=3)
    )
    assert accesses.read == ("notes.md",)
    assert accesses.excerpts[0].lines == (3, 4)


def test_an_agents_grep_and_glob_tools_search_and_list(workspace: Path) -> None:
    hits = tool(workspace, "Grep", "search", (".",), "docs/lease.txt:3:Clause 3: rent of 393 EUR\n")
    names = tool(workspace, "Grep", "search", (".",), "Found 2 files\nnotes.md\nrows.csv\n")
    glob = tool(workspace, "Glob", "list", (".",), f"{workspace}/docs/lease.txt\n{workspace}/notes.md\n")
    first, second, third = classify(workspace, hits, names, glob)
    assert (first.searched, first.listed) == (("docs/lease.txt",), ())
    assert (second.searched, set(second.listed)) == ((), {"notes.md", "rows.csv"})
    assert set(third.listed) == {"docs/lease.txt", "notes.md"}


def test_what_an_agents_write_tool_wrote_is_its_own(workspace: Path) -> None:
    (workspace / "draft.md").write_text("Draft of the offer 2718\n")
    written = tool(workspace, "Write", "write", ("draft.md",), "ok")
    first, second = classify(workspace, written, record(workspace, "cat draft.md", "Draft of the offer 2718\n"))
    assert [(w.path, w.own) for w in first.wrote] == [("draft.md", True)]
    assert [e.own for e in second.excerpts] == [True]


def test_bytes_that_tabshell_printed_belong_to_nobody(workspace: Path) -> None:
    status = b"[tab] requirements: 1 open (r1) | notes.md\n"
    output = b"item,eur\n" + status
    (accesses,) = classify(workspace, record(workspace, "head -1 rows.csv; ls", output, silent=((9, len(output)),)))
    assert accesses.read == ("rows.csv",)
    assert accesses.listed == ()
    assert excerpt_text(output, accesses.excerpts[0].spans, False) == "item,eur"


def test_a_record_from_elsewhere_is_decided_by_command_and_output_alone(tmp_path: Path) -> None:
    top = tmp_path / "gone"
    (accesses,) = classify(top, record(top, "cat report.md | head -5", "# A report\nof last year\n", confirmable=False))
    assert accesses.read == ("report.md",)
    assert accesses.excerpts[0].unconfirmed


def test_a_failed_read_leaves_nothing(workspace: Path) -> None:
    output = "cat: nothing.md: No such file or directory\n"
    (accesses,) = classify(workspace, record(workspace, "cat nothing.md", output, exit_code=1))
    assert (accesses.read, accesses.listed, accesses.excerpts) == ((), (), ())


def test_an_empty_file_that_was_read_counts_as_opened(workspace: Path) -> None:
    (workspace / "empty.md").touch()
    (accesses,) = classify(workspace, record(workspace, "cat empty.md", ""))
    assert accesses.opened == ("empty.md",)


def test_the_witness_tells_what_a_script_opened_that_names_nothing(workspace: Path) -> None:
    output = "desks cost 5400\nchairs cost 1200\n"
    opened = (str(workspace / "rows.csv"), str(workspace / "notes.md"))
    blind = record(workspace, "./summary", output)
    seen = record(workspace, "./summary", output, opened=opened)
    without, with_witness = classify(workspace, blind, seen)
    assert without.read == ()
    assert with_witness.read == ("rows.csv",)


def test_a_computed_value_names_its_source(workspace: Path) -> None:
    command = "awk -F, '{s+=$2} END{print s}' rows.csv"
    (accesses,) = classify(workspace, record(workspace, command, "6600\n"))
    assert (accesses.read, accesses.computed_from) == ((), ("rows.csv",))


def test_a_bound_that_cut_an_excerpt_is_told(workspace: Path) -> None:
    output = b"Clause 1: rent of 131 EUR\nClause 198: rent of 25938 EUR\n"
    made = record(workspace, "cat docs/lease.txt", output, gap=Gap(26, 5000))
    (accesses,) = classify(workspace, made)
    assert accesses.excerpts[0].truncated


def test_a_resumed_classifier_knows_what_earlier_turns_wrote(workspace: Path) -> None:
    (workspace / "sorted.csv").write_text("chairs,1200\ndesks,5400\nitem,eur\n")
    write = record(workspace, "sort rows.csv > sorted.csv; F=sorted.csv", "")
    first = Classifier(str(workspace), None, Disk(60))
    written = first.classify(write)
    later = Classifier(str(workspace), None, Disk(60))
    later.remember(write, written)
    accesses = later.classify(record(workspace, 'head -1 "$F"', "chairs,1200\n"))
    assert accesses.excerpts[0].derived_from == ("rows.csv",)
    assert accesses.read == ("sorted.csv", "rows.csv")


def test_unpacked_files_come_from_their_archive(workspace: Path, tmp_path: Path) -> None:
    (workspace / "pack.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    out = tmp_path / "out"
    out.mkdir()
    (out / "inner.txt").write_text("Delivered 77 crates\n")
    unpack = record(workspace, f"unzip -q pack.zip -d {out}", "", started_at=time.time() - 5)
    _, accesses = classify(workspace, unpack, record(workspace, f"cat {out}/inner.txt", "Delivered 77 crates\n"))
    assert "pack.zip" in accesses.read
    assert accesses.excerpts[0].derived_from == ("pack.zip",)
    assert accesses.excerpts[0].outside


def test_a_large_output_is_held_whole(workspace: Path) -> None:
    lines = [f"{n} entry of the ledger {n * 7919 % 99991}" for n in range(500_000)]
    body = ("\n".join(lines) + "\n").encode()
    (workspace / "ledger.txt").write_bytes(body)
    begun = time.process_time()
    (accesses,) = classify(workspace, record(workspace, "cat ledger.txt", body.replace(b"\n", b"\r\n"), columns=160))
    assert time.process_time() - begun < 5
    assert accesses.read == ("ledger.txt",)
    assert sum(end - start for start, end in accesses.excerpts[0].spans) == len(body) + len(lines)


def test_a_long_line_is_held_whole(workspace: Path) -> None:
    body = b'{"rows": [' + b", ".join(b'"row %d of the register"' % n for n in range(900_000)) + b"]}"
    (workspace / "register.json").write_bytes(body)
    (accesses,) = classify(workspace, record(workspace, "cat register.json", body))
    assert accesses.read == ("register.json",)
    assert accesses.excerpts[0].chars == len(body)


def test_the_time_of_a_turn_does_not_grow_with_the_session(workspace: Path) -> None:
    classifier = Classifier(str(workspace), None, Disk(60))
    made = record(
        workspace, "sed -n '3,9p' docs/lease.txt", "".join(f"Clause {n}: rent of {n * 131} EUR\n" for n in range(3, 10))
    )
    classifier.classify(made)
    spent = []
    for _ in range(2):
        begun = time.process_time()
        for _ in range(300):
            classifier.classify(made)
        spent.append(time.process_time() - begun)
    assert spent[1] < 2 * spent[0]


def test_a_message_that_came_between_takes_no_line_from_its_file(workspace: Path) -> None:
    (workspace / "base.bin").write_bytes(b"\0tender\0")
    output = "grep: ./notes.md:3:The tender closes on 12 May 2026.\n./base.bin: binary file matches./rows.csv:2:chairs,1200\n\n"
    (accesses,) = classify(workspace, record(workspace, "grep -rn e . | cut -c1-90", output))
    assert set(accesses.searched) == {"notes.md", "rows.csv"}
    assert accesses.listed == ("base.bin",)
    output = "./rows.csv:2:chairs,1200\n./base.bin: binary file matches\n"
    (accesses,) = classify(workspace, record(workspace, "grep -rn e . | cut -c1-90", output))
    assert (accesses.searched, accesses.listed) == (("rows.csv",), ("base.bin",))


def test_the_halves_of_pasted_lines_belong_to_both_files(workspace: Path) -> None:
    (workspace / "names.txt").write_text("Okafor Lindqvist\nMeridian Boskoop\n")
    output = "item,eur|Okafor Lindqvist\nchairs,1200|Meridian Boskoop\n"
    (accesses,) = classify(workspace, record(workspace, "paste -d'|' rows.csv names.txt | head -2", output))
    assert set(accesses.read) == {"rows.csv", "names.txt"}


@pytest.mark.parametrize(
    ("fills", "prints", "output"),
    [
        ("read a b < notes.txt", 'echo "$a"', b"harbour\n"),
        ("x=$(head -1 notes.txt)", 'echo "got $x"', b"got harbour fees\n"),
        ("mapfile -t rows < notes.txt", 'printf "%s\\n" "${rows[1]}"', b"ferry timetable\n"),
        ("exec 3< notes.txt; read -u 3 line", 'echo "$line"', b"harbour fees\n"),
    ],
)
def test_a_variable_filled_from_a_file_is_a_reading_when_a_later_turn_prints_it(tmp_path, fills, prints, output):
    (tmp_path / "notes.txt").write_text("harbour fees\nferry timetable\n")
    (tmp_path / "other.txt").write_text("harbour fees\nferry timetable\n")
    classifier = Classifier(str(tmp_path), None, Disk())
    assert classifier.classify(CommandRecord("pty", fills, "history", str(tmp_path), b"", 0)).read == ()
    assert classifier.classify(CommandRecord("pty", prints, "history", str(tmp_path), output, 0)).read == ("notes.txt",)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ('read a b < log.txt; echo "$b"', "northern quay\n"),
        ('read -a words < log.txt; echo "${words[1]}"', "northern\n"),
        ('mapfile -t rows < log.txt; echo "${rows[1]}"', "the ferry leaves\n"),
        ('rows=($(grep quay log.txt)); echo "${rows[2]}"', "quay\n"),
    ],
)
def test_a_variable_filled_from_a_file_too_long_to_be_followed_shows_it(tmp_path, command, output):
    (tmp_path / "log.txt").write_text("harbour northern quay\n" + "the ferry leaves\n" * 20_000)
    found = Classifier(str(tmp_path), None, Disk()).classify(record(tmp_path, command, output))
    assert (*found.read, *found.searched) == ("log.txt",)


def test_what_is_shown_in_another_form_beside_a_file_that_is_recognised_is_a_reading(workspace: Path) -> None:
    (workspace / "key.bin").write_bytes(b"Total outlays rose")
    output = "item,eur\n546f74616c206f75746c61797320726f7365\n"
    command = "head -1 rows.csv | tr a-z a-z; xxd -p key.bin"
    (accesses,) = classify(workspace, record(workspace, command, output))
    assert accesses.read == ("rows.csv", "key.bin")
    held = {e.paths: [output.encode()[s.start : s.end] for s in e.spans] for e in accesses.excerpts}
    assert held[("key.bin",)] == [b"546f74616c206f75746c61797320726f7365\n"]


def test_a_variable_that_holds_a_count_shows_nothing_of_its_file(tmp_path):
    (tmp_path / "notes.txt").write_text("harbour 2\nferry 2\n")
    classifier = Classifier(str(tmp_path), None, Disk())
    classifier.classify(CommandRecord("pty", "n=$(wc -l < notes.txt)", "history", str(tmp_path), b"", 0))
    assert classifier.classify(CommandRecord("pty", 'echo "$n"', "history", str(tmp_path), b"2\n", 0)).read == ()


def test_a_running_head_that_stands_in_a_file_twice_does_not_stretch_what_was_shown(workspace: Path) -> None:
    head = "Quarterly bulletin of the harbour"
    lines = [head, *(f"berth {n} is let for {n * 37} euros" for n in range(40)), head]
    lines += [f"crane {n} weighs {n * 53} tonnes" for n in range(9)]
    (workspace / "bulletin.txt").write_text("\n".join(lines) + "\n")
    shown = "\n".join(lines[41:46]) + "\n"
    (accesses,) = classify(workspace, record(workspace, "sed -n 42,46p bulletin.txt", shown))
    assert accesses.excerpts[0].lines == (42, 46)


def test_the_empty_line_that_head_puts_between_files_is_none_of_theirs(workspace: Path) -> None:
    (workspace / "cranes.txt").write_text("".join(f"crane {n} weighs {n * 53} tonnes\n" for n in range(1, 9)))
    (workspace / "ferries.txt").write_text("ferry 1 sails at 08:40\n\nferry 2 sails at 09:25\n\nferry 3\n")
    shown = (
        "==> cranes.txt <==\ncrane 1 weighs 53 tonnes\ncrane 2 weighs 106 tonnes\n\n"
        "==> ferries.txt <==\nferry 1 sails at 08:40\n\nferry 2 sails at 09:25\n\n"
    )
    (accesses,) = classify(workspace, record(workspace, "head -n 4 cranes.txt ferries.txt | cut -c-40", shown))
    found = {e.paths[0]: e.lines for e in accesses.excerpts}
    assert found == {"cranes.txt": (1, 2), "ferries.txt": (1, 4)}


def tiny(top):
    for name, text in {
        "a.txt": "foo\n",
        "b.txt": "foo\nbar\n",
        "c.txt": "x\nfoo 2\n",
        "sub/d.txt": "nothing\n",
    }.items():
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text(text)
    return Classifier(str(top), None, Disk())


def test_short_lines_of_a_recursive_search_go_to_one_file_after_another(tmp_path):
    output = b"foo\nfoo\nfoo 2\n"
    found = tiny(tmp_path).classify(CommandRecord("pty", "grep -rh foo .", "history", str(tmp_path), output, 0))
    assert found.searched == ("a.txt", "b.txt", "c.txt")
    assert found.computed_from == ()


def test_encoders_are_taken_at_their_word_beside_another_file(tmp_path):
    command = "cat c.txt; xxd -p b.txt; base64 a.txt"
    output = b"x\nfoo 2\n666f6f0a6261720a\nZm9vCg==\n"
    found = tiny(tmp_path).classify(CommandRecord("pty", command, "history", str(tmp_path), output, 0))
    assert set(found.read) == {"a.txt", "b.txt", "c.txt"}


def test_awk_shows_the_second_file_where_it_only_takes_the_first_one_in(tmp_path):
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("harbour fees\nferry timetable\n")
    command = "awk 'NR==FNR{n[$1]; next} $1 in n' one.txt two.txt"
    record = CommandRecord("pty", command, "history", str(tmp_path), b"harbour fees\n", 0)
    assert Classifier(str(tmp_path), None, Disk()).classify(record).read == ("two.txt",)
