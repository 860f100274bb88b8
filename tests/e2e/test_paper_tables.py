"""The course of the paper's three example attempts (Tables 5 to 7), rebuilt at a real terminal.

The numbers are the paper's: 98 files listed and four read; six requirements of which one is authored; a first stop
without any requirement. The files and the task are written for this test.
"""

import pytest

POLICIES = {
    "policies/travel/travel_approval_rules.txt": "Article 1 Travel approval\nA request goes to the manager five days ahead.\n",
    "policies/travel/travel_requirements_2024.txt": "Article 4 Travel requirements\nBook the train below 500 km.\n",
    "policies/travel/reimbursement_standards.txt": "Article 7 Standards for reimbursement of expenses\nTier-1 hotel 220\n",
    "policies/travel/procedures_and_violations.txt": (
        "Article 9 Reimbursement procedures\nHand in receipts in ten days.\nArticle 12 Violation handling\nRepay twofold.\n"
    ),
}
TASK = (
    "Write a guide from the four travel policy files: travel approval, travel requirements, reimbursement standards, "
    "reimbursement procedures and violation handling. Write it to travel_guide.md."
)


@pytest.fixture
def office(workspace):
    """98 files, four of them the policies that the task asks for."""
    for path, text in POLICIES.items():
        file = workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for number in range(94):
        folder = workspace / ("archive/travel policy" if number % 2 else "inbox")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"memo {number:02}.txt").write_text(f"memo {number}\n")
    return workspace


def test_a_guide_from_four_policies(office, terminal, exported):
    shell = terminal("--task", TASK)
    added = shell.run(
        "printf '%s\\n' 'travel approval workflow' 'travel requirements' 'reimbursement standards' "
        "'reimbursement procedures' 'violation handling' 'generate travel_guide.md' | tab add"
    )
    assert "r3" in added
    assert "reimbursement standards" in added

    assert "candidates: 98 unopened" in shell.status("find . -type f")
    assert "read log: 0 entries" in shell.status("true")
    for path in POLICIES:
        last = shell.status(f"cat {path}")
    assert "candidates: 94 unopened" in last
    assert "read log: 4 entries" in last
    assert "requirements: 6 open (r1, r2, r3, r4, r5, r6), 0 resolved" in last

    review = shell.run("tab list")
    r3 = review[review.index("r3 ") : review.index("r4 ")]
    assert "L3" in r3
    assert "Article 7 Standards for reimbursement of expenses" in r3
    assert "archive/travel policy" in review

    shown = shell.run("tab show L3")
    assert shown.startswith("L3: policies/travel/reimbursement_standards.txt (turn 6, ")
    assert "command: cat policies/travel/reimbursement_standards.txt" in shown
    assert "Tier-1 hotel 220" in shown

    shell.run("echo '# Travel guide' > travel_guide.md")
    for requirement, entry in (("r1", "L1"), ("r2", "L2"), ("r3", "L3"), ("r4", "L4"), ("r5", "L4")):
        assert f"{requirement} done ({entry})" in shell.run(f"tab resolve {requirement} done {entry}")
    refused = shell.run("tab resolve r6 done travel_guide.md; echo status $?")
    assert "status 1" in refused
    assert "r6 unavailable (authored). Open: 0." in shell.run("tab resolve r6 unavailable authored")

    check = shell.run("exit")
    assert "All 6 requirements are resolved" in check
    assert "5 done" in check
    assert "1 unavailable" in check
    assert "Files listed but never opened: 94" in check
    shell.leave("exit 0")
    assert shell.child.exitstatus == 0

    session = exported()
    assert [item["status"] for item in session["requirements"]] == ["done"] * 5 + ["unavailable"]
    assert [entry["paths"] for entry in session["log"]] == [[path] for path in POLICIES]
    assert session["log"][2]["excerpt"] == POLICIES["policies/travel/reimbursement_standards.txt"].rstrip("\n")
    assert len(session["candidates"]) == 94
    assert session["finish_check"] == {"turn": session["finish_check"]["turn"], "stop": "exit", "state": "resolved"}
    assert session["session"]["complete"] is True
    assert session["integrity"]["ok"] is True


def test_no_requirement_at_the_first_stop_then_a_row_for_each_order(workspace, terminal, exported):
    amounts = {number: 1000 * number for number in range(1, 11)}
    for number, amount in amounts.items():
        (workspace / f"Purchase_Order_{number}.txt").write_text(
            f"Purchase Order #10{number:02}\nSupplier: Supplier {number}\nAmount: ¥{amount}\nStatus: Stocked In\n"
        )
    shell = terminal("--task", "Make a table by supplier with the amount of every purchase order.")
    for number in amounts:
        shell.run(f"cat Purchase_Order_{number}.txt")

    check = shell.run("exit")
    assert "No requirement" in check
    assert "10 entries" in check

    rows = "\n".join(f"Table row: Supplier {number} | {amount}" for number, amount in amounts.items())
    shell.run(f"tab add <<'ROWS'\n{rows}\nROWS".replace("\n", "\r"))
    for number in amounts:
        assert f"r{number} done (L{number})" in shell.run(f"tab resolve r{number} done L{number}")
    assert "requirements: 0 open, 10 resolved" in shell.status("true")
    shell.leave("exit")

    session = exported()
    assert {item["status"] for item in session["requirements"]} == {"done"}
    assert session["finish_check"]["state"] == "none"


def test_open_requirements_come_back_at_the_stop(workspace, terminal):
    (workspace / "staff.csv").write_text("metric,value\nheadcount,128\n")
    shell = terminal("--task", "brief on headcount and patents")
    shell.run("tab add headcount; tab add 'number of patents'")
    shell.run("cat staff.csv")
    shell.run("tab resolve r1 done L1")
    check = shell.run("exit 3")
    assert "r2" in check
    assert "number of patents" in check
    assert "1 done" in check
    shell.leave("exit 4")
    assert shell.child.exitstatus == 4
