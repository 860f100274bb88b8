"""The table of agents in docs/reference/agents.md, out of the results of the tests that ran real agents.

    python tests/agents/driving/table.py RESULTS.jsonl docs/reference/agents.md

Each line of the results names an agent and either a run (with the version), a property that held or did not, or why
the agent was skipped. Written between the two marks of the page; an agent without a result is not invented.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from tabshell.agents.all_agents import AGENTS
from tabshell.agents.samples import shell_call

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
#: Property of the tests -> how the table says it.
COLUMNS = {
    "test_every_command_is_one_turn_with_the_models_own_text": "commands, once each",
    "test_every_command_is_one_turn_with_its_own_text": "commands, once each",
    "test_the_read_by_the_file_tool_is_recorded_once": "its file tool",
    "test_the_status_line_is_shown_once_after_each_shell_command": "status line",
    "test_the_status_line_is_in_every_answer": "status line",
    "test_the_finish_check_is_seen_exactly_once_and_the_agent_goes_on": "finish check",
    "test_the_finish_check_is_given_once_at_the_end": "finish check",
    "test_all_else_that_the_model_is_shown_is_as_without_tabshell": "else as without",
    "test_all_else_is_as_without_tabshell": "else as without",
    "test_the_persons_configuration_files_are_unchanged": "own files unchanged",
}
WORDS = {"passed": "yes", "failed": "**no**"}
#: Agents that have no file tool to record: the column would promise nothing.
WITHOUT_FILE_TOOL = ("codex", "mini-swe-agent")
AT_THE_END = ("swe-rex", "terminus", "anthropic-tool")


def rows(results: list[dict]) -> list[list[str]]:
    by_agent: dict[str, list[dict]] = defaultdict(list)
    for result in results:
        by_agent[result["agent"]].append(result)
    heads = list(dict.fromkeys(COLUMNS.values()))
    table = [["agent", "version", "commands come by", *heads, "checks"]]
    for name, agent in AGENTS.items():
        if name not in by_agent:
            continue
        told = by_agent[name]
        skipped = [one["detail"] for one in told if one["outcome"] == "skipped"]
        ran = [one for one in told if one["outcome"] == "ran"]
        if not ran:
            table.append(
                [agent.title, "–", f"not run: {skipped[0] if skipped else 'no result'}", *("–" for _ in heads), "0"]
            )
            continue
        outcome = {one["detail"]: one["outcome"] for one in told if one["outcome"] in WORDS}
        cells = dict.fromkeys(heads, "–")
        for test, head in COLUMNS.items():
            if test in outcome:
                cells[head] = WORDS[outcome[test]]
        if name in WITHOUT_FILE_TOOL:
            cells["its file tool"] = "has none"
        if name in AT_THE_END and cells["finish check"] == "yes":
            cells["finish check"] = "at the end"
        doors = ran[-1].get("door", [])
        by = (
            "hook"
            if shell_call(name, "x") is None
            else " and ".join(door for door in doors if door != "hook") or "hook"
        )
        good = sum(1 for word in outcome.values() if word == "passed")
        table.append([agent.title, ran[-1]["detail"], by, *cells.values(), f"{good} of {len(outcome)}"])
    return table


def main(results: Path, page: Path) -> int:
    lines = results.read_text().splitlines() if results.exists() else []
    table = rows([json.loads(line) for line in lines])
    text = ["| " + " | ".join(table[0]) + " |", "|" + "---|" * len(table[0])]
    text += ["| " + " | ".join(row) + " |" for row in table[1:]]
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(before + BEGIN + "\n" + "\n".join(text) + "\n" + END + after)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
