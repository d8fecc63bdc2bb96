"""What is known of each input of the record: the fault that makes it interesting, and its group.

The inputs themselves are not in the repository. `inputs.csv`, beside the record, has a line for
each.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from records import load

#: When an input was collected, and how the page says it.
COLLECTED = {
    "first": "for the first comparison",
    "during": "while the code was written",
    "after": "after the code was finished",
}

#: The groups of inputs whose figures the page has, and when their inputs were collected.
GROUPS = {
    "all": {"first", "during", "after"},
    "last sitting": {"during", "after"},
    "new": {"after"},
}


@dataclass(frozen=True, slots=True)
class Input:
    """The name of an input, what its test asks of which tool, and when it was collected."""

    case: str
    tool: str
    fault: str
    collected: str


def load_inputs(folder: Path) -> dict[str, Input]:
    """Return the inputs of the record in `folder`, by name."""
    return {each.case: each for each in load(folder / "inputs.csv", Input)}
