"""How many examples a property is tried on: its share of what the profile has for each."""

from __future__ import annotations

from hypothesis import settings


def examples(percent: int) -> settings:
    """Return settings for that share; see `tests/conftest.py` for the profiles."""
    return settings(max_examples=settings().max_examples * percent // 100)
