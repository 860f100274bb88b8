"""What a classifier must remember from turn to turn of one shell: variables, functions, aliases (the walk),
and where the content of written files came from (provenance). Rebuilt from stored facts on resume.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class ShellMemory:
    """Names that earlier commands of the same shell defined, as far as the walk could follow them."""

    variables: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, tuple[str, ...]] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    positional: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    oldpwd: str | None = None
    stack: tuple[str, ...] = ()


@dataclass(slots=True)
class Provenance:
    """Where the content of files came from that turns of this session wrote. Keys as in ``model.accesses``.

    ``derived``: file -> the source files of its content (transitive). ``own``: file -> digests of the lines
    that the agent wrote itself (None: all of them); a source with one line appended stays evidence otherwise.
    """

    derived: dict[str, tuple[str, ...]] = field(default_factory=dict)
    own: dict[str, frozenset[str] | None] = field(default_factory=dict)
