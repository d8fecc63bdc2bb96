"""What a run of the test used of an input."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Trace:
    """What one run of the test used of an input: a belief on what its failure needs.

    No answer follows from it, only which questions come first. `opened` are the paths of files that
    were opened; others were `looked_up`, for instance because a program goes through a folder.
    `ran` has the numbers of the lines that ran, from 1, of each file of which that is known.
    `released` are those that an installed package has as well, which the test can import instead.
    """

    opened: frozenset[str]
    looked_up: frozenset[str]
    ran: dict[str, tuple[int, ...]] = field(default_factory=dict)
    released: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, Any]:
        """Return the trace as JSON values."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in values.items()
        }
