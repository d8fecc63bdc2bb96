"""The recorded figures of all cases, and what is worse than they are."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from ledger import MOST_OF_ROW, binaries, folders, formats, lists, programs, texts
from ledger.case import Case, Figures

FILE = Path(__file__).parents[1] / "ledger.csv"
MODULES = (lists, texts, programs, formats, binaries, folders)
CASES: dict[str, Case] = {case.name: case for module in MODULES for case in module.CASES}


def recorded() -> dict[str, Figures]:
    """Return the figures that are in the file, by the name of the case."""
    with FILE.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    return {row["name"]: _figures(*[row[field] for field in Figures._fields]) for row in rows}


def _figures(to_90: str, queries: str, size: str, tokens: str, proven: str) -> Figures:
    return Figures(int(to_90), int(queries), int(size), int(tokens), proven == "yes")


def write(found: Mapping[str, Figures]) -> None:
    """Write the figures of all cases into the file."""
    with FILE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "kind", *Figures._fields, "open"])
        for name, case in CASES.items():
            *figures, proven = found[name]
            writer.writerow([name, case.kind, *figures, "yes" if proven else "no", case.open])


def worse(before: Figures, after: Figures) -> Iterator[str]:
    """Yield what is worse: a byte, a token, a proof, or a tenth of the queries."""
    for name, old, new in zip(Figures._fields, before, after, strict=True):
        most = old * MOST_OF_ROW if name.startswith("queries") else old
        if name == "proven" and old and not new:
            yield "no longer proven"
        elif name != "proven" and new > most:
            yield f"{name} {old} to {new}"


def growth(before: Figures, after: Figures) -> tuple[float, float]:
    """Return the logarithms of by how much the queries to 90 % and to the end have grown."""
    to_90 = math.log((after.queries_to_90 + 1) / (before.queries_to_90 + 1))
    return to_90, math.log(after.queries / before.queries)
