"""Job: all inputs of a reduction except the answers of the test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from nubbin.documents.document import Document, Trace
from nubbin.documents.edits import Link
from nubbin.documents.reading.from_disk import Inputs
from nubbin.journal.reading import DamagedJournal
from nubbin.journal.run_facts import RunFacts
from nubbin.option import Group
from nubbin.oracles.isolation.candidate_files import Origin
from nubbin.oracles.local_oracle import OracleSpec
from nubbin.oracles.oracle import Timeout
from nubbin.oracles.user_test import UserTest, from_json
from nubbin.passes.folders.obfuscation import OBFUSCATION, obfuscated
from nubbin.passes.grain import SUSPECTS, UNITS
from nubbin.passes.proposal import Pass
from nubbin.reduction.doors.open_doors import CLOSED, Doors, GivenFunction
from nubbin.reduction.options import OPTIONS, Options, options_in_groups
from nubbin.reduction.pipeline import framework_of, passes_for, without
from nubbin.reduction.protection import Protection
from nubbin_core.errors import OptionError
from nubbin_core.late import late
from nubbin_core.minimizers import Belief, Settings
from nubbin_core.search.algorithm import Algorithm

_with_absolute_paths = late("nubbin.reduction.doors.other_reducer:with_absolute_paths")

#: The options in a journal. Suspects are a unit that no user can name. The package that offers an
#: algorithm may be missing, which is an error only if the run continues.
_RECORDED: Final = {
    **{each.name: each for each in options_in_groups(Group.RECORDED)},
    "smallest": replace(OPTIONS["smallest"], choices=(*UNITS, *SUSPECTS)),
    "algorithm": replace(OPTIONS["algorithm"], choices=()),
}

#: The fields that `RunFacts` has as well.
_SHARED_FIELDS: Final = ("executables", "depth", "reachable", "trace")

#: The values of options that journals of earlier versions lack.
_LATER_OPTIONS: Final = {"passes": (), "reduce_with": (), "obfuscate": False}


@dataclass(frozen=True)
class Job:
    """A document to reduce, the test, the options.

    Paths in the document and in `executables` begin at the folder `root`; `target` is the place of
    the result. Both are absolute. Containers are unpacked to the `depth`. The test can follow links
    to the `reachable` folders of the input. `trace` is what a traced run on the input used.
    """

    original: Document
    root: Path
    target: Path
    test: UserTest
    executables: frozenset[str]
    options: Options
    depth: int
    reachable: frozenset[str] = frozenset()
    trace: Trace | None = None

    @classmethod
    def of_inputs(
        cls,
        test: UserTest,
        found: Inputs,
        options: Options,
        target: Path | None = None,
        depth: int = 0,
    ) -> Self:
        """Return the job for inputs as they were read; without a target, it is not to be run."""
        document, root = found.document.unpacked(depth), found.root
        place = (target or root / document.name).absolute()
        known = found.executables, options, depth, found.reachable
        return cls(document, root, place, test, *known)

    def passes(self, doors: Doors = CLOSED, named: Sequence[str] | None = None) -> tuple[Pass, ...]:
        """Return the passes to run, with those of the user.

        The `named` texts, by default that of the test, name what the failure needs. Texts that are
        added before the passes run count as well. Raises OptionError for options that conflict, or
        do not fit the input.
        """
        framework, _ = framework_of(self.options.algorithm)
        passes = passes_for(
            self.original,
            self.options.smallest,
            self.options.format,
            framework,
            protected=self.protection.protected,
            trace=self.trace,
            is_project=self.test.is_of_project,
            named=named or [self.test.text],
            guard=doors.guard,
            given=doors.rows,
        )
        return doors.repaired(self.protection.passes(without(passes, self.options.without)))

    def passes_at_the_end(self, doors: Doors) -> tuple[Pass, ...]:
        """Return the passes to run when all others change nothing any more."""
        if not self.options.obfuscate:
            return ()
        each = Pass(OBFUSCATION, partial(obfuscated, language=self.options.format))
        return doors.repaired(self.protection.passes((doors.guard.whole(each),)))

    def allows(self, document: Document) -> bool:
        """Tell whether a document may be the result: it can be packed, and has all it must keep."""
        return document.can_be_packed and self.protection.is_allowed(document)

    @cached_property
    def protection(self) -> Protection:
        """The protected parts; raises OptionError as `Protection.of`."""
        return Protection.of(self.original, self.options.keep, self.options.only)

    def with_absolute_paths(self) -> Self:
        """Return the job in which algorithms, passes and reducers have absolute paths."""
        framework, _ = framework_of(self.options.algorithm)
        name = f"{framework}:{self.algorithm.name}" if framework else self.algorithm.name
        passes = tuple(GivenFunction.of(each).word for each in self.options.passes)
        others = tuple(map(_with_absolute_paths, self.options.reduce_with))
        options = replace(self.options, algorithm=name, passes=passes, reduce_with=others)
        return replace(self, options=options)

    @property
    def settings(self) -> Settings:
        """The settings of every minimizer of the job."""
        options = self.options
        belief = Belief.of_culprits() if options.smallest in SUSPECTS else None
        return Settings(options.p0, options.seed, belief=belief, price=options.price)

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm; raises ValueError and AlgorithmError as `Algorithm.named`."""
        _, name = framework_of(self.options.algorithm)
        return Algorithm.named(name)

    @property
    def pass_sources(self) -> tuple[str, ...]:
        """The versions of the user's passes; raises NubbinError if one is missing."""
        return tuple(GivenFunction.of(each).source for each in self.options.passes)

    @property
    def limit(self) -> float:
        """The time limit of a run in seconds, before any run was measured."""
        return self.options.timeout or Timeout().limit

    @property
    def source(self) -> Path:
        """The path of the input, or of the folder that contains all inputs."""
        return self.root / self.original.name

    @property
    def shown(self) -> list[Path]:
        """The files of the user that a text about the run may show: the input and the test."""
        contents = self.original.contents.items()
        files = [self.root / path for path, data in contents if not isinstance(data, Link)]
        tests = [self.test.path] if self.test.has_own_file and self.test.path.is_file() else []
        return [*files, self.source, *tests]

    @property
    def in_place(self) -> bool:
        """Whether the result replaces the input."""
        return self.target == self.source

    def line(self, *, is_done: bool) -> str | None:
        """Return the command line that shows the failure of the result, if any; raises OSError."""
        if self.options.smallest == "commits" and not is_done:
            return None
        return self.test.line_for(self.target, self.original.name)

    @property
    def oracle_spec(self) -> OracleSpec:
        """The description of the oracle, to make it here or elsewhere."""
        return OracleSpec(
            self.test,
            self.original.name,
            self.options.memory,
            self.options.sandbox,
            self.executables,
            Origin(str(self.root), self.original.name, self.reachable),
        )

    # -- in the journal --------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """Return the job as facts for `Journal.tell`; the journal has the files themselves."""
        same = {name: getattr(self, name) for name in _SHARED_FIELDS}
        return {
            **same,
            "options": self.options.values(Group.RECORDED),
            "name": self.original.name,
            "root": str(self.root),
            "target": str(self.target),
            "test": self.test.to_json(),
            "test_digest": self.test.digest(),
        }

    def document(self, files: dict[str, bytes]) -> Document:
        """Return the document of this job that has these files on disk."""
        return Document.of(self.original.name, files)

    @classmethod
    def of(cls, facts: RunFacts, files: dict[str, bytes], options: Options | None = None) -> Job:
        """Return the job of a recorded run with these files; `options` has the others.

        Raises DamagedJournal for a test or options that nubbin would not write.
        """
        try:
            told = {**_LATER_OPTIONS, **facts.options}
            # A forked run has its own --prints.
            test = from_json(facts.test).with_prints(told.get("prints"))
            if missing := _RECORDED.keys() - told.keys():
                raise ValueError(f"there is no {min(missing)}")
            recorded = {name: each.checked(told[name]) for name, each in _RECORDED.items()}
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
            Document.of(facts.name, files).unpacked(facts.depth),
            root=Path(facts.root),
            target=Path(facts.target),
            test=test,
            options=replace(options or Options(), **recorded),
            **{name: getattr(facts, name) for name in _SHARED_FIELDS},
        )
