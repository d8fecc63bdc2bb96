"""The tests of one page: its primary hypothesis, and Holm's correction for the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

#: What survives the correction with a p-value under this is called significant.
LEVEL = 0.05


class Family:
    """The p-values of the tests that a page names.

    The one primary hypothesis stands as it is; the others are corrected for one another. A page is
    filled twice with one family: after the first time, the family knows all tests of the page, so
    that the second time each is corrected for all others.
    """

    def __init__(self) -> None:
        self._found: dict[Hashable, float] = {}
        self._primary: Hashable = None

    def __len__(self) -> int:
        """Return the number of tests that are corrected."""
        return len(self._found)

    def begin_with(self, test: Hashable) -> None:
        """Make a test the page's primary hypothesis."""
        self._primary = test
        self._found.pop(test, None)

    def begins_with(self, test: Hashable) -> bool:
        """Tell whether a test is that of the primary hypothesis."""
        return test == self._primary

    def corrected(self, test: Hashable, p: float | None) -> float | None:
        """Name a test; return its p-value, corrected for the others so far. None if it has none."""
        if p is None or test == self._primary:
            return p
        self._found[test] = p
        return self.corrected_if(test, p)

    def named(self, test: Hashable, p: float | None) -> float | None:
        """Return the corrected p-value of a test that the page names; None of any other."""
        return self.corrected(test, p) if test == self._primary or test in self._found else None

    def corrected_if(self, test: Hashable, p: float) -> float:
        """Return what a test's p-value would be, corrected for all others, if it had this one."""
        if test == self._primary:
            return p
        found = {**self._found, test: p}
        names = sorted(found, key=lambda name: found[name])
        return holm([found[name] for name in names])[names.index(test)]


def holm(ascending: Sequence[float]) -> list[float]:
    """Return p-values, given in ascending order, corrected for their number (Holm, 1979)."""
    corrected, most = [], 0.0
    for at, p in enumerate(ascending):
        most = max(most, min(p * (len(ascending) - at), 1.0))
        corrected.append(most)
    return corrected
