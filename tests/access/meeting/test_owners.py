"""Which file a shown row belongs to, where outputs make it hard to tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.model.accesses import Accesses
from tabshell.model.records import CommandRecord
from tabshell.text.observation import excerpt_text


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for name, text in {
        "notes/barn.md": "# Barn\n\nThe roof needs 310 tiles.\n",
        "notes/well.md": "# Well\n\nThe pump was serviced in May.\n",
        "notes/mill.md": "# Mill\n\nThe stones turn again.\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def classified(top: Path, command: str, output: str, **more) -> Accesses:
    record = CommandRecord("shim", command, "argument", str(top), output.encode(), 0, **more)
    return Classifier(str(top), None, Disk(60)).classify(record)


def held(accesses: Accesses, output: str, path: str) -> str:
    return "\n".join(excerpt_text(output.encode(), e.spans, e.screen) for e in accesses.excerpts if path in e.paths)


def test_below_a_row_of_gits_statistics_stands_no_content_of_its_file(top):
    output = (
        " notes/barn.md | 3 +++\n notes/mill.md | 4 ++--\n 2 files changed, 5 insertions(+), 2 deletions(-)\n"
        "Pump\n\ndiff --git a/notes/well.md b/notes/well.md\nindex 5f2d1ab..77e0c1d 100644\n"
        "--- a/notes/well.md\n+++ b/notes/well.md\n@@ -1,2 +1,3 @@\n # Well\n \n+The pump was serviced in May.\n"
    )
    accesses = classified(top, "git log --stat -1 | tail -3; git show --format=%s -- notes", output)
    assert accesses.read == ("notes/well.md",)
    assert sorted(accesses.listed) == ["notes/barn.md", "notes/mill.md"]


def test_one_row_each_of_many_middling_files_is_found_in_all_of_them(top):
    words = ["quince", "medlar", "damson", "mirabelle", "bullace", "greengage", "rowan", "sorrel", "lovage", "costmary"]
    for word in words:
        rows = "".join(f"{word}{n},{n * 37},{word[::-1]}\n" for n in range(2500))
        (top / f"{word}.csv").write_text(f"{word}_sort,{word}_kilos,{word}_place\n{rows}")
    command = "python3 -c \"import glob\nfor f in sorted(glob.glob('*.csv')): print(f, open(f).readline().split(','))\""
    output = "".join(f"{w}.csv ['{w}_sort', '{w}_kilos', '{w}_place\\n']\n" for w in sorted(words))
    assert classified(top, command, output).read == tuple(f"{word}.csv" for word in sorted(words))


@pytest.mark.parametrize("opened", [True, False])
def test_a_value_among_words_that_the_command_prints_itself_is_read(top, opened):
    (top / "trips.ics").write_text("BEGIN:VEVENT\nDTSTART:20260501T160000Z\nSUMMARY:mill\nEND:VEVENT\n")
    (top / "walks.ics").write_text("BEGIN:VEVENT\nDTSTART:20260714T093000Z\nSUMMARY:barn\nEND:VEVENT\n")
    command = (
        'grep -l "" *.ics | while read -r f; do echo "$f: $(grep -c BEGIN:VEVENT "$f") events, '
        'first $(grep -m1 DTSTART "$f")"; done'
    )
    output = "".join(
        f"{name}.ics: 1 events, first DTSTART:{day}\n"
        for name, day in (("trips", "20260501T160000Z"), ("walks", "20260714T093000Z"))
    )
    witness = (str(top / "trips.ics"), str(top / "walks.ics")) if opened else None
    accesses = classified(top, command, output, opened=witness)
    assert (accesses.searched, accesses.listed) == (("trips.ics", "walks.ics"), ())
    assert "20260714T093000Z" in held(accesses, output, "walks.ics")


def test_a_count_among_words_that_the_command_prints_itself_is_not_read(top):
    (top / "log.txt").write_text("".join(f"entry {n}\n" for n in range(300)))
    command = (
        'n=$(grep -c entry log.txt); echo "log.txt has entries: $n"; x=$(grep -m1 "entry 7" log.txt); echo "${#x}"'
    )
    assert classified(top, command, "log.txt has entries: 300\n7\n").read == ()


def test_a_last_line_without_a_break_is_its_files_whatever_is_printed_behind_it(top):
    for name, text in {
        "a.log": "start of the first\nthe barn door creaks at midnight",
        "b.log": "start of the second\nthe mill wheel stands still",
        "c.log": "start of the third\nthe pump lost its handle\n",
    }.items():
        (top / name).write_text(text)
    command = "for f in *.log; do printf '%s: ' $f; wc -l < $f; tail -1 $f; done"
    output = (
        "a.log: 1\nthe barn door creaks at midnightb.log: 1\nthe mill wheel stands stillc.log: 2\n"
        "the pump lost its handle\n"
    )
    accesses = classified(top, command, output)
    assert accesses.read == ("a.log", "b.log", "c.log")
    for name, text in (("a.log", "barn door"), ("b.log", "mill wheel"), ("c.log", "pump")):
        assert text in held(accesses, output, name)
        assert not any(text in held(accesses, output, other) for other in accesses.read if other != name)


def test_a_line_from_elsewhere_behind_the_first_ones_does_not_stretch_their_range(top):
    (top / "wells.txt").write_text("".join(f"well {n} is {n * 7} feet deep\n" for n in range(1, 90)))
    command = 'mapfile -t L < wells.txt; printf \'%s\\n\' "${L[@]:0:3}" "${L[-1]}"'
    output = "".join(f"well {n} is {n * 7} feet deep\n" for n in (1, 2, 3, 89))
    assert [e.lines for e in classified(top, command, output).excerpts] == [(1, 3)]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("paste -d'|' <(head -1 notes/barn.md) <(head -1 other.md)", "# Barn|# Barn doors\n"),
        (
            "join -t, <(sort feet.csv) <(jq -r '[.tree,.feet]|@csv' feet.jsonl | tr -d '\"' | sort)",
            "boskoop,41,41\nelstar,38,38\n",
        ),
        ("diff -y --suppress-common-lines feet.csv prunes.csv", "boskoop,41\t\t|\tboskoop,44\n"),
    ],
)
def test_a_row_that_holds_lines_side_by_side_belongs_to_all_their_files(top, command, output):
    (top / "other.md").write_text("# Barn doors\n\nOak.\n")
    (top / "feet.csv").write_text("boskoop,41\nelstar,38\n")
    (top / "prunes.csv").write_text("boskoop,44\nelstar,38\n")
    (top / "feet.jsonl").write_text('{"tree": "boskoop", "feet": 41}\n{"tree": "elstar", "feet": 38}\n')
    accesses = classified(top, command, output)
    assert len(accesses.read) == 2
    for path in accesses.read:
        assert held(accesses, output, path).split() == output.split()


def test_what_shows_facts_about_a_file_is_computed_from_it_and_only_from_one_that_is_there(top):
    (top / "deed.pdf").write_bytes(b"%PDF-1.4\n")
    assert classified(top, "pdfinfo deed.pdf | grep Pages", "Pages: 11\n").computed_from == ("deed.pdf",)
    command = "python3 -c \"print(len(open('gone.txt').read()))\" 2>&1 | tail -1"
    output = "FileNotFoundError: [Errno 2] No such file or directory: 'gone.txt'\n"
    assert classified(top, command, output).computed_from == ()


def test_a_script_that_asks_for_names_shows_the_files_of_the_folders_that_it_names(top):
    command = 'node -e \'const f=require("fs"); for (const n of f.readdirSync("notes")) console.log(n, 3, f.x(n))\''
    output = "barn.md 3 The roof needs 310 tiles.\nmill.md 3\nwell.md 3 The pump was serviced in May.\n"
    accesses = classified(top, command, output)
    assert (accesses.read, accesses.listed) == (("notes/barn.md", "notes/well.md"), ("notes/mill.md",))


def test_beginnings_of_files_in_one_row_belong_to_all_of_them(top):
    for name in ("barn", "well", "mill"):
        (top / f"{name}.txt").write_text(f"{name} register of all works in the year 2026, kept by the {name} warden\n")
    output = "".join(f"{name} register of all works in the year" for name in ("barn", "mill", "well"))
    accesses = classified(top, "find . -name '*.txt' -print0 | sort -z | xargs -0 -n1 head -c 37", output)
    assert sorted(accesses.read) == ["barn.txt", "mill.txt", "well.txt"]


def test_what_another_tool_says_behind_a_path_is_no_content_of_the_file(top):
    (top / "box.bin").write_bytes(bytes(range(120, 250)))
    command = "xxd box.bin | head -1; file box.bin notes/barn.md; head -1 notes/barn.md"
    output = (
        "00000000: 7879 7a7b 7c7d 7e7f 8081 8283 8485 8687  xyz{|}~.........\n"
        "box.bin:       data\nnotes/barn.md: ASCII text\n# Barn\n"
    )
    accesses = classified(top, command, output)
    assert set(accesses.read) == {"box.bin", "notes/barn.md"}
    assert held(accesses, output, "box.bin").startswith("00000000: 7879 7a7b")
    assert "data" not in held(accesses, output, "box.bin")
    assert held(accesses, output, "notes/barn.md") == "# Barn"


def test_below_a_count_of_lines_stands_no_change_that_git_showed(top):
    output = (
        "diff --git a/notes/well.md b/notes/well.md\n--- a/notes/well.md\n+++ b/notes/well.md\n@@ -1,2 +1,3 @@\n"
        " # Well\n \n+The pump was serviced in May.\n  3 notes/mill.md\n 12 total\n"
    )
    accesses = classified(top, "git diff | head -20; wc -l notes/*.md | tail -2", output)
    assert (accesses.read, accesses.listed) == (("notes/well.md",), ("notes/mill.md",))
