"""How many runs of the test there may be at once."""

from __future__ import annotations

import math
from collections.abc import Callable


class Jobs:
    """Tells the number of jobs at any time; it is one if they are `alone`.

    That is `most`, which may be changed, or the number of workers, which `width` knows, if these
    are fewer.
    """

    def __init__(self, most: float = 1, width: Callable[[], float] = lambda: math.inf):
        self.most = most
        self._width = width
        self.alone = False

    def __call__(self) -> int:
        """Return the number."""
        return 1 if self.alone else int(min(self.most, self._width()))
