"""What one shell's turns leave to the next: ``memory.ShellMemory`` -> ``state.State`` and back."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from tabshell.access.bash import nodes
from tabshell.access.bash.state import State, Value
from tabshell.access.bash.streams import Draft, weaker
from tabshell.access.bash.syntax import parse
from tabshell.access.memory import Origin

if TYPE_CHECKING:
    from tabshell.access.acts import Passage
    from tabshell.access.memory import ShellMemory

#: Files that one variable may hold content of, and elements of an array that are looked at.
HELD = 64


def recall(cwd: str, home: str | None, memory: ShellMemory) -> State:
    """The state of a shell at the start of a turn."""
    state = State(cwd, home)
    state.variables = {k: Value(v) for k, v in memory.variables.items()}
    state.arrays = {k: tuple(Value(v) for v in values) for k, values in memory.arrays.items()}
    state.aliases = dict(memory.aliases)
    state.positional = tuple(Value(v) for v in memory.positional)
    state.options = set(memory.options)
    state.oldpwd = memory.oldpwd
    state.stack = list(memory.stack)
    for name, origin in memory.origins.items():
        _hold(state, name, origin)
    for text in memory.functions.values():
        tree = _function(text)
        if tree is not None:
            state.functions[tree.name] = (tree.body, tree.text)
    return state


def _hold(state: State, name: str, origin: Origin) -> None:
    """A variable that an earlier turn filled from files: its act appears once somebody prints it."""
    draft = Draft("read", "$", state.cwd, f"${name}", 0, list(origin.paths), list(origin.paths), passage="nothing")
    draft.exact = origin.exact
    shows = ((draft, cast("Passage", origin.passage)),)
    if name in state.arrays:
        state.arrays[name] = tuple(replace(value, shows=shows) for value in state.arrays[name])
    elif origin.array:
        state.arrays[name] = (Value(None, shows),)
    else:
        known = state.variables.get(name)
        state.variables[name] = Value(known.text if known else None, shows)


def _origins(state: State) -> dict[str, Origin]:
    """The variables and arrays that hold content of files."""
    found: dict[str, Origin] = {}
    for name, value in state.variables.items():
        origin = _origin((value,), array=False) if value.shows else None
        if origin is not None:
            found[name] = origin
    for name, values in state.arrays.items():
        origin = _origin(values[:HELD], array=any(v.text is None for v in values[:HELD]))
        if origin is not None:
            found[name] = origin
    return found


def _origin(values: tuple[Value, ...], *, array: bool) -> Origin | None:
    shows = [(d, p) for value in values for d, p in value.shows if d.shows_content and p not in ("nothing", "counted")]
    paths = tuple(dict.fromkeys(path for draft, _ in shows for path in draft.paths))
    if not paths or len(paths) > HELD:
        return None
    passage: Passage = "verbatim"
    for _, kept in shows:
        passage = weaker(passage, kept)
    return Origin(paths, passage, all(draft.exact for draft, _ in shows), array)


@lru_cache(maxsize=1024)
def _function(text: str) -> nodes.Function | None:
    """A function by its text; the same ones come back turn after turn."""
    tree, _, _ = parse(text)
    return tree if isinstance(tree, nodes.Function) else None


def store(state: State, memory: ShellMemory) -> None:
    """Puts what is surely known of the shell at the end of a turn into ``memory``."""
    memory.variables = {k: v.text for k, v in state.variables.items() if v.text is not None and v.exact}
    memory.arrays = {
        k: tuple(v.text or "" for v in values)
        for k, values in state.arrays.items()
        if all(v.text is not None for v in values)
    }
    memory.functions = {k: text for k, (_, text) in state.functions.items()}
    memory.aliases = dict(state.aliases)
    memory.positional = tuple(v.text or "" for v in state.positional)
    memory.options = frozenset(state.options)
    memory.oldpwd = state.oldpwd
    memory.stack = tuple(state.stack)
    memory.origins = _origins(state)
