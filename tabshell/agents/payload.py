"""Reading an agent's JSON without trust, and making records of what it says.

Agents change their JSON from version to version, and a hook may be handed another program's. So every field is
asked for by type and missing is a value; nothing here raises for any input.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from tabshell.model.light import dataclass
from tabshell.model.records import Action, CommandRecord, Gap, ToolRecord

Json = dict[str, object]


Shown = tuple[bytes, Gap | None]
"""What the model was shown of a tool's output, and where the agent left something out."""


def parse(text: str) -> Json | None:
    """The JSON object in ``text``, or None."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def inner(payload: Json, *names: str) -> Json:
    """The first object of these names, else an empty one. Some agents hand it as JSON in a string."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = parse(value)
        if isinstance(value, dict):
            return value
    return {}


def text_of(payload: Json, *names: str) -> str | None:
    """The first of these fields that holds a text."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str):
            return value
    return None


def whole_number(payload: Json, *names: str) -> int | None:
    """The first of these fields that holds a whole number."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
    return None


def texts_of(payload: Json, *names: str) -> tuple[str, ...]:
    """The first of these fields that holds a text (as one) or a list of texts."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return (value,)
        if isinstance(value, list) and value:
            return tuple(item for item in value if isinstance(item, str))
    return ()


def flat(content: object) -> str:
    """The text of a tool result, whether a string, a list of blocks or an object with one."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(flat(block) for block in content if not _is_image(block))
    if isinstance(content, dict):
        for name in ("text", "content", "output", "llmContent", "textResultForLlm", "result"):
            if name in content:
                return flat(content[name])
    return ""


def _is_image(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") not in (None, "text", "tool_result")


def raw(text: str) -> bytes:
    """The bytes of a text out of JSON; a lone surrogate (half of a name that is no UTF-8) stays itself."""
    alone = re.search("[\ud800-\udc7f\udd00-\udfff]", text) is not None
    return text.encode("utf-8", "surrogatepass" if alone else "surrogateescape")


def cut_at(text: str, pattern: re.Pattern[str]) -> Shown:
    """``text`` without an agent's notice that it left something out, and the gap at that place.

    The pattern's group ``size`` is the number of characters left out, where the notice tells it; the gap is 1
    where it does not (more is not known). The notice's own lines are no part of what the command printed.
    """
    found = pattern.search(text)
    if found is None:
        return raw(text), None
    before = raw(text[: found.start()])
    told = found.groupdict().get("size")
    size = int(told.replace(",", "")) if told else 1
    return before + raw(text[found.end() :]), Gap(len(before), max(size, 1))


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool by ``agent``, as a hook saw it: makes the record of it."""

    agent: str
    cwd: str
    seconds: float = 0.0
    failed: bool = False

    def command(self, text: str, shown: Shown, exit_code: int | None) -> CommandRecord:
        """The record of a shell command."""
        output, gap = shown
        return CommandRecord(
            "hook", text, "hook", self.cwd, output, exit_code, duration_s=self.seconds, agent=self.agent, gap=gap
        )

    def file(
        self,
        tool: str,
        action: Action,
        paths: Iterable[str],
        shown: Shown,
        *,
        words: Iterable[str] = (),
        first_line: int | None = None,
        numbered: bool = False,
    ) -> ToolRecord:
        """The record of a file tool. ``words`` stand in the anchor between the tool's name and its paths. What a
        writing tool answers is no content of the file, so it is not kept."""
        output, gap = shown if action != "write" else (b"", None)
        named = tuple(path for path in paths if path)
        anchor = " ".join((tool, *(word for word in words if word), *named))
        return ToolRecord(
            "hook", self.agent, tool, action, anchor, self.cwd, named, output, 1 if self.failed else None,
            duration_s=self.seconds, numbered=numbered, first_line=first_line, gap=gap,
        )  # fmt: skip


def dump(answer: Json) -> str:
    """One line of JSON, ASCII only, as every agent takes it."""
    return json.dumps(answer, separators=(",", ":"))
