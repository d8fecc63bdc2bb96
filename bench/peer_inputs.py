"""What is known of each input of the record: the fault that makes it interesting, and its group.

The inputs themselves are not in the repository. `inputs.csv`, beside the record, has a line for
each.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nubbin_bench.csv_rows import load

#: What those who wrote the code knew of an input, and how the page says it.
SEEN = {
    "first": "since the first comparison",
    "later": "while the code was written",
    "never": "never",
}

#: The groups of inputs whose figures the page has, by what was known of them.
GROUPS = {
    "all": {"first", "later", "never"},
    "last sitting": {"later", "never"},
    "unseen": {"never"},
}


@dataclass(frozen=True, slots=True)
class Input:
    """The name of an input, what its test asks of which tool, and since when it was known."""

    case: str
    tool: str
    fault: str
    seen: str


def load_inputs(folder: Path) -> dict[str, Input]:
    """Return the inputs of the record in `folder`, by name."""
    return {each.case: each for each in load(folder / "inputs.csv", Input)}
