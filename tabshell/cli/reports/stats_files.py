"""Where the measures go: text, JSON and CSV to standard output or a file, Parquet to a file; row by row.

A file appears whole under its name, or not at all.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tabshell.audit.as_json import SCHEMA
from tabshell.audit.stats import SessionStats
from tabshell.audit.stats_report import (
    COLUMNS,
    csv_foot,
    csv_head,
    csv_row,
    json_foot,
    json_head,
    json_row,
    stats_text,
)
from tabshell.audit.stats_tally import GroupBy, Tally, Unmeasured
from tabshell.cli.output import Sink, written
from tabshell.errors import TabshellError, UsageError

if TYPE_CHECKING:
    from tabshell.audit.stats_expected import ExpectedValue

#: A measure's type -> the column's.
_TYPES = {"int": "BIGINT", "float": "DOUBLE", "float | None": "DOUBLE", "bool": "BOOLEAN"}


class Writer:
    """Takes what was measured, one by one, and counts it; ``row`` writes one where rows are written."""

    def __init__(self, by: Sequence[GroupBy]) -> None:
        self.tally = Tally(by)
        self.unmeasured: list[Unmeasured] = []

    def add(self, one: SessionStats | Unmeasured) -> None:
        """Counts and writes one."""
        if isinstance(one, Unmeasured):
            self.tally.pass_over(one)
            self.unmeasured.append(one)
        else:
            self.row(one)
            self.tally.add(one)

    def row(self, one: SessionStats) -> None:
        """Writes a session's row."""


def writer_for(
    format_: str, by: Sequence[GroupBy], fates: Sequence[ExpectedValue], output: Path | None
) -> AbstractContextManager[Writer]:
    """What writes this format; when it is left, the end of the file is written."""
    if format_ == "parquet":
        assert output is not None  # noqa: S101 - the command sees to it
        return _parquet(output)
    return _texts(format_, by, fates, output)


class _Rows(Writer):
    """Rows of text."""

    def __init__(self, by: Sequence[GroupBy], format_: str, file: Sink) -> None:
        super().__init__(by)
        self._format, self._file = format_, file
        self.put({"json": json_head, "csv": csv_head}.get(format_, str)())

    def put(self, text: str) -> None:
        """Writes text; a name that is no UTF-8 as the bytes it has."""
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # half of a character that never was bytes
            data = text.encode("utf-8", "replace")
        self._file.write(data)

    def row(self, one: SessionStats) -> None:
        """Writes a session's row; the text has none."""
        if self._format == "json":
            self.put(json_row(one, first=not self.tally.sessions))
        elif self._format == "csv":
            self.put(csv_row(one))


@contextmanager
def _texts(
    format_: str, by: Sequence[GroupBy], fates: Sequence[ExpectedValue], output: Path | None
) -> Iterator[Writer]:
    with written(output) as file:
        writer = _Rows(by, format_, file)
        yield writer
        if format_ == "json":
            writer.put(json_foot(writer.tally, writer.unmeasured, fates))
        elif format_ == "csv":
            writer.put(csv_foot(writer.tally))
        else:
            writer.put(stats_text(writer.tally, fates))


class _Lines(Writer):
    """Rows as lines of JSON, for a program that makes columns of them."""

    def __init__(self, file: IO[str]) -> None:
        super().__init__(())
        self._file = file

    def row(self, one: SessionStats) -> None:
        """Writes a session's row; texts become what UTF-8 can hold."""
        cells = {name: getattr(one, name) for name in COLUMNS}
        clean = {name: _clean(cell) if isinstance(cell, str) else cell for name, cell in cells.items()}
        self._file.write(json.dumps(clean) + "\n")


def _clean(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


@contextmanager
def _parquet(output: Path) -> Iterator[Writer]:
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = "Parquet needs DuckDB: pip install 'tabshell[parquet]', or take --format csv"
        raise UsageError(msg) from error
    types = ", ".join(f"'{field.name}': '{_TYPES.get(str(field.type), 'VARCHAR')}'" for field in fields(SessionStats))
    with written(output) as target, tempfile.TemporaryDirectory(prefix="tabshell-") as folder:
        lines, made = Path(folder) / "sessions.json", Path(folder) / "sessions.parquet"
        with lines.open("w", encoding="ascii") as file:
            yield (writer := _Lines(file))
        try:
            with duckdb.connect(config={"memory_limit": "256MB", "threads": 1, "temp_directory": folder}) as engine:
                read = f"read_json(?, format = 'newline_delimited', columns = {{{types}}})"
                kept = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {{schema: '{SCHEMA}'}}"
                columns = ", ".join(COLUMNS)
                engine.execute(f"COPY (SELECT {columns} FROM {read}) TO {_quoted(made)} ({kept})", [str(lines)])  # noqa: S608 - names of ours
        except duckdb.Error as error:
            msg = f"cannot make a Parquet file of {writer.tally.sessions} rows: {error}"
            raise TabshellError(msg) from error
        with made.open("rb") as file_made:
            shutil.copyfileobj(file_made, target)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
