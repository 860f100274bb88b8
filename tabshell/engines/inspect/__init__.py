"""tabshell in Inspect AI: tools, an agent, scorers, and the paper's experiment as a task. Needs the extra ``inspect``.

``from tabshell.engines.inspect import bash, tab_tools, stop_check, tab_prompt, tab_measures, bring_sidecar_home`` for
an evaluation of one's own; ``inspect eval tabshell/experiment -T tasks=DIR -T variant=tabshell`` for the experiment.
"""

from __future__ import annotations

from tabshell.engines.inspect.agent import stop_check, tab_prompt, worker
from tabshell.engines.inspect.cli_agents import recorded_agent
from tabshell.engines.inspect.kept import bring_sidecar_home, start_tab
from tabshell.engines.inspect.scores import delivery, rubric, tab_measures
from tabshell.engines.inspect.task import experiment
from tabshell.engines.inspect.tools import bash, tab_tools

__all__ = [
    "bash",
    "bring_sidecar_home",
    "delivery",
    "experiment",
    "recorded_agent",
    "rubric",
    "start_tab",
    "stop_check",
    "tab_measures",
    "tab_prompt",
    "tab_tools",
    "worker",
]
