"""Evaluations with Inspect that really run: a mock model, the local sandbox, and what comes home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from tabshell.model.facts import TurnStarted
from tabshell.session import Session
from tabshell.session.fleet import measure
from tabshell.store.database import Store

inspect_ai = pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "fixtures" / "experiment"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("default"),  # what Inspect's own packages warn of is theirs
]
#: A program for a new interpreter: Inspect keeps one display and one loop a process, and installs hooks.
RUN = """
import sys
sys.path.insert(0, {examples!r})
import scripted
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from tabshell.engines.inspect import experiment
{before}
log = eval(experiment({tasks!r}, {variant!r}, sandbox="local", login=False, {more}), model={model}, limit={limit},
           display="none", log_dir={logs!r}, log_format="json")[0]
print(log.location)
"""


def evaluate(tmp_path, variant, *, limit=3, more="epochs=1", model="scripted.model()", before="", tasks=EXAMPLES):
    """The log of an evaluation, as its file has it."""
    text = RUN.format(
        examples=str(EXAMPLES), tasks=str(tasks), variant=variant, more=more, model=model, limit=limit, before=before,
        logs=str(tmp_path / "logs"),
    )  # fmt: skip
    environment = {**os.environ, "INSPECT_LOG_LEVEL": "error", "TABSHELL_HOME": str(tmp_path / "state")}
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(Path(done.stdout.split()[-1].removeprefix("file://")).read_text())


def tool_calls(sample):
    """The commands of a sample, as the log has them."""
    return [call["arguments"]["command"] for message in sample["messages"] for call in message.get("tool_calls") or ()]


def test_an_evaluation_keeps_a_session_for_each_sample_and_its_measures_are_those_of_stats(tmp_path):
    log = evaluate(tmp_path, "tabshell")
    assert log["status"] == "success"
    seen = set()
    for sample in log["samples"]:
        told = sample["scores"]["tab_measures"]["metadata"]
        assert told["problem"] is None
        seen.add(told["sidecar"])
        assert Path(told["sidecar"]).is_relative_to(tmp_path / "logs" / "sidecars")
        with Store.open(Path(told["sidecar"]) / "tab.db", readonly=True) as store:
            recorded = [event.fact.command for event in store.events(TurnStarted)]
        assert recorded == tool_calls(sample)
        again = asdict(measure(told["sidecar"]))
        assert {k: v for k, v in told["measures"].items() if k != "directory"} == {
            k: v for k, v in again.items() if k != "directory"
        }
        assert sample["store"]["TabRecord:sidecar"] == told["sidecar"]
        assert sample["scores"]["delivery"]["value"]["pass_rate"] == 100
    assert len(seen) == 3
    stats = subprocess.run(
        [sys.executable, "-m", "tabshell", "stats", str(tmp_path / "logs" / "sidecars"), "--format", "json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    medians = json.loads(stats.stdout)["medians"]
    shares = json.loads(stats.stdout)["shares"]
    scores = {one["name"]: one["metrics"] for one in log["results"]["scores"]}
    told = {name: metric["value"] for name, metric in scores["tab_measures"].items()}
    assert told.pop("recorded") == 3
    assert told == {**medians, **shares}


AGAIN = """
import sys
from inspect_ai import score
from inspect_ai.log import read_eval_log
from tabshell.engines.inspect import tab_measures

log = read_eval_log(sys.argv[1])
again = score(log, tab_measures(), action="overwrite", display="none")
for before, after in zip(log.samples, again.samples):
    old, new = before.scores["tab_measures"], after.scores["tab_measures"]
    assert old.value == new.value, (old.value, new.value)
    assert dict(old.metadata["measures"], directory=None) == dict(new.metadata["measures"], directory=None)
    assert "TabRecord:measures" not in after.store
