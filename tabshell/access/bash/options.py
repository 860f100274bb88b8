"""Options against operands, as POSIX and GNU ``getopt_long`` tell them apart.

``parse(args, "nc", {"lines", "bytes"})``: which short letters and long names take a value. ``--`` ends the
options; ``-5`` counts as the option ``#`` where ``numeric``; options may follow operands unless ``strict``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabshell.access.bash.expand import Field


@dataclass(slots=True)
class Parsed:
    """Options in order (name without dashes, value or None) and the operands."""

    options: list[tuple[str, Field | None]] = field(default_factory=list)
    operands: list[Field] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Whether any of these was given."""
        return any(name in names for name, _ in self.options)

    def value(self, *names: str) -> str | None:
        """The last value given to any of these."""
        found = [v.text for n, v in self.options if n in names and v is not None]
        return found[-1] if found else None

    def values(self, *names: str) -> list[Field]:
        """All values given to any of these."""
        return [v for n, v in self.options if n in names and v is not None]

    def number(self, *names: str) -> int | None:
        """The last value as a number."""
        text = self.value(*names)
        return int(text) if text is not None and text.lstrip("+-").isdecimal() and len(text) < 12 else None


_NO_LONG: frozenset[str] = frozenset()


def parse(
    args: list[Field],
    short: str = "",
    long: frozenset[str] | set[str] = _NO_LONG,
    *,
    numeric: bool = False,
    strict: bool = False,
    single_dash: bool = False,
    optional: str = "",
) -> Parsed:
    """Splits ``args``. ``single_dash``: long names may have one dash (``find``, ``pdftotext``, ``mlr``).

    ``optional``: short letters whose value, if any, is attached (``sed -i.bak``).
    """
    parsed = Parsed()
    at = 0
    while at < len(args):
        arg = args[at]
        text = arg.text
        at += 1
        if text == "--" and not single_dash:
            parsed.operands.extend(args[at:])
            break
        if not text.startswith("-") or text == "-" or arg.stream is not None or arg.globbed:
            parsed.operands.append(arg)
            if strict:
                parsed.operands.extend(args[at:])
                break
        elif text.startswith("--") or (single_dash and text[1:] in long):
            at = _long(parsed, args, at, long)
        elif single_dash:
            parsed.options.append((text[1:], None))
        elif numeric and text[1:2].isdecimal():
            digits = text[1:]
            count = digits[: len(digits) - len(digits.lstrip("0123456789"))]
            parsed.options.append(("#", replace(arg, text=count)))
            parsed.options.extend((letter, None) for letter in digits[len(count) :])
        else:
            at = _short(parsed, args, at, short, optional)
    return parsed


def _long(parsed: Parsed, args: list[Field], at: int, long: frozenset[str] | set[str]) -> int:
    arg = args[at - 1]
    name, equals, value = arg.text.lstrip("-").partition("=")
    if equals:
        parsed.options.append((name, replace(arg, text=value)))
    elif name in long and at < len(args):
        parsed.options.append((name, args[at]))
        return at + 1
    else:
        parsed.options.append((name, None))
    return at


def _short(parsed: Parsed, args: list[Field], at: int, short: str, optional: str) -> int:
    arg = args[at - 1]
    letters = arg.text[1:]
    for number, letter in enumerate(letters):
        rest = letters[number + 1 :]
        if letter in optional:
            parsed.options.append((letter, replace(arg, text=rest)))
            return at
        if letter not in short:
            parsed.options.append((letter, None))
        elif rest:
            parsed.options.append((letter, replace(arg, text=rest)))
            return at
        elif at < len(args):
            parsed.options.append((letter, args[at]))
            return at + 1
        else:
            parsed.options.append((letter, None))
    return at
