"""How long a test may take, learned from how long it took."""

from __future__ import annotations

import threading


class Timeout:
    """An adaptive time-out: ten times the slowest interesting run, and never under a second.

    Until a run was interesting there is nothing to go by and the limit is `first` seconds.
    After that it is `factor` times the slowest interesting run so far, at least `floor`
    seconds, so it never falls when later candidates happen to be fast. Only interesting runs
    count: an uninteresting one often stops early, at the first syntax error.

    Candidates get faster as they shrink, so a factor of ten on the slowest loses next to
    nothing; what it is there to stop is candidates that never end, and those cost the limit
    each. May be shared by threads.
    """

    def __init__(self, *, first: float = 300.0, factor: float = 10.0, floor: float = 1.0):
        self._lock = threading.Lock()
        self._factor = factor
        self._floor = floor
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
                self._limit = max(self._floor, self._factor * self._slowest)
