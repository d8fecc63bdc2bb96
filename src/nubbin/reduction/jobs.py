"""How many runs of the test there may be at once."""

from __future__ import annotations

from collections.abc import Callable


class Jobs:
    """Tells the number of jobs, which `width` knows, at any time; one if they are `alone`."""

    def __init__(self, width: Callable[[], int] = lambda: 1):
        self._width = width
        self.alone = False

    def __call__(self) -> int:
        """Return the number."""
        return 1 if self.alone else self._width()
