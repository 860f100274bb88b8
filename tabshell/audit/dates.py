"""Dates in text as values, in the forms of several countries. Pure.

``2024-03-05``, ``5 March 2024``, ``March 5th, 2024``, ``5. März 2024``, ``05/03/2024`` (two readings unless a part
is above 12), ``2024年3月5日``, ``20240305``, ``Mar 2024``, ``Q3 2024``, ``2024Q3``. Clock times are found too, so
that their digits are not taken for numbers, but they are no values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tabshell.audit.value import Date, Reading, Value

#: Month names by their number; the first three or four letters of other languages where they differ.
NAMES: dict[str, int] = {}
for _number, _names in enumerate(
    (
        "january jan januar janvier enero gennaio",
        "february feb februar février febrero febbraio",
        "march mar märz mars marzo",
        "april apr avril abril aprile",
        "may mai mayo maggio",
        "june jun juni juin junio giugno",
        "july jul juli juillet julio luglio",
        "august aug août agosto",
        "september sep sept septembre septiembre settembre",
        "october oct oktober okt octobre octubre ottobre",
        "november nov novembre noviembre",
        "december dec dezember dez décembre diciembre dicembre",
    ),
    1,
):
    NAMES.update(dict.fromkeys(_names.split(), _number))

_MONTH = "|".join(sorted(NAMES, key=len, reverse=True))
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[5-9]|20|21)\d\d"

DATE = re.compile(
    rf"""
      (?<![\d.,-])(?P<y1>{_YEAR})(?P<s1>[-/.])(?P<m1>0?[1-9]|1[0-2])(?P=s1)(?P<d1>{_DAY})(?![\d-])
    | (?P<y2>\d{{4}})\s?年\s?(?P<m2>1[0-2]|0?[1-9])\s?月(?:\s?(?P<d2>{_DAY})\s?[日号])?
    | (?<![\d.,-])(?P<a3>\d{{1,2}})(?P<s3>[/.-])(?P<b3>\d{{1,2}})(?P=s3)(?P<y3>{_YEAR}|\d\d)(?![\d-]|[.,]\d)
    | \b(?P<d4>{_DAY})(?:st|nd|rd|th|\.)?[\s-](?:of\s)?(?P<m4>{_MONTH})\b\.?(?:,?[\s-](?P<y4>{_YEAR}|'?\d\d\b(?!:)))?
    | \b(?P<m5>{_MONTH})\b\.?\s(?P<d5>{_DAY})(?:st|nd|rd|th)?(?![\d:]|[.,]\d)(?:,?\s(?P<y5>{_YEAR})(?!\d))?
    | \b(?P<m6>{_MONTH})\b\.?,?[\s-](?:of\s)?(?P<y6>{_YEAR})\b
    | \bQ(?P<q7>[1-4])[\s/-]?(?:FY\s?)?'?(?P<y7>{_YEAR}|\d\d\b)
    | \b(?P<y8>{_YEAR})[\s/-]?Q(?P<q8>[1-4])\b
    | (?<![\d.,])(?P<y9>{_YEAR})(?P<m9>0[1-9]|1[0-2])(?P<d9>0[1-9]|[12]\d|3[01])(?![\d.,])
    | (?<![\d.,-])(?P<y0>{_YEAR})-(?P<m0>0[1-9]|1[0-2])(?![\d-])
    """,
    re.VERBOSE | re.IGNORECASE,
)
TIME = re.compile(
    r"(?<![\d:.])(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?(?!\d)", re.IGNORECASE
)
#: Quick refusal, because DATE is slow: a line without one of these shapes has no date.
SHAPE = re.compile(r"(?=[\dqQ])(?:\d[-/年]\d|\d\s年|\d\.\d\d?\.\d|\d{8}|[qQ][1-4])")
#: What every clock time holds.
HOUR = re.compile(r"\d:[0-5]\d")
#: Words beside digits, one of which must be a month.
WORD_BEFORE = re.compile(r"([A-Za-zäéûÄÉ]{3,10})\.?,?[\s-](?:of\s)?'?(?=\d)")
WORD_AFTER = re.compile(r"\d(?:st|nd|rd|th|ST|ND|RD|TH|\.)?[\s-](?:of\s)?([A-Za-zäéûÄÉ]{3,10})")


def _may_hold_date(text: str) -> bool:
    if SHAPE.search(text):
        return True
    words = [*WORD_BEFORE.findall(text), *WORD_AFTER.findall(text)]
    return any(word.lower() in NAMES for word in words)


def find_dates(text: str) -> Iterator[Value]:
    """The dates in a folded text, in order."""
    if not _may_hold_date(text):
        return
    for match in DATE.finditer(text):
        dates = _readings(match)
        if dates:
            text = match.group().strip()
            bare = text if text.isdigit() else ""  # 20240305 may be a number after all
            readings = (Reading(float(bare), 1.0),) if bare else ()
            yield Value("date", text, match.start(), match.end(), readings, dates, digits=6, shown=bare)


def find_times(text: str) -> Iterator[tuple[int, int]]:
    """Where clock times stand."""
    if ":" in text and HOUR.search(text):
        for match in TIME.finditer(text):
            yield match.span()


def _readings(match: re.Match[str]) -> tuple[Date, ...]:
    part = {name[0] + name[1]: text for name, text in match.groupdict().items() if text is not None}
    number = next(name[1] for name in part)
    year = _year(part.get("y" + number))
    if "q" + number in part:
        return (Date(year, quarter=int(part["q" + number])),)
    if number == "3":
        return _ambiguous(int(part["a3"]), int(part["b3"]), year, part["s3"])
    word = part["m" + number].lower()
    month = NAMES[word] if word in NAMES else int(word)
    day = int(part["d" + number]) if "d" + number in part else None
    if year is None and word in ("may", "mar", "mars", "mai") and not match.group()[:1].isupper() and number == "5":
        return ()  # "may 3 people": a verb
    return (Date(year, month, day),) if _exists(month, day) else ()


def _ambiguous(first: int, second: int, year: int | None, separator: str) -> tuple[Date, ...]:
    """Day and month in either order; a dot means the day comes first."""
    readings = [Date(year, second, first)]
    if separator != ".":
        readings.append(Date(year, first, second))
    return tuple(dict.fromkeys(date for date in readings if _exists(date.month or 0, date.day)))


def _exists(month: int, day: int | None) -> bool:
    return 1 <= month <= 12 and (
        day is None or 1 <= day <= (29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31)
    )


def _year(text: str | None) -> int | None:
    if text is None:
        return None
    number = int(text.lstrip("'"))
    return number if number > 99 else number + (2000 if number < 70 else 1900)