print(len(again.samples))
"""


def test_a_log_can_be_scored_again_from_its_sidecars(tmp_path):
    evaluate(tmp_path, "tabshell", more="epochs=1")
    (log,) = (tmp_path / "logs").glob("*.json")
    environment = {**os.environ, "INSPECT_LOG_LEVEL": "error"}
    done = subprocess.run([sys.executable, "-c", AGAIN, str(log)], env=environment, capture_output=True, text=True)
    assert done.stdout.split()[-1:] == ["3"], done.stderr[-2000:]


def test_variants_differ_only_by_what_they_are_told_and_the_table_compares_them(tmp_path):
    plain = evaluate(tmp_path, "plain", more="epochs=2")
    refine = evaluate(tmp_path, "self-refine", more="epochs=2")
    assert [log["status"] for log in (plain, refine)] == ["success"] * 2
    assert all("tab_measures" not in sample["scores"] for sample in plain["samples"])
    assert not any(
        "[tab]" in (m.get("content") or "") for s in plain["samples"] for m in s["messages"] if m["role"] == "tool"
    )
    values = [s["scores"]["delivery"]["value"] for s in plain["samples"]]
    assert all(value["missing"] > 0 and value["pass_rate"] < 100 for value in values)
    assert [sum(m["role"] == "user" for m in s["messages"]) for s in refine["samples"]] == [2] * 6
    done = subprocess.run(
        [sys.executable, "-m", "tabshell", "experiment", str(tmp_path / "logs"), "--format", "json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = {row["variant"]: row for row in json.loads(done.stdout)["rows"]}
    assert rows["plain"]["measures"]["pass_rate"]["runs"] == 2
    assert rows["self-refine"]["measures"]["pass_rate"]["mean"] > rows["plain"]["measures"]["pass_rate"]["mean"]
    assert rows["self-refine"]["differences"]["pass_rate"]["tasks"] == 3


def test_a_sample_that_runs_into_its_time_limit_brings_its_record_home(tmp_path):
    before = """
def outputs(messages, tools, choice, config):
    said = sum(m.role == "assistant" for m in messages)
    command = ["ls -R .", "cat staff/list_june_2025.csv", "echo begun; sleep 600"][min(said, 2)]
    answer = ModelOutput.for_tool_call("mockllm/model", "bash", {"command": command})
    answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return answer
"""
    model = 'get_model("mockllm/model", custom_outputs=outputs)'
    log = evaluate(tmp_path, "tabshell", limit=1, more="epochs=1, time_limit=40", model=model, before=before)
    (sample,) = log["samples"]
    assert sample["limit"]["type"] == "time"
    told = sample["scores"]["tab_measures"]["metadata"]
    assert told["sidecar"]
    assert told["turns"] == 3
    assert told["measures"]["entries"] == 1


def test_a_sample_that_fails_brings_its_record_home_too(tmp_path):
    before = """
def outputs(messages, tools, choice, config):
    if sum(m.role == "assistant" for m in messages):
        raise RuntimeError("the model is gone")
    answer = ModelOutput.for_tool_call("mockllm/model", "bash", {"command": "cat staff/list_june_2025.csv"})
    answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return answer
"""
    model = 'get_model("mockllm/model", custom_outputs=outputs)'
    log = evaluate(tmp_path, "tabshell", limit=1, model=model, before=before)
    (sample,) = log["samples"]
    assert "the model is gone" in sample["error"]["message"]
    assert sample["store"]["TabRecord:turns"] == 1
    assert Path(sample["store"]["TabRecord:sidecar"], "tab.db").exists()


def test_a_sidecar_that_is_too_large_is_said_in_the_score(tmp_path):
    log = evaluate(tmp_path, "tabshell", limit=1, more="epochs=1, sidecar_limit=1000")
    score = log["samples"][0]["scores"]["tab_measures"]
    assert score["value"]["recorded"] == 0
    assert "at most 1,000 are fetched" in score["explanation"]
    assert score["value"]["requirements"] > 0


def test_the_tab_can_be_given_as_tools(tmp_path):
    before = """
CALLS = [("add", {"text": "the rent of the cafe\\n\\nits notice"}), ("bash", {"command": "cat contracts/cafe_lease.txt"}),
         ("list", {"kind": "requirements"}), ("show", {"id": "L1"}), ("resolve", {"id": "r1", "status": "done", "ref": "L1"}),
         ("resolve", {"id": "r2", "status": "unavailable", "ref": "computed"}), ("add", {"text": "a thought", "kind": "note"})]
def outputs(messages, tools, choice, config):
    said = sum(m.role == "assistant" for m in messages)
    if said < len(CALLS):
        answer = ModelOutput.for_tool_call("mockllm/model", *CALLS[said])
    else:
        answer = ModelOutput.from_content("mockllm/model", "done")
    answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return answer
