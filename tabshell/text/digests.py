"""Short digests of printed lines, so that the recorder knows tabshell's own output again (S27).

The tab operations store them before they print; the classifier looks whether a line shown in the
same turn is among them. Lines are compared without trailing white space and carriage returns. Blank lines have none.
48 bits: with 100,000 lines printed, one foreign line in a thousand million is taken for ours.
"""

from __future__ import annotations

from tabshell.model.hashes import blake2b


def line_digest(line: str) -> str:
    """12 hexadecimal digits for a line; empty for a blank one."""
    seen = line.rstrip()
    if not seen:
        return ""
    return blake2b(seen.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


def line_digests(text: str) -> tuple[str, ...]:
    """The distinct digests of the lines of ``text``, in order."""
    found = dict.fromkeys(line_digest(line) for line in text.split("\n"))
    found.pop("", None)
    return tuple(found)
