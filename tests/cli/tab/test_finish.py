"""``tab finish``, the doors' question whether a stop is to be held, and the ablation switches."""

from __future__ import annotations

# -- finish ---------------------------------------------------------------------------------------------------


def test_finish_exits_1_the_first_time_while_something_is_owed(desk):
    status, out, _ = desk.tab("finish")
    assert status == 1
    assert "No requirement was stated" in out
    assert desk.state().check.state == "none"
    assert desk.tab("finish")[0] == 0
    assert len(desk.state().checks) == 1


def test_finish_names_what_is_open(desk):
    desk.tab("add", "headcount in 2024")
    status, out, _ = desk.tab("finish")
    assert status == 1
    assert "1 requirement is still open:\n  r1 headcount in 2024\nResolved: 0 done, 0 unavailable.\n" in out
    check = desk.state().check
    assert (check.stop, check.state, check.open) == ("finish", "open", (1,))


def test_finish_exits_0_when_all_is_resolved(desk):
    desk.tab("add", "headcount in 2024")
    desk.tab("resolve", "r1", "unavailable", "computed")
    status, out, _ = desk.tab("finish")
    assert status == 0
    assert "The one requirement is resolved: 0 done, 1 unavailable." in out


def test_a_new_task_rearms_it(desk):
    assert [desk.tab("finish")[0] for _ in range(2)] == [1, 0]
    desk.tab("task", "another task")
    assert desk.tab("finish")[0] == 1


def test_a_door_is_told_to_hold_the_first_stop_only(desk):
    status, out, _ = desk.tab("finish", "--stop", "exit")
    assert status == 10
    assert out.startswith("[tab] Finish check: you are about to leave the shell.")
    assert desk.tab("finish", "--stop", "exit") == (0, "", "")
    assert desk.state().check.stop == "exit"
    assert "finish" not in [operation for operation, _ in desk.accesses()]


def test_a_session_that_recorded_nothing_is_not_held(make_desk):
    assert make_desk().tab("finish", "--stop", "ctrl-d") == (0, "", "")


def test_without_the_finish_check_nothing_is_held(make_desk):
    desk = make_desk(finish_check=False)
    desk.command("ls", listed=["a.txt"])
    assert desk.tab("finish", "--stop", "exit") == (0, "", "")
    assert desk.tab("finish")[0] == 0
    assert "switched off" in desk.tab("finish")[1]


# -- ablations ------------------------------------------------------------------------------------------------


def test_without_the_review_the_list_has_no_matches(make_desk):
    desk = make_desk(task="x", review=False)
    desk.read("a.txt", "headcount 7")
    desk.tab("add", "headcount today")
    assert desk.tab("list")[1] == "Requirements: 1 open, 0 resolved\nr1 [open] headcount today\n"
    assert desk.tab("list", "log")[1].startswith("Read log: 1 entry")


def test_without_the_evidence_check_any_entry_closes(make_desk):
    desk = make_desk(evidence_check=False)
    desk.read("menu.txt", "soup")
    desk.tab("add", "headcount today")
    assert desk.tab("resolve", "r1", "done", "L2")[0] == 1
    assert desk.tab("resolve", "r1", "done", "L1")[1] == "r1 done (L1). Open: 0.\n"


def test_without_capture_anything_closes_and_the_lists_say_so(make_desk):
    desk = make_desk(capture=False)
    desk.tab("add", "headcount today")
    assert desk.tab("list")[1] == "Requirements: 1 open, 0 resolved\nr1 [open] headcount today\n"
    for kind in ("candidates", "log"):
        assert desk.tab("list", kind)[1] == "Reads and listings are not recorded in this session (--no-capture).\n"
    assert desk.tab("resolve", "r1", "done", "staff", "list.txt")[1] == "r1 done (staff list.txt). Open: 0.\n"
    assert desk.tab("status")[1] == (
        "[tab] requirements: 0 open, 1 resolved | last tab access: this turn | ops: tab add list show resolve\n"
    )
    assert "Files listed" not in desk.tab("finish")[1]
