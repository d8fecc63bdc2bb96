"""CDD as the program in the artifact of Zhang et al. (ICSE 2025) runs it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from math import e

from nubbin.minimizers.minimizer import Query, Settings
from nubbin.minimizers.published.cdd import best_size
from nubbin.minimizers.published.probdd import Groups, merged
from nubbin.minimizers.subset import EMPTY, Subset

#: The factor by which an element's probability of being essential grows with each refusal.
GROWTH = 1 / (1 - 1 / e)


@dataclass(frozen=True, slots=True)
class CDDArtifact:
    """CDD with a counter for each element, as published as a program: another one than `CDD`.

    It differs from Algorithm 2 of the paper in four ways. The empty subset is asked about first,
    and never again: a deletion of everything that is left counts as refused without a query. Each
    element counts its own refusals, and the next deletion takes the elements with the lowest
    count, in the list's order, so that a short remainder is filled up with elements of the next
    count. The factor is 1 / (1 - 1/e), not its rounded value 1.582. An element refused alone is
    essential and is not tried again. The program's option to shuffle equals is left out.

    The result is minimal in a monotone problem whose empty subset is uninteresting, and not always
    1-minimal otherwise. Costs about as many queries as CDD does, and one more.
    """

    kept: Subset
    p0: float
    undecided: Groups
    """The elements that may still go, by the number of their refusals, ascending."""
    begun: bool = False
    """Whether the empty subset was asked about."""

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> CDDArtifact:
        """Return the state before the first query."""
        return cls(kept, settings.p0, ((0, kept),) if kept else ())

    @property
    def chance(self) -> float:
        """The probability that an element with the lowest count is essential; 1 at most."""
        return min(self.p0 * float(GROWTH ** self.undecided[0][0]), 1.0)

    def ask(self) -> tuple[Query, ...]:
        """Ask for nothing at all; then for the list without the elements of the lowest count."""
        if not self.undecided:
            return ()
        if not self.begun:
            return (Query(EMPTY, "complement", (1 - self.p0) ** len(self.kept)),)
        gone = self._chosen()
        return (Query(self.kept.less(gone), "complement", (1 - self.chance) ** len(gone)),)

    def tell(self, answers: tuple[bool, ...]) -> CDDArtifact:
        """Drop the elements or count their refusal; skip what would delete everything."""
        (interesting,) = answers
        if not self.begun:
            return replace(self, begun=True)._skipped() if not interesting else self._empty()
        if interesting:
            after = replace(self, kept=self.kept.less(self._chosen()), undecided=self._others())
        else:
            after = self._refused()
        return after._skipped()

    def _empty(self) -> CDDArtifact:
        return replace(self, kept=EMPTY, undecided=(), begun=True)

    def _skipped(self) -> CDDArtifact:
        """Count a deletion of everything that is left as refused."""
        after = self
        while after.undecided and len(after._chosen()) == len(after.kept):
            after = after._refused()
        return after

    def _refused(self) -> CDDArtifact:
        if len(self._chosen()) == 1:
            return replace(self, undecided=self._others())
        counted = tuple((count + 1, members) for count, members in self._split()[0])
        return replace(self, undecided=merged(self._others(), counted))

    def _chosen(self) -> Subset:
        return reduce(Subset.plus, (members for _, members in self._split()[0]), EMPTY)

    def _others(self) -> Groups:
        return self._split()[1]

    def _split(self) -> tuple[Groups, Groups]:
        """Return the elements of the next deletion, and the other undecided ones."""
        chosen, others, left = [], [], best_size(self.chance)
        for count, members in self.undecided:
            part = members[:left]
            left -= len(part)
            chosen += [(count, part)] if part else []
            others += [(count, members.less(part))] if len(part) < len(members) else []
        return tuple(chosen), tuple(others)
