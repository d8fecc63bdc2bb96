"""A list to minimize: how to render it for the oracle, and which list is next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Generic, Self, TypeVar

from nubbin_core.minimizers import Minimizer, Subset

T = TypeVar("T")


class Problem(ABC, Generic[T]):
    """A list to minimize: it renders each subset as a candidate for the oracle.

    All methods are pure, because speculation calls them for subsets that may never be queried.
    """

    @abstractmethod
    def start(self) -> Minimizer:
        """Return the state of the minimizer before the first query."""

    @abstractmethod
    def render(self, kept: Subset) -> T:
        """Return the candidate of a subset."""

    @abstractmethod
    def key(self, candidate: T) -> Hashable:
        """Return a fingerprint of a candidate, of at least 128 bits.

        Equal candidates of different lists have the same fingerprint, and share their answer.
        """

    def is_allowed(self, candidate: T) -> bool:
        """Tell whether a candidate may be a result; otherwise it is rejected without a query."""
        return True

    def is_plausible(self, kept: Subset, candidate: T) -> bool:
        """Tell whether a candidate is worth a query.

        Otherwise it is rejected without one. That does not prove anything 1-minimal, unless the
        candidate is ill formed.
        """
        return True

    def is_ill_formed(self, kept: Subset, candidate: T) -> bool:
        """Tell whether a candidate that is not plausible cannot be read at all.

        A proof of 1-minimality need not try a removal that leads to such a candidate.
        """
        return False

    @property
    def may_look_ahead(self) -> bool:
        """Whether speculation may call `after`, for an end that is only likely."""
        return True

    def after(self, end: Minimizer) -> Self | None:
        """Return the next list if this one ends in the state `end`, None after the last."""
        return None
