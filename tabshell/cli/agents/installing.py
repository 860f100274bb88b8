"""``tabshell install AGENT`` and ``uninstall AGENT``: hooks in the person's own configuration, and out again.

``plan_install`` and ``plan_uninstall`` say what would change; ``apply`` does it. Before a file is changed its bytes
are kept beside the sessions (``agents/AGENT.installed``), so that uninstalling gives back exactly what was there;
where the person changed the file since, only our hooks are taken out. Raises the errors of ``tabshell.errors``.
"""

from __future__ import annotations

import base64
import contextlib
import difflib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tabshell.agents.agent import Agent, FileChange, Installation, Setting
from tabshell.agents.all_agents import AGENTS, by_name
from tabshell.cli.agents.launch import read_text, write_hook
from tabshell.errors import Refused, UsageError
from tabshell.store.locate import home
from tabshell.tab.prompt import prompt_block


def agent_named(name: str) -> Agent:
    """The agent that a person means. Raises UsageError, which names those that have hooks."""
    agent = by_name(name)
    if agent is None:
        msg = f"no agent {name!r}; known are {', '.join(sorted(AGENTS))}"
        raise UsageError(msg)
    return agent


def plan_install(agent: Agent, environment: Mapping[str, str]) -> Installation:
    """What ``install`` would change; nothing where it is installed already."""
    plan = agent.install(_setting(agent, environment))
    if plan is None:
        program = agent.programs[0] if agent.programs else "AGENT"
        msg = f"{agent.title} has no hooks to install; start it with: tabshell run -- {program}"
        raise Refused(msg, "no-hooks")
    return Installation(tuple(change for change in plan.changes if _differs(change)), plan.notes)


def plan_uninstall(agent: Agent, environment: Mapping[str, str]) -> Installation:
    """What ``uninstall`` would change: back to the kept bytes, else our hooks taken out of what is there now."""
    kept = _kept(agent, environment)
    back = [_restored(change, kept) for change in _changes(agent.uninstall(_setting(agent, environment)))]
    return Installation(tuple(change for change in back if _differs(change)))


def apply(agent: Agent, plan: Installation, environment: Mapping[str, str], *, keep: bool) -> None:
    """Writes the changes. ``keep``: what was there before is kept for ``uninstall`` (that is: this installs)."""
    store = _store(agent, environment)
    if keep:
        write_hook(_folder(environment))
        kept = _kept(agent, environment)
        without_ours = {change.path: change for change in _changes(agent.uninstall(_setting(agent, environment)))}
        for change in plan.changes:
            before = without_ours[change.path].content if change.path in without_ours else read_text(change.path)
            made = _missing_folders(change.path) or kept.get(change.path, {}).get("made", [])
            kept[change.path] = {"before": _encoded(before), "after": change.content, "made": made}
        store.write_text(json.dumps(kept), encoding="utf-8")
        store.chmod(0o600)
    for change in plan.changes:
        _write(change)
    if not keep:
        _remove_folders(_kept(agent, environment))
        store.unlink(missing_ok=True)


def _changes(plan: Installation | None) -> tuple[FileChange, ...]:
    return plan.changes if plan else ()


def _missing_folders(path: str) -> list[str]:
    """The folders that must be made for a file, innermost first."""
    missing = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def _remove_folders(kept: Mapping[str, Mapping[str, Any]]) -> None:
    """Folders that the installation made go with it, if nothing else came into them."""
    for was in kept.values():
        for folder in was.get("made", []):
            with contextlib.suppress(OSError):
                os.rmdir(folder)


def described(plan: Installation) -> str:
    """The changes as unified differences, for a person to read before they are made."""
    parts: list[str] = []
    for change in plan.changes:
        before, after = read_text(change.path), change.content
        lines = difflib.unified_diff(
            (before or "").splitlines(),
            (after or "").splitlines(),
            change.path if before is not None else "/dev/null",
            change.path if after is not None else "/dev/null",
            lineterm="",
        )
        parts.extend(lines)
    return "\n".join(parts)


def _setting(agent: Agent, environment: Mapping[str, str]) -> Setting:
    hook = (str(_folder(environment) / "tabshell-hook"), agent.name)
    person = environment.get("HOME") or os.path.expanduser("~")
    return Setting(person, environment, hook, prompt_block(), read_text)


def _folder(environment: Mapping[str, str]) -> Path:
    """Where the launcher of installed hooks lies: it outlives every session."""
    return home(environment) / "agents"


def _store(agent: Agent, environment: Mapping[str, str]) -> Path:
    return _folder(environment) / f"{agent.name}.installed"


def _kept(agent: Agent, environment: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    text = read_text(str(_store(agent, environment)))
    try:
        kept = json.loads(text) if text else {}
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}


def _restored(change: FileChange, kept: Mapping[str, Mapping[str, Any]]) -> FileChange:
    """The file as it was before the installation, if nobody changed it since."""
    was = kept.get(change.path)
    if was is None or read_text(change.path) != was.get("after"):
        return change
    before = was.get("before")
    if before is None:
        return FileChange(change.path, None)
    return FileChange(change.path, base64.b64decode(before).decode("utf-8", "surrogateescape"))


def _encoded(text: str | None) -> str | None:
    return None if text is None else base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()


def _differs(change: FileChange) -> bool:
    return read_text(change.path) != change.content


def _write(change: FileChange) -> None:
    """Whole or not at all; a link stays a link, the mode stays as it was."""
    path = os.path.realpath(change.path)
    if change.content is None:
        Path(path).unlink(missing_ok=True)
        return
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    fresh = os.path.join(folder, f".{os.path.basename(path)}.tabshell-{os.getpid()}")
    mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o600
    descriptor = os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode)
    with open(descriptor, "wb") as stream:
        stream.write(change.content.encode("utf-8", "surrogateescape"))
    os.chmod(fresh, mode)
    os.replace(fresh, path)
