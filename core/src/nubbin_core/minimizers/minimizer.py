"""The ask/tell contract that every list-minimisation algorithm keeps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.subset import Subset
from nubbin_core.minimizers.uses import Uses


class Query(NamedTuple):
    """One question: is the subset `kept` still interesting?

    `kind` names the question's role in its algorithm (`subset`, `complement`, `revisit`, ...),
    so that success rates are counted without touching the algorithm. `chance` is the
    algorithm's own probability of a yes, if it has one; it orders speculation, and nothing else.
    """

    kept: Subset
    kind: str
    chance: float | None = None


class Minimizer(Protocol):
    """An immutable state of a list-minimisation algorithm.

    It asks a wave of independent questions, is told the answers in the same order, and becomes
    the next state. An empty wave means it has finished. `tell` is pure, so a driver may ask
    what would come next under answers it does not have yet.
    """

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting; at first, everything."""
        ...

    def ask(self) -> tuple[Query, ...]:
        """Return the wave of questions to answer now; empty when finished."""
        ...

    def tell(self, answers: tuple[bool, ...]) -> Minimizer:
        """Return the state after these answers, one for each question of `ask()`."""
        ...


class _Settings(NamedTuple):
    """The fields of `Settings`."""

    p0: float = 0.1
    seed: int = 0
    weights: Sequence[float] = ()
    belief: Belief | None = None
    proves: bool = True
    alone: bool = True
    uses: Uses | None = None
    price: float = 1.0


class Settings(_Settings):
    """What an algorithm may be given besides its elements; each uses what it knows.

    `p0` is the prior probability that an element is essential (ProbDD, CDD); `seed` starts
    every random choice; `weights` are the elements' sizes, one each (weighted ddmin), or
    empty if all weigh the same; `belief` is what earlier lists taught, or what is expected of this
    one (auto); `proves` is False if
    nobody needs the proof that the result is 1-minimal, as when a finer list comes (auto); `alone`
    is False if lists like this one come before or after (auto); `uses` says which elements use
    which, if known (auto, when the proof is not needed); `price` is that of a query that is
    accepted, over that of one that is refused (auto). Raises ValueError unless 0 < p0 < 1,
    seed >= 0 and price > 0.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # whose signature is that of the fields

        def __new__(cls, *fields, **named):  # noqa: D102
            settings = super().__new__(cls, *fields, **named)
            if not 0 < settings.p0 < 1:
                raise ValueError(f"p0 is a probability between 0 and 1, not {settings.p0}")
            if not 0 < settings.price < math.inf:
                raise ValueError(f"a price is finite and more than 0, not {settings.price}")
            if settings.seed < 0:
                raise ValueError(f"a seed is 0 or more, not {settings.seed}")
            return settings
