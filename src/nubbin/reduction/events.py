"""The events of a reduction, for observers; `Checking`, `Answered` and `PassFailed` are others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from nubbin.checks.case import Checking
from nubbin.documents.document import Document, Sizes
from nubbin.journal.command_box import SteeringCommand
from nubbin.oracles.failures.conditions import Conditions
from nubbin.passes.guard import PassFailed
from nubbin_core.search.problem import Answered
from nubbin_core.search.trials import Trials


class ReductionEvent:
    """What a reduction tells its observers."""

    __slots__ = ()


class AboutTest(ReductionEvent):
    """A fact about the test, the input or the options, told when it becomes known."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class LeftOut(AboutTest):
    """The names of files in the input that are not reduced, each with the reason in brackets.

    Sent before the test is checked, and again when nubbin knows which programs and object files the
    command makes.
    """

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TakenApart(AboutTest):
    """Containers in the input are unpacked into `files`.

    If the test `refused` the packed containers, fewer are unpacked, or none, and `files` is 0.
    """

    files: int
    bytes: int
    refused: bool


@dataclass(frozen=True, slots=True)
class RunsIn(AboutTest):
    """The test is a function, and a different Python calls it than the one that runs nubbin."""

    interpreter: str


@dataclass(frozen=True, slots=True)
class NoGrammar(AboutTest):
    """The grammar of a language is not installed, so files in it are reduced by their outlines.

    If tree-sitter, which reads all grammars, is not installed, `language` names all languages.
    """

    language: str
    has_parser: bool = True


@dataclass(frozen=True, slots=True)
class Unmarked(AboutTest):
    """The run is recorded without the mark of the user's key, so `nubbin resume` needs --trust.

    `why` says in a sentence or two why there is no key.
    """

    why: str


@dataclass(frozen=True, slots=True)
class ChangedTest(AboutTest):
    """The test has changed since the run was recorded: its answers are not used again."""


@dataclass(frozen=True, slots=True)
class Learned(AboutTest):
    """The conditions of a command line were learned from how it fails on the input.

    `run` is the line as it is run. A `doubt` says why these may accept a different failure, or is
    "".
    """

    conditions: Conditions
    run: str
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Traced(AboutTest):
    """A run of a command in a copy of the project was traced: it opened `opened` of its `files`.

    If the package is installed in editable mode, Python imports it from the folders `imports` of
    the copy. The run still uses the files `outside` of the copy. The project has all files of the
    `released` package, such as `click==8.1.7`, which is imported when they are removed.
    """

    opened: int
    files: int
    imports: tuple[str, ...]
    outside: tuple[str, ...]
    released: str = ""


@dataclass(frozen=True, slots=True)
class Warmed(AboutTest):
    """Runs are forks of a Python that has imported so many modules.

    A run takes `seconds` in a fork, otherwise `cold` seconds.
    """

    modules: int
    seconds: float
    cold: float


@dataclass(frozen=True, slots=True)
class Disturbed(AboutTest):
    """Runs of the test disturb each other: from now on, nubbin makes one at a time.

    `trials` are runs on the original alone, all of them accepted.
    """

    trials: Trials


@dataclass(frozen=True, slots=True)
class OtherErrorsAllowed(AboutTest):
    """From now on, a candidate may print errors of other kinds; the reduction begins again.

    So many candidates were `refused` only for such errors, and none was accepted.
    """

    refused: int


@dataclass(frozen=True, slots=True)
class Started(ReductionEvent):
    """The test has been checked, and the reduction begins.

    The best result so far is always at `output`. `run` is the folder of the journal, and
    `looking_for` describes the failure. If the input is a list of tests or commits, `items` is
    "tests" or "commits", and each is a line.
    """

    name: str
    sizes: Sizes
    algorithm: str
    jobs: int
    seed: int
    output: Path
    run: Path | None = None
    looking_for: str = ""
    items: str = ""


@dataclass(frozen=True, slots=True)
class ListStarted(ReductionEvent):
    """The minimizer begins a list of edits from a pass; `elements` is their number."""

    name: str
    elements: int


@dataclass(frozen=True, slots=True)
class _NewBest(ReductionEvent):
    """Another document is the best now."""

    document: Document

    @property
    def sizes(self) -> Sizes:
        """The size of the document."""
        return self.document.sizes


class Improved(_NewBest):
    """The test accepted a smaller candidate, which is now the best, and safe on disk."""


class RolledBack(_NewBest):
    """The test rejected the best candidate when it ran again; an earlier one is the best now."""


@dataclass(frozen=True, slots=True)
class FoundFlaky(ReductionEvent):
    """Runs of the test on the same candidate disagreed: from now on, nubbin repeats them.

    `trials` are runs on the original, and `nothing` runs on the empty input.
    """

    trials: Trials
    nothing: Trials


@dataclass(frozen=True, slots=True)
class Steered(ReductionEvent):
    """A user of `nubbin watch` has given a command, which takes effect now."""

    command: SteeringCommand


@dataclass(frozen=True, slots=True)
class Finished(ReductionEvent):
    """The reduction is over.

    `reason` is `fixpoint`, `max-queries`, `max-time`, `target-size`, `stopped` (by a command to
    the run), `interrupted` or `workers-lost`. `minimal` is True if the test really ran on every
    single removal from the result, of a file or of a piece of the finest unit, and rejected it.
    """

    reason: str
    sizes: Sizes
    minimal: bool


Event = ReductionEvent | Checking | Answered | PassFailed
Observer = Callable[[Event], None]


def to_all(
    observers: Sequence[Observer], shield: AbstractContextManager[object] | None = None
) -> Observer:
    """Return an observer that passes an event on to each observer, in order, in the `shield`."""

    def tell(event: Event) -> None:
        with shield or nullcontext():
            for observer in observers:
                observer(event)

    return tell
