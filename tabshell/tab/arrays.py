"""The rank-bm25 library, loaded without numpy: its arithmetic runs over plain lists.

Loading numpy takes 80 ms, scoring what one ``tab list`` shows takes two; so the library is given arrays that are
lists with the few operations that its formula uses. They are done one number at a time in the same order and the
same precision as numpy's, so that every score is the same to the last bit (a test compares them). Where numpy is
loaded already, the library takes that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from operator import add, mul, truediv
from types import ModuleType

from tabshell.model.light import TYPE_CHECKING, Any

__all__ = ["BM25Okapi", "Row"]


class Row(list[Any]):
    """A list of numbers that is added, multiplied and divided number by number."""

    def __add__(self, other: Any) -> Row:  # noqa: ANN401 - a number or a row
        return self._with(other, add)

    __iadd__ = __add__
    __radd__ = __add__

    def __mul__(self, other: Any) -> Row:  # noqa: ANN401
        return self._with(other, mul)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Row:  # noqa: ANN401
        return self._with(other, truediv)

    def __getitem__(self, places: Any) -> Any:  # noqa: ANN401 - as numpy: a list of places gives a row
        return Row([list.__getitem__(self, place) for place in places])

    def tolist(self) -> list[Any]:
        """The numbers."""
        return list(self)

    def _with(self, other: Any, operation: Callable[[Any, Any], Any]) -> Row:  # noqa: ANN401
        if isinstance(other, Row):
            return Row(map(operation, self, other))
        return Row([operation(number, other) for number in self])


def _arrays() -> ModuleType:
    """Stands in for numpy while the library is loaded."""
    made = ModuleType("numpy")
    made.array = Row  # type: ignore[attr-defined]
    made.zeros = lambda size: Row([0.0] * size)  # type: ignore[attr-defined]
    return made


def _processes() -> ModuleType:
    """Stands in for multiprocessing, which the library uses only to split texts into words (we do that)."""
    made = ModuleType("multiprocessing")
    made.Pool = made.cpu_count = None  # type: ignore[attr-defined]
    return made


def _loaded(instead: Iterable[ModuleType]) -> Any:  # noqa: ANN401 - the library has no types
    """The library's class. What stands in for other modules does so only meanwhile, and only where they are not
    there yet."""
    standing = [module for module in instead if module.__name__ not in sys.modules]
    sys.modules.update({module.__name__: module for module in standing})
    try:
        from rank_bm25 import BM25Okapi as found  # noqa: N813, PLC0415 - what this module is for
    finally:
        for module in standing:
            del sys.modules[module.__name__]
    return found


if TYPE_CHECKING:
    from rank_bm25 import BM25Okapi
else:
    BM25Okapi = _loaded([_arrays(), _processes()])
