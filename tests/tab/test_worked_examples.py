"""Three whole sessions of the kind that the tab was made for, followed by its numbers."""

from __future__ import annotations

import pytest

from tabshell.errors import Refused
from tabshell.tab import rules
from tabshell.tab.candidates import candidates_page
from tabshell.tab.evidence import cited_lines
from tabshell.tab.finish import finish_state, finish_text
from tabshell.tab.fold import standing
from tabshell.tab.paging import page_of
from tabshell.tab.review import review, review_text
from tabshell.tab.show import entry_text, named
from tabshell.tab.statusline import status_line
from tabshell.text.terms import query


def resolve(told, number, *refs):
    tab = told.tab()
    told.done(number, *rules.references(tab, tab.requirements[number], refs, None, lambda _: [], told.text_of))


def test_a_travel_guide_from_four_policies_of_98_files(story):
    told = story(
        task="Compile a guide to business travel and reimbursement for employees from the four policy files",
        out="/ws/model_output",
    )
    told.add(
        "approval of business travel",
        "requirements for travel",
        "reimbursement standards",
        "reimbursement procedure",
        "violations",
        "write the travel and reimbursement guide (doc)",
    )
    policies = [
        ("policies/travel_approval_policy.txt", "Approval\nBusiness travel needs the approval of a manager"),
        ("policies/travel_management_policy_2.txt", "Standards\nReimbursement standards: tier-1 cities 220, meals 50"),
        ("policies/travel_requirements.txt", "Requirements\nTravel is booked ten days ahead"),
        ("policies/expense_procedure.txt", "Procedure for reimbursement\nViolations are handled by finance"),
    ]
    others = [f"policies/employee_travel_policy_{n}.pdf" for n in range(50)]
    others += [f"archive/{n:02}/minutes.txt" for n in range(44)]
    told.idle()
    told.listing(*(path for path, _ in policies), *others)
    assert "| candidates: 98 unopened, 53 above threshold | read log: 0 entries |" in status_line(standing(told.tab()))
    for path, text in policies:
        told.reading(path, text=text)
    assert "| candidates: 94 unopened, 50 above threshold | read log: 4 entries |" in status_line(standing(told.tab()))
    assert "last tab access: 6 turns ago" in status_line(standing(told.tab()))

    listed = candidates_page(told.tab(), 1)[0].split("\n")
    assert listed[0].startswith("Candidates: 94 unopened, 50 above threshold")
    assert listed[1] == "1. policies/employee_travel_policy_0.pdf *"

    second = named(told.tab(), "L2")
    assert entry_text(second, told.text_of(second)).split("\n")[:4] == [
        "L2: policies/travel_management_policy_2.txt (turn 5, 62 chars)",
        "command: cat policies/travel_management_policy_2.txt",
        "---",
        "Standards",
    ]

    items = page_of(list(told.tab().requirements.values()), 10, 1)
    text = review_text(told.tab(), items, review(told.tab(), list(items.items), told.text_of))
    assert text.startswith("Requirements: 6 open, 0 resolved\n")
    assert "r3 [open] reimbursement standards\n    read: L2 policies/travel_management_policy_2.txt: Standards" in text
    assert text.endswith("94 files never opened in all: tab list candidates")

    told.writing("model_output/guide.doc")
    with pytest.raises(Refused, match="lies in the output folder"):
        resolve(told, 6, "model_output/guide.doc")
    for requirement, entry in ((1, "L1"), (3, "L2"), (2, "L3"), (4, "L4"), (5, "L4")):
        resolve(told, requirement, entry)
    told.unavailable(6, "authored")
    assert finish_state(told.tab()) == ("resolved", ())
    check = finish_text(told.tab(), "exit").split("\n")
    assert check[1] == "All 6 requirements are resolved: 5 done, 1 unavailable."
    assert check[2].startswith("Files listed but never opened: 94 (50 above threshold, marked *).")
    assert sum(line.startswith("  policies/") for line in check) == 10
    assert "  84 more: tab list candidates" in check
    assert check[-3].startswith("Read log: 4 entries (L1 to L4)")
    assert "check that each resolved requirement is in your deliverable" in check[-2]


def test_a_manual_from_four_policies_with_authored_parts(story):
    told = story(task="Manual on saving water and electricity from the four policy files", out="/ws/model_output")
    told.listing(
        *(f"downloads/water_electricity_policy_{n}.txt" for n in range(1, 5)), *(f"x/{n}.md" for n in range(515))
    )
    told.add(
        *(f"Analyze water_electricity_policy_{n}.txt" for n in range(1, 5)),
        "campaign plan for each quarter",
        "compile the manual",
        "answer with the list of files only",
    )
    for number in range(1, 5):
        told.reading(f"downloads/water_electricity_policy_{number}.txt", text=f"Chapter {number}\nArticle {number}")
    tab = told.tab()
    (first, *_) = review(tab, list(tab.requirements.values()), told.text_of)
    assert first.entries[0].entry == 1
    assert finish_state(tab)[0] == "open"
    for number in range(1, 5):
        resolve(told, number, f"L{number}")
    for number in (5, 6, 7):
        told.unavailable(number, "authored")
    check = finish_text(told.tab(), "finish").split("\n")
    assert check[1] == "All 7 requirements are resolved: 4 done, 3 unavailable."
    assert check[2].startswith("Files listed but never opened: 515 ")


def test_a_table_of_orders_whose_rows_are_stated_after_the_check(story):
    told = story(task="A table of the purchase orders by supplier with amount and type", out="/ws/model_output")
    told.listing(*(f"orders/Purchase_Order_{n}.txt" for n in range(1, 11)))
    for number in range(1, 11):
        told.reading(
            f"orders/Purchase_Order_{number}.txt",
            text=f"Purchase Order #100{number}\nSupplier: Supplier {number + 7}\nAmount: {number + 47},000\nStatus: Pending",
        )
    told.writing("model_output/table.csv")
    assert finish_state(told.tab()) == ("none", ())
    assert finish_text(told.tab(), "exit").split("\n")[1].startswith("No requirement was stated")
    told.check("none")
    assert told.tab().check.state == "none"

    told.add("row: Supplier 15, pending, 55000", "row: Supplier 9, pending, 49000")
    (row, _) = review(told.tab(), list(told.tab().requirements.values()), told.text_of)
    assert row.entries[0].entry == 8
    with pytest.raises(Refused, match="lies in the output folder"):
        resolve(told, 1, "model_output/table.csv")
    resolve(told, 1, "orders/Purchase_Order_8.txt")
    resolve(told, 2, "L2")
    tab = told.tab()
    assert tab.requirements[1].resolution.refs == (8,)
    (line,) = cited_lines(tab, tab.requirements[1], query("55000"), told.text_of)
    assert line.line == "Amount: 55,000"
    assert finish_state(tab) == ("resolved", ())
    assert tab.check is not None
