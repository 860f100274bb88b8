"""The objects of ``tab ... --json``."""

from __future__ import annotations

# -- JSON -----------------------------------------------------------------------------------------------------


def test_json_of_each_operation(desk):
    assert desk.json("add", "reimbursement standards") == (
        0,
        {"schema": "tabshell/1", "added": [{"id": "r1", "text": "reimbursement standards"}]},
    )
    assert desk.json("note", "x")[1]["added"] == [{"id": "n1", "text": "x"}]
    _, review = desk.json("list")
    (item,) = review["requirements"]
    assert item["entries"] == [{"id": "L1", "path": "hr/travel_standards.txt", "line": "Reimbursement standards: 220"}]
    assert (item["id"], item["status"], item["unopened"]) == ("r1", "open", [])
    assert review["counts"] == {"open": 1, "resolved": 0, "candidates": 2, "above_threshold": 0, "entries": 1}
    _, log = desk.json("list", "log")
    assert log["log"][0]["excerpt"].startswith("Article 7\n")
    assert desk.json("show", "L1")[1] == {"schema": "tabshell/1", **log["log"][0]}
    _, candidates = desk.json("list", "candidates")
    assert {each["path"] for each in candidates["candidates"]} == {"menu.txt", "hr/annex.txt"}
    assert set(candidates["candidates"][0]) == {"path", "turn", "above_threshold", "score", "search_hits"}
    assert desk.json("list", "notes")[1]["notes"] == [{"id": "n1", "text": "x", "turn": 3}]
    _, resolved = desk.json("resolve", "r1", "done", "L1")
    assert {name: resolved[name] for name in ("ok", "id", "status", "refs", "open")} == {
        "ok": True,
        "id": "r1",
        "status": "done",
        "refs": ["L1"],
        "open": 0,
    }
    _, status = desk.json("status")
    assert status["line"].startswith("[tab] requirements: 0 open, 1 resolved")
    assert (status["open"], status["resolved"], status["candidates"], status["entries"]) == ([], 1, 2, 1)
    _, finish = desk.json("finish")
    assert (finish["state"], finish["open"], finish["done"]) == ("resolved", [], 1)
    assert finish["text"].startswith("[tab] Finish check")
    assert desk.json("reopen", "r1")[1]["status"] == "open"
    assert desk.json("task")[1]["task"] == "travel guide with standards"
    assert "How to use it" in desk.json("prompt")[1]["prompt"]


def test_json_lists_are_whole_unless_a_page_is_asked_for(desk):
    desk.tab("add", "\n".join(f"item {n}" for n in range(23)))
    assert len(desk.json("list")[1]["requirements"]) == 23
    assert len(desk.json("list", "--page", "1")[1]["requirements"]) == 10


def test_undecodable_names_survive_in_json(desk):
    desk.command("ls", listed=[b"caf\xe9.txt".decode("utf-8", "surrogateescape")])
    _, out, _ = desk.tab("list", "candidates", "--json")
    assert '"caf\\udce9.txt"' in out
