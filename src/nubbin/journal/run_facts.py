"""The facts that a journal has about its run, its tally, and the different failures it met."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Final, Self

import msgspec
from msgspec import Meta

from nubbin.disk import Folder, beginning
from nubbin.documents.document import Trace
from nubbin.journal.schema import AbsolutePath, AnyPath, Natural, Number, Seconds, Unreadable
from nubbin.oracles.failures.conditions import Ended
from nubbin.oracles.isolation.candidate_files import write_files
from nubbin_core.late import late
from nubbin_core.search.trials import REJECTED_ONCE, Trials


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a run: when it began, in seconds since 1970, and the versions used.

    `seconds` is how long the run was under way before this session.
    """

    begun: Seconds
    seconds: Seconds
    nubbin: str = ""
    python: str = ""
    platform: str = ""


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """A command that the run carried out `at` a time in seconds since 1970, after `queries`."""

    at: Seconds
    queries: Natural
    name: str
    value: str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What is known of the test before the first query.

    `original` and `nothing` are the trials of the input and of an empty one; the last of the latter
    rejected it. `said` are texts that the test printed: the lines that stand alone, then all.
    `failure` is the line that describes the failure, and expressions that match it; `frames` are
    the functions in its stacks.
    """

    original: Trials
    nothing: Trials = REJECTED_ONCE
    failure: Annotated[tuple[str, ...], Meta(min_length=2)] | None = None
    frames: tuple[str, ...] = ()
    said: tuple[str, ...] = ()

    def facts(self) -> dict[str, Any]:
        """Return these as facts for `Journal.tell`."""
        return {each.name: getattr(self, each.name) for each in fields(Baseline)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts(Baseline):
    """The facts about a run, with their types.

    The input is `name` in the folder `root`, and the result is written to `target`. The test finds
    the `reachable` folders of the input by links. `nubbin.reduction.job.Job` reads `test` and
    `options`. `test_digest` is None if the answers of the test cannot be reused. `algorithm_source`
    identifies an algorithm that is not nubbin's own, and `pass_sources` passes that are not.

    `trace` is what a traced run on the input used. `start` is the number of the candidate from
    which the reduction was restarted; None if it was not. `failures` are tracebacks of passes.
    `ended` is the reason for the end. `readable_key` is the key of the copy for reading, in
    hexadecimal digits; None if there is none. `mark` is for `nubbin.journal.mark`.
    """

    name: AnyPath
    root: AbsolutePath
    target: AbsolutePath
    executables: frozenset[AnyPath]
    reachable: frozenset[AnyPath] = frozenset()
    trace: Trace | None = None
    depth: Annotated[int, Meta(ge=0, le=100)]
    test: dict[str, Any]
    test_digest: str | None
    algorithm_source: str = ""
    pass_sources: tuple[str, ...] = ()
    options: dict[str, Any]
    flaky: bool = False
    one_job: bool = False
    start: Number | None = None
    sessions: tuple[Session, ...] = ()
    commands: tuple[RecordedCommand, ...] = ()
    failures: tuple[str, ...] = ()
    ended: str | None = None
    minimal: bool = False
    readable_key: str | None = None
    mark: str | None = None

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return the facts from the JSON values of a journal; raises Unreadable for others.

        Values that are no facts are options.
        """
        facts = {name: value for name, value in values.items() if name in FACTS}
        options = {name: value for name, value in values.items() if name not in FACTS}
        if isinstance(key := options.get("pretty"), str):  # as earlier versions recorded it
            facts, options["pretty"] = {"readable_key": key, **facts}, bool(key)
        try:
            os.fsencode(json.dumps(values, ensure_ascii=False))  # a file's name may not be text
            made = msgspec.convert({**facts, "options": options}, cls)
        except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
            raise Unreadable(f"the facts of the run in it are damaged ({error})") from None
        if not all(0 <= each.yes <= each.runs > 0 for each in (made.original, made.nothing)):
            raise Unreadable("the facts of the run in it are damaged (trials)")
        return made

    @property
    def first(self) -> int:
        """The number of the candidate from which the reduction starts."""
        return 1 if self.start is None else self.start

    @property
    def is_undisturbed(self) -> bool:
        """Whether nothing changed the number of queries: no restart, and no command of a user."""
        return self.start is None and not self.commands

    def is_same_job(self, other: RunFacts) -> bool:
        """Tell whether another run of the same input has the same test and options."""
        mine, theirs = ((each.test_digest, each.depth, each.options) for each in (self, other))
        return mine == theirs


