"""What a test is tried on: its share of the examples of the profile; some by day, all at night."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import settings


def examples(percent: int) -> settings:
    """Return settings for that share, at least three; see `tests/conftest.py` for the profiles."""
    return settings(max_examples=max(3, settings().max_examples * percent // 100))


def mostly_nightly(values: Iterable[Any], by_day: Sequence[Any]) -> list[Any]:
    """Return values for `parametrize`, of which only some are tried by day."""
    return [
        each
        if each in by_day
        else pytest.param(*(each if isinstance(each, tuple) else [each]), marks=pytest.mark.nightly)
        for each in values
    ]
