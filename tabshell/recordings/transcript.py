"""Calls and results as they come in a transcript -> a recording, in the order of the calls.

Readers of JSON-lines formats feed one of these line by line. A call without a result (an interrupted turn, a
file cut short) is a record without output. ``fault`` is set by the reader when it has to stop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tabshell.errors import RecordingError
from tabshell.recordings.calls import UNANSWERED, Call, Result, record
from tabshell.recordings.fields import Node, json_lines
from tabshell.recordings.recording import UNKNOWN_WORKSPACE, Recording


@dataclass(slots=True)
class Transcript:
    """What a reader has gathered so far. ``cwd`` is the directory that new calls start in."""

    format: str
    agent: str
    cwd: str = UNKNOWN_WORKSPACE
    workspace: str | None = None
    task: str | None = None
    agent_session: str | None = None
    model: str | None = None
    fault: RecordingError | None = None
    started_at: float = 0.0
    ended_at: float | None = None
    _calls: dict[str, Call] = field(default_factory=dict)
    _results: dict[str, Result] = field(default_factory=dict)

    def saw(self, at: float, cwd: str | None = None, session: str | None = None) -> None:
        """A line with a time, and with a directory and a session where it has them."""
        if at:
            self.started_at = min(self.started_at or at, at)
            self.ended_at = max(self.ended_at or at, at)
        if cwd:
            self.cwd = cwd
            self.workspace = self.workspace or cwd
        self.agent_session = self.agent_session or session

    def said(self, text: str) -> None:
        """A text of the person; the first one is the task, unless it is a command to the agent (``/model``)."""
        if self.task is None and text.strip() and not re.fullmatch(r"/[\w:-]+", text.strip()):
            self.task = text.strip()

    def called(self, identity: str, call: Call) -> None:
        """A tool call; the same identity again is the same call."""
        self._calls.setdefault(identity, call)

    def call(self, identity: str) -> Call | None:
        """The call of that identity, if there was one."""
        return self._calls.get(identity)

    def replace_call(self, identity: str, call: Call) -> None:
        """A later line knows more of a call (its real directory)."""
        if identity in self._calls:
            self._calls[identity] = call

    def answered(self, identity: str, result: Result) -> None:
        """The result of a call; a later one of the same identity is a repetition."""
        self._results.setdefault(identity, result)

    def result(self, identity: str) -> Result | None:
        """The result of that call, if it has come."""
        return self._results.get(identity)

    def replace_result(self, identity: str, result: Result) -> None:
        """A later line knows more of a result (its exit status)."""
        self._results[identity] = result

    def of_lines(self, data: bytes, take: Callable[[Node], None]) -> Recording:
        """The recording in a JSON-lines file: ``take`` gets each object. What came before a fault is kept."""
        try:
            for line in json_lines(data):
                take(line)
        except RecordingError as fault:
            self.fault = fault
        return self.recording()

    def recording(self) -> Recording:
        """Everything gathered, as records."""
        records = [record(call, self._results.get(name, UNANSWERED)) for name, call in self._calls.items()]
        return Recording(
            format=self.format,
            agent=self.agent,
            records=tuple(records),
            workspace=self.workspace or UNKNOWN_WORKSPACE,
            task=self.task,
            agent_session=self.agent_session,
            model=self.model,
            started_at=self.started_at,
            ended_at=self.ended_at,
            fault=self.fault,
        )
