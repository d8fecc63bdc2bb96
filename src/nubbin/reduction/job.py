"""Job: all inputs of a reduction except the test's answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, cast

import msgspec

from nubbin.checks.test_text import text_of
from nubbin.documents.document import Document
from nubbin.documents.file import File, Link
from nubbin.documents.trace import Trace
from nubbin.executors.remote_query import OracleSpec
from nubbin.journal.reading import DamagedJournal
from nubbin.journal.run_facts import RunFacts
from nubbin.oracles import make
from nubbin.oracles.commands.shell_words import quoted_word
from nubbin.oracles.isolation.candidate_files import Origin
from nubbin.oracles.user_test import UserTest
from nubbin.passes.grain import SUSPECTS
from nubbin.passes.guard import Guard
from nubbin.passes.proposal import Pass
from nubbin.reduction.option import completed, declared
from nubbin.reduction.options import JobOptions
from nubbin.reduction.pipeline import framework_of, passes_for, without
from nubbin.reduction.proposer import Source
from nubbin.reduction.protection import Protection
from nubbin_core.argument_types import checked
from nubbin_core.errors import OptionError
from nubbin_core.minimizers import Belief, Settings
from nubbin_core.search.algorithm import Algorithm


@dataclass(frozen=True, slots=True)
class Job:
    """A document to reduce, the test, the options.

    `root` is the folder that the document's paths start from, `target` the place of the result;
    `executables` are the files that may be run. Paths are absolute. `options` has all of
    `JobOptions`. Containers in the document are taken apart to the `depth`. The test finds
    `reachable` folders of the input by links. If a run on the input was traced, `trace` is what it
    used.
    """

    original: Document
    root: Path
    target: Path
    test: UserTest
    executables: frozenset[str]
    options: JobOptions
    depth: int
    reachable: frozenset[str] = frozenset()
    trace: Trace | None = None

    def at_depth(self, depth: int) -> Self:
        """Return the job with containers taken apart to another depth."""
        return replace(self, original=self.original.unpacked(depth), depth=depth)

    def passes(
        self, proposer: Source | None = None, guard: Guard | None = None
    ) -> tuple[Pass, ...]:
        """Return the passes to run, with one for a `proposer`; the `guard` notes what they raise.

        Raises OptionError for options that no pass goes with.
        """
        framework, _ = framework_of(self.options["algorithm"])
        protection = self.protection()
        passes = passes_for(
            self.original,
            self.options["smallest"],
            self.options["format"],
            framework,
            proposer=proposer,
            protected=protection.protected,
            trace=self.trace,
            test=text_of(self.test),
            guard=guard,
        )
        return protection.passes(without(passes, self.options["without"]))

    def protection(self) -> Protection:
        """Return what must stay; raises NubbinError for what is not an expression."""
        return Protection.of(self.original, self.options["keep"], self.options["only"])

    def found_from_everywhere(self) -> Self:
        """Return the job with the absolute path of an algorithm that is in a file."""
        framework, _ = framework_of(self.options["algorithm"])
        name = f"{framework}:{self.algorithm.name}" if framework else self.algorithm.name
        return replace(self, options={**self.options, "algorithm": name})

    @property
    def settings(self) -> Settings:
        """What every minimizer of the job starts with."""
        belief = Belief.of_culprits() if self.options["smallest"] in SUSPECTS else None
        options = self.options
        return Settings(options["p0"], options["seed"], belief=belief, price=options["price"])

    @property
    def algorithm(self) -> Algorithm:
        """What minimizes the lists; raises ValueError and AlgorithmError as `Algorithm.named`."""
        _, name = framework_of(self.options["algorithm"])
        return Algorithm.named(name)

    @property
    def looking_for(self) -> str:
        """What counts as the failure, for a person."""
        prints = self.options["prints"]
        held = "" if prints is None else f" --prints {quoted_word(prints)}"
        return f"{self.test.looking_for}{held}"

    @property
    def printing(self) -> str:
        """The regular expression for what the test must print; "" if it need not print a thing."""
        return self.options["prints"] or self.test.printing

    @property
    def source(self) -> Path:
        """The input itself: the file, the folder, or what holds the files."""
        return self.root / self.original.name

    @property
    def shown(self) -> list[Path]:
        """The user's files that a text about the run may show: those of the input, and the test."""
        contents = self.original.contents.items()
        files = [self.root / path for path, data in contents if not isinstance(data, Link)]
        tests = [self.test.path] if self.test.has_own_file and self.test.path.is_file() else []
        return [*files, self.source, *tests]

    @property
    def in_place(self) -> bool:
        """Whether the result takes the place of the input."""
        return self.target == self.source

    def line(self, *, is_done: bool) -> str | None:
        """Return the command line that shows the failure of the result, or goes on with it.

        None if the test is no command line. Before a bisection is done, none of its commits is
        known to be the one to go on with. Raises OSError if the result cannot be read.
        """
        if self.options["smallest"] == "commits" and not is_done:
            return None
        return self.test.line_for(self.target, self.original.name)

    @property
    def oracle_spec(self) -> OracleSpec:
        """What makes the oracle, here or elsewhere."""
        return OracleSpec(
            self.test,
            self.original.name,
            self.options["memory"],
            self.options["sandbox"],
            self.options["prints"],
            self.executables,
            Origin(str(self.root), self.original.name, self.reachable),
        )

    # -- as the journal keeps it -----------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the job as JSON values; the journal has the files themselves."""
        return {
            **self.options,
            "depth": self.depth,
            "name": self.original.name,
            "root": str(self.root),
            "target": str(self.target),
            "test": self.test.to_json(),
            "test_digest": self.test.digest(),
            "executables": sorted(self.executables),
            "reachable": sorted(self.reachable),
            "trace": None if self.trace is None else self.trace.to_json(),
        }

    def document(self, files: dict[str, bytes]) -> Document:
        """Return the document of this job that has these files on disk."""
        return _document(self.original.name, files)

    @classmethod
    def of(cls, facts: RunFacts, files: dict[str, bytes]) -> Job:
        """Return the job of a recorded run with these files.

        Raises DamagedJournal if its test or its options are not what nubbin writes.
        """
        try:
            test = make.from_json(facts.test)
            if missing := declared(JobOptions).keys() - facts.options.keys():
                raise ValueError(f"there is no {min(missing)}")
            given = {name: facts.options[name] for name in declared(JobOptions)}
            # The package that offers an algorithm may be gone: then what needs it says so.
            checkable = {**given, "algorithm": "auto"}
            if given["smallest"] in SUSPECTS:  # which no user may name
                checkable["smallest"] = "char"
            options = completed(cast("JobOptions", checkable), JobOptions)
            options["algorithm"] = checked("algorithm", given["algorithm"], str)
            options["smallest"] = checked("smallest", given["smallest"], str)
        except (
            TypeError,
            ValueError,
            OverflowError,
            msgspec.ValidationError,
            OptionError,
        ) as error:
            raise DamagedJournal(
                f"What the journal says of the job is damaged: {error}. Its candidates may be "
                "whole: write one with `nubbin show`, and reduce that in a new run."
            ) from error
        return cls(
            _document(facts.name, files).unpacked(facts.depth),
            root=Path(facts.root),
            target=Path(facts.target),
            test=test,
            executables=facts.executables,
            options=options,
            depth=facts.depth,
            reachable=facts.reachable,
            trace=facts.trace,
        )


def _document(name: str, files: dict[str, bytes]) -> Document:
    return Document(name, tuple(File(*pair) for pair in files.items()))
