"""The raw results as a CSV file, added to as they come, and what they were made with."""

from __future__ import annotations

import csv
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from paper_rows import Row

DOCS = Path(__file__).resolve().parent.parent / "docs/evaluation"


@dataclass(frozen=True, slots=True)
class Record:
    """Rows by their key, and the file they are added to."""

    path: Path
    rows: dict[tuple[str, ...], Row]

    @classmethod
    def load(cls, path: Path) -> Record:
        """Return what a file holds; an empty record where there is none."""
        if not path.exists():
            return cls(path, {})
        with path.open(newline="") as file:
            rows = [_row(values) for values in csv.DictReader(file)]
        return cls(path, {row.key: row for row in rows})

    def add(self, row: Row) -> None:
        """Take in a row and write the file anew, in order, so that it is whole at any time."""
        self.rows[row.key] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix(".new")
        with fresh.open("w", newline="") as file:
            writer = csv.DictWriter(file, [f.name for f in fields(Row)], lineterminator="\n")
            writer.writeheader()
            ordered = sorted(self.rows.values(), key=lambda each: (each.suite, each.key))
            writer.writerows(asdict(each) for each in ordered)
        fresh.replace(self.path)


def _row(values: dict[str, str]) -> Row:
    read: dict[str, Callable[[str], Any]]
    read = {"int": int, "float": float, "bool": "True".__eq__, "str": str}
    return Row(**{f.name: read[str(f.type)](values[f.name]) for f in fields(Row)})


def write_environment(path: Path) -> None:
    """Write what the results are made with: the machine, the commit, the versions."""
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    packages = ("numpy", "scipy", "tree-sitter", "tree-sitter-language-pack")
    facts = {
        "commit": commit.stdout.strip(),
        "python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in packages},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=2) + "\n")
