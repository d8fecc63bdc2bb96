"""Cases: real inputs with the tests that find them interesting, one folder each.

The folder of a case holds a `case.json` that names its `input`, its `test` and its `format`. The
software under test must be installed.
"""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Case:
    """An input of `folder`, and the test that finds it interesting; all paths are absolute."""

    folder: Path
    input: Path
    test: Path
    format: str

    @property
    def name(self) -> str:
        """Return the name of the case, which is that of its folder."""
        return self.folder.name

    @classmethod
    def load(cls, folder: Path) -> Case:
        """Read the case in a folder."""
        about = json.loads((folder / "case.json").read_text())
        folder = folder.resolve()
        return cls(folder, folder / about["input"], folder / about["test"], about["format"])


def cases_in(folder: Path, names: Container[str] | None = None) -> list[Case]:
    """Return the cases in the folders of `folder`, by name; with `names`, only those."""
    folders = sorted(path.parent for path in folder.glob("*/case.json"))
    return [Case.load(each) for each in folders if not names or each.name in names]


def write_case(folder: Path, name: str, data: str, test: str, about: str = "") -> Case:
    """Make a case whose input is a file `name`; its format is the suffix of the name.

    `test` is the text of the test, a script; `about` is a sentence for people.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(data)
    (folder / "test.sh").write_text(test)
    (folder / "test.sh").chmod(0o755)
    facts = {"input": name, "test": "test.sh", "format": name.rpartition(".")[2], "about": about}
    (folder / "case.json").write_text(json.dumps(facts, indent=1) + "\n")
    return Case.load(folder)
