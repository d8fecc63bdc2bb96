"""ProbDD and CDD as the program in the artifact of Zhang et al. (ICSE 2025) runs them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import e
from typing import Any

import numpy as np
import numpy.typing as npt

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.published.cdd import best_size
from nubbin_core.minimizers.subset import EMPTY, Subset

#: The factor by which CDD takes an element's probability of being essential to grow.
GROWTH = 1 / (1 - 1 / e)

#: What ProbDD takes for more probable than this is essential, and is not tried again.
MOST_PROBABLE = 0.8

Values = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Model:
    """What a program believes of elements, whose values it begins at `first`.

    `size` is how many of the undecided elements it takes, given their values in ascending order,
    and `refused` what the values of those become whose deletion was refused: NaN if it is decided
    that one stays.
    """

    first: float
    size: Callable[[Values], int]
    refused: Callable[[Values], Values]


def counters(p0: float) -> Model:
    """Return CDD's model: an element's value is the number of its refusals."""

    def size(values: Values) -> int:
        return best_size(min(p0 * float(GROWTH ** int(values[0])), 1.0))

    return Model(0, size, lambda values: values + 1)


def probabilities(p0: float) -> Model:
    """Return ProbDD's model: an element's value is its probability of being essential."""

    def size(values: Values) -> int:
        gains = np.cumprod(1 - values) * np.arange(1, len(values) + 1)
        falls = np.flatnonzero(gains[1:] < gains[:-1])
        return int(falls[0]) + 1 if len(falls) else len(values)

    def refused(values: Values) -> Values:
        larger = values * (1 / (1 - np.cumprod(1 - values)[-1]))
        return np.where(larger > MOST_PROBABLE, np.nan, larger)

    return Model(p0, size, refused)


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilisticProgram:
    """The artifact's ProbDD or CDD: other algorithms than `ProbDD` and `CDD`, from the text.

    Both ask about the empty list first. Then each takes the undecided elements with the least
    values, in the list's order or shuffled, as many as its model says, and asks about the list
    without them. To delete all that is left counts as refused, without a question. What is refused
    alone is essential. ProbDD also gives up an element above a probability of 0.8; CDD counts for
    each element by itself, so that a short remainder is filled up with elements of the next count.

    In a monotone problem whose empty list is uninteresting, CDD's result is minimal, and ProbDD's
    is if no element was given up too early. Otherwise neither is always 1-minimal. Costs about as
    many questions as `ProbDD` and `CDD` do.
    """

    kept: Subset
    model: Model
    elements: Indices
    """The undecided elements, in the list's order."""
    values: Values
    """What is believed of each of them."""
    state: tuple[Any, ...] | None
    """The state of the program's random generator, Python's; None if it does not shuffle."""
    chosen: Indices | None = None
    """Places among the undecided of those that are to go; None for the whole list."""

    @classmethod
    def start_cdd(cls, kept: Subset, settings: Settings) -> ProbabilisticProgram:
        """Return CDD's state before the first question."""
        return cls._start(kept, counters(settings.p0), None)

    @classmethod
    def start_cdd_shuffled(cls, kept: Subset, settings: Settings) -> ProbabilisticProgram:
        """Return it with elements of equal counts shuffled, by the seed."""
        return cls._start(kept, counters(settings.p0), settings.seed)

    @classmethod
    def start_probdd(cls, kept: Subset, settings: Settings) -> ProbabilisticProgram:
        """Return ProbDD's state before the first question, with equals shuffled by the seed."""
        return cls._start(kept, probabilities(settings.p0), settings.seed)

    @classmethod
    def start_probdd_in_order(cls, kept: Subset, settings: Settings) -> ProbabilisticProgram:
        """Return it without randomness: equals in the list's order."""
        return cls._start(kept, probabilities(settings.p0), None)

    @classmethod
    def _start(cls, kept: Subset, model: Model, seed: int | None) -> ProbabilisticProgram:
        state = None if seed is None else random.Random(seed).getstate()
        elements, values = np.array(list(kept), dtype=np.int64), np.full(len(kept), model.first)
        return cls(kept, model, elements, values.astype(float), state)

    def ask(self) -> tuple[Query, ...]:
        """Ask about nothing at all; then about the list without the chosen elements."""
        if not len(self.elements):
            return ()
        return (Query(EMPTY if self.chosen is None else self._without_chosen(), "complement"),)

    def tell(self, answers: tuple[bool, ...]) -> ProbabilisticProgram:
        """Drop the chosen elements or believe less of them, and choose others."""
        (interesting,) = answers
        if self.chosen is None:
            return (
                replace(self, kept=EMPTY)._decided(slice(None)) if interesting else self._choose()
            )
        if interesting:
            return replace(self, kept=self._without_chosen())._decided(self.chosen)._choose()
        return self._refused(self.chosen)._choose()

    def _without_chosen(self) -> Subset:
        return self.kept.less(Subset.of(self.elements[self.chosen].tolist()))

    def _choose(self) -> ProbabilisticProgram:
        """Choose what is to go; a deletion of all that is left counts as refused."""
        after = self
        while len(after.elements):
            places, state = after._shuffled()
            places = places[np.argsort(after.values[places], kind="stable")]
            chosen = places[: after.model.size(after.values[places])]
            after = replace(after, chosen=chosen, state=state)
            if len(chosen) < len(after.kept):
                return after
            after = after._refused(chosen)
        return after

    def _shuffled(self) -> tuple[Indices, tuple[Any, ...] | None]:
        """Return the places of the undecided, shuffled if this program does, and what is next."""
        places = list(range(len(self.elements)))
        if self.state is None:
            return np.array(places), None
        generator = random.Random()
        generator.setstate(self.state)
        generator.shuffle(places)
        return np.array(places), generator.getstate()

    def _refused(self, chosen: Indices) -> ProbabilisticProgram:
        values = self.values.copy()
        values[chosen] = np.nan if len(chosen) == 1 else self.model.refused(values[chosen])
        return replace(self, values=values)._decided(np.isnan(values))

    def _decided(self, places: Any) -> ProbabilisticProgram:
        """Return the program for which these elements are no longer undecided."""
        left = np.ones(len(self.elements), dtype=bool)
        left[places] = False
        return replace(self, elements=self.elements[left], values=self.values[left])
