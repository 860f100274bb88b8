"""Putting our hooks into an agent's JSON settings, and taking exactly them out again.

Agents of Claude Code's style keep hooks as ``{"hooks": {EVENT: [{"matcher"?, "hooks": [{"type": "command",
"command": …, "timeout": …}]}]}}``. Ours are known by the program's name in their command, so that a second
install changes nothing and an uninstall leaves the person's own hooks alone. A file is changed where our hooks
stand and nowhere else: comments, spacing and order are the person's (``jsonc``).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from tabshell.agents import jsonc
from tabshell.agents.agent import FileChange, Installation, Setting
from tabshell.agents.jsonc import Item
from tabshell.agents.payload import Json
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
    """``settings``, which hold no hooks of ours, with our hook on each of ``events`` (``timeout`` in the agent's own
    unit)."""
    hooks = settings.get("hooks")
    known = dict(hooks) if isinstance(hooks, dict) else {}
    for event in events:
        others = known.get(event)
        known[event] = [*(others if isinstance(others, list) else []), _group(event, hook, timeout)]
    return {**settings, "hooks": known}


def _group(event: str, hook: Sequence[str], timeout: int) -> Json:
    return {"hooks": [{"type": "command", "command": hook_command(hook, event), "timeout": timeout}]}


def _with_ours(text: str, events: Sequence[str], hook: Sequence[str], timeout: int) -> str:
    """The text of a settings file with our hooks, in the place of others of ours that it may have."""
    wanted = {event: _group(event, hook, timeout) for event in events}
    ours = _ours(jsonc.read(text))
    if len(ours) == len(wanted) and dict(ours) == wanted:
        return text
    text = _without_ours(text)
    for event, group in wanted.items():
        root = jsonc.read(text)
        hooks = root["hooks"]
        groups = hooks[event] if hooks is not None else None
        if hooks is None:
            text = jsonc.added(text, root, "hooks", {event: [group]})
        elif not isinstance(hooks.value, dict):
            text = jsonc.replaced(text, hooks, {event: [group]})
        elif groups is None:
            text = jsonc.added(text, hooks, event, [group])
        elif not isinstance(groups.value, list):
            text = jsonc.replaced(text, groups, [group])
        else:
            text = jsonc.added(text, groups, None, group)
    return text


def _without_ours(text: str) -> str:
    """The text without our hooks; an event that has none left goes too, and ``hooks`` with the last of them."""
    while (found := _one_of_ours(jsonc.read(text))) is not None:
        text = jsonc.removed(text, *found)
    return text


def _ours(root: Item) -> list[tuple[str, object]]:
    """Our groups, each with its event."""
    hooks = root["hooks"]
    events = hooks.items if hooks is not None and isinstance(hooks.value, dict) else ()
    return [(str(event.key), group.value) for event in events for group in event.items if _all_ours(group.value)]


def _one_of_ours(root: Item) -> tuple[Item, Item] | None:
    """A group of ours with what it stands in; where nothing else stands there, that, and so on."""
    hooks = root["hooks"]
    for event in hooks.items if hooks is not None and isinstance(hooks.value, dict) else ():
        ours = [group for group in event.items if _all_ours(group.value)]
        if not ours or not isinstance(event.value, list):
            continue
        if len(ours) < len(event.items):
            return event, ours[-1]
        return (hooks, event) if hooks is not None and len(hooks.items) > 1 else (root, hooks or event)
    return None


def _all_ours(group: object) -> bool:
    """Whether a matcher group, or a plain hook (Copilot), holds nothing but hooks of ours."""
    if not isinstance(group, dict):
        return False
    hooks = group.get("hooks")
    if isinstance(hooks, list) and hooks:
        return all(isinstance(hook, dict) and is_ours(hook.get("command")) for hook in hooks)
    return is_ours(group.get("command")) or is_ours(group.get("bash"))


def install_hooks(
    path: str,
    setting: Setting,
    events: Sequence[str],
    timeout: int,
    notes: tuple[str, ...] = (),
    *,
    comments: bool = False,
) -> Installation:
    """The settings file at ``path`` with our hooks. Raises Refused if it is no JSON object, or one that the agent
    passes over: ``comments`` says whether it reads a file that has some."""
    text = _settings(path, setting)
    if text is None:
        settings = with_hooks({}, events, setting.hook, timeout)
        return Installation((FileChange(path, json.dumps(settings, indent=2, ensure_ascii=False) + "\n"),), notes)
    if wrong := jsonc.liberty(text, comments=comments):
        msg = f"{path} has {wrong}: the agent passes over such a file, so hooks in it do nothing; take that out first"
        raise Refused(msg, "settings-unreadable")
    return Installation((FileChange(path, _with_ours(text, events, setting.hook, timeout)),), notes)


def uninstall_hooks(path: str, setting: Setting) -> Installation:
    """The settings file at ``path`` without our hooks; removed where nothing else is left."""
    text = _settings(path, setting)
    left = None if text is None else _without_ours(text)
    if text is None or left == text:
        return Installation(())
    return Installation((FileChange(path, left if left and left.strip() != "{}" else None),))


def _settings(path: str, setting: Setting) -> str | None:
    """The text of a settings file; None where there is none, or nothing in it. Raises Refused."""
    text = setting.read(path)
    if text is None or not text.strip():
        return None
    try:
        wrong = None if isinstance(jsonc.read(text).value, dict) else "it holds no object"
    except ValueError as error:
        wrong = str(error)
    if wrong is not None:
        msg = f"{path} is no JSON object ({wrong}), so it is left alone; mend it, or add the hooks by hand"
        raise Refused(msg, "settings-unreadable")
    return text
