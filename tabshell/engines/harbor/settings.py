"""What a person asks of tabshell beside the agent's own options: Harbor's ``--ak tab_NAME=VALUE``. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tabshell.engines.homecoming import LIMIT
from tabshell.engines.recorded import Options

PREFIX = "tab_"
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Settings:
    """``workspace`` and ``out`` are folders of the sandbox (its working directory; none). ``program``: the agent's own
    program, where tabshell does not know it. ``limit``: bytes of a sidecar that come home at most. The four switches
    are the paper's ablations."""

    variant: str | None = "tabshell"
    workspace: str | None = None
    out: str | None = None
    program: str | None = None
    limit: int = LIMIT
    capture: bool = True
    review: bool = True
    evidence_check: bool = True
    finish_check: bool = True

    def options(self, *, task: str, name: str | None, agent: str, model: str | None) -> Options:
        """Those of a session."""
        return Options(
            self.workspace, self.out, task, name, agent, model, self.variant,
            self.capture, self.review, self.evidence_check, self.finish_check,
        )  # fmt: skip


def split(given: Mapping[str, Any] | None) -> tuple[Settings, dict[str, Any]]:
    """Ours, and what is the agent's. Raises ValueError for a name or a value that is none."""
    kinds = {PREFIX + field.name: type(field.default) for field in fields(Settings)}
    ours: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for name, value in (given or {}).items():
        if not name.startswith(PREFIX):
            theirs[name] = value
        elif name not in kinds:
            msg = f"tabshell has no option {name!r}; it has {', '.join(sorted(kinds))}"
            raise ValueError(msg)
        else:
            ours[name.removeprefix(PREFIX)] = _read(name, value, kinds[name])
    return Settings(**ours), theirs


def _read(name: str, value: object, kind: type) -> object:
    text = str(value).strip()
    if kind is bool:
        if text.lower() in _YES or text.lower() in _NO:
            return text.lower() in _YES
        msg = f"{name} is yes or no, not {value!r}"
        raise ValueError(msg)
    if kind is int:
        if not text.isdecimal():
            msg = f"{name} is a number of bytes, not {value!r}"
            raise ValueError(msg)
        return int(text)
    return None if value is None else text
