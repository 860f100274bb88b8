"""A spreadsheet's number format applied to a value: ``0.123`` with ``0.0%`` -> ``12.3%``. Pure.

Covers what changes how a number reads: decimals, thousands separators, percent, scaling commas, currency signs
and quoted words, negative sections. Colours and conditions are passed over; fractions and scientific notation
fall back to the plain number.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

CURRENCY = re.compile(r"\[\$([^\-\]]*)[^\]]*\]")
BRACKETS = re.compile(r"\[[^\]]*\]")
PADDING = re.compile(r"[_*].")
LITERAL = re.compile(r'"([^"]*)"|\\(.)')
DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?(,*)")


def plain(value: object) -> str:
    """A stored value as text: ISO dates, no trailing zeros, no binary fractions."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = f"{value:.15g}"
        return f"{Decimal(text):f}" if "e" in text and 1e-15 < abs(value) < 1e21 else text
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ", "minutes")
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return str(value)


def shown(value: object, number_format: str | None) -> str:
    """The value as the cell shows it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return plain(value)
    if not number_format or number_format.lower() in ("general", "@") or "E" in number_format:
        return plain(value)
    sections = number_format.split(";")
    negative = value < 0
    section = sections[1] if negative and len(sections) > 1 and sections[1].strip() else sections[0]
    return _apply(abs(value), section, negative and section is sections[0], plain(value))


def _apply(value: float, section: str, sign: bool, fallback: str) -> str:
    literals: list[str] = []

    def keep(match: re.Match[str]) -> str:
        literals.append(match.group(1) or match.group(2) or "")
        return f"\0{len(literals) - 1}\1"

    section = CURRENCY.sub(lambda m: f'"{m.group(1)}"', section)
    section = LITERAL.sub(keep, PADDING.sub("", BRACKETS.sub("", section)))
    digits = re.search(r"(?<![\0\d])" + DIGITS.pattern, section)
    if digits is None or "/" in section:
        return fallback
    pattern = digits.group(0)
    if "%" in section:
        value *= 100
    value /= 1000 ** len(digits.group(1))
    decimals = len(pattern.rstrip(",").partition(".")[2])
    comma = "," in pattern.rstrip(",")
    number = f"{value:{',' if comma else ''}.{decimals}f}"
    text = section[: digits.start()] + number + section[digits.end() :]
    for n, literal in enumerate(literals):
        text = text.replace(f"\0{n}\1", literal)
    return ("-" if sign else "") + text.strip()
