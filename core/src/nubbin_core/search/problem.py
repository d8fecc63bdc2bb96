"""A list to minimize, as the oracle sees it, and the list that comes after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Generic, Self, TypeVar

from nubbin_core.minimizers import Minimizer, Subset

T = TypeVar("T")


class Problem(ABC, Generic[T]):
    """A list to minimize: it renders a subset as the candidate that the oracle sees.

    All methods are pure, because a search looks ahead at subsets that may never be asked about.
    """

    @abstractmethod
    def start(self) -> Minimizer:
        """Return the state of the minimizer before the first question."""

    @abstractmethod
    def render(self, kept: Subset) -> T:
        """Return the oracle's candidate for a subset."""

    @abstractmethod
    def key(self, kept: Subset, candidate: T) -> Hashable:
        """Return a fingerprint of a candidate and its subset, of at least 128 bits.

        It is the same for the same candidate of another list: these share their answers.
        """

    def is_allowed(self, candidate: T) -> bool:
        """Tell whether a candidate may be a result; if not, it is refused without a query."""
        return True

    def is_plausible(self, kept: Subset, candidate: T) -> bool:
        """Tell whether a candidate is worth a query.

        If not, it counts as uninteresting, but proves nothing unless it is ill formed.
        """
        return True

    def is_ill_formed(self, kept: Subset, candidate: T) -> bool:
        """Tell of a candidate that is not plausible whether it leaves what cannot be read.

        What cannot go by itself because of that is not a piece that a proof has to try.
        """
        return False

    @property
    def may_look_ahead(self) -> bool:
        """Whether `after` may be called for ends that are only likely."""
        return True

    def after(self, end: Minimizer) -> Self | None:
        """Return the list that comes after this one has ended in a state, None after the last."""
        return None
