"""Recorded oracles: what real tests answered about subsets of real lists, to be asked again.

A problem is a list of a reduction: the nodes of one level of a tree, say. What is recorded of it
are the questions that many algorithms asked, or of a short list all of them.
`oracles/answers.parquet` has a row for each question: `problem`, `bounds` of the kept elements
([start, stop, start, stop, ...]), `interesting`, the `seconds` that the test took, and which
algorithms asked (`by`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean

import pyarrow as pa
import pyarrow.parquet as pq

from nubbin_bench.csv_rows import load
from nubbin_core.minimizers import Subset

FOLDER = Path(__file__).parent / "oracles"

#: The version of the two files is in the metadata of the Parquet file, under `nubbin`.
VERSION = "1"
SCHEMA = pa.schema(
    [
        ("problem", pa.dictionary(pa.int16(), pa.string())),
        ("bounds", pa.list_(pa.int32())),
        ("interesting", pa.bool_()),
        ("seconds", pa.float32()),
        ("by", pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    ],
    metadata={"nubbin": VERSION},
)

#: An answer: whether it is interesting, the seconds of the test, and who asked.
Answer = tuple[bool, float, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Where a problem comes from: list number `at` of the reduction of a case in a framework.

    `complete` tells whether each subset is recorded. `input` is the SHA-256 of the case's input.
    """

    problem: str
    case: str
    defect: str
    framework: str
    at: int
    elements: int
    p0: float
    complete: bool
    input: str
    commit: str


@dataclass
class Oracle:
    """Answers questions about one problem, and counts them; the same question costs once.

    A question that is not recorded is answered as monotone problems would have it: yes if a subset
    of it was interesting, no if a superset was not. If neither or both is so, nobody knows; then
    the answer is no, as of a test that cannot say. Both kinds are counted.
    """

    about: Recorded
    answers: Mapping[tuple[int, ...], Answer]
    asked: dict[tuple[int, ...], bool] = field(default_factory=dict)
    asks: int = 0
    seconds: float = 0.0
    implied: int = 0
    unknown: int = 0

    def __call__(self, kept: Subset) -> bool:
        """Tell whether a subset is interesting."""
        self.asks += 1
        key = tuple(kept.bounds.tolist())
        if key not in self.asked:
            self.asked[key] = self._answered(key)
        return self.asked[key]

    def _answered(self, key: tuple[int, ...]) -> bool:
        if key in self.answers:
            interesting, seconds, _ = self.answers[key]
            self.seconds += seconds
            return interesting
        self.seconds += self._mean_seconds
        mask, (yes, no) = _mask(key), self._known
        above = any(not each & ~mask for each in yes)
        below = any(not mask & ~each for each in no)
        self.implied += above != below
        self.unknown += above == below
        return above and not below

    @cached_property
    def _mean_seconds(self) -> float:
        return fmean(seconds for _, seconds, _ in self.answers.values())

    @cached_property
    def _known(self) -> tuple[list[int], list[int]]:
        """Return the interesting subsets and the others, as masks."""
        masks: tuple[list[int], list[int]] = ([], [])
        for key, (interesting, _, _) in self.answers.items():
            masks[not interesting].append(_mask(key))
        return masks

    def without(self, name: str) -> Oracle:
        """Return the oracle that does not have what only one algorithm asked."""
        return Oracle(
            self.about, {key: each for key, each in self.answers.items() if each[2] != {name}}
        )


def _mask(bounds: tuple[int, ...]) -> int:
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return sum((1 << stop) - (1 << start) for start, stop in pairs)


def oracles(folder: Path = FOLDER) -> Iterator[Oracle]:
    """Yield a fresh oracle for each recorded problem."""
    answers: dict[str, dict[tuple[int, ...], Answer]] = {}
    for row in pq.read_table(folder / "answers.parquet").to_pylist():
        answer = row["interesting"], row["seconds"], frozenset(row["by"])
        answers.setdefault(row["problem"], {})[tuple(row["bounds"])] = answer
    for about in load(folder / "problems.csv", Recorded):
        yield Oracle(about, answers[about.problem])
