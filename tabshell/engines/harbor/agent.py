"""Harbor's agents in a session: a mixin for those that it installs, and one for Terminus.

``run`` starts a session in the environment, lets the agent do everything as ever with its program started through
``tabshell run`` (see ``programs``), and brings the sidecar home into the trial's ``agent/tabshell``, also when the
agent fails or its time is up. Beside it stand ``trajectory-without-tab.json`` and ``tabshell.json`` with the measures.

A session that cannot be started ends the trial before a model is asked: what should be recorded is, or it is said.
What happens to the record afterwards never changes how a trial ends.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tabshell.engines.harbor.programs import PROGRAMS, starts, through
from tabshell.engines.harbor.sandbox import HarborSandbox
from tabshell.engines.harbor.settings import Settings, split
from tabshell.engines.harbor.trajectory import without_tab
from tabshell.engines.homecoming import Sidecar, bring_home
from tabshell.engines.recorded import Recorded, record
from tabshell.tab.prompt import prompt_block

#: Where it all lies in the trial's ``agent`` folder.
FOLDER, SUMMARY = "tabshell", "tabshell.json"
TRAJECTORY, STRIPPED = "trajectory.json", "trajectory-without-tab.json"
#: Seconds for the sidecar's way home.
HOME_S = 300.0


def with_tabshell(base: type) -> type:
    """The agent class ``base`` of Harbor's, in a session. Raises TypeError where there is no place to stand in."""
    from harbor.agents.installed.base import BaseInstalledAgent  # noqa: PLC0415 - Python 3.12 and Harbor only
    from harbor.agents.terminus_2 import Terminus2  # noqa: PLC0415

    if issubclass(base, BaseInstalledAgent):
        mixin: type = InstalledMixin
    elif issubclass(base, Terminus2):
        from tabshell.engines.harbor.terminus import TerminusMixin  # noqa: PLC0415

        mixin = TerminusMixin
    else:
        msg = f"{base.__name__} is neither an agent that Harbor installs nor Terminus 2: there is no shell to record"
        raise TypeError(msg)
    about = {"__module__": "tabshell.engines.harbor", "__doc__": f"Harbor's ``{base.__name__}`` in a tabshell session."}
    return type(base.__name__, (mixin, base), about)


def harbor_class(name: str) -> type | None:
    """A class of Harbor's by its own name. Raises ImportError where Harbor is not installed."""
    from harbor.agents.factory import AgentFactory  # noqa: PLC0415

    for agent, where in AgentFactory._AGENT_MAP.items():  # asking for the classes would import all of them
        if where.rpartition(":")[2] == name:
            found: type = AgentFactory.get_agent_class(agent)
            return found
    return None


