"""Hypotheses: what numbers in a file may follow from, found by counting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nubbin.documents.consistency.counts import counts
from nubbin.documents.consistency.numbers import Number, Span
from nubbin.documents.consistency.sequences import sequences

#: In larger files, nothing is looked for.
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Numbers that may follow from lists, and what is deleted to find out whether they do."""

    numbers: Sequence[Number]
    probe: Sequence[Span]


def hypotheses(data: bytes) -> list[Hypothesis]:
    """Return what the numbers of a text may follow from; linear, and none for most texts."""
    if len(data) > _MAX_BYTES or b"\0" in data:
        return []
    return [Hypothesis(*found) for found in (*counts(data), *sequences(data))]
