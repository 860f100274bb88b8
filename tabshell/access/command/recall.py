"""What one shell's turns leave to the next: ``memory.ShellMemory`` -> ``state.State`` and back."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tabshell.access.bash import nodes
from tabshell.access.bash.state import State, Value
from tabshell.access.bash.syntax import parse

if TYPE_CHECKING:
    from tabshell.access.memory import ShellMemory


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
    for text in memory.functions.values():
        tree = _function(text)
        if tree is not None:
            state.functions[tree.name] = (tree.body, tree.text)
    return state


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