#: The names of the facts; a journal has the options beside them.
FACTS: Final = frozenset(each.name for each in fields(RunFacts)) - {"options"}


@dataclass(slots=True)
class PassTally:
    """The lists that a pass has proposed so far, and their queries.

    `seconds` is the time of the runs that answered these queries.
    """

    name: str
    lists: Natural = 0
    queries: Natural = 0
    interesting: Natural = 0
    unresolved: Natural = 0
    seconds: Seconds = 0.0


@dataclass(slots=True)
class ListTally:
    """The current list: its pass, its elements, those that are still kept, and its queries."""

    pass_name: str
    elements: Natural
    kept: Natural
    queries: Natural = 0


@dataclass(frozen=True, slots=True)
class RunTally:
    """A current run of the test: when it began, in seconds since 1970, and the candidate's bytes.

    In a cluster, a run begins when the candidate is sent.
    """

    begun: Seconds
    bytes: Natural


@dataclass(slots=True)
class Tally:
    """A reduction in figures, `at` a time in seconds since 1970.

    `seconds` is how long all its sessions took together, and `jobs` how many tests may run at once.
    `passes` are in the order of their first lists. `at_work` is None before the first list. `kinds`
    has, for each kind of query, the numbers of all queries and of the interesting ones.
    """

    at: Seconds = 0.0
    seconds: Seconds = 0.0
    jobs: Number = 1
    is_paused: bool = False
    at_work: ListTally | None = None
    passes: list[PassTally] = field(default_factory=list)
    kinds: dict[str, Annotated[list[Natural], Meta(min_length=2, max_length=2)]] = field(
        default_factory=dict
    )
    runs: list[RunTally] = field(default_factory=list)

    @property
    def queries(self) -> int:
        """The queries of all passes."""
        return sum(each.queries for each in self.passes)


_kind_of = late("nubbin.oracles.failures.failure:FailureKind.of")
_line_of = late("nubbin.oracles.failures.failure:line_of")

#: The most kinds that are kept: a test may print something different for every candidate.
_MAX_KINDS = 100

#: The folder of the different failures in the folder of a run. The folder of each has the output of
#: the test, and the candidate in a folder of its own, so that their names cannot clash.
DIFFERENT_FAILURES, SAID, INPUT = "other", "output.txt", "input"
_NEW = ".new"
_MAX_READ_BYTES = 1 << 16  # of an output, to find its telling line


@dataclass(frozen=True, slots=True)
class DifferentFailure:
    """A kind of failure that is not the one of the input, in a folder of its own.

    `line` is its most telling line. A page also has the `files` that show it, and the `output`.
    """

    folder: Path
    line: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    output: bytes = b""

    @property
    def size(self) -> int:
        """The bytes of the files."""
        return sum(map(len, self.files.values()))


def different_failures_in(run: Path) -> list[DifferentFailure]:
    """Return the different failures of a recorded run, which may be under way, without files."""
    return [
        DifferentFailure(place.parent, _line_of(beginning(place, _MAX_READ_BYTES) or b""))
        for place in sorted((run / DIFFERENT_FAILURES).glob(f"[!.]*/{SAID}"))
    ]


class DifferentFailures:
    """A folder with a folder for each kind of failure: a candidate, and the output of the test.

    `FailureKind.key` names the folders. Each candidate is written completely or not at all. May be
    used by several threads. Raises OSError if the folder cannot be written, and NotOurs if other
    users may write to it.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._lock = threading.Lock()
        self._sizes = {
            place.parent.name: sum(
                file.stat().st_size for file in place.with_name(INPUT).rglob("*") if file.is_file()
            )
            for place in folder.glob(f"[!.]*/{SAID}")
        }

    def keep(self, files: Mapping[str, bytes], ended: Ended) -> None:
        """Keep a candidate if it is the first or the smallest of its kind."""
        source = "\n".join(os.fsdecode(part) for pair in files.items() for part in pair)
        name = _kind_of(ended, source).key
        size = sum(map(len, files.values()))
        with self._lock:
            is_full = len(self._sizes) >= _MAX_KINDS
            if size >= self._sizes.get(name, -1 if is_full else size + 1):
                return
            self._sizes[name] = size
            with Folder.made(self._folder) as folder:
                folder.remove([_NEW])  # left by a process that was killed
                folder.folder(_NEW).close()
                inputs = {f"{INPUT}/{path}": data for path, data in files.items()}
                write_files({SAID: ended.printed, **inputs}, _NEW, dir_fd=folder.descriptor)
                folder.remove([name])
                folder.rename(_NEW, name)

    def __len__(self) -> int:
        return len(self._sizes)
