"""What tabshell costs in an evaluation with Inspect, and whether it keeps many sessions apart.

    python benchmarks/inspect_cost.py [--samples 200] [--turns 12] [--latency 0] [--json F]

The same scripted agent (``mockllm``) does the same number of turns in many samples at a time, in the local sandbox:
once with plain bash, once recorded, where some of its turns are calls of ``tab``. Each sample has a file of its own
with a word that no other has. ``--latency`` is what the model takes for an answer, in seconds: 0 is the worst case,
for then there is nothing but overhead.

Printed: wall time and CPU time of both and their ratios, and what was checked of every sidecar: it came home whole,
its commands are those of its sample, it read its own word and no other, and the log's measures are those of
``tabshell stats``. Exit status 1 where one of these does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import anyio
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.agent import as_solver
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.util import sandbox

from tabshell.engines.experiment.variants import variant_of
from tabshell.engines.inspect import bring_sidecar_home, start_tab, tab_measures, worker
from tabshell.engines.recorded import Options
from tabshell.model.facts import TurnStarted
from tabshell.session import Session
from tabshell.session.fleet import measure
from tabshell.store.database import Store

USAGE = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
READS = ("cat own.txt", "ls -R .", "cat notes/a.md", "grep -rn rent .", "head -3 data/table.csv", "wc -l data/*.csv")


def commands(turns: int, tab: bool) -> list[str]:
    """What the agent does; the turns that are not the tab's are the same in both."""
    own = ["tab add 'the word of the sample' 'the rent of the hall'", "tab list", "tab resolve r1 done own.txt"]
    reads = [READS[place % len(READS)] for place in range(turns - len(own))]
    first, second, third = own if tab else ["echo 'first: the word, the rent'", "echo review", "echo done"]
    return [first, *reads, second, third]


def scripted(turns: int, latency: float):
    """The mock model's answers."""

    async def outputs(messages, _tools, _tool_choice, _config):
        if latency:
            await anyio.sleep(latency)
        tab = any(m.role == "system" and "Workspace tab" in m.text for m in messages)
        todo = commands(turns, tab)
        said = sum(m.role == "assistant" for m in messages)
        if said < len(todo):
            answer = ModelOutput.for_tool_call("mockllm/model", "bash", {"command": todo[said]})
        else:
            answer = ModelOutput.from_content("mockllm/model", "Done.")
        answer.usage = USAGE
        return answer

    return outputs


@solver
def work(variant: str):
    """Puts a sample's files there and lets the agent work."""
    chosen = variant_of(variant)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        place = sandbox()
        files = {
            "own.txt": f"The word is {state.metadata['word']}.\n",
            "notes/a.md": "# Hall\n\nThe rent is 1,150 EUR.\n",
        }
        files["data/table.csv"] = "month,people\n" + "".join(f"2025-{n:02},{n * 137}\n" for n in range(1, 13))
        for name, text in files.items():
            await place.write_file(f"workspace/{name}", text)
        options = Options(workspace="workspace", task=state.input_text, name=str(state.sample_id), variant=variant)
        if chosen.tab:
            await start_tab(options)
        return await as_solver(worker(chosen, options, login=False))(state, generate)

    return solve


def run(variant: str, samples: int, turns: int, latency: float, folder: Path) -> tuple[EvalLog, float, float]:
    """One evaluation: its log, its wall time, its CPU time (of this process, its children, and the clerks)."""
    dataset = [
        Sample(id=f"s{n}", input="Say the word and the rent.", metadata={"word": f"word{n:04}x"})
        for n in range(samples)
    ]

    async def cleanup(state: TaskState) -> None:
        await bring_sidecar_home(state)

    task = Task(
        dataset=dataset, solver=work(variant), scorer=tab_measures(), sandbox="local", cleanup=cleanup, name=variant
    )
    wall, used = time.monotonic(), cpu()
    (log,) = evaluate(
        task,
        model=get_model("mockllm/model", custom_outputs=scripted(turns, latency)),
        display="none",
        log_dir=str(folder),
        max_samples=samples,
        max_connections=samples,
        log_realtime=False,
    )
    wall, used = time.monotonic() - wall, cpu() - used
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            used += score.metadata["clerk_cpu_s"]
    return log, wall, used


