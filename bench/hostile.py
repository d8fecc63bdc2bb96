#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Search for problems on which an algorithm is far worse than another one, by hill climbing.

    bench/hostile.py [--of NAME] [--steps N] [--climbs N] [--n N]

A problem is a set of wanted elements, and of needs: "while this one is kept, that one has to be".
A step changes a few of these at random and stays if the ratio of the algorithm's queries (`auto`'s,
unless `--of` names another) to the fewest of the others, in either direction, is no smaller; only
those count that leave no more. It prints the worst of every climb; `Hostile(...)` makes that again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import command_line
from limit_costs import OTHERS, cost
from nubbin.minimizers import ALGORITHMS, Subset

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
        is_kept[kept.indices] = True
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


def ratio(problem: Hostile, name: str) -> tuple[float, int, int, str]:
    """Return how many times as much an algorithm asks as the best other, both counts, and whose."""
    n = len(problem.needs)
    asked, left = cost(ALGORITHMS[name], n, problem)
    rivals = [(*cost(start, n, problem), rival) for rival, start in RIVALS.items()]
    best, rival = min(
        ((q, rival) for q, size, rival in rivals if size <= left), default=(asked, name)
    )
    return asked / best, asked, best, rival


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


def climb(name: str, n: int, steps: int, seed: int) -> tuple[Hostile, tuple[float, int, int, str]]:
    """Return the worst problem that `steps` random changes find, and its ratio."""
    rng = np.random.default_rng(seed)
    worst = drawn(n, rng)
    found = ratio(worst, name)
    for _ in range(steps):
        trial = worst
        for _ in range(int(rng.integers(1, 6))):
            trial = changed(trial, rng)
        if (tried := ratio(trial, name))[0] >= found[0]:
            worst, found = trial, tried
    return worst, found


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument(
        "--of", choices=ALGORITHMS, default="auto", metavar="NAME", help="the algorithm (auto)"
    )
    parser.add_argument("--steps", type=int, default=400, help="steps of a climb (400)")
    parser.add_argument("--climbs", type=int, default=8, help="climbs, each from another seed (8)")
    parser.add_argument("--n", type=int, default=48, help="elements (48)")
    options = parser.parse_args()
    for seed in range(options.climbs):
        problem, (times, asked, best, rival) = climb(options.of, options.n, options.steps, seed)
        print(f"seed {seed}: {times:.2f} ({asked} queries, {rival} {best})\n{problem}", flush=True)


if __name__ == "__main__":
    main()
