"""Whether nubbin_bench's copies of published programs ask what the programs themselves ask.

    bench/run.py studies/programs FOLDER [--problems N]

FOLDER holds the package `picire`. It is that of the paper's artifact (`src/picire-21.8` of a clone
of the GitHub repository zhangxiaosa/cdd), or Picire as released:

    pip install --no-deps --target FOLDER picire==21.8

Runs each program of it and our copy on N random problems, monotone and not, of 1 to 40 elements,
and prints for each how many had another sequence of questions, or another result. Ends with code 1
if any had. What Picire looks up, and its assertions, are no questions; the artifact's repeats are.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from harness.experiment import Table
from nubbin_bench.lists import (
    Interesting,
    brackets,
    clustered,
    drive,
    forest,
    groups,
    mirrored,
    noisy,
    scattered,
)
from nubbin_bench.studied import PROGRAMS
from nubbin_core.minimizers import Settings, Subset

MOST_ELEMENTS = 40
#: p0 of the paper, and larger ones, with which short lists have more rounds.
P0 = (0.0025, 0.1, 0.25, 0.5)

#: Runs a program on N elements: the test, p0 and a seed.
Run = Callable[[int, Callable[[list[int]], bool], float, int], list[int]]
Asked = list[tuple[int, ...]]


def programs(folder: Path) -> dict[str, Run]:
    """Return the programs in a folder, by the name of our copy."""
    if not (folder / "picire/dd.py").is_file():
        raise SystemExit(f"{folder} holds no package picire: there is no picire/dd.py in it.")
    package = ModuleType("picire")  # its __init__ would import what only its command line needs
    package.__path__ = [str(folder / "picire")]
    sys.modules["picire"] = package
    logging.disable()
    ddmin = importlib.import_module("picire.dd").DD
    if not (folder / "picire/abstract_cdd.py").exists():
        return {"ddmin-picire": partial(_run, lambda test, p0, seed: ddmin(test))}
    other = importlib.import_module("picire.cdd").CDD

    def probabilistic(name: str, shuffles: bool) -> Run:
        def make(test: Any, p0: float, seed: int) -> Any:
            shuffle = seed if shuffles else None
            return other(test, init_probability=p0, dd=name, shuffle=shuffle)

        return partial(_run, make)

    return {
        "ddmin-artifact": partial(
            _run, lambda test, p0, seed: ddmin(test, onepass=False, start_from_n=None)
        ),
        "probdd-artifact": probabilistic("probdd", shuffles=True),
        "cdd-artifact": probabilistic("cdd", shuffles=False),
        "cdd-shuffled": probabilistic("cdd", shuffles=True),
    }


def _run(
    make: Callable[[Any, float, int], Any],
    n: int,
    interesting: Callable[[list[int]], bool],
    p0: float,
    seed: int,
) -> list[int]:
    """Run a program; for it, an interesting list is one that fails."""
    outcome = importlib.import_module("picire.outcome").Outcome

    def test(config: list[int], name: tuple[str, ...]) -> Any:
        if "assert" in name:
            return outcome.FAIL
        return outcome.FAIL if interesting(config) else outcome.PASS

    return list(make(test, p0, seed)(list(range(n))))


def drawn(seed: int) -> tuple[int, Interesting]:
    """Return a random problem that its whole list solves."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, MOST_ELEMENTS + 1))
    m = int(rng.integers(0, n + 1))
    size = max(min(m, 5), 1)
    kinds = [
        scattered(n, m),
        clustered(n, m // 2, size),
        forest(n, min(m, 4)),
        mirrored(forest(n, min(m, 4))),
        noisy(n, m, 0.4),
        brackets(n, min(m, 3)),
        groups(n, min(m, 3), 2),
    ]
    _, interesting = kinds[seed % len(kinds)](rng)
    return n, lambda kept: len(kept) == n or interesting(kept)


def differs(name: str, run: Run, seed: int) -> tuple[bool, bool]:
    """Tell whether the program and our copy ask other questions, and end at another result."""
    (n, interesting), p0 = drawn(seed), P0[seed % len(P0)]
    theirs: Asked = []
    ours: Asked = []

    def noted(into: Asked, kept: Subset) -> bool:
        into.append(tuple(kept))
        return interesting(kept)

    result = run(n, lambda config: noted(theirs, Subset.of(config)), p0, seed)
    state, _ = drive(
        PROGRAMS[name](Subset.full(n), Settings(p0, seed)), lambda kept: noted(ours, kept)
    )
    if name == "ddmin-picire":  # it looks up what it knows
        ours = list(dict.fromkeys(ours))
    return theirs != ours, sorted(result) != list(state.kept)


def experiment(folder: Path, *, problems: int = 2_000) -> Iterator[Table]:
    rows, differ = list[list[object]](), 0
    for name, run in programs(folder).items():
        found = [differs(name, run, seed) for seed in range(problems)]
        questions, results = (sum(each) for each in zip(*found, strict=True))
        differ += questions + results
        rows.append([name, problems, questions, results])
    yield Table("program | problems | other questions | other results", rows)
    sys.exit(differ > 0)
