"""A job: everything that decides what a reduction comes to, but the verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.executors.remote_query import OracleSpec
from nubbin.minimizers import ALGORITHMS, LastElement, Minimizer, Settings, Subset
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.user_test import UserTest
from nubbin.passes.proposal import Pass
from nubbin.reduction.pipeline import framework_of, passes_for
from nubbin.reduction.proposer import Source
from nubbin.reduction.protection import Protection


@dataclass(frozen=True, slots=True)
class Job:
    """A document to reduce, the test, the options; see `nubbin.reduce` for these.

    `root` is the folder that the document's paths start from, `target` the place of the result;
    `executables` are the files that may be run. Paths are absolute.
    """

    original: Document
    root: Path
    target: Path
    test: UserTest
    executables: frozenset[str]
    algorithm: str
    atom: str
    format: str | None
    minimality: str
    keep: str | None
    only: str | None
    seed: int
    p0: float
    memory: int | None
    sandbox: bool
    signature: str | None
    proposer: str | None
    pretty: bool
    runs: int | None

    def passes(self, proposer: Source | None = None) -> tuple[Pass, ...]:
        """Return the passes to run, with one for a `proposer`; WrongTest if there are none."""
        framework, _ = framework_of(self.algorithm)
        return passes_for(
            self.original,
            self.atom,
            self.format,
            self.minimality,
            framework,
            proposer=proposer,
        )

    def protection(self) -> Protection:
        """Return what must stay; raises WrongTest for expressions that are none."""
        return Protection.of(self.original, self.keep, self.only)

    def start(self, kept: Subset, settings: Settings) -> Minimizer:
        """Start the minimizer on a list; ValueError for an algorithm that does not exist."""
        _, minimizer = framework_of(self.algorithm)
        return LastElement(ALGORITHMS[minimizer](kept, settings))

    @property
    def source(self) -> Path:
        """The input itself: the file, the folder, or what holds the files."""
        return self.root / self.original.name

    @property
    def in_place(self) -> bool:
        """Whether the result takes the place of the input."""
        return self.target == self.source

    @property
    def oracle_spec(self) -> OracleSpec:
        """What makes the oracle, here or elsewhere."""
        return OracleSpec(
            self.test,
            self.original.name,
            self.memory,
            self.sandbox,
            self.signature,
            self.executables,
        )

    # -- as the journal keeps it -----------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the job as JSON values; the journal has the files themselves."""
        options = {name: getattr(self, name) for name in OPTIONS}
        return {
            **options,
            "name": self.original.name,
            "root": str(self.root),
            "target": str(self.target),
            "test": self.test.to_json(),
            "test_digest": self.test.digest(),
            "executables": sorted(self.executables),
        }

    @classmethod
    def from_json(cls, told: dict[str, Any], files: dict[str, bytes]) -> Job:
        """Return the job that a journal tells of; raises WrongTest if it does not tell of one."""
        try:
            document = Document(told["name"], tuple(File(*pair) for pair in files.items()))
            return cls(
                document,
                root=Path(told["root"]),
                target=Path(told["target"]),
                test=UserTest(**told["test"]),
                executables=frozenset(told["executables"]),
                **{name: told[name] for name in OPTIONS},
            )
        except (KeyError, TypeError) as error:
            raise NubbinError(
                "The run ended before it began, or was recorded by another version of nubbin: what "
                f"it says of itself is not whole ({error!r}). Start it again."
            ) from error


#: What a user chose; the names of a job's fields.
OPTIONS = (
    "algorithm",
    "atom",
    "format",
    "minimality",
    "keep",
    "only",
    "seed",
    "p0",
    "memory",
    "sandbox",
    "signature",
    "proposer",
    "pretty",
    "runs",
)
