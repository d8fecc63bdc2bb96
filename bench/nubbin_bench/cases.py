"""Cases: real inputs with the tests that find them interesting, one folder each.

The folder of a case holds a `case.json`; record/evaluation/cases.md says what is in it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Container, Iterable
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path

from nubbin import NubbinError, UserTest
from nubbin.research import CommandTest


@dataclass(frozen=True, slots=True)
class Case:
    """An input, a file or a folder, and the test that finds it interesting; paths are absolute.

    `tools` are programs on the PATH, and paths of files, that decide on the test's answers.
    `defect` names the misbehaviour that the test asks for. Cases that show the same are alike, and
    no independent evidence. `reducer` is another reducer for the format, as --reduce-with takes it.
    """

    name: str
    input: Path
    test: UserTest
    format: str
    tools: tuple[str, ...] = ()
    defect: str = ""
    reducer: str = ""

    @classmethod
    def load(cls, folder: Path) -> Case:
        """Read the case in a folder, of which it has the name.

        Raises NubbinError if its file is not such a case, its input is not there or is another one,
        or its test cannot be run.
        """
        folder = folder.resolve()
        try:
            about = json.loads((folder / "case.json").read_text())
            source, script = folder / about["input"], folder / about["test"]
            language, tools = about["format"], tuple(about.get("tools", ()))
            defect, reducer = about.get("defect", folder.name), about.get("reducer", "")
            if not all(isinstance(each, str) for each in (language, defect, reducer, *tools)):
                raise TypeError("format, tools, defect and reducer are strings")
        except (KeyError, OSError, TypeError, ValueError) as error:
            raise NubbinError(
                f"{folder / 'case.json'} is not a case: {error!r}. It must be a JSON object with "
                "input, test and format: see record/evaluation/cases.md."
            ) from None
        if not source.exists():
            raise NubbinError(f"its input is not there: {source}")
        digest = sha256(source.read_bytes()).hexdigest() if source.is_file() else None
        if digest != about.get("sha256", digest):
            raise NubbinError(
                f"its input {source.name} has the SHA-256 {digest}, not that of its case.json"
            )
        return cls(folder.name, source, CommandTest.of(script), language, tools, defect, reducer)

    @property
    def digest(self) -> str:
        """A fingerprint of the test and its tools: answers of another one are of no use.

        Raises OSError if one of their files cannot be read.
        """
        total = blake2b(self.test.digest().encode(), digest_size=16)
        for tool in self.tools:
            path = Path(shutil.which(tool) or tool)
            total.update(sha256(path.read_bytes()).digest() if path.is_file() else b"absent")
        return total.hexdigest()


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A case that cannot be run here, and why: a clause."""

    name: str
    why: str


def unavailable(cases: Iterable[Case | Unavailable]) -> dict[str, list[str]]:
    """Return why cases cannot be run, and the names of those for each reason."""
    reasons: dict[str, list[str]] = {}
    for case in cases:
        if isinstance(case, Unavailable):
            reasons.setdefault(case.why, []).append(case.name)
    return reasons


def load_all(folders: Iterable[Path]) -> list[Case | Unavailable]:
    """Return the cases in folders whose inputs are files; of any other, why it cannot be run."""
    found: list[Case | Unavailable] = []
    for each in folders:
        try:
            case = Case.load(each)
            is_file = case.input.is_file()
            found.append(case if is_file else Unavailable(case.name, "its input is a folder"))
        except NubbinError as broken:
            found.append(Unavailable(each.name, str(broken)))
    return found


def cases_in(folder: Path, names: Container[str] | None = None) -> list[Case]:
    """Return the cases in the folders of `folder`, by name; with `names`, only those."""
    folders = sorted(path.parent for path in folder.glob("*/case.json"))
    return [Case.load(each) for each in folders if not names or each.name in names]


def write_case(
    folder: Path, name: str, data: str | None, test: str, *, about: str = "", defect: str = ""
) -> Case:
    """Make a case whose input is a file `name`; its format is the suffix of the name.

    Without `data`, the input is in the folder already, and may be a folder itself. `test` is the
    text of the test, a script; `about` is a sentence for people.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if data is not None:
        (folder / name).write_text(data)
    (folder / "test.sh").write_text(test)
    (folder / "test.sh").chmod(0o755)
    facts = {"input": name, "test": "test.sh", "format": name.rpartition(".")[2], "about": about}
    facts |= {"defect": defect} if defect else {}
    (folder / "case.json").write_text(json.dumps(facts, indent=1) + "\n")
    return Case.load(folder)
