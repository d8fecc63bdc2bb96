"""The predictive sweep: each query removes a run with an even chance, and the proofs are free."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief, fair_chance
from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset

#: The sweep skips no more once this many gaps are expected among the skipped elements. The next
#: round finds these gaps, but repeats every proof after them.
_MAX_HIDDEN_GAPS = 0.5


class _Sweep(NamedTuple):
    """The fields of `Predictive`, apart: a NamedTuple has no room for a `cached_property`."""

    kept: Subset
    end: End  # where the sweep comes from
    ahead: int  # elements of `kept` that this round has not reached
    beyond: int = 0  # elements of `kept` behind those, which the other end's sweep has passed
    other: End | None = None  # the other end in the first round, if it was tried
    removed: int = 0  # elements removed so far in the current run
    bound: int = 0  # elements that cannot all be removed; 0 if no bound is known
    proved: int = 0  # essential elements proved since the last success, the latest of the sweep
    skipped: int = 0  # after a skip: the elements of it that may still be removed
    hidden: float = 0.0  # the number of gaps expected among all skipped elements
    has_skipped: bool = False  # whether any were skipped that this round has not tried yet
    proving: bool = False  # whether this is a later round, which tries every element alone
    proves: bool = True  # whether rounds repeat until everything is proved
    learned: Belief | None = None  # the belief after the first round, for another list
    forward: bool = False  # the direction of this round
    fair: float = 0.5  # the chance of success at which a query tells most for its price


class Predictive(_Sweep):
    """Sweep from the end, and remove runs of elements whose removal has an even chance.

    A removal succeeds if none of its elements is essential, so minimizing a list is adaptive group
    testing, and each query should tell about one bit. A Bayesian belief over the length of the next
    removable run chooses the query. A success removes and extends the run, a failure bounds it.
    When one element is left in question it is essential. The query that failed is its proof, until
    something else is removed.

    If the end is slow, the first round continues from the other end until both meet: perhaps
    definitions follow their uses. It also tries the other end before its first skip, because what
    looks like a cluster may be a list that can only be cut at its ends. Neither is done if the list
    is one of many similar ones, where it costs more than it gains. Later rounds alternate in
    direction until every element was proved after the last success. So the result is
    1-minimal, and every single removal from it was a query. They turn because a success often makes
    a removal just behind it possible. Without a proof there is one round without skips, and another
    only if it has removed more than it kept.
    """

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Predictive:
        n, before = len(kept), settings.belief
        belief = before.as_prior(n) if before else Belief.prior(n)
        if settings.uses and not settings.proves:
            belief = belief.about(settings.uses)
        end = End.of(belief, n) if settings.alone else End(belief)
        return cls(kept, end, n, proves=settings.proves, fair=fair_chance(settings.price))

    @classmethod
    def proof(cls, kept: Subset) -> Predictive:
        """Return the first of the rounds that try every element alone."""
        n = len(kept)
        return cls(kept, End(Belief.of_essentials(n)), n, proving=True)

    def ask(self) -> tuple[Query, ...]:
        over = not self.ahead and not self.skipped
        return () if over or self.proved == len(self.kept) else (self._next[2],)

    def _without(self, lo: int, hi: int) -> Subset:
        """Remove the positions lo..hi-1, counted from the place where the round ends."""
        lo, hi, left = lo + self.beyond, hi + self.beyond, len(self.kept)
        return (
            self.kept.without(left - hi, left - lo) if self.forward else self.kept.without(lo, hi)
        )

    @cached_property
    def _next(self) -> tuple[int, int, Query]:
        """The positions to remove next, from and to, and the query for that."""
        at, kind, chance = self.ahead, "run", 0.5
        if self.skipped:
            lo, hi, kind = at, at + (self.skipped + 1) // 2, "edge"
        elif self._may_skip and (skip := self.end.belief.skip(at - 1)):
            lo, hi, kind = at - 1 - skip, at - skip, "skip"
        else:
            most = self.bound - 1 if self.bound else self.removed + at
            border = self.removed + self._border
            length, chance = self.end.belief.next_length(
                self.removed, self.bound, most, border, self.fair
            )
            lo, hi = at - (length - self.removed), at
        return lo, hi, Query(self._without(lo, hi), kind, chance)

    @property
    def _border(self) -> int:
        """The index beyond the elements ahead; negative if the sweep goes forward.

        So the border of a longer run has a lower number in both directions.
        """
        ahead = self.beyond + self.ahead
        return -self.kept[len(self.kept) - ahead] if self.forward else self.kept[ahead - 1] + 1

    @property
    def _may_skip(self) -> bool:
        """Whether a later round tries the skipped elements, and tries them first."""
        later = self.proves and not self.proving and not self.forward
        return self.is_between_runs and later and self.hidden < _MAX_HIDDEN_GAPS

    @property
    def is_between_runs(self) -> bool:
        """Whether nothing is known of the elements next to the sweep."""
        return not (self.removed or self.bound or self.skipped)

    def tell(self, answers: tuple[bool, ...]) -> Predictive:
        (accepted,), (lo, hi, query) = answers, self._next
        size = hi - lo
        end = self.end.after(size if accepted else 0)
        kept, removed, proved = self.kept, self.removed, self.proved
        if accepted:
            kept, removed, proved = query.kept, removed + size, 0
        after = self._replace(kept=kept, end=end, removed=removed, proved=proved)
        if query.kind == "run":
            at, bound = (lo, self.bound) if accepted else (self.ahead, removed + size)
            if bound == removed + 1:
                end = end._replace(belief=end.belief.observe(removed))
                after = after._replace(end=end, removed=0, proved=proved + 1)
                at, bound = at - 1, 0
            return after._replace(ahead=at, bound=bound)._around()
        if query.kind == "edge":
            skipped = self.skipped - size if accepted else size - 1
            return after._replace(skipped=skipped)._around()
        skip = self.ahead - hi
        hidden = self.hidden + self.end.belief.hidden_gaps(skip)
        after = after._replace(hidden=hidden, has_skipped=self.has_skipped or skip > 0)
        return after._replace(ahead=lo, skipped=skip) if accepted else after._passed(skip + 1)

    def proving_only(self, kept: Subset) -> Predictive:
        """Return the round that proves `kept`: this one, if all of it is kept here."""
        if len(kept) == len(self.kept):
            return self
        proof = Predictive.proof(kept)
        return proof._replace(learned=self.learned, has_skipped=self.has_skipped)

    @property
    def passed(self) -> Subset:
        """The elements that the sweep has passed, and keeps."""
        return self._without(0, self.ahead)

    def narrowed_to(self, kept: Subset) -> Predictive:
        """Return the sweep, between two runs, after others have removed all but `kept`."""
        n, ahead = len(self.kept), self.beyond + self.ahead
        passed, left = self.kept[: self.beyond], self.kept[self.beyond : ahead]
        if self.forward:
            passed, left = self.kept[n - self.beyond :], self.kept[n - ahead : n - self.beyond]
        beyond, ahead = len(passed & kept), len(left & kept)
        return self._replace(kept=kept, beyond=beyond, ahead=ahead, proved=0)._around()

    def _passed(self, count: int) -> Predictive:
        """Take the next elements for essential; the next round will prove it."""
        belief = self.end.belief
        for _ in range(count):
            belief = belief.observe(0)
        end = self.end._replace(belief=belief)
        return self._replace(end=end, ahead=self.ahead - count, proved=0)._around()

    def _around(self) -> Predictive:
        """Move to the other end if this one is slow; after the last element, begin a new round."""
        if not self.ahead and not self.skipped:
            return self._next_round()
        if not self.is_between_runs or not self._is_slow:
            return self
        other = self.other
        if not other:  # expected to be like this end
            n = len(self.kept) + self.end.removed
            other = End.of(self.end.belief.as_prior(n), n)
        beyond, forward = len(self.kept) - self.ahead - self.beyond, not self.forward
        return self._replace(end=other, other=self.end, beyond=beyond, forward=forward, proved=0)

    @property
    def _is_slow(self) -> bool:
        """Whether the sweep should move to the other end.

        It should if that end is estimated to remove more per query. Before a skip, it should if
        that end is untried, or if only a sweep from there may skip.
        """
        skips = not self.proving and self.hidden < _MAX_HIDDEN_GAPS
        skips = skips and self.end.belief.skip(self.ahead - 1) > 0
        if self.other:
            return (skips and self.forward) or self.end.is_slow_beside(self.other.rate)
        may_move = self.end.weight < PERMANENT
        return may_move and (skips or self.end.is_slow_beside(UNTRIED_RATE))

    def _next_round(self) -> Predictive:
        """Begin the next round in the other direction, beyond what was proved last.

        It has the same direction if the first round met gaps, because more may hide under its early
        skips, or came from both ends. Without a proof, another round pays only after one that
        removed more than it kept. A run that reaches what was passed from the other end continues
        into it first.
        """
        if self.beyond and self.removed:
            end = self.end._replace(weight=PERMANENT)
            return self._replace(end=end, ahead=self.beyond, beyond=0)
        left = len(self.kept)
        learned = self.learned if self.proving else self.end.belief.observe_censored(self.removed)
        removed = self.end.removed + (self.other.removed if self.other else 0)
        if not self.proves and removed <= left:
            return self._replace(learned=learned, proving=True)
        if self.other:
            turns, proved, forward = False, 0, False
        else:
            turns = self.proves and (self.proving or not self.end.belief.gaps)
            proved, forward = self.proved, self.forward != turns
        return Predictive.proof(self.kept)._replace(
            ahead=left - proved if turns else left,
            proved=proved,
            learned=learned,
            forward=forward,
            proves=self.proves,
            has_skipped=self.has_skipped and not self.proving,
        )


#: The weight of the prior of an end that the sweep must not leave.
PERMANENT = 1 << 62

#: The sweep moves to the other end if this one removes less than this fraction of what that one
#: removes, in elements per query.
_SLOW_FRACTION = 0.6

#: The rate assumed of the other end before its first query: above 1, so that it is tried early.
UNTRIED_RATE = 1.25


class End(NamedTuple):
    """The queries of one round at one end, and what they taught.

    The prior is one element removed per query, with the weight of `weight` queries. So the better
    end is found with a few queries, and the sweep hardly ever moves if both ends are equally good.
    By default the sweep never leaves this end.
    """

    belief: Belief
    weight: int = PERMANENT
    asked: int = 0
    removed: int = 0

    @classmethod
    def of(cls, belief: Belief, n: int) -> End:
        return cls(belief, n.bit_length())

    def after(self, removed: int) -> End:
        return End(self.belief, self.weight, self.asked + 1, self.removed + removed)

    @property
    def rate(self) -> float:
        """The number of elements removed per query, estimated."""
        return (self.removed + self.weight) / (self.asked + self.weight)

    def is_slow_beside(self, rate: float) -> bool:
        """Tell whether the sweep should move to the other end, given the rate there."""
        return self.rate < _SLOW_FRACTION * rate
