"""What is kept of a sample's session: where it lies in the sandbox, and after the sample where it came home.

It stands in Inspect's own store of the sample (``TabRecord``), so it is in the log; several tools and scorers of
one sample share it. Sidecars come into ``sidecars/EVAL`` beside the log.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.log._samples import sample_active  # there is no public way to a sample's own log
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironment, Store, sandbox, store

from tabshell.audit.stats_tally import Unmeasured
from tabshell.engines.homecoming import LIMIT, bring_home
from tabshell.engines.recorded import Options, Recorded, record
from tabshell.session.fleet import measure

#: How long the coming home may take where a sample was cut off, in seconds.
HOME_S = 180.0
#: What the names in the store begin with.
_KEY = "TabRecord:"


class Shared(dict[str, Any]):
    """Measures, which nobody alters: Inspect copies a score deeply for each metric of each sample."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Shared:
        return self


@dataclass(slots=True)
class TabRecord:
    """The session of a sample. ``sidecar`` is a path on the machine of the evaluation, set at the end.

    No ``StoreModel``: that one validates a field whenever it is looked at, which comes to a tenth of what Inspect
    itself does for a sample.
    """

    session: str = ""
    workspace: str = ""
    bash: str = ""
    program: list[str] = field(default_factory=list)
    host: str = ""
    user: str | None = None
    sandbox_name: str | None = None
    home: bool = False
    sidecar: str | None = None
    sidecar_bytes: int = 0
    turns: int = 0
    cpu_s: float = 0.0
    head: str = ""
    problem: str | None = None
    measures: dict[str, Any] = field(default_factory=Shared)

    @classmethod
    def of(cls, store: Store) -> TabRecord | None:
        """What the store of a sample has; None where the sample has no session."""
        if not store.get(_KEY + "session"):
            return None
        return cls(**{name: store.get(_KEY + name) for name in _NAMES if _KEY + name in store})

    def keep(self, store: Store) -> None:
        """Writes what is known into the store of a sample. Inspect logs each change of it once for each span around
        it, so the measures are left out where the sidecar has them: they stand in the score."""
        for name in _NAMES:
            value = getattr(self, name)
            if value != _UNKNOWN[name] and not (name == "measures" and self.sidecar):
                store.set(_KEY + name, value)

    def measured(self) -> dict[str, Any]:
        """The measures; read out of the sidecar where they did not come with it in this very call."""
        if not self.measures and self.sidecar:
            found = measure(self.sidecar)
            self.measures = Shared({} if isinstance(found, Unmeasured) else asdict(found))
        return self.measures

    def recorded(self) -> Recorded:
        """The session, to work with."""
        return Recorded(self.session, self.workspace, self.bash, tuple(self.program), self.host, self.user)


_NAMES = tuple(one.name for one in fields(TabRecord))
_UNKNOWN: dict[str, Any] = {name: getattr(TabRecord(), name) for name in _NAMES}


async def start_tab(options: Options | None = None, sandbox_name: str | None = None) -> Recorded:
    """The session of this sample: started now, or the one that runs. Raises SandboxLacks."""
    kept = TabRecord.of(store())
    if kept is not None:
        return kept.recorded()
    active = sample_active()
    given = options or Options()
    if active is not None and given.name is None:
        given = replace(given, name=f"{active.sample.id}/{active.epoch}")
    made = await record(place_of(sandbox_name), given)
    kept = TabRecord(made.session, made.workspace, made.bash, list(made.program), made.host, made.user, sandbox_name)
    kept.keep(store())
    return made


def place_of(name: str | None) -> SandboxEnvironment:
    """The sample's sandbox of that name, else the one that it has without a name."""
    return sandbox(name) if name else sandbox()


async def bring_sidecar_home(
    state: TaskState | None = None, *, folder: str | None = None, limit: int = LIMIT
) -> TabRecord | None:
    """Closes the sample's session and copies its sidecar, once; None where the sample has no session.

    Call it from a scorer (``tab_measures`` does) and give it as a task's ``cleanup`` too: that one is called for
    samples that failed, were cancelled, or ran into a limit before they were scored.
    """
    place = state.store if state is not None else store()
    kept = TabRecord.of(place)
    if kept is None or kept.home:
        return kept
    kept.home = True
    kept.keep(place)
    with anyio.CancelScope(shield=True), anyio.move_on_after(HOME_S) as scope:
        exit_code = 0 if state is not None and state.completed and not _limited(state) else None
        into = Path(folder) if folder else sidecar_folder()
        came = await bring_home(place_of(kept.sandbox_name), kept.recorded(), into, exit_code=exit_code, limit=limit)
        kept.sidecar, kept.sidecar_bytes, kept.problem = came.path, came.size, came.problem
        kept.turns, kept.head, kept.measures, kept.cpu_s = came.turns, came.head, Shared(came.stats), came.cpu_s
    if scope.cancelled_caught:
        kept.problem = f"the sandbox did not hand the sidecar over within {HOME_S:.0f} s"
    kept.keep(place)
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
