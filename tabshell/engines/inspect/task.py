"""The experiment as an Inspect task: ``inspect eval tabshell/experiment -T tasks=DIR -T variant=tabshell``.

Each task of the folder is a sample; three epochs are the three runs of the paper. The sandbox is Inspect's business:
``--sandbox docker``, ``k8s``, ``local`` or any other that can run sh, bash and python3.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

from inspect_ai import Epochs, Task, task
from inspect_ai.agent import as_solver
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox, store

from tabshell.engines.experiment.tasks import OUT, TaskFolder, packed, read_tasks
from tabshell.engines.experiment.variants import Variant, variant_of
from tabshell.engines.homecoming import LIMIT
from tabshell.engines.inspect.agent import TURNS, worker
from tabshell.engines.inspect.kept import bring_sidecar_home, start_tab
from tabshell.engines.inspect.scores import delivery, rubric, tab_measures
from tabshell.engines.inspect.tools import TIMEOUT_S
from tabshell.engines.recorded import Options
from tabshell.engines.sandbox import SandboxLacks

#: Seconds for a sample, as in the paper.
TIME_S = 3600
WORKSPACE = "workspace"


@task
def experiment(  # noqa: PLR0913 - each is a word of -T
    tasks: str,
    variant: str = "tabshell",
    *,
    tab: Literal["shell", "tools"] = "shell",
    epochs: int = 3,
    sandbox: str = "docker",
    timeout: int = TIMEOUT_S,
    turns: int = TURNS,
    time_limit: int = TIME_S,
    login: bool = True,
    sidecar_limit: int = LIMIT,
    sidecars: str | None = None,
    carry: str | None = None,
) -> Task:
    """The tasks of a folder by one variant.

    ``tasks``: the folder. ``tab``: the tab as a shell command, or its operations as tools. ``timeout``: seconds for a
    command; ``turns`` and ``time_limit`` bound a sample. ``sidecars``: where they come home (default: beside the log).
    ``carry``: a Python for sandboxes that have none, see ``Options``.
    """
    chosen = variant_of(variant)
    samples = [sample_of(one, chosen) for one in read_tasks(Path(tasks))]
    return Task(
        dataset=MemoryDataset(samples, name=Path(tasks).resolve().name),
        solver=work(chosen, tab=tab, timeout=timeout, turns=turns, login=login, carry=carry),
        scorer=_scorers(sidecar_limit, sidecars),
        cleanup=_cleanup(sidecar_limit, sidecars),
        sandbox=sandbox,
        epochs=Epochs(epochs),
        time_limit=time_limit,
        name=f"experiment_{chosen.name.replace('-', '_')}",
        metadata={"variant": chosen.name, "tasks": str(Path(tasks).resolve())},
    )


def _scorers(limit: int, folder: str | None) -> list[Scorer]:
    return [tab_measures(limit, folder), delivery(OUT, limit, folder), rubric(OUT, folder=folder)]


def _cleanup(limit: int, folder: str | None) -> Callable[[TaskState], Awaitable[None]]:
    """For samples that end before they are scored."""

    async def cleanup(state: TaskState) -> None:
        await bring_sidecar_home(state, folder=folder, limit=limit)

    return cleanup


def sample_of(folder: TaskFolder, variant: Variant) -> Sample:
    """A task as a sample; its files are put into the sandbox by the solver, packed."""
    return Sample(
        id=folder.name,
        input=folder.text,
        target=list(folder.values) or "",
        metadata={
            "variant": variant.name,
            "values": list(folder.values),
            "rubric": list(folder.rubric),
            "workspace": str(folder.workspace),
        },
    )


@solver
def work(
    variant: Variant,
    *,
    tab: Literal["shell", "tools"] = "shell",
    timeout: int = TIMEOUT_S,
    turns: int = TURNS,
    login: bool = True,
    carry: str | None = None,
) -> Solver:
    """Puts the files there, starts the session where the variant has a tab, and lets the agent work."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        workspace = await put_files(Path(state.metadata["workspace"]))
        options = Options(
            workspace=workspace,
            out=OUT,
            task=state.input_text,
            model=str(get_model()),
            variant=variant.name,
            capture=variant.capture,
            review=variant.review,
            evidence_check=variant.evidence_check,
            finish_check=variant.finish_check,
            carry=carry,
        )
        if variant.tab:
            try:
                await start_tab(options)
            except SandboxLacks as error:
                raise RuntimeError(str(error)) from error
        agent = worker(variant, options, tab=tab, timeout=timeout, turns=turns, login=login)
        return await as_solver(agent)(state, generate)

    return solve


async def put_files(workspace: Path) -> str:
    """Unpacks a workspace in the sandbox, with an output folder in it; gives its path there."""
    place = sandbox()
    made = await place.exec(["sh", "-c", f"mkdir -p {WORKSPACE}/{OUT} && cd {WORKSPACE} && pwd -P"], timeout=60)
    if not made.success:
        said = made.stderr.strip()
        msg = f"the sandbox's working folder cannot be written, so the task's files cannot go there: {said}"
        raise RuntimeError(msg)
    there = made.stdout.strip()
    await place.write_file(f"{there}.tar.gz", packed(workspace))
    unpacking = f"tar -xzf {WORKSPACE}.tar.gz -C {WORKSPACE} && rm {WORKSPACE}.tar.gz"
    ran = await place.exec(["sh", "-c", unpacking], timeout=600)
    if not ran.success:
        msg = f"the task's files could not be unpacked in the sandbox (it needs tar and gzip): {ran.stderr.strip()}"
        raise RuntimeError(msg)
    store().set("tabshell_workspace", there)
    return there
