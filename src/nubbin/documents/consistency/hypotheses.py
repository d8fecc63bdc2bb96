"""What numbers of a file may follow from, found by counting."""

from __future__ import annotations

from nubbin.documents.consistency.counts import counts
from nubbin.documents.consistency.numbers import Hypothesis
from nubbin.documents.consistency.sequences import sequences

#: In larger files, nothing is looked for.
_MAX_BYTES = 1 << 20


def hypotheses(data: bytes) -> list[Hypothesis]:
    """Return what the numbers of a text may follow from; linear, and nothing for most texts."""
    if len(data) > _MAX_BYTES or b"\0" in data:
        return []
    return [*counts(data), *sequences(data)]
