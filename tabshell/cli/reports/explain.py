"""``tabshell explain``: the reasons, rule by rule."""

from __future__ import annotations

import json

import click

from tabshell.cli.options.shared import json_option, open_session
from tabshell.errors import UsageError
from tabshell.model.facts import TurnEnded, TurnShown
from tabshell.model.state import Turn
from tabshell.session import Session
from tabshell.text.harmless import harmless


@click.command()
@click.argument("session")
@click.argument("turn", type=int)
@json_option
def explain(session: str, turn: int, as_json: bool) -> None:
    """Says for each file of TURN why it was classified so (read, searched, listed, wrote …)."""
    with open_session(session) as opened:
        turns = opened.tab(turns=True).turns
        cut = _cut(opened, turn)
    if turn not in turns:
        last = max(turns, default=0)
        msg = f"no turn {turn}; the session has turns 1 to {last}" if last else "the session has no turns"
        raise UsageError(msg)
    files = list(_files(turns[turn]))
    if as_json:
        document = {"schema": "tabshell/1", "turn": turn, "command": turns[turn].started.command, "files": files}
        if cut is not None:
            document["shown"] = {"bytes": cut[0], "of": cut[1]}
        click.echo(json.dumps(document, indent=1))
        return
    click.echo(f"turn {turn}: {harmless(turns[turn].started.command)}")
    if cut is not None:
        click.echo(f"  the model was shown {cut[0]:,} of {cut[1]:,} bytes of the output; the agent cut the rest")
    if not files:
        click.echo("  no file of the workspace was read, searched, listed or written")
    for file in files:
        click.echo(f"  {file['kind']:9} {harmless(str(file['path']))}")
        for reason in file["reasons"]:  # type: ignore[attr-defined]
            click.echo(f"            {reason['rule']}: {harmless(reason['evidence'])}")


def _cut(session: Session, turn: int) -> tuple[int, int] | None:
    """How many bytes of the turn's output reached the model, and of how many; None where nobody said otherwise."""
    shown, ended = session.store.numbered(TurnShown, turn), session.store.numbered(TurnEnded, turn)
    if shown is None or ended is None:
        return None
    if not isinstance(shown.fact, TurnShown) or not isinstance(ended.fact, TurnEnded):
        return None
    seen, size = sum(span.end - span.start for span in shown.fact.spans), ended.fact.end - ended.fact.start
    return (seen, size) if seen < size else None


def _files(turn: Turn) -> list[dict[str, object]]:
    found = turn.files
    if found is None:
        return []
    kinds: dict[str, str] = {}
    for kind, paths in (
        ("computed", found.computed_from),
        ("opened", found.opened),
        ("wrote", tuple(write.path for write in found.wrote)),
        ("listed", found.listed),
        ("searched", found.searched),
        ("read", found.read),
    ):
        kinds.update(dict.fromkeys(paths, kind))
    for reason in found.reasons:
        for path in reason.paths:
            kinds.setdefault(path, reason.kind)
    reasons: dict[str, list[dict[str, str]]] = {path: [] for path in kinds}
    for reason in found.reasons:
        for path in reason.paths:
            reasons[path].append({"rule": reason.rule, "evidence": reason.evidence})
    return [{"path": path, "kind": kinds[path], "reasons": reasons[path]} for path in sorted(kinds)]
