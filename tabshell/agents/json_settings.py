"""Putting our hooks into an agent's JSON settings, and taking exactly them out again.

Agents of Claude Code's style keep hooks as ``{"hooks": {EVENT: [{"matcher"?, "hooks": [{"type": "command",
"command": …, "timeout": …}]}]}}``. Ours are known by the program's name in their command, so that a second
install changes nothing and an uninstall leaves the person's own hooks alone.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from tabshell.agents.agent import FileChange, Installation, Setting
from tabshell.agents.payload import Json, parse
from tabshell.errors import Refused

#: The name of the launcher that every hook of ours calls.
PROGRAM = "tabshell-hook"


def hook_command(hook: Sequence[str], event: str) -> str:
    """The shell command of one hook."""
    return shlex.join((*hook, event))


def is_ours(command: object) -> bool:
    """Whether a hook's command calls tabshell."""
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return bool(words) and words[0].rpartition("/")[2] == PROGRAM


def with_hooks(settings: Json, events: Sequence[str], hook: Sequence[str], timeout: int) -> Json:
    """``settings`` with our hook on each of ``events`` (``timeout`` in the agent's own unit)."""
    changed = _without(settings)
    hooks = changed.get("hooks")
    known = dict(hooks) if isinstance(hooks, dict) else {}
    for event in events:
        group = {"hooks": [{"type": "command", "command": hook_command(hook, event), "timeout": timeout}]}
        others = known.get(event)
        known[event] = [*(others if isinstance(others, list) else []), group]
    return {**changed, "hooks": known}


def _without(settings: Json) -> Json:
    """``settings`` without our hooks; an event that has none left goes too."""
    hooks = settings.get("hooks")
    if not isinstance(hooks, dict):
        return dict(settings)
    kept: Json = {}
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            kept[event] = groups
            continue
        left = [group for group in groups if not _all_ours(group)]
        if left or not groups:
            kept[event] = left
    rest = {name: value for name, value in settings.items() if name != "hooks"}
    return {**rest, "hooks": kept} if kept else rest


def _all_ours(group: object) -> bool:
    """Whether a matcher group, or a plain hook (Copilot), holds nothing but hooks of ours."""
    if not isinstance(group, dict):
        return False
    hooks = group.get("hooks")
    if isinstance(hooks, list) and hooks:
        return all(isinstance(hook, dict) and is_ours(hook.get("command")) for hook in hooks)
    return is_ours(group.get("command")) or is_ours(group.get("bash"))


def install_hooks(
    path: str, setting: Setting, events: Sequence[str], timeout: int, notes: tuple[str, ...] = ()
) -> Installation:
    """The settings file at ``path`` with our hooks. Raises Refused if it is no plain JSON."""
    settings = _settings(path, setting)
    return Installation((FileChange(path, _dump(with_hooks(settings, events, setting.hook, timeout))),), notes)


def uninstall_hooks(path: str, setting: Setting) -> Installation:
    """The settings file at ``path`` without our hooks; removed where nothing else is left."""
    if setting.read(path) is None:
        return Installation(())
    settings = _settings(path, setting)
    left = _without(settings)
    if left == settings:
        return Installation(())
    return Installation((FileChange(path, _dump(left) if left else None),))


def _settings(path: str, setting: Setting) -> Json:
    text = setting.read(path)
    if text is None or not text.strip():
        return {}
    settings = parse(text)
    if settings is None:
        msg = f"{path} is no plain JSON object (comments?), so it is left alone; add the hooks by hand, or mend it"
        raise Refused(msg, "settings-unreadable")
    return settings


def _dump(settings: Json) -> str:
    return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