def cpu() -> float:
    """Seconds that this process and the children that it waited for have used."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(kind).ru_utime + resource.getrusage(kind).ru_stime for kind in kinds)


def check(log: EvalLog, turns: int) -> list[str]:
    """What does not hold of the sidecars of an evaluation."""
    found, seen = [], set()
    for sample in log.samples or []:
        score = (sample.scores or {}).get("tab_measures")
        told = score.metadata if score else None
        if not told or not told["sidecar"] or told["problem"]:
            found.append(f"{sample.id}: no whole sidecar came home ({told and told['problem']})")
            continue
        directory = Path(told["sidecar"])
        seen.add(directory.name)
        with Store.open(directory / "tab.db", readonly=True) as store:
            recorded = [e.fact.command for e in store.events(TurnStarted) if isinstance(e.fact, TurnStarted)]
        if recorded != commands(turns, tab=True):
            found.append(f"{sample.id}: its sidecar holds other commands: {recorded}")
        with Session.open(directory, readonly=True) as session:
            tab = session.tab(catch_up=False)
            words = {w for entry in tab.entries.values() for w in re.findall(r"word\d+x", session.entry_text(entry))}
            name = tab.session.name
        if words != {sample.metadata["word"]} or name != sample.id:
            found.append(f"{sample.id}: its sidecar is of {name} and read {words}")
        again = measure(str(directory))
        if "session" not in told["measures"] or differs(told["measures"], asdict(again)):
            found.append(f"{sample.id}: measures in the log differ from those of tabshell stats")
    if len(seen) != len(log.samples or []):
        found.append(f"{len(seen)} sidecars of {len(log.samples or [])} samples")
    return found


def differs(one: dict, other: dict) -> list[str]:
    """The measures that are not the same; where the session lies is no measure."""
    return [name for name in one if name != "directory" and one[name] != other.get(name)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path, help="where logs and sidecars stay")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="inspect-cost-"))
    os.environ["INSPECT_LOG_LEVEL"] = "error"
    run("tabshell", 1, given.turns, 0, folder)  # carries the core there, and loads everything
    walls, used, faults, sizes = {"plain": [], "tabshell": []}, {"plain": [], "tabshell": []}, [], []
    for _ in range(given.repeats):
        for variant in ("plain", "tabshell"):
            log, wall, cpu_s = run(variant, given.samples, given.turns, given.latency, folder)
            walls[variant].append(wall)
            used[variant].append(cpu_s)
            if log.status != "success":
                faults.append(f"{variant}: the evaluation ended as {log.status}: {log.error and log.error.message}")
            elif variant == "tabshell":
                faults += check(log, given.turns)
                sizes = [s.scores["tab_measures"].metadata["bytes"] for s in log.samples]
    wall = {name: statistics.median(of) for name, of in walls.items()}
    spent = {name: statistics.median(of) for name, of in used.items()}
    result = {
        "samples": given.samples,
        "turns": given.turns,
        "latency_s": given.latency,
        "wall_s": wall,
        "cpu_s": spent,
        "wall_ratio": wall["tabshell"] / wall["plain"],
        "cpu_per_sample_s": (spent["tabshell"] - spent["plain"]) / given.samples,
        "sidecar_bytes": statistics.median(sizes) if sizes else None,
        "faults": faults,
    }
    tell(result)
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n")
    if given.keep is None:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if faults else 0


def tell(result: dict) -> None:
    """The result in words."""
    latency = f"{result['latency_s']:g} s for an answer of the model"
    print(f"{result['samples']} samples at a time, {result['turns']} turns each, {latency}")
    for name, wall in result["wall_s"].items():
        print(f"  {name:10} {wall:7.1f} s   {result['cpu_s'][name]:7.1f} s of CPU")
    print(f"  ratio      {result['wall_ratio']:7.2f}     {result['cpu_per_sample_s']:+7.2f} s of CPU a sample")
    print(f"  sidecar    {(result['sidecar_bytes'] or 0) / 1024:7.0f} KiB each")
    faults = result["faults"]
    for fault in faults[:20]:
        print("FAULT", fault)
    print("every session complete, none mixed up, measures equal" if not faults else f"{len(faults)} faults")


if __name__ == "__main__":
    sys.exit(main())
