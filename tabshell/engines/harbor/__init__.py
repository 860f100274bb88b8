"""tabshell under Harbor: each of its agents with tabshell between it and its shell, named by import path.

``harbor run --agent tabshell.engines.harbor:ClaudeCode …`` runs Harbor's own ``ClaudeCode`` in a session; so does
``:Codex``, ``:MiniSweAgent``, ``:Terminus2`` and every other class of an agent that Harbor installs. ``with_tabshell``
does it for an agent of one's own. Options of ours begin with ``tab_`` (``--ak tab_variant=no-review``).

Harbor needs Python 3.12 and is imported only when one of these names is asked for.
"""

from __future__ import annotations

from typing import Any

from tabshell.engines.harbor.agent import with_tabshell

__all__ = ["with_tabshell"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class of Harbor's, made here
    if name.startswith("_"):
        raise AttributeError(name)
    from tabshell.engines.harbor.agent import harbor_class  # noqa: PLC0415

    found = harbor_class(name)
    if found is None:
        msg = f"Harbor has no agent class {name!r} that tabshell can stand in; see 'harbor run --help' for its agents"
        raise AttributeError(msg)
    made = with_tabshell(found)
    globals()[name] = made  # one class, however often it is asked for
    return made
