"""The tests of one page, and Holm's correction for their number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

#: What survives the correction with a p-value under this is called significant.
LEVEL = 0.05


class Family:
    """The p-values of a page by what they are of.

    A page is filled twice with one family: after the first time, the family knows all tests of the
    page, so that the second time each is corrected for all others.
    """

    def __init__(self) -> None:
        self._found: dict[Hashable, float] = {}

    def __len__(self) -> int:
        return len(self._found)

    def corrected(self, test: Hashable, p: float | None) -> float | None:
        """Add a test; return its p-value, corrected for all tests so far. None if it has none."""
        if p is None:
            return None
        self._found[test] = p
        return self.corrected_if(test, p)

    def corrected_if(self, test: Hashable, p: float) -> float:
        """Return what a test's p-value would be, corrected for all others, if it had this one."""
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
