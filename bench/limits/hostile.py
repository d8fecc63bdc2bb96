"""Search for problems on which an algorithm is far worse than another one, by hill climbing.

    bench/run.py limits/hostile [--of NAME] [--steps N] [--seed N ...] [--n N]

A problem is a set of wanted elements, and of needs: "while this one is kept, that one has to be".
A step changes a few of these at random and stays if the ratio of the algorithm's queries (`auto`'s,
unless `--of` names another) to the fewest of the others, in either direction, is no smaller; only
those count that leave no more. It prints the worst of every climb; `Hostile(...)` makes that again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from limits.costs import OTHERS, cost
from nubbin_core.minimizers import ALGORITHMS, Subset

#: The algorithms that are ever best where much depends on the order: the others take too long.
RIVALS = {
    name: start
    for name, start in OTHERS.items()
    if name.removeprefix("-") in ("adaptive", "bisect", "lithium")
}


@dataclass(frozen=True)
class Hostile:
    """A test on n elements: the wanted ones, and what each element needs (itself: nothing)."""

    wanted: tuple[int, ...]
    needs: tuple[int, ...]

    def __call__(self, kept: Subset) -> bool:
        """Tell whether all that is wanted or needed is kept."""
        is_kept = np.zeros(len(self.needs), dtype=bool)
        is_kept[list(kept)] = True
        return bool(
            is_kept[list(self.wanted)].all() and is_kept[np.array(self.needs)[is_kept]].all()
        )


#: The worst that is known for `auto`: a climb that went on for 2,704 steps.
WORST = Hostile(
    wanted=(1, 36, 37, 38, 39, 40, 42, 43, 14, 15),
    needs=(
        *(0, 0, 3, 2, 0, 5, 7, 7, 10, 11, 9, 10, 40, 12, 13, 0),
        *(5, 9, 47, 23, 19, 22, 23, 29, 25, 21, 27, 24, 31, 28, 47, 30),
        *(34, 33, 0, 41, 37, 37, 41, 40, 39, 43, 41, 43, 43, 44, 12, 47),
    ),
)


class TooManyError(Exception):
    """An algorithm asks more than matters."""


def limited(interesting: Callable[[Subset], bool], most: float) -> Callable[[Subset], bool]:
    """Return the test, which raises TooManyError when it is asked more than `most` times."""
    asked = 0

    def counted(kept: Subset) -> bool:
        nonlocal asked
        asked += 1
        if asked > most:
            raise TooManyError
        return interesting(kept)

    return counted


def ratio(problem: Hostile, name: str, least: float = 1.0) -> tuple[float, int, int, str]:
    """Return how many times as much an algorithm asks as the best other, both counts, and whose.

    A ratio below `least` is told as 0, because rivals are cut as soon as it cannot be reached.
    """
    n = len(problem.needs)
    asked, left = cost(ALGORITHMS[name], n, problem)
    best, rival = asked / least, ""
    for other, start in RIVALS.items():
        try:
            queries, size = cost(start, n, limited(problem, best))
        except TooManyError:
            continue
        if size <= left:
            best, rival = queries, other
    return (asked / best, asked, int(best), rival) if rival else (0.0, asked, asked, name)


def drawn(n: int, rng: np.random.Generator) -> Hostile:
    """Return a random problem: some needs to either side, near or far."""
    problem = Hostile((int(rng.integers(n)),), tuple(range(n)))
    for _ in range(n):
        problem = changed(problem, rng)
    return problem


def changed(problem: Hostile, rng: np.random.Generator) -> Hostile:
    """Return the problem with one need or one wanted element changed."""
    n = len(problem.needs)
    at = int(rng.integers(n))
    if rng.random() < 0.1:
        return replace(problem, wanted=tuple(set(problem.wanted) ^ {at}) or (at,))
    reach = int(rng.choice([1, 2, 8, n]))
    needs = list(problem.needs)
    needs[at] = int(np.clip(at + rng.integers(-reach, reach + 1), 0, n - 1))
    return replace(problem, needs=tuple(needs))


def climbed(
    name: str, n: int, seed: int, steps: int
) -> tuple[Hostile, tuple[float, int, int, str]]:
    """Return the worst problem that a climb of so many steps finds, and its ratio."""
    worst = drawn(n, np.random.default_rng(seed))
    found = ratio(worst, name, least=0.1)
    for step in range(steps):
        trial, rng = worst, np.random.default_rng((seed, step))
        for _ in range(int(rng.integers(1, 6))):
            trial = changed(trial, rng)
        tried = ratio(trial, name, least=found[0])
        if tried[0] >= found[0]:
            worst, found = trial, tried
    return worst, found


def experiment(
    *, of: str = "auto", steps: int = 10_000, seed: Sequence[int] = tuple(range(10)), n: int = 48
) -> Iterator[str]:
    for each in seed:
        worst, (times, asked, best, rival) = climbed(of, n, each, steps)
        yield f"seed {each}: {times:.2f} ({asked} queries, {rival} {best})\n{worst}"
