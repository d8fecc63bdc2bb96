"""What happens in a reduction, as data: the driver tells, reports listen.

So are `Checking` and `Answered`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from nubbin.checks.case import Checking
from nubbin.documents.document import Document
from nubbin.documents.sizes import Sizes
from nubbin.journal.command_box import SteeringCommand
from nubbin.oracles.failures.conditions import Conditions
from nubbin.passes.guard import PassFailed
from nubbin_core.search.trials import Trials
from nubbin_core.search.verdict_cache import Answered


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Names of what lies in the input but is not reduced, each with the reason in brackets.

    The first event, before the test is checked; not sent if nothing is left out. Sent again for
    the programs and object files that the command makes, when that is known.
    """

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TakenApart:
    """Containers in the input were taken apart, before the reduction begins: these are the files.

    If `refused`, the test does not find them interesting packed again: `files` are fewer then, or
    all of it is as it was, and `files` is 0.
    """

    files: int
    bytes: int
    refused: bool


@dataclass(frozen=True, slots=True)
class RunsIn:
    """The test is a function that another Python calls than the one that runs nubbin."""

    interpreter: str


@dataclass(frozen=True, slots=True)
class NoGrammar:
    """The grammar of a language is not installed: files in it are reduced by their outlines.

    If even tree-sitter is not there, which reads all grammars, `language` names all languages.
    """

    language: str
    has_parser: bool = True


@dataclass(frozen=True, slots=True)
class Unmarked:
    """The run is recorded without the mark of the user's key: to resume it, it has to be trusted.

    `why` says in a sentence or two why there is no key.
    """

    why: str


@dataclass(frozen=True, slots=True)
class ChangedTest:
    """The test is another one than in the recorded run: all is asked again, from its best on."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a command line does when it misbehaves was learned from how it fails on the input.

    `run` is the line as it is run. A `doubt` says why this may be another failure; "" if nothing
    speaks for that.
    """

    conditions: Conditions
    run: str
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Traced:
    """A run of a command in a copy of the project was traced: it opens `opened` of its `files`.

    Python imports the project from the folders `imports` of the copy, because without that it read
    the user's own folder, as for a package that is installed in editable mode. The files `outside`
    of the user's folder are used all the same. The project has all files of the `released` package,
    as `click==8.1.7`, which is imported where they are gone.
    """

    opened: int
    files: int
    imports: tuple[str, ...]
    outside: tuple[str, ...]
    released: str = ""


@dataclass(frozen=True, slots=True)
class Warmed:
    """Runs are forks of a Python that has imported so many `modules`.

    A run takes `seconds` then, and `cold` seconds without. Interesting candidates are run again
    without.
    """

    modules: int
    seconds: float
    cold: float


@dataclass(frozen=True, slots=True)
class Disturbed:
    """Runs of the test disturb each other: from now on, only one is made at a time.

    `trials` are runs of the original alone, all of them interesting.
    """

    trials: Trials


@dataclass(frozen=True, slots=True)
class OtherErrorsAllowed:
    """A candidate may print errors of other kinds from now on, and the reduction begins again.

    So many candidates were `refused` for nothing else, and none was accepted.
    """

    refused: int


@dataclass(frozen=True, slots=True)
class Started:
    """The test has been checked and the reduction begins.

    The best so far is always at `output`; `run` is the folder of the journal, and `looking_for`
    describes the failure to a person.
    """

    name: str
    sizes: Sizes
    algorithm: str
    jobs: int
    seed: int
    output: Path
    run: Path | None = None
    looking_for: str = ""


@dataclass(frozen=True, slots=True)
class ListStarted:
    """The minimizer begins with a list of `elements` edits that a pass proposes."""

    name: str
    elements: int


@dataclass(frozen=True, slots=True)
class Improved:
    """A smaller candidate was interesting and is now the best, safe on disk or in the journal."""

    document: Document

    @property
    def sizes(self) -> Sizes:
        """How much it is."""
        return self.document.sizes


@dataclass(frozen=True, slots=True)
class FoundFlaky:
    """The test has answered the same question differently: from now on it is run repeatedly.

    `trials.yes` of `trials.runs` runs found the original interesting, and so many of `nothing` the
    empty input, which is not.
    """

    trials: Trials
    nothing: Trials


@dataclass(frozen=True, slots=True)
class Steered:
    """The user of a view has given a command, which takes effect now."""

    command: SteeringCommand


@dataclass(frozen=True, slots=True)
class RolledBack:
    """The best did not hold when it was run again: an earlier one is the best now."""

    document: Document

    @property
    def sizes(self) -> Sizes:
        """How much it is."""
        return self.document.sizes


@dataclass(frozen=True, slots=True)
class Finished:
    """The reduction is over.

    `reason` is `fixpoint`, `max-queries`, `max-time`, `target-size`, `stopped` (by a command to
    the run), `interrupted` or `workers-lost`; `minimal` is True when every single removal
    from the result, of a file or of a piece at the finest level asked for, was really run and
    refused.
    """

    reason: str
    sizes: Sizes
    minimal: bool


#: What there is to know of the test and the passes, at the start or when it turns out.
AboutTest = (
    RunsIn
    | NoGrammar
    | Unmarked
    | ChangedTest
    | Learned
    | Traced
    | Warmed
    | Disturbed
    | OtherErrorsAllowed
    | PassFailed
)
Event = (
    AboutTest
    | LeftOut
    | Checking
    | TakenApart
    | Started
    | ListStarted
    | Answered
    | Improved
    | FoundFlaky
    | Steered
    | RolledBack
    | Finished
)
Observer = Callable[[Event], None]


def to_all(
    observers: Sequence[Observer], shield: AbstractContextManager[object] | None = None
) -> Observer:
    """Return what passes an event on to each observer, in order, and in the `shield`."""

    def tell(event: Event) -> None:
        with shield or nullcontext():
            for observer in observers:
                observer(event)

    return tell
