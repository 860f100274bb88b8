"""JSON as the store writes and reads it: values in, text without blanks in ASCII out, and the other way.

It is what the standard ``json`` does, with the C functions that that one stands on. Loading the package brings
patterns and enumerations along, which takes a fifth of a call of ``tab``. A Python that is built otherwise, or has
these functions in another form, gets the package.
"""

from __future__ import annotations

from tabshell.model.light import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["loads", "scan", "sorted_text", "text"]


class _Settings:
    """What the scanner asks for: the settings of ``json.loads``."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


def _refuse(value: object) -> Any:  # noqa: ANN401 - it gives nothing
    msg = f"Object of type {type(value).__name__} is not JSON serializable"
    raise TypeError(msg)


def _encoder(*, sort_keys: bool) -> Callable[[Any], str]:
    # without a memory of where it is: facts hold no circles
    pieces = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", sort_keys, False, True)
    return lambda value: "".join(pieces(value, 0))


#: ``scan(text, at)`` gives the value that begins at ``at``, and where it ends. Raises ValueError, StopIteration.
scan: Callable[[str, int], tuple[Any, int]]
#: The text of a list or an object; the second with the keys in order.
text: Callable[[Any], str]
sorted_text: Callable[[Any], str]
try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    _settings: Any = _Settings()
    scan, text, sorted_text = make_scanner(_settings), _encoder(sort_keys=False), _encoder(sort_keys=True)
except (ImportError, AttributeError, TypeError):
    import json

    scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
    text = json.JSONEncoder(separators=(",", ":")).encode
    sorted_text = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


def loads(given: str) -> Any:  # noqa: ANN401 - whatever stands there
    """The one value that ``given`` is, without blanks around it. Raises ValueError."""
    try:
        value, end = scan(given, 0)
    except StopIteration:
        end = -1
    if end != len(given):
        msg = f"no JSON: {given[:40]!r}"
        raise ValueError(msg)
    return value
