"""Candidates: listed and never opened."""

from __future__ import annotations

import pytest

from tabshell.model.accesses import Write


def candidates(told):
    return list(told.tab().candidates)


def test_listed_files_are_candidates_until_they_are_opened(story):
    told = story()
    told.listing("a.txt", "b.txt", "c.txt")
    told.reading("b.txt", text="x")
    assert candidates(told) == ["a.txt", "c.txt"]
    told.listing("b.txt")
    assert candidates(told) == ["a.txt", "c.txt"]


def test_the_turn_of_first_sight_is_kept(story):
    told = story()
    told.listing("a.txt")
    told.listing("a.txt", "b.txt")
    assert [c.turn for c in told.tab().candidates.values()] == [1, 2]


def test_an_empty_file_opened_by_name_is_no_candidate(story):
    told = story()
    told.listing("empty.txt")
    told.start("cat empty.txt")
    told.end(opened=["empty.txt"])
    assert candidates(told) == []


@pytest.mark.parametrize("path", ["/etc/hosts", ".git/config", "sub/.hg/store/x", "a/.svn/entries"])
def test_files_outside_and_version_control_are_none(story, path):
    told = story()
    told.listing(path, ".gitignore", "x.git/readme.txt")
    assert candidates(told) == [".gitignore", "x.git/readme.txt"]


def test_files_of_the_output_folder_are_none(story):
    told = story(out="/ws/model_output")
    told.listing("model_output/report.docx", "model_output_old/report.docx")
    assert candidates(told) == ["model_output_old/report.docx"]


@pytest.mark.parametrize("out", ["/ws", "/", "/ws/"])
def test_an_output_folder_that_holds_the_workspace_hides_nothing(story, out):
    told = story(out=out)
    told.listing("a.txt")
    assert candidates(told) == ["a.txt"]


def test_what_the_agent_wrote_itself_is_none(story):
    told = story()
    told.writing("notes.md")
    told.listing("notes.md", "a.txt")
    assert candidates(told) == ["a.txt"]
    assert told.tab().made == {"notes.md": 1}


def test_a_source_overwritten_by_the_agent_is_none_any_more(story):
    told = story()
    told.listing("a.txt")
    told.writing("a.txt")
    assert candidates(told) == []


def test_a_source_with_a_line_appended_stays_one(story):
    told = story()
    told.listing("a.txt")
    told.writing("a.txt", appended=True)
    assert candidates(told) == ["a.txt"]
    assert told.tab().made == {}


def test_a_copy_of_a_source_is_one(story):
    told = story()
    told.writing("copy.txt", own=False, sources=["a.txt"])
    told.listing("copy.txt")
    assert candidates(told) == ["copy.txt"]


def test_a_file_made_by_the_agent_and_then_replaced_by_a_source_is_one_again(story):
    told = story()
    told.writing("x.txt")
    told.writing("x.txt", own=False, sources=["a.txt"])
    told.listing("x.txt")
    assert candidates(told) == ["x.txt"]


def test_a_searched_file_is_one_and_names_its_hits(story):
    told = story()
    hit = told.searching("a.txt", text="total 7")
    again = told.searching("a.txt", text="total 8")
    assert told.tab().candidates["a.txt"].search_hits == (hit, again)


def test_a_listed_file_that_is_searched_keeps_its_turn(story):
    told = story()
    told.listing("a.txt")
    hit = told.searching("a.txt", text="total 7")
    candidate = told.tab().candidates["a.txt"]
    assert (candidate.turn, candidate.search_hits) == (1, (hit,))


def test_a_search_in_an_opened_file_makes_no_candidate(story):
    told = story()
    told.reading("a.txt", text="x")
    told.searching("a.txt", text="total 7")
    assert candidates(told) == []


def test_reading_what_was_searched_removes_it(story):
    told = story()
    told.searching("a.txt", text="total 7")
    told.reading("a.txt", text="x")
    assert candidates(told) == []


def test_a_derived_read_opens_its_source(story):
    told = story()
    told.listing("a.pdf")
    told.reading("/tmp/a.txt", text="x", derived_from=("a.pdf",))
    assert candidates(told) == []
    assert "a.pdf" in told.tab().opened


def test_a_moved_candidate_moves_with_its_turn_and_hits(story):
    told = story()
    hit = told.searching("a.txt", text="total 7")
    told.writing("sub/b.txt", own=False, moved_from="a.txt")
    candidate = told.tab().candidates["sub/b.txt"]
    assert candidates(told) == ["sub/b.txt"]
    assert (candidate.turn, candidate.search_hits) == (1, (hit,))


def test_a_verbose_move_lists_both_names_and_leaves_one(story):
    told = story()
    told.listing("a.txt")
    told.start("mv -v a.txt b.txt")
    told.end(listed=["a.txt", "b.txt"], wrote=[Write("b.txt", (), False, False, "a.txt")])
    assert candidates(told) == ["b.txt"]


def test_a_candidate_moved_out_of_the_workspace_is_gone(story):
    told = story()
    told.listing("a.txt")
    told.writing("/tmp/a.txt", own=False, moved_from="a.txt")
    assert candidates(told) == []


def test_an_opened_file_stays_opened_under_its_new_name(story):
    told = story()
    told.reading("a.txt", text="x")
    told.writing("b.txt", own=False, moved_from="a.txt")
    told.listing("b.txt")
    assert candidates(told) == []
    assert told.tab().opened == {"b.txt"}


def test_the_agents_own_file_stays_its_own_under_a_new_name(story):
    told = story()
    told.writing("draft.md")
    told.writing("final.md", own=False, moved_from="draft.md")
    told.listing("final.md")
    assert candidates(told) == []
    assert list(told.tab().made) == ["final.md"]


def test_a_source_moved_over_the_agents_own_file_is_a_source(story):
    told = story()
    told.reading("a.txt", text="x")
    told.writing("b.txt")
    told.writing("b.txt", own=False, moved_from="a.txt")
    assert told.tab().made == {}
    assert told.tab().opened == {"b.txt"}


def test_what_lies_in_a_moved_folder_keeps_what_was_known_of_it(story):
    told = story()
    told.listing("old/a.txt", "old/deep/b.txt", "older.txt")
    told.reading("old/read.txt", text="x")
    told.writing("old/mine.txt")
    told.writing("new/", own=False, moved_from="old/")
    tab = told.tab()
    assert sorted(candidates(told)) == ["new/a.txt", "new/deep/b.txt", "older.txt"]
    assert tab.candidates["new/a.txt"].turn == 1
    assert tab.opened == {"new/read.txt"}
    assert set(tab.made) == {"new/mine.txt"}
