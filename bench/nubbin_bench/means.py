"""Geometric means of figures, in which values under 0.1 count as 0.1."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log
from statistics import fmean

#: What smaller figures count as, because there is no logarithm of 0.
LEAST = 0.1


def geometric(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return exp(fmean(log(max(value, LEAST)) for value in values))
