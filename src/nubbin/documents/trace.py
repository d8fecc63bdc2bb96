"""What a run of the test used of an input."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Trace:
    """What one run of the test used of an input: a belief on what its failure needs.

    No answer follows from it, only which questions come first. `opened` are the paths of files that
    were opened; others were `looked_up`, for instance because a program goes through a folder.
    `programs` are the interpreters that ran, with their versions; `requirements` and
    `node_packages` the packages that they used, as pip and npm name a version.
    """

    opened: frozenset[str]
    looked_up: frozenset[str]
    programs: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    node_packages: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the trace as JSON values."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in values.items()
        }
