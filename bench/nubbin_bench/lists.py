"""Simulated problems: the length of a list and its test, drawn by a random generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from nubbin_core.minimizers import Minimizer, Subset
from nubbin_core.minimizers.wrappers import mirrored as mirror

Interesting = Callable[[Subset], bool]
Problem = Callable[[np.random.Generator], tuple[int, Interesting]]
Indices = npt.NDArray[np.int64]


def drive(state: Minimizer, interesting: Interesting) -> tuple[Minimizer, int]:
    """Run a minimizer to its end; return its last state and how many queries it asked."""
    asked = 0
    while wave := state.ask():
        asked += len(wave)
        state = state.tell(tuple(interesting(query.kept) for query in wave))
    return state, asked


def holds(kept: Subset, essential: Indices) -> bool:
    """Tell whether all of these elements are kept: linear in their number, not in N."""
    return bool((np.searchsorted(kept.bounds, essential, side="right") & 1).all())


def holding(n: int, essential: Iterable[int]) -> Interesting:
    """Return a test that asks for all of these: linear in the runs of a subset, not in N or M."""
    is_essential = np.zeros(n + 1, dtype=np.int64)
    is_essential[1:][np.fromiter(essential, dtype=np.int64)] = 1
    before = np.cumsum(is_essential)

    def interesting(kept: Subset) -> bool:
        held = before[kept.bounds]
        return bool(held[1::2].sum() - held[::2].sum() == before[-1])

    return interesting


def scattered(n: int, m: int) -> Problem:
    """M essential elements anywhere."""
    return lambda rng: (n, holding(n, rng.choice(n, m, replace=False)))


def clustered(n: int, m: int, size: int) -> Problem:
    """M essential elements in clusters of `size`."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        essential: set[int] = set()
        while len(essential) < m:
            start = int(rng.integers(0, n - size + 1))
            essential.update(range(start, min(start + size, start + m - len(essential))))
        return n, holding(n, essential)

    return make


def placed(n: int, start: int, stop: int) -> Problem:
    """One block of essential elements."""
    return lambda rng: (n, holding(n, range(start, stop)))


def forest(n: int, wanted: int) -> Problem:
    """Most elements need one of the fifty before them, as uses need definitions."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        parent = np.array(
            [rng.integers(max(0, i - 50), i) if i and rng.random() < 0.8 else -1 for i in range(n)]
        )
        essential: set[int] = set()
        needed = rng.choice(n, wanted, replace=False)
        while needed.size:
            essential.update(needed.tolist())
            needed = parent[needed]
            needed = needed[needed >= 0]
        has_all = holding(n, essential)

        def interesting(kept: Subset) -> bool:
            held = parent[list(kept)]
            there = np.searchsorted(kept.bounds, held[held >= 0], side="right") & 1
            return has_all(kept) and bool(there.all())

        return n, interesting

    return make


def noisy(n: int, m: int, rate: float) -> Problem:
    """Scattered, but a fixed random share of all subsets is uninteresting."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        has_all = holding(n, rng.choice(n, m, replace=False))
        salt = int(rng.integers(1 << 62))
        return n, lambda kept: has_all(kept) and (hash((kept.digest, salt)) % 1000) >= 1000 * rate

    return make


def brackets(n: int, wanted: int) -> Problem:
    """Elements come in nested pairs, each of which goes only as a whole."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        mate = np.arange(n)
        open_: list[int] = []
        for i in range(n):
            if open_ and (rng.random() < 0.5 or len(open_) >= n - i):
                mate[i] = open_.pop()
                mate[mate[i]] = i
            else:
                open_.append(i)
        has_all = holding(n, rng.choice(n, wanted, replace=False))

        def interesting(kept: Subset) -> bool:
            there = np.searchsorted(kept.bounds, mate[list(kept)], side="right") & 1
            return has_all(kept) and bool(there.all())

        return n, interesting

    return make


def groups(n: int, wanted: int, size: int) -> Problem:
    """Aligned groups of `size` neighbours go only together."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        has_all = holding(n, rng.choice(n, wanted, replace=False))
        return n, lambda kept: has_all(kept) and not (np.asarray(kept.bounds) % size).any()

    return make


def records(count: int, shortest: int, longest: int, wanted: int) -> Problem:
    """Records of unequal lengths go only whole; those that are wanted have the mean length."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        lengths = rng.integers(shortest, longest + 1, count)
        some = rng.choice(count, wanted, replace=False)
        lengths[some] = (shortest + longest) // 2
        borders = np.concatenate([[0], np.cumsum(lengths)])
        n = int(borders[-1])
        has_all = holding(n, borders[some])
        return n, lambda kept: has_all(kept) and bool(np.isin(kept.bounds, borders).all())

    return make


def alternatives(n: int, *sizes: int, together: bool = False, shared: int = 0) -> Problem:
    """Any one of some sets will do: elements anywhere, or neighbours if they stand together.

    Besides, each set has the same `shared` elements.
    """

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        starts = [int(rng.integers(n - size + 1)) for size in sizes]
        tests = [
            holding(n, range(at, at + size) if together else rng.choice(n, size, replace=False))
            for at, size in zip(starts, sizes, strict=True)
        ]
        has_shared = holding(n, rng.choice(n, shared, replace=False))
        return n, lambda kept: has_shared(kept) and any(test(kept) for test in tests)

    return make


def either(problem: Problem, other: Problem) -> Problem:
    """What is interesting in one of two problems of the same length."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        (n, here), (_, there) = problem(rng), other(rng)
        return n, lambda kept: here(kept) or there(kept)

    return make


def interval(n: int, least: int) -> Problem:
    """Any interval will do that holds the same `least` neighbours."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        start = int(rng.integers(n - least + 1))
        has_all = holding(n, range(start, start + least))
        return n, lambda kept: len(kept.runs) == 1 and has_all(kept)

    return make


def suffix(n: int, least: int) -> Problem:
    """Any suffix of at least this many elements will do."""
    return lambda rng: (n, lambda kept: len(kept) >= least and kept.runs == [(n - len(kept), n)])


def prefix(n: int, least: int) -> Problem:
    """Any prefix of at least this many elements will do."""
    return mirrored(suffix(n, least))


def mirrored(problem: Problem) -> Problem:
    """Return the problem in reverse order."""

    def make(rng: np.random.Generator) -> tuple[int, Interesting]:
        n, interesting = problem(rng)
        return n, lambda kept: interesting(mirror(kept, n))

    return make
