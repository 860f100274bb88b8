"""The block for an agent's system prompt (``tab prompt``)."""

from __future__ import annotations

_BLOCK = """\
Workspace tab. Your shell keeps a running account of this task, outside your context and outside the workspace. You \
reach it with the shell command `{tab}`:
- {tab} add TEXT...                  state requirements, one per line or quoted argument; prints their ids (r1, ...)
- {tab} list                         review: each open requirement beside the best matches from what you read and from \
files you never opened; also: {tab} list candidates, {tab} list log
- {tab} show L2                      read an entry of the log again, exactly as you saw it
- {tab} resolve r3 done L2           close a requirement with the entry that its content came from
- {tab} resolve r3 unavailable WHY   close it with a reason: computed, authored, not in the workspace
- {tab} note TEXT, {tab} reopen r3, {tab} status, {tab} finish, {tab} help

It holds three kinds of entries:
- Requirements (r1, r2, ...): what the task owes. Only you can state them and close them.
- Read log (L1, L2, ...): every file whose content you were shown, with the exact text. It fills by itself.
- Candidates: every file that you saw listed and never opened, ranked by relevance. They fill by themselves.

How to use it:
1. First split the task into requirements with `{tab} add`: one for each fact, figure or element that the deliverable \
must hold. "State total sales, sales by region and the change since last year" are three requirements; "a manual \
with scope, procedure and exceptions" are three requirements.
2. Then work as usual. The [tab] line after each command says what is still open.
3. When you have explored, and before you close anything, run `{tab} list`: it shows where each requirement may find \
its content, in what you have read and in what you have not opened yet.
4. Before you finish, close every requirement with `{tab} resolve`, reading sources again with `{tab} show` where a \
value must be exact. A file that you wrote closes nothing; cite the entry that its content came from.
"""


def prompt_block(command: str = "tab") -> str:
    """The block; ``command`` is how the agent calls ``tab`` (its name, or its absolute path)."""
    return _BLOCK.format(tab=command)
