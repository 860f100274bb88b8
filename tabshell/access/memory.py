"""What a classifier must remember from turn to turn of one shell: variables, functions, aliases (the walk),
and where the content of written files came from (provenance). Computed from stored facts; ``to_text`` and
``from_text`` are the form in which a process leaves it to the next.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Origin:
    """What a variable holds of files: their absolute paths, and what was done to their content on its way there
    (an ``acts.Passage``). ``array``: it is one, of which nothing else is known."""

    paths: tuple[str, ...]
    passage: str
    exact: bool = True
    array: bool = False


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
    #: variables and arrays that hold content of files: whoever prints them shows it
    origins: dict[str, Origin] = field(default_factory=dict)

    def copy(self) -> ShellMemory:
        """A memory of its own."""
        return replace(
            self,
            variables=dict(self.variables),
            arrays=dict(self.arrays),
            functions=dict(self.functions),
            aliases=dict(self.aliases),
            origins=dict(self.origins),
        )


@dataclass(slots=True)
class Provenance:
    """Where the content of files came from that turns of this session wrote. Keys as in ``model.accesses``.

    ``derived``: file -> the source files of its content (transitive). ``own``: file -> digests of the lines
    that the agent wrote itself (None: all of them); a source with one line appended stays evidence otherwise.
    """

    derived: dict[str, tuple[str, ...]] = field(default_factory=dict)
    own: dict[str, frozenset[str] | None] = field(default_factory=dict)

    def copy(self) -> Provenance:
        """A memory of its own."""
        return Provenance(dict(self.derived), dict(self.own))


def to_text(memory: ShellMemory, provenance: Provenance) -> str:
    """Both memories as ASCII text."""
    return json.dumps(
        {
            "variables": memory.variables,
            "arrays": memory.arrays,
            "functions": memory.functions,
            "aliases": memory.aliases,
            "positional": memory.positional,
            "options": sorted(memory.options),
            "oldpwd": memory.oldpwd,
            "stack": memory.stack,
            "origins": {name: [o.paths, o.passage, o.exact, o.array] for name, o in memory.origins.items()},
            "derived": provenance.derived,
            "own": {key: None if lines is None else sorted(lines) for key, lines in provenance.own.items()},
        },
        separators=(",", ":"),
    )


def from_text(text: str) -> tuple[ShellMemory, Provenance]:
    """What ``to_text`` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    data = json.loads(text)
    memory = ShellMemory(
        dict(data["variables"]),
        {name: tuple(values) for name, values in data["arrays"].items()},
        dict(data["functions"]),
        dict(data["aliases"]),
        tuple(data["positional"]),
        frozenset(data["options"]),
        data["oldpwd"],
        tuple(data["stack"]),
        {name: Origin(tuple(paths), *others) for name, (paths, *others) in data["origins"].items()},
    )
    own = {key: None if lines is None else frozenset(lines) for key, lines in data["own"].items()}
    return memory, Provenance({key: tuple(sources) for key, sources in data["derived"].items()}, own)
