"""The running example of Zhang et al. (ICSE 2025, Figure 1), really run, step by step."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from unittest import mock

from nubbin_bench.lists import drive
from nubbin_bench.markdown import table
from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset
from nubbin_core.minimizers.published.probdd import ProbDD

PROGRAM = [
    "import math, sys",
    "input = sys.argv[1]",
    "a = int(input)",
    "b = math.e",
    "c = 3",
    "d = pow(b, a)",
    "c = math.log(d, b)",
    "crash(c)",
]
EVERYTHING = Subset.full(len(PROGRAM))

#: The lines that ProbDD deletes in the paper's Table III, among equally likely ones.
CHOICES = [(1, 4, 5, 8), (2, 3, 6, 7), (1, 5), (4, 8), (4,), (5,), (1,), (8,)]


class Crash(Exception):
    """The bug of the program."""


def crash(value: float) -> None:
    """Crash: the last line of the program calls this."""
    raise Crash(value)


@cache
def crashes(kept: Subset) -> bool:
    """Run the lines kept; tell whether they reach the crash without another failure."""
    with mock.patch.object(sys, "argv", ["program", "3"]):
        try:
            exec("\n".join(PROGRAM[i] for i in kept), {"crash": crash})
        except Crash:
            return True
        except Exception:
            return False
    return False


def lines(kept: Subset) -> list[int]:
    """Number the lines from 1, as the paper does."""
    return [i + 1 for i in kept]


def subset(*lines: int) -> Subset:
    """Return the subset of these lines, numbered from 1."""
    return Subset.of(line - 1 for line in lines)


def as_the_paper_draws(members: Subset, count: int, step: int) -> Subset:
    """Choose among equally likely elements as the paper's run did."""
    return subset(*CHOICES[step])


def starts() -> dict[str, Minimizer]:
    """Return the algorithms to show, by title."""
    titles = {
        "ddmin (the paper's Table II)": ALGORITHMS["ddmin"](EVERYTHING, Settings()),
        "ProbDD with the paper's choices (its Table III)": ProbDD.with_draw(
            EVERYTHING, 0.25, as_the_paper_draws
        ),
    }
    for name in ("probdd-no-random", "cdd", "lithium", "opdd", "adaptive", "auto"):
        titles[name] = ALGORITHMS[name](EVERYTHING, Settings(p0=0.25))
    return titles


def variants(state: Minimizer) -> str:
    """Return a table with a column for each variant asked for, as in the paper."""
    asked, answers, removed = [], [], []
    while wave := state.ask():
        told = tuple(crashes(query.kept) for query in wave)
        for query, answer in zip(wave, told, strict=True):
            asked.append(query.kept)
            removed.append(str(len(state.kept) - len(query.kept)))
            answers.append("FT"[answer])
        state = state.tell(told)
    head = ["", *(f"v{i}" for i in range(1, len(asked) + 1))]
    elements = [_element(line, asked, line in state.kept) for line in range(len(PROGRAM))]
    return table(head, [*elements, ["taken away", *removed], ["ψ", *answers]], align="lc")


def _element(line: int, asked: list[Subset], stays: bool) -> list[str]:
    name = f"l{line + 1}"
    return [f"**{name}**" if stays else name, *("✓" if line in kept else "" for kept in asked)]


def tables() -> Iterator[str]:
    """Yield a section for each algorithm; bold elements are the result."""
    for title, state in starts().items():
        yield f"## {title}\n\n{variants(state)}"


def results() -> str:
    """Return what each algorithm keeps, and after how many variants."""
    parts = []
    for title, state in starts().items():
        last, asked = drive(state, crashes)
        parts.append(f"{title}: {len(last.kept)} lines after {asked}")
    return f"{'; '.join(parts)}."
