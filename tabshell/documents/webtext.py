"""A web page -> its words, to compare an output with: its tags away, lines where its blocks end."""

from __future__ import annotations

import re
from html import unescape

_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.S | re.I)
_BLOCK = re.compile(r"</?(?:p|div|br|h[1-6]|li|ul|ol|tr|table|title|section|pre|td|th|dt|dd)\b[^>]*>", re.I)
_TAG = re.compile(r"<[^>]*>")


def words(page: str) -> str:
    """What a reader sees of a page."""
    shown = _BLOCK.sub("\n", _UNSEEN.sub(" ", page))
    return unescape(_TAG.sub("", shown))
