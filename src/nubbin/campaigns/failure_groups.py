"""Sort inputs into groups that fail alike, and reduce the groups at the same time."""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from nubbin.documents.document import Document
from nubbin.journal.command_box import JOBS, SteeringCommand, post
from nubbin.journal.recorded_run import RecordedRun
from nubbin.oracles.failures.conditions import Ended
from nubbin.oracles.failures.failure import FailureKind
from nubbin.oracles.processes.line_child import BadLine, LineChild, NoLine
from nubbin.oracles.processes.process import exit_in_words
from nubbin.oracles.processes.supervisors import Supervisors
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Answer

_MAX_NAME_CHARS = 40
_PERIOD_S = 0.2  # between two looks at the processes that reduce groups
_MAX_LINE_BYTES = 1 << 20  # of their output


@dataclass(frozen=True)
class Failed:
    """An input on which a command fails: its path, what the command was given, and its answer."""

    path: Path
    document: Document
    answer: Answer

    @cached_property
    def kind(self) -> FailureKind:
        """The kind of the failure."""
        return FailureKind.of(Ended.of(self.answer), self.document.names_and_text)


class Similar(NamedTuple):
    """Inputs that fail alike, the smallest first, and the kind of failure that holds for all."""

    kind: FailureKind
    members: list[Failed]


@dataclass(frozen=True)
class FailureGroup:
    """Inputs that fail alike, the smallest first, and what the reduction of one came to.

    `failure` is the message for that input, and `frame` the innermost function of the program, if
    the message is a report with a stack. `run` is the folder of the reduction, and `result` the
    path of the smallest input; None if there is none, and `error` says why. Sizes are in bytes.
    `state` is that of a `RecordedRun`, and `minimal` that of a `Reduction`. If the result shows the
    failure of another group and the other way round, `same_as` names the one whose result is
    smaller.
    """

    name: str
    failure: str
    frame: str
    inputs: tuple[Path, ...]
    run: Path
    result: Path | None = None
    before: int = 0
    after: int = 0
    queries: int = 0
    state: str = ""
    minimal: bool = False
    flaky: bool = False
    same_as: str = ""
    error: str = ""

    @classmethod
    def of(cls, similar: Similar, runs: Path) -> FailureGroup:
        """Return the group of similar inputs before its reduction, in the folder `runs`."""
        kind, failed = similar
        masked = re.sub(r"\\.", " ", kind.message)
        words = "-".join(re.findall(r"[A-Za-z]\w+", masked, re.ASCII))[:_MAX_NAME_CHARS].strip("-")
        there = (place.name for place in sorted(runs.glob(f"*-{kind.key}")))
        name = next(there, f"{words or 'failure'}-{kind.key}")
        size = failed[0].document.sizes.bytes
        inputs = tuple(each.path for each in failed)
        return cls(name, failed[0].kind.line, kind.frame, inputs, runs / name, before=size)

    @property
    def title(self) -> str:
        """The failure with its function."""
        line = self.failure or "nothing is printed"
        return f"{line} (in {self.frame})" if self.frame else line

    def after_reduction(self, error: str = "") -> FailureGroup:
        """Return the group with an error, and with what its reduction came to, if it has begun."""
        with suppress(NubbinError):  # it has not begun
            run = RecordedRun.open(self.run)
            return replace(
                self,
                result=Path(run.facts.target),
                before=run.steps[0].bytes,
                after=run.steps[-1].bytes,
                queries=run.queries,
                state=run.state,
                minimal=run.facts.minimal,
                flaky=run.facts.flaky,
                error=error,
            )
        return replace(self, error=error)


def grouped(failed: Iterable[Failed]) -> list[Similar]:
    """Return the inputs of each kind of failure, the most frequent kind first.

    A kind that differs from another only in text that the other one takes from the input is the
    same: programs also quote parts of the input that they have changed.
    """
    kinds: dict[str, list[Failed]] = {}
    for each in failed:
        kinds.setdefault(each.kind.key, []).append(each)
    groups: list[list[Failed]] = []  # the first of each has the kind that holds for all
    for members in sorted(kinds.values(), key=lambda found: -len(found)):
        for group in groups:
            if group[0].kind.includes(members[0].kind):
                group.extend(members)
                break
            if members[0].kind.includes(group[0].kind):
                group[:0] = members
                break
        else:
            groups.append(members)
    return [
        Similar(
            group[0].kind, sorted(group, key=lambda each: (each.document.sizes.bytes, each.path))
        )
        for group in sorted(groups, key=lambda group: -len(group))
    ]


@dataclass
class _Reduction:
    """A process that reduces a group with a number of jobs; once it has ended, its `error`."""

    group: FailureGroup
    process: LineChild
    jobs: int
    has_result: bool = False
    error: str = ""

    def ends(self, seconds: float) -> bool:
        """Wait some seconds for the end of the process; return whether it has ended."""
        try:
            self.has_result |= self.process.wait(seconds) is not None
            return False
        except (NoLine, BadLine) as end:
            self.has_result |= isinstance(end, BadLine)  # the path of the result has a line end
            error = self.process.stderr().decode(errors="replace").strip()
            code = self.process.close()
            if not self.has_result:
                self.error = error.removeprefix("nubbin: ") or exit_in_words(code)
            return True

    def set_jobs(self, jobs: int) -> None:
        if jobs != self.jobs:
            with suppress(NubbinError):  # it has not begun, or has ended
                post(self.group.run, SteeringCommand(JOBS, jobs))
                self.jobs = jobs


def reduce_groups(
    groups: Iterable[FailureGroup],
    width: Callable[[], int],
    prepare: Callable[[FailureGroup, int], Sequence[str] | None],
) -> Iterator[FailureGroup]:
    """Reduce groups, as many at once as there are workers, and yield each after its reduction.

    `width` returns the number of workers. `prepare` returns the arguments of nubbin for a group
    and a number of jobs, None if there is nothing to do, or raises NubbinError, the error of the
    group. All groups have about the same number of jobs.
    """
    waiting, active = deque(groups), list[_Reduction]()
    with closing(Supervisors()) as supervisors:
        while waiting or active:
            while waiting and len(active) < width():
                jobs = max(1, width() // (len(active) + len(waiting)))
                group = waiting.popleft()
                try:
                    arguments, error = prepare(group, jobs), ""
                except NubbinError as failure:
                    arguments, error = None, str(failure)
                if arguments is None:
                    yield group.after_reduction(error)
                    continue
                process = LineChild(
                    [sys.executable, "-P", "-m", "nubbin", *arguments],
                    folder=str(Path.cwd()),
                    environment=os.environb,
                    max_bytes=_MAX_LINE_BYTES,
                    start=partial(supervisors.start, group.name),
                )
                active.append(_Reduction(group, process, jobs))
            for ended in [each for each in active if each.ends(_PERIOD_S / len(active))]:
                active.remove(ended)
                yield ended.group.after_reduction(ended.error)
            for place, running in enumerate(active):
                share, more = divmod(width(), len(active))
                running.set_jobs(max(1, share + (place < more)))
