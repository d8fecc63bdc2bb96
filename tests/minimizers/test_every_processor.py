"""The same questions on every processor, however it rounds a sum."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from nubbin.minimizers import ALGORITHMS, Settings, Subset, Uses
from nubbin.minimizers.bayesian import belief

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

#: The oldest kernel of OpenBLAS that runs wherever numpy does, and numpy without the newer
#: instructions of the processor. Other libraries ignore both.
OLD_KERNEL = {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "X86_V3 AVX2 FMA3"}


def questions() -> Iterator[str]:
    """Yield a digest of the queries of each problem."""
    for seed, (kind, n, name) in enumerate(PROBLEMS):
        random, by_use = Random(seed), name == "by use"
        needed = KINDS[kind](n, random)
        used = [int(i * random.random()) for i in range(n)]
        uses = Uses(np.arange(n + 1), np.array(used)) if by_use else None
        settings = Settings(weights=range(n), uses=uses, proves=not by_use)
        state, told = ALGORITHMS["auto" if by_use else name](Subset.full(n), settings), 0
        while wave := state.ask():
            told = hash((told, *(query.kept.digest for query in wave)))
            state = state.tell(tuple(needed <= set(query.kept) for query in wave))
        yield f"{kind} {n} {name}: {told}"


@pytest.fixture(scope="module")
def here() -> list[str]:
    """Return the digests of this process."""
    return [*questions()]


def test_another_kernel_asks_the_same(here: list[str]) -> None:
    run = [sys.executable, __file__]
    told = subprocess.run(run, env=os.environ | OLD_KERNEL, capture_output=True, check=True)
    assert json.loads(told.stdout) == here


def test_the_last_bits_of_a_chance_decide_nothing(
    here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounding as no processor does: each entry of a table is off by up to nine units."""
    exact, random = belief._survival, np.random.default_rng(0)

    def rounded(*mixture: object) -> npt.NDArray[np.float64]:
        table = exact(*mixture)  # type: ignore[arg-type]
        off: npt.NDArray[np.float64] = table * (1 + random.uniform(-2e-15, 2e-15, table.shape))
        return off

    monkeypatch.setattr(belief, "_survival", rounded)
    assert [*questions()] == here


if __name__ == "__main__":
    print(json.dumps([*questions()]))
