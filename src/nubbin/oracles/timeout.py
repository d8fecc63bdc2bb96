"""How long a test may take, learned from how long it took."""

from __future__ import annotations

import threading

_MIN_LIMIT_S = 1.0
_FACTOR = 10  # times the slowest interesting run


class Timeout:
    """An adaptive time limit: ten times the slowest interesting run, and at least a second.

    Until a run was interesting nothing is known and the limit is `first` seconds. It never
    falls when later candidates happen to be fast. Only interesting runs count: an uninteresting
    one often stops early, at the first syntax error.

    Candidates get faster as they shrink, so a factor of ten on the slowest loses next to
    nothing. The limit is there for candidates that never end, each of which costs the whole limit.
    May be shared by threads.
    """

    def __init__(self, first: float = 300.0):
        self._lock = threading.Lock()
        self._slowest = 0.0
        self._limit = first

    @property
    def limit(self) -> float:
        """Seconds that the next run may take."""
        return self._limit

    def learn(self, seconds: float) -> None:
        """Take in how long an interesting run took."""
        if seconds > self._slowest:
            with self._lock:
                self._slowest = max(self._slowest, seconds)
                self._limit = max(_MIN_LIMIT_S, _FACTOR * self._slowest)
