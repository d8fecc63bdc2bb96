"""Run several reductions at once, each a process of its own, with fair shares of the workers."""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from nubbin.campaigns.failure_groups import FailureGroup
from nubbin.journal.command_box import JOBS, SteeringCommand, post
from nubbin.oracles.processes.keepers import Keepers
from nubbin.oracles.processes.process import Lost, Running, ended
from nubbin_core.errors import NubbinError

_PERIOD_S = 0.2  # between two looks


@dataclass
class _Child:
    group: FailureGroup
    running: Running
    printed: IO[bytes]
    jobs: int

    def end(self) -> None:
        """Note why there is no result, if the process says so at its end."""
        with self.running, self.printed:
            self.printed.seek(0)
            last = self.printed.read().decode(errors="replace").strip().rpartition("\n")[2]
        with suppress(Lost):
            if self.running.exit_code:
                self.group.error = last or ended(self.running.exit_code)
                with suppress(ValueError, LookupError):
                    self.group.error = json.loads(last)["message"]

    def steer(self, jobs: int) -> None:
        if jobs != self.jobs:
            with suppress(NubbinError):  # it has not begun, or has ended
                post(self.group.run, SteeringCommand(JOBS, jobs))
                self.jobs = jobs


def reduced(
    groups: Iterable[FailureGroup],
    width: int,
    words: Callable[[FailureGroup, int], Sequence[str] | None],
) -> Iterator[FailureGroup]:
    """Reduce groups, as many at once as there are workers, and yield each when it has ended.

    `words` returns the arguments of nubbin for a group and a number of jobs; None if there is
    nothing to do. When fewer groups are left than workers, these have more jobs.
    """
    waiting, active = deque(groups), list[_Child]()
    with closing(Keepers()) as keepers, ExitStack() as stack:
        null = stack.enter_context(Path(os.devnull).open("rb")).fileno()
        while waiting or active:
            while waiting and len(active) < width:
                at_once = min(width, len(active) + len(waiting))
                group, jobs = waiting.popleft(), width // at_once
                given = words(group, jobs)
                if given is None:
                    yield group
                    continue
                printed = stack.enter_context(TemporaryFile())
                running = keepers.start(
                    group.name,
                    [sys.executable, "-P", "-m", "nubbin", *given],
                    folder=str(Path.cwd()),
                    environment=os.environb,
                    streams=(null, printed.fileno(), printed.fileno()),
                )
                active.append(_Child(group, running, printed, jobs))
            for child in [each for each in active if each.running.wait(_PERIOD_S / len(active))]:
                child.end()
                active.remove(child)
                yield child.group
            for place, child in enumerate(active):
                child.steer(width // len(active) + (place < width % len(active)))
