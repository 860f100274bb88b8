"""``tabshell verify``: whether the record can be believed."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tabshell.access.disk.disk import Disk
from tabshell.audit.verify import INTEGRITY, Finding
from tabshell.cli.options.shared import json_option, open_session, session_argument
from tabshell.session import Session
from tabshell.session.whole import all_findings, chain_state
from tabshell.text.harmless import harmless


@click.command()
@session_argument
@click.option("--strict", is_flag=True, help="Fail on anything, also on sources that changed since.")
@click.option("--head", metavar="HASH", help="The head that the session printed at its end.")
@click.option("--sign", type=click.Path(path_type=Path), help="Sign the head with this ssh key (ssh-keygen -Y).")
@json_option
def verify(session: str, strict: bool, head: str | None, sign: Path | None, as_json: bool) -> int:
    """Checks the hash chain, the sources cited, the evidence, and names gaps. Exit 1 on a finding.

    Without --strict a source that changed after it was read is told and does not fail.
    """
    with open_session(session, readonly=True) as opened:
        events, current = opened.store.head()
        findings = _findings(opened, head, sign)
    failing = [
        finding for finding in findings if strict or finding.code in INTEGRITY or finding.code == "evidence-lost"
    ]
    if as_json:
        document = {"schema": "tabshell/1", "session": opened.directory.name, "ok": not failing}
        click.echo(json.dumps({**document, "findings": [_object(finding) for finding in findings]}, indent=1))
    else:
        for finding in findings:
            click.echo(f"{finding.code}: {harmless(finding.message)}")
        verdict = "the record holds" if not failing else f"{len(failing)} finding{'s' if len(failing) > 1 else ''}"
        click.echo(f"{opened.directory.name}: {verdict} ({events} events, head {current})")
    return 1 if failing else 0


def _findings(session: Session, head: str | None, sign: Path | None) -> list[Finding]:
    """What is wrong; with ``sign`` a new signature takes the place of one that does not hold (more was recorded)."""
    from tabshell.store.sign import check_signature, sign_head  # noqa: PLC0415 - needs ssh-keygen

    findings = all_findings(session, chain_state(session), Disk(), head)
    current = session.store.head()[1]
    complaint = check_signature(session.directory, current)
    if sign is not None:
        sign_head(session.directory, current, sign)
        if complaint:
            click.echo(f"tabshell: replaced: {harmless(complaint)}", err=True)
        complaint = check_signature(session.directory, current)
    return [*findings, Finding("signature-bad", complaint)] if complaint else findings


def _object(finding: Finding) -> dict[str, object]:
    found: dict[str, object] = {"code": finding.code, "message": finding.message}
    for name, prefix in (("requirement", "r"), ("entry", "L")):
        if getattr(finding, name) is not None:
            found[name] = f"{prefix}{getattr(finding, name)}"
    if finding.event is not None:
        found["event"] = finding.event
    return found
