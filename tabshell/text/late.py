"""Regular expressions that are compiled when they are first used.

Compiling is done in Python and takes up to two milliseconds for one with large character classes, loading ``re`` as
long. A call of ``tab`` loads modules with thirty of them and uses a few, most calls none. So flags stand in the
pattern.
"""

from __future__ import annotations

from tabshell.model.light import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    import re


def late(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """As ``re.compile``; a wrong pattern is found when it is used."""
    return cast("re.Pattern[AnyStr]", _Late(pattern))


class _Late:
    """Has of a pattern what was asked for once; the first question compiles it."""

    def __init__(self, pattern: str | bytes) -> None:
        self._source = pattern
        self._compiled: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        if self._compiled is None:
            import re  # noqa: PLC0415 - the point of this module

            self._compiled = re.compile(self._source)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found