"""
    model = 'get_model("mockllm/model", custom_outputs=outputs)'
    log = evaluate(tmp_path, "tabshell", limit=1, more='epochs=1, tab="tools"', model=model, before=before)
    (sample,) = log["samples"]
    told = [m["content"] for m in sample["messages"] if m["role"] == "tool"]
    assert told[0].startswith("r1: the rent of the cafe\nr2: its notice\n[tab] ")
    assert "read: L1 contracts/cafe_lease.txt" in told[2]
    assert told[4].startswith("r1 done (L1). Open: 1.")
    assert told[6].startswith("n1")
    assert "All 2 requirements are resolved" in sample["messages"][-2]["content"]
    value = sample["scores"]["tab_measures"]["value"]
    assert (value["requirements"], value["done_percent"], value["shows_entry"]) == (2, 50, 1)


def test_an_output_longer_than_the_model_may_see_is_cut_by_us_and_the_rest_is_not_read(tmp_path):
    before = """
def outputs(messages, tools, choice, config):
    if sum(m.role == "assistant" for m in messages):
        answer = ModelOutput.from_content("mockllm/model", "done")
    else:
        make = "for n in $(seq 3000); do echo line $n of the long list has $((n * 7919 % 10007)); done > long.txt; cat long.txt"
        answer = ModelOutput.for_tool_call("mockllm/model", "bash", {"command": make})
    answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return answer
"""
    model = 'get_model("mockllm/model", custom_outputs=outputs)'
    logs = {
        variant: evaluate(tmp_path, variant, limit=1, more="epochs=1", model=model, before=before)
        for variant in ("plain", "tabshell")
    }
    told = {
        variant: next(m["content"] for m in log["samples"][0]["messages"] if m["role"] == "tool")
        for variant, log in logs.items()
    }
    assert all(len(text) <= 16 << 10 and "bytes of the output are not shown here" in text for text in told.values())
    assert told["tabshell"].startswith(told["plain"] + "\n[tab] ")
    sidecar = logs["tabshell"]["samples"][0]["store"]["TabRecord:sidecar"]
    with Session.open(sidecar, readonly=True) as session:
        assert len(session.output(1)) > 100_000
        read = "\n".join(session.entry_text(entry) for entry in session.tab(catch_up=False).entries.values())
    assert "line 1500 of" not in read


def test_a_sandbox_that_lacks_something_fails_the_sample_with_what_to_do(tmp_path):
    before = """
import tabshell.engines.probe as probe, tabshell.engines.recorded as recorded
recorded.SCRIPT = probe.SCRIPT.replace("command -v bash", "command -v no-such-shell")
"""
    log = evaluate(tmp_path, "tabshell", limit=1, before=before)
    assert "this sandbox has no bash" in log["samples"][0]["error"]["message"]


def test_many_samples_at_a_time_are_kept_apart(tmp_path):
    told = tmp_path / "cost.json"
    words = [sys.executable, str(ROOT / "benchmarks" / "inspect_cost.py"), "--samples", "8", "--turns", "6"]
    done = subprocess.run([*words, "--json", str(told)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert json.loads(told.read_text())["faults"] == []


SCRIPTED = """
import sys
sys.path.insert(0, {examples!r})
import scripted
from inspect_ai.model import modelapi
from inspect_ai.model._providers.mockllm import MockLLM

@modelapi(name="scripted")
def provider():
    class Scripted(MockLLM):
        def __init__(self, model_name, *words, **more):
            super().__init__(model_name, *words, custom_outputs=scripted.outputs, **more)
    return Scripted
"""


@pytest.fixture
def scripted_provider(tmp_path):
    """The folder of a package that gives Inspect's command line the scripted model, as a provider of its own."""
    folder = tmp_path / "provider"
    (folder / "scripted_provider-1.dist-info").mkdir(parents=True)
    (folder / "scripted_provider-1.dist-info" / "METADATA").write_text("Name: scripted-provider\nVersion: 1\n")
    entry = "[inspect_ai]\nscripted_provider = scripted_provider\n"
    (folder / "scripted_provider-1.dist-info" / "entry_points.txt").write_text(entry)
    (folder / "scripted_provider.py").write_text(SCRIPTED.format(examples=str(EXAMPLES)))
    return str(folder)


