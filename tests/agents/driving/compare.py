"""What the model was shown with tabshell against what it was shown without: ours off, the accidental levelled."""

from __future__ import annotations

import re

#: One status line, wherever an agent puts it.
STATUS = re.compile(r"\[tab\] requirements[^\n<\"]*?(?=\\n|\n|<|\"|\Z)")
#: What agents put around a hook's text; empty once the status line is off.
_FRAMES = (
    re.compile(r"<system-reminder>\n(?:PostToolUse(?:Failure)?:\w+ hook additional context: )\s*</system-reminder>"),
    re.compile(r"<hook_context>\s*</hook_context>"),
    re.compile(r"Tool \"\w+\" succeeded\. Additional guidance from postToolUse hooks:\n(?=\s*(?:\Z|\n))"),
)
#: What differs from run to run by itself.
_ACCIDENTS = (
    (re.compile(r"\s+(?=</hook_context>)"), ""),
    (re.compile(r"Output:\s+"), "Output: "),  # ours stands before what came through the other pipe
    (re.compile(r"Process Group PGID: \d+"), "PGID"),
    (re.compile(r"Chunk ID: \w+"), "CHUNK"),
    (re.compile(r"Wall time: [\d.]+ seconds"), "TIME"),
    (re.compile(r"Original token count: \d+|original token count: \d+"), "TOKENS"),
    (re.compile(r"<total_tokens>\d+ tokens left</total_tokens>"), "TOKENS"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)"), "TIMESTAMP"),
    (re.compile(r"saved to:? \S+|Saved to:? \S+|see: \S+|output: /tmp/\S+"), "FILE"),
)


def levelled(text: str, base: str) -> str:
    """A text shown to the model, so that two runs can be compared."""
    text = STATUS.sub("", text.replace(base, "BASE") if base else text)
    for frame in _FRAMES:
        text = frame.sub("", text)
    for pattern, word in _ACCIDENTS:
        text = pattern.sub(word, text)
    text = text.replace("\\n", "\n")
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line)
