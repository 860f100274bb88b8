"""``tabshell missing``: what was shown, is asked for, and is not delivered."""

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
def missing(deliverables: tuple[str, ...], session: str, as_json: bool) -> int:
    """Lists values that the requirements point at and that DELIVERABLES lack. Exit 1 if there are any."""
    with no_collection(), open_session(session) as opened, reading(opened, deliverables) as begun:
        from tabshell.audit.as_json import dumps  # noqa: PLC0415 - heavy ones are loaded meanwhile
        from tabshell.audit.as_text import missing_text  # noqa: PLC0415
        from tabshell.audit.audit_json import missing_object  # noqa: PLC0415
        from tabshell.session.auditing import missing_from  # noqa: PLC0415

        lacking = missing_from(opened, begun)
        name = opened.directory.name
    text = dumps(missing_object(name, lacking)) + "\n" if as_json else missing_text(lacking)
    write_text(text)
    return 1 if lacking else 0
