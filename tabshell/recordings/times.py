"""Times as other formats want them. Pure."""

from __future__ import annotations

import datetime as dt


def iso(seconds: float) -> str:
    """Seconds since the epoch as ``2026-11-30T14:50:18.123Z``."""
    moment = dt.datetime.fromtimestamp(seconds, dt.timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
