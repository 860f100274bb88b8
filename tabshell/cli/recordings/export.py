"""``tabshell export``: a session in another format, on standard output or into a file.

Texts that leave are looked through for secrets; what was found is named on stderr. A bundle is the exception: it
carries the store as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tabshell import __version__
from tabshell.cli.options.shared import open_session, session_argument
from tabshell.cli.output import write_out
from tabshell.errors import TabshellError, UsageError
from tabshell.session import Session

if TYPE_CHECKING:
    from tabshell.recordings.film import Film
    from tabshell.recordings.redact import Redactor
    from tabshell.recordings.spans import SpanOf


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person asked for beside the format."""

    redactor: Redactor
    strip_tab: bool
    with_text: bool = False

    def without(self, session: Session) -> frozenset[int]:
        """The turns to leave out."""
        from tabshell.recordings.to_atif import tab_turns  # noqa: PLC0415

        return tab_turns(_film(session)) if self.strip_tab else frozenset()


Exporter = Callable[[Session, Wish], bytes]


def _film(session: Session) -> Film:
    from tabshell.recordings.film import Film  # noqa: PLC0415

    return Film(session.store)


def _json(session: Session, wish: Wish) -> bytes:
    from tabshell.audit.as_json import dumps  # noqa: PLC0415
    from tabshell.session.whole import export_object  # noqa: PLC0415

    document = dict(export_object(session))
    if wish.strip_tab:
        without = wish.without(session)
        turns = document["turns"]
        assert isinstance(turns, list)  # noqa: S101 - what export_object makes
        document["turns"] = [turn for turn in turns if turn["turn"] not in without]
        document |= {"requirements": [], "notes": [], "accesses": [], "finish_check": None}
    return (dumps(wish.redactor.value(document)) + "\n").encode("ascii")  # type: ignore[arg-type]


def _jsonl(session: Session, wish: Wish) -> bytes:
    from tabshell.recordings.to_jsonl import to_jsonl  # noqa: PLC0415
    from tabshell.session.whole import export_object  # noqa: PLC0415

    return _lines(to_jsonl(export_object(session), wish.redactor, wish.without(session)))


def _asciicast(session: Session, wish: Wish, version: int) -> bytes:
    from tabshell.recordings.strip import without_tab  # noqa: PLC0415
    from tabshell.recordings.to_asciicast import CastOptions, to_asciicast  # noqa: PLC0415

    session.catch_up()
    film = _film(session)
    frames = without_tab(film) if wish.strip_tab else film.frames()
    options = CastOptions(3 if version == 3 else 2, title=session.started.name)
    return _lines(to_asciicast(film, frames, wish.redactor, options))


def _atif(session: Session, wish: Wish) -> bytes:
    from tabshell.recordings import to_atif  # noqa: PLC0415

    source = to_atif.Session(session.tab(turns=True), session.output, __version__, wish.without(session))
    return (to_atif.to_atif(source, wish.redactor) + "\n").encode("ascii")


def _prov(session: Session, wish: Wish) -> bytes:
    from tabshell.recordings.prov import to_prov  # noqa: PLC0415

    return (to_prov(session.tab(turns=True), wish.redactor) + "\n").encode("ascii")


def _otlp(session: Session, wish: Wish) -> bytes:
    from tabshell.recordings.otlp import to_otlp  # noqa: PLC0415

    return (to_otlp(_spans(session, wish), __version__, wish.redactor) + "\n").encode("ascii")


def _spans(session: Session, wish: Wish) -> list[SpanOf]:
    from tabshell.recordings.spans import Texts, spans_of  # noqa: PLC0415
    from tabshell.text.observation import plain  # noqa: PLC0415

    tab = session.tab(turns=True)
    texts = Texts(session.entry_text, lambda turn: plain(session.output(turn))) if wish.with_text else None
    return spans_of(tab, wish.without(session), texts)


