"""Regular expressions that are compiled when they are first used.

Compiling is done in Python and takes up to two milliseconds for one with large character classes. A call of ``tab``
loads modules with thirty of them and uses three.
"""

from __future__ import annotations

import re

from tabshell.model.light import Any, AnyStr, cast


def late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As ``re.compile``; a wrong pattern is found when it is used."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))


class _Late:
    """Has of a pattern what was asked for once; the first question compiles it."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._source = pattern, flags
        self._compiled: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        if self._compiled is None:
            self._compiled = re.compile(*self._source)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found
