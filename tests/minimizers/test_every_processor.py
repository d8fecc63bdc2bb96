"""The same questions on every processor, however it rounds a sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import fsum
from random import Random

import pytest

from nubbin_core.minimizers import ALGORITHMS, Settings, Subset, Uses
from nubbin_core.minimizers.bayesian import belief

Needed = Callable[[int, Random], set[int]]

#: The elements that each kind of problem needs, of n.
KINDS: dict[str, Needed] = {
    "one": lambda n, random: {int(n * random.random())},
    "first": lambda n, random: {*range(1 + n // 20)},
    "last": lambda n, random: {n - 1},
    "few": lambda n, random: {int(n * random.random()) for _ in range(4)},
    "scattered": lambda n, random: {i for i in range(n) if random.random() < 0.08},
    "clustered": lambda n, random: {i for i in range(n) if not i // 7 % 5},
    "dense": lambda n, random: {i for i in range(n) if random.random() < 0.5},
}
SIZES = (5, 10, 21, 45, 90, 173, 300)
ALGORITHMS_THAT_BELIEVE = ("auto", "by use", "heavy-first", "waves")
PROBLEMS = [*product(KINDS, SIZES, ALGORITHMS_THAT_BELIEVE)]

#: The digest of all questions, on every processor and every Python, until other ones are asked.
ALL = 5984107763203343763


def questions() -> Iterator[int]:
    """Yield a digest of the queries of each problem."""
    for seed, (kind, n, name) in enumerate(PROBLEMS):
        random, by_use = Random(seed), name == "by use"
        needed = KINDS[kind](n, random)
        used = [int(i * random.random()) for i in range(n)]
        uses = Uses(range(n + 1), used) if by_use else None
        settings = Settings(weights=range(n), uses=uses, proves=not by_use)
        state, told = ALGORITHMS["auto" if by_use else name](Subset.full(n), settings), 0
        while wave := state.ask():
            told = hash((told, *(query.kept.digest for query in wave)))
            state = state.tell(tuple(needed <= set(query.kept) for query in wave))
        yield told


def test_every_processor_asks_the_same() -> None:
    assert hash(tuple(questions())) == ALL


def test_the_last_bits_of_a_chance_decide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding as no processor does: each sum is off by up to nine units."""
    random = Random(0)
    monkeypatch.setattr(
        belief, "fsum", lambda terms: fsum(terms) * (1 + random.uniform(-2e-15, 2e-15))
    )
    assert hash(tuple(questions())) == ALL
