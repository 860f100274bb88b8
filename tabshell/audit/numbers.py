"""Numbers in text as values: ``$633M``, ``633,000,000``, ``1.234,5``, ``6.33亿``, ``12.3 %``, ``(1,250)``. Pure.

In: one line or cell. Out: ``Value`` objects with their place in it and one or more *readings*: ``1,234`` may be
1234 or, written the continental way, 1.234; ``(12)`` may be minus 12. The first reading is the likeliest one.
A percentage is kept in points (12.3), basis points too (25 bp is 0.25); a comparison tries the fraction as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tabshell.audit.overlaps import Overlaps
from tabshell.audit.value import Kind, Reading, Value

#: Full-width digits and signs, other minus signs, one character for one, so that places in the text stay.
FULL_WIDTH = {0xFF10 + n: str(n) for n in range(10)} | {0x0660 + n: str(n) for n in range(10)}
FOLDED = str.maketrans(
    {**{chr(k): v for k, v in FULL_WIDTH.items()}, "，": ",", "．": ".", "％": "%", "＄": "$", "￥": "¥", "﹪": "%"}
    | {"−": "-", "﹣": "-", "－": "-", "（": "(", "）": ")", "’": "'", "＋": "+"}
)

SCALES: dict[str, float] = {
    **dict.fromkeys(("k", "thousand", "thousands", "tsd", "千", "mille"), 1e3),
    **dict.fromkeys(("m", "mm", "mn", "mln", "mil", "million", "millions", "mio", "millionen", "百万", "百萬"), 1e6),
    **dict.fromkeys(
        ("b", "bn", "bln", "billion", "billions", "mrd", "milliarde", "milliarden", "milliards", "十亿"), 1e9
    ),
    **dict.fromkeys(("t", "tn", "trn", "trillion", "trillions", "兆", "万亿"), 1e12),
    **dict.fromkeys(("万", "萬"), 1e4),
    **dict.fromkeys(("亿", "億"), 1e8),
    **dict.fromkeys(("千万", "crore", "crores"), 1e7),
    **dict.fromkeys(("十万", "lakh", "lakhs"), 1e5),
}
CURRENCIES: dict[str, str] = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "a$": "AUD", "c$": "CAD",
    "hk$": "HKD", "nt$": "TWD", "r$": "BRL", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "£": "GBP", "gbp": "GBP", "pounds": "GBP", "¥": "CNY/JPY", "cny": "CNY/JPY", "rmb": "CNY/JPY",
    "jpy": "CNY/JPY", "yen": "CNY/JPY", "元": "CNY/JPY", "円": "CNY/JPY", "yuan": "CNY/JPY", "₩": "KRW",
    "krw": "KRW", "₹": "INR", "inr": "INR", "rs": "INR", "chf": "CHF", "cad": "CAD", "aud": "AUD",
    "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "₽": "RUB", "rub": "RUB",
}  # fmt: skip
PERCENT: dict[str, float] = {
    **dict.fromkeys(("%", "percent", "per cent", "pct", "prozent", "percentage point", "percentage points", "pp"), 1.0),
    **dict.fromkeys(("bp", "bps", "basis point", "basis points"), 0.01),
    "‰": 0.1,
}  # fmt: skip

_SPACE = "[ \u00a0\u202f\u2009]"
_MONEY_BEFORE = (
    r"(?:US|HK|NT|[ACR])?\$|[€£¥₩₹₽]|(?:USD|EUR|GBP|CNY|RMB|JPY|CHF|CAD|AUD|INR|KRW|SEK|NOK|DKK|PLN|RUB|Rs\.?)"
)
_MONEY_AFTER = (
    r"(?:USD|EUR|GBP|CNY|RMB|JPY|CHF|CAD|AUD|INR|[Dd]ollars?|[Ee]uros?|[Pp]ounds|[Yy]en|[Yy]uan)\b|[€£¥$元円₽]"
)
_SCALE = (
    r"(?:[Tt]housands?|[Mm]illion(?:s|en)?|[Bb]illions?|[Tt]rillions?|[Mm]illiarden?|[Mm]illiards|[Cc]rores?|[Ll]akhs?"
    r"|[Mm]ln|[Bb]ln|[Tt]rn|MM|mm|[Mm]n|[Bb]n|[Tt]n|[KkMBT])\b|(?:[Mm]io|[Mm]rd|[Tt]sd)\b\.?|万亿|十亿|百万|百萬|千万|十万|[万萬亿億千兆]"
)
_PERCENT = r"%|‰|(?:percent(?:age points?)?|per cent|pct|Prozent|pp|bps?|basis points?)\b"
_UNIT = (
    r"(?:[kKMGT]?[Bb]|[kMGT]?Wh?|[kmcnµ]?m[²³]?|[kmMG]?Hz|k?g|lbs?|oz|ft|mi|ml|l|h|hrs?|min|m?s|px|x|×|°[CF])\b|[×°]"
)

#: Most places of a text begin no number: the first look tells.
BODY = re.compile(
    rf"""
    (?=[\d.])
    (?: (?<![\d_]) (?<!\d[.,])
      (?: \d{{1,3}}(?P<sep>[,.']|{_SPACE})\d{{3}}(?:(?P=sep)\d{{3}})*(?:(?!(?P=sep))[.,]\d+)?(?!\d)
        | \d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?:\.\d+)?(?!\d)
        | \d+(?:[.,]\d+)?(?!\d) )
      | (?<![\w.])\.\d+ )
    (?![.,]\d)
    """,
    re.VERBOSE,
)
BEFORE = re.compile(
    rf"(?P<open>\()?(?P<sign1>[-+])?(?:(?<![A-Za-z])(?P<money>{_MONEY_BEFORE}){_SPACE}?)?(?P<sign2>[-+])?(?<![A-Za-z_])$"
    rf"|(?<![A-Za-z])(?P<code>USD|EUR|GBP|CNY|RMB|JPY|CHF|CAD|AUD|INR|Rs)$"
)
AFTER = re.compile(
    rf"(?:{_SPACE}?-?(?P<scale>{_SCALE}))?(?:{_SPACE}?-?(?P<percent>{_PERCENT}))?(?:{_SPACE}?(?P<after>{_MONEY_AFTER}))?(?P<close>\))?"
)
#: A longer run of digits is no number that anybody means.
LONGEST = 100
#: As far back as BEFORE may reach: ``(-US$ -``.
REACH = 8
#: What may follow a number without making it part of a name.
FOLLOW = re.compile(rf"(?![A-Za-z_0-9])|(?:st|nd|rd|th)\b|s\b|(?:{_UNIT})")
HEDGES = frozenset(
    {"about", "approximately", "approx", "around", "roughly", "nearly", "almost", "over", "under", "some", "circa"}
    | {"ca", "rund", "etwa", "environ", "than", "to", "least"}
)
#: The last word of these hedges hedges only after its first: more than, less than, up to, at least.
PAIRED = {"than": ("more", "less"), "to": ("up",), "least": ("at",)}
HEDGE_SIGNS = ("~", "≈", "约", "近", "超过", "大约")
RANGE = re.compile(r"\s?(?:-|–|—|to|bis|至|~)\s?")


class _Match(NamedTuple):
    """One number as matched: where its digits stand, what stands around them."""

    body: re.Match[str]
    before: re.Match[str] | None
    offset: int
    after: re.Match[str]
    scale: str | None
    percent: str | None
    money: str | None

    def sign(self, name: str) -> str | None:
        """What stood before: ``open``, ``sign1`` or ``sign2``."""
        return self.before[name] if self.before is not None else None


def find_numbers(text: str, taken: list[tuple[int, int]] | None = None) -> Iterator[Value]:
    """The numbers in ``text`` in order; spans in ``taken`` (dates) are left out.

    ``text`` must be folded (``fold``); places are those of the unfolded text as well.
    """
    matches = list(_accepted(text, taken or []))
    for index, match in enumerate(matches):
        following = matches[index + 1] if index + 1 < len(matches) else None
        yield _value(text, _share(text, match, following))


def fold(text: str) -> str:
    """Full-width digits and signs as ASCII, character for character."""
    return text if text.isascii() else text.translate(FOLDED)


def _accepted(text: str, taken: list[tuple[int, int]]) -> Iterator[_Match]:
    dated = Overlaps(taken)
    for body in BODY.finditer(text):
        start, end = body.span()
        if end - start > LONGEST or (taken and dated.touch(start, end)):
            continue
        offset = max(0, start - REACH)
        before = None
        if not _stands_free(text, start):
            before = BEFORE.search(text[offset:start])
            if before is None:  # a letter before the digits: a name
                continue
        after = AFTER.match(text, end)
        assert after is not None  # noqa: S101 - every part of AFTER is optional
        scale, percent = after["scale"], after["percent"]
        if scale is None and percent is None and not FOLLOW.match(text, end):
            continue
        if _is_version(text, start, end):
            continue
        money = (before["money"] or before["code"] if before is not None else None) or after["after"]
        yield _Match(body, before, offset, after, scale, percent, money)


def _stands_free(text: str, start: int) -> bool:
    """Whether nothing before the digits can belong to them: a quick look before BEFORE is tried."""
    if start == 0:
        return True
    previous = text[start - 1]
    if previous in ',|\t=:;/"':
        return True
    if previous != " ":
        return False
    if start == 1:
        return True
    before = text[start - 2]
    return before not in "$€£¥₩₹₽+-" and not (before.isupper() and text[max(0, start - 4) : start - 1].isupper())


def _is_version(text: str, start: int, end: int) -> bool:
    """``1.2.3`` and addresses: dotted digits go on before or after what was taken as a number."""
    after = text[end : end + 2]
    if len(after) == 2 and after[0] == "." and after[1].isdigit():
        return True
    return start > 1 and text[start - 1] == "." and text[start - 2].isdigit()


def _share(text: str, match: _Match, following: _Match | None) -> _Match:
    """The first number of a range takes the second's scale and unit: ``10-15 %``, ``$3 to 5 million``."""
    if following is None or match.scale or match.percent or following.body.start() - match.body.end() > 8:
        return match
    between = text[match.body.end() : following.body.start()].replace("$", "").replace("€", "")
    if not RANGE.fullmatch(between):
        return match
    return match._replace(scale=following.scale, percent=following.percent, money=match.money or following.money)


def _value(text: str, match: _Match) -> Value:
    body = match.body.group()
    scale = SCALES.get(_word(match.scale), 1.0) if match.scale else 1.0
    unit, points = "", 1.0
    if match.percent:
        unit, points = "%", PERCENT[_word(match.percent)]
    elif match.money:
        unit = CURRENCIES[_word(match.money)]
    accounting = bool(match.sign("open") and match.after["close"])
    start, end, joined = _extent(text, match, accounting and not _in_prose(text, match))
    negative = match.sign("sign2") == "-" or (match.sign("sign1") == "-" and not joined)
    digits = re.sub(r"\D", "", body).lstrip("0")
    coarse = 10.0 ** (len(digits) - len(digits.rstrip("0"))) if "." not in body else 0.0
    hedged = _is_hedged(text, start)
    factor = scale * points
    readings = [
        Reading((-1 if negative else 1) * number * factor, max(step, coarse if hedged else 0.0) * factor)
        for number, step in _bodies(body, match.body["sep"], money=bool(unit) and unit != "%")
    ]
    if accounting:
        readings += [Reading(-reading.number, reading.step) for reading in readings]
    kind: Kind = "percent" if unit == "%" else "amount" if unit or scale > 1 else "number"
    return Value(
        kind=kind, text=text[start:end].strip(), start=start, end=end, readings=tuple(readings), unit=unit,
        digits=max(1, len(digits.rstrip("0"))), shown=digits.rstrip("0") if hedged else digits,
        plain_integer=kind == "number" and body.isdigit() and not accounting, scaled=scale > 1,
        label=joined and text[start - 2 : start - 1].isalpha(),
    )  # fmt: skip


def _is_hedged(text: str, start: int) -> bool:
    """Whether the words before a number say that it is rounded: ``about 600,000``."""
    before = text[max(0, start - 24) : start].rstrip()
    if before.endswith(HEDGE_SIGNS):
        return True
    words = before.lower().replace(".", " ").split()
    if not words or words[-1] not in HEDGES:
        return False
    return words[-1] not in PAIRED or (len(words) > 1 and words[-2] in PAIRED[words[-1]])


def _in_prose(text: str, match: _Match) -> bool:
    """Whether a bracket follows a word with one space: ``the mean (2.85)`` says the number aside."""
    start = match.offset + match.before.start() if match.before is not None else 0
    return re.search(r"\w ?$", text[max(0, start - 2) : start]) is not None


def _extent(text: str, match: _Match, accounting: bool) -> tuple[int, int, bool]:
    """Where the value stands, and whether a dash joins it to what is before (``10-15``, ``COVID-19``).

    Neither such a dash nor an unpaired bracket belongs to it.
    """
    before = match.before
    start = match.offset + before.start() if before is not None else match.body.start()
    end = match.after.end()
    if match.sign("open") and not accounting:
        start += 1
    if match.after["close"] and not accounting:
        end -= 1
    joined = False
    if match.sign("sign1"):
        previous = text[start - 1 : start] if start else ""
        joined = previous.isalnum() or previous in ("%", ")", "$")
        start += joined
    return start, end, joined


def _word(text: str) -> str:
    return text.lower().rstrip(".")


def _bodies(body: str, separator: str | None, money: bool) -> list[tuple[float, float]]:
    """The numbers that ``body`` may be, likeliest first, each with the place value of its last digit."""
    if separator is not None and separator not in ".,":
        return [_plain(body.replace(separator, "").replace(",", "."))]
    commas, dots = body.count(","), body.count(".")
    if commas and dots:
        decimal = "," if body.rfind(",") > body.rfind(".") else "."
        return [_plain(body.replace("." if decimal == "," else ",", "").replace(",", "."))]
    if commas > 1 or dots > 1:
        return [_plain(body.replace(",", "").replace(".", ""))]
    if commas == 1:
        whole, _, rest = body.partition(",")
        grouped, decimal_value = _plain(body.replace(",", "")), _plain(body.replace(",", "."))
        if len(rest) == 3 and whole != "0" and len(whole) <= 3 and not whole.startswith("0"):
            return [grouped, decimal_value]
        return [decimal_value]
    if dots == 1:
        whole, _, rest = body.partition(".")
        if len(rest) == 3 and 0 < len(whole) <= 3 and not whole.startswith("0"):
            both = [_plain(body), _plain(body.replace(".", ""))]
            return both[::-1] if money else both  # nobody writes money with three decimals
    return [_plain(body)]


def _plain(body: str) -> tuple[float, float]:
    decimals = len(body.partition(".")[2])
    return float(body), 10.0**-decimals
