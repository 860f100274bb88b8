"""The variants of the experiment: what each adds to the plain agent. Pure.

Plain is direct corpus interaction; three others let the model keep its own record (a list at the start, a check at
the end, both); ``tabshell`` keeps the tab, and four variants leave out one part of it each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tabshell.errors import UsageError

_BASE = """\
You work on the files of a folder through a terminal: list them, search them, read them with the usual commands. The \
task asks for a new document that is made of what these files hold. Read what you need, write the document into the \
folder {out} of your working directory, and check it. Each command runs in a new shell that starts in the working \
directory. When you are done, say so without calling a tool.
"""
_TODO = """\
Before you read anything, write a TODO list: every fact, every figure and every part that the document must have, one \
a line. Then work it off.
"""
_CHECK = """\
Before you finish: go once more through every fact, figure and part that the task asks for. Compare each with the \
files that you read, and see that it stands in your document. Put in what is missing and correct what is wrong, then \
finish again.
"""


@dataclass(frozen=True, slots=True)
class Variant:
    """``name`` is the word for ``-T variant=``; ``row`` that of the paper's tables. The tab's four parts count only
    where there is a tab."""

    name: str
    row: str
    todo: bool = False
    check: bool = False
    tab: bool = False
    capture: bool = True
    review: bool = True
    evidence_check: bool = True
    finish_check: bool = True

    @property
    def stop_message(self) -> str | None:
        """What the model is told at its first stop, where it is not the tab that has something to say."""
        return _CHECK if self.check else None

    def prompt(self, out: str, tab_block: str) -> str:
        """The system prompt."""
        parts = [_BASE.format(out=out)]
        if self.todo:
            parts.append(_TODO)
        if self.tab:
            parts.append(tab_block)
        return "\n".join(parts)


_TAB = Variant("tabshell", "RunningTab", tab=True)
VARIANTS: dict[str, Variant] = {
    one.name: one
    for one in (
        Variant("plain", "DCI"),
        Variant("todo", "TODO", todo=True),
        Variant("self-refine", "Self-Refine", check=True),
        Variant("self-tracking", "Self-Tracking", todo=True, check=True),
        _TAB,
        replace(_TAB, name="no-capture", row="No Environmental Capture", capture=False),
        replace(_TAB, name="no-review", row="No Review", review=False),
        replace(_TAB, name="no-evidence-check", row="No Evidence Check", evidence_check=False),
        replace(_TAB, name="no-finish-check", row="No Finish Check", finish_check=False),
    )
}


def variant_of(name: str) -> Variant:
    """The variant of that name."""
    if name not in VARIANTS:
        msg = f"no variant {name!r}; there are {', '.join(VARIANTS)}"
        raise UsageError(msg)
    return VARIANTS[name]
