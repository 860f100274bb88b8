"""What is kept of a sample's session: where it lies in the sandbox, and after the sample where it came home.

It stands in Inspect's own store of the sample (``TabRecord``), so it is in the log; several tools and scorers of
one sample share it. Sidecars come into ``sidecars/EVAL`` beside the log.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.log._samples import sample_active  # there is no public way to a sample's own log
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironment, StoreModel, sandbox, store_as
from pydantic import Field

from tabshell.engines.homecoming import LIMIT, bring_home
from tabshell.engines.recorded import Options, Recorded, record

#: How long the coming home may take where a sample was cut off, in seconds.
HOME_S = 180.0


class TabRecord(StoreModel):
    """The session of a sample. ``sidecar`` is a path on the machine of the evaluation, set at the end."""

    session: str = Field(default="")
    workspace: str = Field(default="")
    bash: str = Field(default="")
    program: list[str] = Field(default_factory=list)
    host: str = Field(default="")
    user: str | None = Field(default=None)
    sandbox_name: str | None = Field(default=None)
    home: bool = Field(default=False)
    sidecar: str | None = Field(default=None)
    sidecar_bytes: int = Field(default=0)
    turns: int = Field(default=0)
    cpu_s: float = Field(default=0.0)
    head: str = Field(default="")
    problem: str | None = Field(default=None)
    measures: dict[str, Any] = Field(default_factory=dict)

    def recorded(self) -> Recorded:
        """The session, to work with."""
        return Recorded(self.session, self.workspace, self.bash, tuple(self.program), self.host, self.user)


async def start_tab(options: Options | None = None, sandbox_name: str | None = None) -> Recorded:
    """The session of this sample: started now, or the one that runs. Raises SandboxLacks."""
    kept = store_as(TabRecord)
    if kept.session:
        return kept.recorded()
    active = sample_active()
    given = options or Options()
    if active is not None and given.name is None:
        given = _named(given, f"{active.sample.id}/{active.epoch}")
    made = await record(_sandbox(sandbox_name), given)
    kept.session, kept.workspace, kept.bash = made.session, made.workspace, made.bash
    kept.program, kept.host, kept.user = list(made.program), made.host, made.user
    kept.sandbox_name = sandbox_name
    return made


def _named(options: Options, name: str) -> Options:
    from dataclasses import replace  # noqa: PLC0415

    return replace(options, name=name)


def _sandbox(name: str | None) -> SandboxEnvironment:
    return sandbox(name) if name else sandbox()


async def bring_sidecar_home(
    state: TaskState | None = None, *, folder: str | None = None, limit: int = LIMIT
) -> TabRecord | None:
    """Closes the sample's session and copies its sidecar, once; None where the sample has no session.

    Call it from a scorer (``tab_measures`` does) and give it as a task's ``cleanup`` too: that one is called for
    samples that failed, were cancelled, or ran into a limit before they were scored.
    """
    kept = state.store_as(TabRecord) if state is not None else store_as(TabRecord)
    if not kept.session or kept.home:
        return kept if kept.session else None
    kept.home = True
    with anyio.CancelScope(shield=True), anyio.move_on_after(HOME_S) as scope:
        exit_code = 0 if state is not None and state.completed and not _limited(state) else None
        into = Path(folder) if folder else sidecar_folder()
        came = await bring_home(_sandbox(kept.sandbox_name), kept.recorded(), into, exit_code=exit_code, limit=limit)
        kept.sidecar, kept.sidecar_bytes, kept.problem = came.path, came.size, came.problem
        kept.turns, kept.head, kept.measures, kept.cpu_s = came.turns, came.head, came.stats, came.cpu_s
    if scope.cancelled_caught:
        kept.problem = f"the sandbox did not hand the sidecar over within {HOME_S:.0f} s"
    return kept


def _limited(state: TaskState) -> bool:
    """Whether the sample ended otherwise than by the agent's own stop."""
    last = state.messages[-1] if state.messages else None
    return not isinstance(last, ChatMessageAssistant) or bool(last.tool_calls)


def sidecar_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The state directory for the sidecars of this evaluation: beside its log, or below ``./logs`` where the log is
    not a file of this machine."""
    active = sample_active()
    location = active.log_location if active is not None else ""
    place = location.removeprefix("file://")
    if not place or re.match(r"[a-z][a-z0-9+.-]*://", place):
        given = (environment or os.environ).get("INSPECT_LOG_DIR", "")
        beside = Path(given) if given and "://" not in given else Path("logs")
    else:
        beside = Path(place).parent
    name = Path(place).stem if place else "evaluation"
    return (beside / "sidecars" / name).absolute()