class Tabbed:
    """What both kinds of agents have of ours. Stands before Harbor's class."""

    logs_dir: Path
    model_name: str | None

    def __init__(self, *words: Any, **options: Any) -> None:  # noqa: ANN401 - Harbor's own arguments pass through
        self._tab, theirs = split(options)
        self._recorded: Recorded | None = None
        #: Whether the agent's shell or program was put into the session.
        self._started = False
        super().__init__(*words, **theirs)

    @classmethod
    def parse_options(cls, kwargs: dict[str, Any] | None = None, env: Any = None) -> Any:  # noqa: ANN401
        """The agent's own options, once ours are out of them."""
        return super().parse_options(split(kwargs)[1], env)  # type: ignore[misc]

    def to_agent_info(self) -> Any:  # noqa: ANN401
        """Told apart from the plain agent in a job's results."""
        info = super().to_agent_info()  # type: ignore[misc]
        return info.model_copy(update={"name": f"{info.name}+{self._tab.variant or 'tabshell'}"})

    async def _start(self, environment: Any, task: str) -> Recorded:  # noqa: ANN401
        """A session for this run."""
        name = getattr(environment, "environment_name", None)  # the task: what repeats have in common
        options = self._tab.options(task=task, name=name, agent=self._agent_name(), model=self.model_name)
        return await record(HarborSandbox(environment), options)

    def _agent_name(self) -> str:
        """The name that tabshell has for it, to group by."""
        from tabshell.agents.all_agents import by_name  # noqa: PLC0415

        name = str(self.name())  # type: ignore[attr-defined]
        known = by_name(self._program() or name) or by_name(name)
        return known.name if known is not None else name

    def _program(self) -> str | None:
        return self._tab.program or PROGRAMS.get(str(self.name()))  # type: ignore[attr-defined]

    @asynccontextmanager
    async def _ending(self, environment: Any, recorded: Recorded, context: Any) -> AsyncIterator[None]:  # noqa: ANN401
        """The agent's own run goes on inside; however it ends, the sidecar comes home (cancelled: without a status)."""
        status: int | None = None
        try:
            yield
            status = 0
        except Exception:  # whatever it was, it goes on to Harbor
            status = 1
            raise
        finally:
            await self._end(environment, recorded, context, status)

    async def _end(self, environment: Any, recorded: Recorded, context: Any, status: int | None) -> None:  # noqa: ANN401
        """The sidecar comes home; nothing that goes wrong here ends the trial."""
        folder = Path(self.logs_dir) / FOLDER
        try:
            home = bring_home(HarborSandbox(environment), recorded, folder, exit_code=status, limit=self._tab.limit)
            sidecar = await asyncio.wait_for(home, HOME_S)
        except Exception as error:  # noqa: BLE001 - said in the summary; the agent's own result stands
            sidecar = Sidecar(recorded.session.rsplit("/", 1)[-1], None, 0, problem=str(error) or type(error).__name__)
        if not self._started and sidecar.problem is None:
            unseen = f"no line started {self._program()!r}, so the agent was not recorded; see --ak tab_program=NAME"
            sidecar = replace(sidecar, problem=unseen)
        if sidecar.problem is not None:
            self.logger.warning("tabshell: %s", sidecar.problem)  # type: ignore[attr-defined]
        folder.mkdir(parents=True, exist_ok=True)
        (Path(self.logs_dir) / SUMMARY).write_text(json.dumps(_summary(sidecar, self._tab), indent=1) + "\n")
        self._strip()
        if context is not None and not context.is_empty():
            self._tell(context)

    def _strip(self) -> None:
        """The trajectory without tab operations, where there is one."""
        source = Path(self.logs_dir) / TRAJECTORY
        try:
            stripped = without_tab(json.loads(source.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return
        except (OSError, ValueError, AttributeError, TypeError, KeyError) as error:
            self.logger.warning("tabshell: %s could not be stripped: %s", source, error)  # type: ignore[attr-defined]
            return
        text = json.dumps(stripped, indent=2, ensure_ascii=False)
        source.with_name(STRIPPED).write_text(text + "\n", encoding="utf-8", errors="replace")

    def _tell(self, context: Any) -> None:  # noqa: ANN401
        """The measures into the trial's result."""
        try:
            measures = json.loads((Path(self.logs_dir) / SUMMARY).read_text())
        except (OSError, ValueError):
            return
        context.metadata = {**(context.metadata or {}), "tabshell": measures}

    def populate_context_post_run(self, context: Any) -> None:  # noqa: ANN401
        """As ever; then our measures, and the trajectory that was written only now."""
        super().populate_context_post_run(context)  # type: ignore[misc]
        self._strip()
        self._tell(context)


class InstalledMixin(Tabbed):
    """An agent that Harbor installs in the environment."""

    def __init__(self, *words: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*words, **options)
        if self._program() is None:
            msg = (
                f"tabshell does not know which program Harbor's {self.name()!r} starts; "  # type: ignore[attr-defined]
                "name it with --ak tab_program=NAME"
            )
            raise ValueError(msg)

    async def run(self, instruction: str, environment: Any, context: Any) -> None:  # noqa: ANN401
        """The agent's run, in a session."""
        recorded = self._recorded = await self._start(environment, instruction)
        self._started = False
        async with self._ending(environment, recorded, context):
            try:
                await super().run(self._with_prompt(instruction), environment, context)  # type: ignore[misc]
            finally:
                self._recorded = None

    def _with_prompt(self, instruction: str) -> str:
        """An agent that tabshell knows gets the block about the tab from ``tabshell run``; another reads it here."""
        from tabshell.agents.all_agents import recognise  # noqa: PLC0415

        known = recognise([self._program() or ""])[0].name != "generic"
        return instruction if known else f"{instruction}\n\n{prompt_block()}"

    async def exec_as_agent(self, environment: Any, command: str, *words: Any, **options: Any) -> Any:  # noqa: ANN401
        """A line of the agent's; the one that starts it goes through the session."""
        program = self._program() or ""
        if self._recorded is not None and starts(command, program):
            command = through(self._recorded, command, program)
            self._started = True
        return await super().exec_as_agent(environment, command, *words, **options)  # type: ignore[misc]


def _summary(sidecar: Sidecar, settings: Settings) -> dict[str, Any]:
    """What the summary file holds: where the sidecar is, relative to it, and what was measured."""
    found = asdict(sidecar)
    path = found.pop("path")
    found["path"] = None if path is None else f"{FOLDER}/sessions/{Path(path).name}"
    return {"schema": "tabshell/1", **found, "settings": asdict(settings)}
