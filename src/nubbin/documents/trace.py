"""What a run of the test used of an input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Trace:
    """What one run of the test used of an input: a belief on what its failure needs.

    No answer follows from it, only which questions come first. `opened` are the paths of files that
    were opened; others were `looked_up`, for instance because a program goes through a folder.
    """

    opened: frozenset[str]
    looked_up: frozenset[str]

    def to_json(self) -> dict[str, Any]:
        """Return the trace as JSON values."""
        return {"opened": sorted(self.opened), "looked_up": sorted(self.looked_up)}
