"""The ask/tell contract of all list-minimisation algorithms, and one turn of a minimizer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from nubbin_core.minimizers.subset import Subset

if TYPE_CHECKING:
    from nubbin_core.minimizers.bayesian.belief import Belief
    from nubbin_core.minimizers.uses import Uses


class Query(NamedTuple):
    """A candidate for the test: the subset `kept` of the list.

    `kind` names the query's role in its algorithm (`subset`, `complement`, `revisit`, ...), for
    statistics of success. `chance` is the probability that the test accepts, if the algorithm
    estimates one; it orders speculation, and nothing else.
    """

    kept: Subset
    kind: str
    chance: float | None = None


class Minimizer(Protocol):
    """An immutable state of a list-minimisation algorithm.

    The driver runs the test on a wave of independent queries, and tells the answers in the same
    order: True where the test accepts (the subset is *interesting*, in the literature). An empty
    wave is the end. `tell` is pure, so a driver may ask what would come next under answers that
    it does not have yet.
    """

    @property
    def kept(self) -> Subset:
        """The smallest subset that the test has accepted; at first, the list."""

    def ask(self) -> tuple[Query, ...]:
        """Return the wave of queries to answer now; empty at the end."""

    def tell(self, answers: tuple[bool, ...]) -> Minimizer:
        """Return the state after these answers, one for each query of `ask()`."""


class _Settings(NamedTuple):
    """The fields of `Settings`, which checks them."""

    p0: float = 0.1
    seed: int = 0
    weights: Sequence[float] = ()
    belief: Belief | None = None
    proves: bool = True
    alone: bool = True
    uses: Uses | None = None
    price: float = 1.0


class Settings(_Settings):
    """What an algorithm may be given besides its elements; each reads what concerns it.

    - `p0`: the prior probability that an element is essential (ProbDD, CDD).
    - `seed`: the start of every random choice.
    - `weights`: the size of each element, empty if all weigh the same (weighted ddmin).
    - `belief`: an estimate from earlier lists, or for this one (auto).
    - `proves`: False if 1-minimality need not be proved, as when a finer list follows (auto).
    - `alone`: False if similar lists come before or after this one (auto).
    - `uses`: which elements use which, if known (auto, without a proof).
    - `price`: the cost of an accepted query divided by the cost of a rejected one (auto).

    Raises ValueError unless 0 < p0 < 1, seed >= 0 and 0 < price < infinity.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # for type checkers, the signature is the fields

        def __new__(cls, *fields, **named):
            settings = super().__new__(cls, *fields, **named)
            if not 0 < settings.p0 < 1:
                raise ValueError(f"p0 is a probability between 0 and 1, not {settings.p0}")
            if not 0 < settings.price < math.inf:
                raise ValueError(f"a price is finite and more than 0, not {settings.price}")
            if settings.seed < 0:
                raise ValueError(f"a seed is 0 or more, not {settings.seed}")
            return settings


#: Starts the minimizer of a subset: what an algorithm is to the search.
Start = Callable[[Subset, Settings], Minimizer]


class Turn(NamedTuple):
    """A minimizer until `length` of its queries are answered; it ends with a whole wave."""

    minimizer: Minimizer
    length: int
    asked: int = 0

    @property
    def kept(self) -> Subset:
        return self.minimizer.kept

    @property
    def paused(self) -> Minimizer | None:
        """The minimizer, if it has not ended when the turn is over."""
        return self.minimizer if self.minimizer.ask() else None

    def ask(self) -> tuple[Query, ...]:
        return self.minimizer.ask() if self.asked < self.length else ()

    def tell(self, answers: tuple[bool, ...]) -> Turn:
        return Turn(self.minimizer.tell(answers), self.length, self.asked + len(answers))