def test_the_documented_commands_run_from_a_shell_to_the_table(tmp_path, scripted_provider):
    script = f"""
set -e
for variant in plain tabshell; do
  inspect eval tabshell/experiment -T tasks={EXAMPLES} -T variant=$variant -T login=false --epochs 3 --limit 2 \\
    --sandbox local --model scripted/model --display none --log-dir logs
done
tabshell experiment logs
tabshell experiment logs --format json -o table.json
tabshell stats logs/sidecars --by variant --format json -o measures.json
"""
    environment = {
        **os.environ, "PYTHONPATH": scripted_provider, "TABSHELL_HOME": str(tmp_path / "state"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }  # fmt: skip
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    rows = {row["variant"]: row for row in json.loads((tmp_path / "table.json").read_text())["rows"]}
    assert {name: row["measures"]["pass_rate"]["runs"] for name, row in rows.items()} == {"plain": 3, "tabshell": 3}
    assert rows["tabshell"]["measures"]["pass_rate"]["mean"] > rows["plain"]["measures"]["pass_rate"]["mean"]
    difference = rows["tabshell"]["differences"]["pass_rate"]
    assert difference["tasks"] == 2
    assert difference["low"] <= difference["mean"] <= difference["high"]
    assert "plain" in done.stdout
    assert "scripted/model" in done.stdout
    assert len(list((tmp_path / "logs" / "sidecars").glob("*/sessions/*/tab.db"))) == 6
    assert len(json.loads((tmp_path / "measures.json").read_text())["sessions"]) == 6


JUDGE = """
from pathlib import Path
asked = []
def judge(messages, tools, choice, config):
    text = messages[-1].text
    asked.append(text)
    statement = text.split("Judge the content, not the style.")[1].split("Answer with one line")[0].strip()
    document = text.split("The document that was handed in:")[1].split("Is this statement true")[0]
    # the first word of a statement is what it is about; one answer is in no form, one is unsure first
    if statement.startswith("Vague"):
        said = "It may well be so."
    elif statement.split()[0].lower() in document.lower():
        said = "At first GRADE: NO, but then:\\nGRADE: YES"
    else:
        said = "It lacks it.\\ngrade: no"
    answer = ModelOutput.from_content("mockllm/model", said)
    answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return answer
"""


def judged(tmp_path, deliverable, statements, more=""):
    tasks = tmp_path / "tasks"
    (tasks / "hall").mkdir(parents=True)
    (tasks / "workspace").mkdir()
    (tasks / "workspace" / "a.txt").write_text("The rent is 1,150 EUR.\n")
    (tasks / "hall" / "task.md").write_text("Write about the hall.\n")
    (tasks / "hall" / "rubric.txt").write_text("\n".join(statements) + "\n")
    before = (
        JUDGE
        + f"""
def outputs(messages, tools, choice, config):
    if sum(m.role == "assistant" for m in messages):
        answer = ModelOutput.from_content("mockllm/model", "done")
    else:
        answer = ModelOutput.for_tool_call("mockllm/model", "bash", {{"command": {deliverable!r}}})
    answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return answer
import functools
eval = functools.partial(eval, model_roles={{"grader": get_model("mockllm/model", custom_outputs=judge)}})
"""
    )
    model = 'get_model("mockllm/model", custom_outputs=outputs)'
    log = evaluate(tmp_path, "plain", limit=1, more="epochs=1", model=model, before=before, tasks=tasks)
    return log["samples"][0]["scores"]


def test_a_judge_is_asked_for_each_statement_and_its_last_word_counts(tmp_path):
    statements = ["Rent is named.", "Notice is named.", "EUR is the currency.", "Vague things hold."]
    score = judged(tmp_path, "echo 'The rent is 1,150 EUR.' > model_output/hall.md", statements)["rubric"]
    assert score["value"] == {"pass_rate": 50, "complete": 0, "judged": 4}
    verdicts = score["metadata"]["verdicts"]
    assert [(one["statement"], one["holds"]) for one in verdicts] == [
        (statement, holds) for statement, holds in zip(statements, (True, False, True, False), strict=True)
    ]
    assert verdicts[3]["said"] == "It may well be so."
    assert score["answer"] == "hall.md"


def test_a_judge_of_nothing_delivered_is_told_so(tmp_path):
    score = judged(tmp_path, "true", ["Rent is named."])["rubric"]
    assert score["value"] == {"pass_rate": 0, "complete": 0, "judged": 1}
    assert score["answer"] == "no deliverable"
