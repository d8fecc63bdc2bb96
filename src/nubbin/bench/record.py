"""The raw results, added to as they come, and the software they were made with."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from nubbin.bench.csv_rows import load, save
from nubbin.bench.rows import Row


@dataclass(frozen=True, slots=True)
class Record:
    """Rows by their key, and the file they are added to."""

    path: Path
    rows: dict[tuple[str, ...], Row]

    @classmethod
    def load(cls, path: Path) -> Record:
        """Return what a file holds; an empty record if there is no file."""
        return cls(path, {row.key: row for row in load(path, Row)})

    def add(self, row: Row) -> None:
        """Add a row, or replace the one with its key, and write the file again, in order."""
        self.rows[row.key] = row
        save(self.path, Row, sorted(self.rows.values(), key=lambda each: (each.suite, each.key)))


def write_environment(path: Path) -> None:
    """Write the versions that results are made with: of nubbin, Python, the system, packages."""
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
