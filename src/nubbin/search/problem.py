"""What is to be minimized: a list, as the oracle sees it, and the list that comes after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Generic, Self, TypeVar

from nubbin.minimizers import Minimizer, Subset

T = TypeVar("T")


class Problem(ABC, Generic[T]):
    """A list to minimize: what a subset of it looks like to the oracle.

    All of it is pure: a search looks ahead, at what will never be asked, and comes back.
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
        """Tell whether a candidate may be a result; one that may not is refused without a query."""
        return True

    def is_plausible(self, kept: Subset, candidate: T) -> bool:
        """Tell whether a candidate is worth a query.

        One that is not is taken for uninteresting too, but proves nothing.
        """
        return True

    @property
    def may_look_ahead(self) -> bool:
        """Whether `after` may be asked about ends that are only likely."""
        return True

    def after(self, end: Minimizer) -> Self | None:
        """Return the list that comes when this one ends in a state, or None: it was the last."""
        return None
