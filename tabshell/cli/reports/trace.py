"""``tabshell trace``: where each value of a deliverable stands in what the agent was shown."""

from __future__ import annotations

import click

from tabshell.cli.options.shared import deliverables_argument, json_option, open_session, session_option
from tabshell.cli.output import write_text
from tabshell.model.collection import no_collection
from tabshell.session.deliverables import reading


@click.command()
@deliverables_argument
@session_option
@json_option
def trace(deliverables: tuple[str, ...], session: str, as_json: bool) -> None:
    """Lists every number, date and quoted passage of DELIVERABLES with the log entry and line it came from."""
    with no_collection(), open_session(session) as opened, reading(opened, deliverables) as begun:
        from tabshell.audit.as_json import dumps  # noqa: PLC0415 - heavy ones are loaded meanwhile
        from tabshell.audit.as_text import trace_text  # noqa: PLC0415
        from tabshell.audit.audit_json import trace_object  # noqa: PLC0415
        from tabshell.session.auditing import trace_deliverables  # noqa: PLC0415

        traces = trace_deliverables(opened, begun)
        name = opened.directory.name
    text = dumps(trace_object(name, traces)) + "\n" if as_json else trace_text(traces)
    write_text(text)
