"""Measure all cases of the ledger, print what changed, and write it if asked to."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean

from ledger import MOST_OF_ALL
from ledger.case import Figures
from ledger.table import CASES, growth, recorded, worse, write


def measure(name: str) -> Figures:
    """Return the figures of a case."""
    return CASES[name].measure()


def print_changes(before: Mapping[str, Figures], found: Mapping[str, Figures]) -> bool:
    """Print what changed, row by row, and the means; return whether nothing fails the test."""
    fine = True
    for name in sorted({*before, *found}):
        old, new = before.get(name), found.get(name)
        if old is None or new is None:
            print(f"{name}: {'new' if old is None else 'left out'}")
        elif old != new:
            too_much = [*worse(old, new)]
            fine &= not too_much
            changed = zip(Figures._fields, old, new, strict=True)
            what = ", ".join(f"{field} {a} to {b}" for field, a, b in changed if a != b)
            verdict = "worse, too much: " if too_much else "worse: " if new > old else "better: "
            print(f"{name}: {verdict}{what}")
    both = [growth(before[name], found[name]) for name in found if name in before]
    for until, logarithms in zip(("to 90 %", "to the end"), zip(*both, strict=True), strict=False):
        mean = math.exp(fmean(logarithms))
        fine &= mean <= MOST_OF_ALL
        print(f"queries {until}: {mean - 1:+.2%} in the geometric mean of {len(both)} rows")
    return fine


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="script/ledger", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write tests/ledger.csv")
    write_it = parser.parse_args().write
    with ProcessPoolExecutor() as workers:
        found = dict(zip(CASES, workers.map(measure, CASES), strict=True))
    fine = print_changes(recorded(), found)
    if write_it:
        write(found)
    sys.exit(not (fine or write_it))


if __name__ == "__main__":
    main()
