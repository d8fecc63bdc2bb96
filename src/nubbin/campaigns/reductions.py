"""Run several reductions at once, each a process of its own, with fair shares of the workers."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nubbin.campaigns.failure_groups import FailureGroup
from nubbin.journal.command_box import JOBS, SteeringCommand, post
from nubbin.oracles.processes.line_child import BadLine, LineChild, NoLine
from nubbin.oracles.processes.process import exit_in_words
from nubbin.oracles.processes.supervisors import Supervisors
from nubbin_core.errors import NubbinError

_PERIOD_S = 0.2  # between two looks
_MAX_LINE_BYTES = 1 << 20


@dataclass
class _Child:
    group: FailureGroup
    process: LineChild
    jobs: int
    has_result: bool = False

    def ends(self, seconds: float) -> bool:
        """Return whether the process ends within some seconds; note why there is no result."""
        try:
            self.has_result |= self.process.wait(seconds) is not None
            return False
        except (NoLine, BadLine) as end:
            self.has_result |= isinstance(end, BadLine)  # the path of the result has a line end
            said = self.process.stderr().decode(errors="replace").strip()
            code = self.process.close()
            if not self.has_result:
                self.group.error = said.removeprefix("nubbin: ") or exit_in_words(code)
            return True

    def steer(self, jobs: int) -> None:
        if jobs != self.jobs:
            with suppress(NubbinError):  # it has not begun, or has ended
                post(self.group.run, SteeringCommand(JOBS, jobs))
                self.jobs = jobs


def reduce_groups(
    groups: Iterable[FailureGroup],
    width: Callable[[], int],
    words: Callable[[FailureGroup, int], Sequence[str] | None],
) -> Iterator[FailureGroup]:
    """Reduce groups, as many at once as there are workers, and yield each when it has ended.

    `width` returns the number of workers. `words` returns the arguments of nubbin for a group and a
    number of jobs; None if there is nothing to do. All groups have about the same number of jobs.
    """
    waiting, active = deque(groups), list[_Child]()
    with closing(Supervisors()) as supervisors:
        while waiting or active:
            while waiting and len(active) < width():
                jobs = max(1, width() // (len(active) + len(waiting)))
                group = waiting.popleft()
                if (given := words(group, jobs)) is None:
                    yield group
                    continue
                process = LineChild(
                    [sys.executable, "-P", "-m", "nubbin", *given],
                    folder=str(Path.cwd()),
                    environment=os.environb,
                    max_bytes=_MAX_LINE_BYTES,
                    start=partial(supervisors.start, group.name),
                )
                active.append(_Child(group, process, jobs))
            for child in [each for each in active if each.ends(_PERIOD_S / len(active))]:
                active.remove(child)
                yield child.group
            for place, child in enumerate(active):
                share, more = divmod(width(), len(active))
                child.steer(max(1, share + (place < more)))
