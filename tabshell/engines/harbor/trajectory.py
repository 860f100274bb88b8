"""Tab operations out of a trajectory that Harbor wrote (ATIF), for judges who must not see how an agent worked. Pure.

Left out are calls of a shell that only worked on the tab, with what they showed; a step of which nothing is left; the
block about the tab behind the task; the status lines and the finish check in what a command showed. Steps are numbered
anew. Limits: what the model says of the tab in its own words stays in the steps that stay, and where one observation
belongs to several calls (Terminus) only lines of ours are taken out of it.
"""

from __future__ import annotations

import copy
import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from tabshell.tab.prompt import prompt_block

_OPERATIONS = frozenset("add list show resolve reopen note status task finish prompt help".split())  # noqa: SIM905
_SHELL_ARGUMENTS = ("command", "cmd", "keystrokes")
_OPS = "ops: tab add list show resolve"
#: A status line; on a screen it may be wrapped, at a blank or within a word.
_STATUS = re.compile(
    r"(?m)^\[tab\] (?!Finish check)(?:(?:[^\n]|\n(?!\[tab\])){0,500}?"
    + r"\n?".join("[ \n]" if character == " " else re.escape(character) for character in _OPS)
    + r"|[^\n]*)\n?"
)
_CHECK = re.compile(r"(?s)\[tab\] Finish check: .*?(?:This is said once: [^.\n]*\.\n?|\Z)")
#: What an agent puts around a text of ours: without it there is nothing to wrap.
_AROUND = re.compile(r"</?(?:hook_prompt|hook_context|system-reminder)\b[^>]*>|Stop hook feedback:|\s+")
Object = dict[str, Any]


def without_tab(trajectory: Object) -> Object:
    """A copy without tab operations."""
    found = copy.deepcopy(trajectory)
    steps = [kept for step in found.get("steps", []) if (kept := _step(step)) is not None]
    steps = steps or found.get("steps", [])[:1]
    for number, step in enumerate(steps, start=1):
        step["step_id"] = number
    found["steps"] = steps
    if isinstance(found.get("final_metrics"), dict) and "total_steps" in found["final_metrics"]:
        found["final_metrics"]["total_steps"] = len(steps)
    if found.get("subagent_trajectories"):
        found["subagent_trajectories"] = [without_tab(one) for one in found["subagent_trajectories"]]
    return found


def only_tab(command: str) -> bool:
    """Whether a command line calls ``tab`` and nothing else; a here-document is what one of them reads."""
    commands = list(_commands(_without_bodies(command)))
    return bool(commands) and all(
        words[0].rpartition("/")[2] == "tab" and (len(words) == 1 or words[1] in _OPERATIONS) for words in commands
    )


def _without_bodies(text: str) -> str:
    lines, kept, ending = text.split("\n"), [], None
    for line in lines:
        if ending is not None:
            ending = None if line.strip() == ending else ending
            continue
        here = re.search(r"<<-?\s*(['\"]?)(\w+)\1", line)
        ending = here[2] if here else None
        kept.append(re.sub(r"<<-?\s*(['\"]?)\w+\1", "", line))
    return "\n".join(kept)


def _commands(text: str) -> Iterator[list[str]]:
    """The simple commands of a line; one that cannot be told apart is given as no call of ``tab``."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace, lexer.commenters = " \t\r", "#"
    words: list[str] = []
    try:
        for token in lexer:
            if token and set(token) <= set(";&|()\n"):
                if words:
                    yield words
                words = []
            else:
                words.append(token)
    except ValueError:
        yield ["?"]
        return
    if words:
        yield words


def _step(step: Object) -> Object | None:
    calls = step.get("tool_calls") or []
    gone = {call.get("tool_call_id") for call in calls if _is_tab(call)}
    kept = [call for call in calls if call.get("tool_call_id") not in gone]
    if gone and not kept:
        return None
    if gone:
        step["tool_calls"] = kept
    results = (step.get("observation") or {}).get("results")
    if results is not None:
        step["observation"]["results"] = [
            _cleaned(one, "content") for one in results if one.get("source_call_id") not in gone or gone == {None}
        ]
    before = copy.deepcopy(step.get("message"))
    step = _cleaned(step, "message")
    ours = step.get("source") != "agent" and not calls and step.get("message") != before
    return None if ours and not _AROUND.sub("", _said(step["message"])) else step


def _said(message: Any) -> str:  # noqa: ANN401 - a text, or a list of parts
    if isinstance(message, str):
        return message
    return "".join(part["text"] if isinstance(part.get("text"), str) else "…" for part in message)


def _is_tab(call: Object) -> bool:
    arguments = call.get("arguments") or {}
    texts = [arguments[name] for name in _SHELL_ARGUMENTS if isinstance(arguments.get(name), str)]
    return any(only_tab(text) for text in texts)


def _cleaned(holder: Object, key: str) -> Object:
    """The object with its text cleaned, a plain one or one in parts."""
    value = holder.get(key)
    if isinstance(value, str):
        holder[key] = _text(value)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                part["text"] = _text(part["text"])
    return holder


def _text(text: str) -> str:
    """A text without what is ours; one that is JSON (so mini-swe-agent shows outputs) in each of its texts."""
    if text[:1] in ("{", "["):
        try:
            value = json.loads(text)
        except ValueError:
            pass
        else:
            cleaned = _value(value)
            return text if cleaned == value else json.dumps(cleaned, indent=2 if "\n" in text else None)
    block = prompt_block().strip()
    for form in (f"\n\n{block}", block):
        text = text.replace(form, "")
    return _STATUS.sub("", _CHECK.sub("", text))


def _value(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return [_value(one) for one in value]
    if isinstance(value, dict):
        return {key: _value(one) for key, one in value.items()}
    return value