def _bundle(session: Session, wish: Wish) -> bytes:
    from tabshell.session.bundling import bundle  # noqa: PLC0415

    if wish.strip_tab:
        msg = "a bundle carries the whole store; --strip-tab is for the other formats"
        raise UsageError(msg)
    return bundle(session)


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Sending:
    """A collector that takes the spans, as a person named it. ``timeout`` in seconds."""

    endpoint: str | None
    headers: tuple[str, ...]
    timeout: float | None

    def send(self, session: str, wish: Wish) -> None:
        """Sends the session's spans and says so. Raises UsageError, or what says that they were not taken."""
        from tabshell.recordings.otlp_endpoint import TIMEOUT_S, address, header, send  # noqa: PLC0415

        endpoint = self.endpoint or ""
        address(endpoint)  # a wrong word is said before a session is read
        given = dict(map(header, self.headers))
        with open_session(session) as opened:
            spans = _spans(opened, wish)
        sent = send(spans, endpoint, given, wish.redactor, __version__, self.timeout or TIMEOUT_S)
        _name_redacted(wish.redactor)
        click.echo(f"sent {sent} spans, trace {spans[0].trace:032x}", err=True)


def _refuse_misfits(
    format_: str, output: Path | None, sending: Sending | None, *, redacting: bool, with_text: bool
) -> None:
    """Raises UsageError where options exclude each other."""
    if format_ == "bundle" and (output is None or redacting):
        msg = "a bundle holds everything as recorded, in one file: give -o FILE.tab, and no --redact"
        raise UsageError(msg)
    if format_ != "otlp" and (with_text or (sending and sending.endpoint)):
        msg = "--endpoint and --with-text are for --format otlp"
        raise UsageError(msg)
    if sending and sending.endpoint is None:
        msg = "--header and --timeout are for an --endpoint; name one, as http://localhost:4318"
        raise UsageError(msg)
    if sending and output is not None:
        msg = "--endpoint sends and -o writes; give one of them"
        raise UsageError(msg)


#: Format -> what writes it.
FORMATS: dict[str, Exporter] = {
    "json": _json,
    "jsonl": _jsonl,
    "asciicast2": lambda session, wish: _asciicast(session, wish, 2),
    "asciicast3": lambda session, wish: _asciicast(session, wish, 3),
    "atif": _atif,
    "prov": _prov,
    "otlp": _otlp,
    "bundle": _bundle,
}


@click.command()
@session_argument
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="json", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--strip-tab", is_flag=True, help="Leave the tab's operations and status lines out.")
@click.option("--redact", multiple=True, metavar="PATTERN", help="Replace what this regular expression matches.")
@click.option("--no-secret-scan", is_flag=True, help="Do not look for common forms of tokens and keys.")
@click.option("--endpoint", metavar="URL", help="With otlp: send to this collector, as http://localhost:4318.")
@click.option("--header", "headers", multiple=True, metavar="NAME: VALUE", help="A header for the collector.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds to wait for it [default: 10].")
@click.option("--with-text", is_flag=True, help="With otlp: what was shown and the whole commands go along.")
def export(  # noqa: PLR0913 - one for each option
    *,
    session: str,
    format_: str,
    output: Path | None,
    strip_tab: bool,
    redact: tuple[str, ...],
    no_secret_scan: bool,
    endpoint: str | None,
    headers: tuple[str, ...],
    timeout: float | None,
    with_text: bool,
) -> None:
    """Writes SESSION (id, prefix, name, path or 'last') in another format, or sends it to an OpenTelemetry collector.

    Tokens and keys of common forms are replaced by [redacted] in every text that leaves, and named on stderr.
    """
    from tabshell.recordings.redact import Redactor  # noqa: PLC0415

    sending = Sending(endpoint, headers, timeout) if endpoint is not None or headers or timeout else None
    _refuse_misfits(format_, output, sending, redacting=bool(redact), with_text=with_text)
    wish = Wish(Redactor(redact, scan=not no_secret_scan), strip_tab, with_text)
    if sending is not None:
        sending.send(session, wish)
        return
    with open_session(session) as opened:
        data = FORMATS[format_](opened, wish)
    _name_redacted(wish.redactor)
    try:
        write_out(data, output)
    except UsageError as error:  # a full disk is no wrong word on the command line
        raise TabshellError(str(error)) from error


def _name_redacted(redactor: Redactor) -> None:
    for name, count in redactor.found.items():
        click.echo(f"redacted: {name}, {count} time{'' if count == 1 else 's'}", err=True)
