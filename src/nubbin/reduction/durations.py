"""Durations as people type them."""

from __future__ import annotations

import re

_DURATION = re.compile(r"(?:(\d+)h)?\s*(?:(\d+)m(?:in)?)?\s*(?:(\d+(?:\.\d+)?)s?)?", re.IGNORECASE)


def seconds_in(text: str) -> float:
    """Return the seconds in `30`, `0.5s`, `10m` or `1h30m`; raises ValueError for other texts."""
    match = _DURATION.fullmatch(text.strip())
    hours, minutes, seconds = match.groups() if match else (None, None, None)
    total = 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds or 0)
    if total <= 0:
        raise ValueError(f"{text!r} is no duration; write it like 30, 10m or 1h30m.")
    return total
