"""Results of runs as a CSV file: one row is one dataclass, typed by its fields."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")

_READ: dict[str, Any] = {
    "int": int,
    "int | None": lambda text: int(text) if text else None,
    "float": float,
    "bool": "True".__eq__,
    "str": str,
}


def load(path: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a file; none if there is no file.

    `kind` is their dataclass, whose annotations are strings: the keys of `_READ`. What an older
    file has no column for keeps its default.
    """
    if path.exists():
        with path.open(newline="") as file:
            for values in csv.DictReader(file):
                known = [field for field in fields(kind) if field.name in values]
                yield kind(**{f.name: _READ[str(f.type)](values[f.name]) for f in known})


def save(path: Path, kind: type[Row], rows: Iterable[Row]) -> None:
    """Write rows to a file, all of them or, if interrupted, none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    with partial.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(kind)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, rows))
    partial.replace(path)
