"""Carry out commands from `nubbin watch` between two queries, and record them."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress

from nubbin.journal import command_box
from nubbin.journal.command_box import CommandBox, SteeringCommand
from nubbin.journal.journal import Journal
from nubbin.journal.run_facts import RecordedCommand
from nubbin.reduction.events import Event, ListStarted, Observer, Steered
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool
from nubbin_core.search.budget import Budget, BudgetSpent

_PERIOD_S = 0.2  # between two checks for commands


class PassSkipped(Exception):
    """The user has skipped the rest of the running pass."""


class Steering:
    """Carries out the commands to a run; `check` is called before each query. An observer.

    A command takes effect before the next query that needs a run of the test. It is recorded with
    the number of queries, and a resumed run skips a pass again after as many queries, so that the
    result is the same. Other commands do not change the result, and end with the process.
    """

    def __init__(self, journal: Journal | None, budget: Budget, pool: Pool, tell: Observer):
        self._journal = journal
        self._budget = budget
        self._pool = pool
        self._tell = tell
        self._box: CommandBox | None = None
        if journal is not None:
            with suppress(OSError, NubbinError):  # then no command can come
                self._box = CommandBox(journal.folder)
        self._commands = deque[SteeringCommand]()
        self._skipped = deque(
            (each.queries, str(each.value))
            for each in (journal.facts.commands if journal else ())
            if each.name == command_box.SKIP_PASS
        )
        self._pass = ""
        self._looked = -_PERIOD_S
        self._is_paused = False

    def __call__(self, event: Event) -> None:
        """Remember which pass is run."""
        if isinstance(event, ListStarted):
            self._pass = event.name

    def check(self) -> None:
        """Carry out new commands; wait while the run is paused. Raises PassSkipped, BudgetSpent."""
        self._skip_again()
        self._look()
        while self._is_paused:
            started = time.monotonic()
            time.sleep(_PERIOD_S)
            self._budget.extend(time.monotonic() - started)
            self._look()

    def _skip_again(self) -> None:
        """Skip the pass if the user skipped it at this query, before the run was resumed."""
        while self._skipped and self._skipped[0][0] < self._budget.queries:
            self._skipped.popleft()  # this run came to other passes
        if self._skipped and self._skipped[0] == (self._budget.queries, self._pass):
            self._skipped.popleft()
            raise PassSkipped

    def _look(self) -> None:
        if self._box is not None and time.monotonic() - self._looked >= _PERIOD_S:
            self._looked = time.monotonic()
            self._commands.extend(self._box.taken())
        while self._commands:
            self._carry_out(self._commands.popleft())

    def _carry_out(self, command: SteeringCommand) -> None:
        name, value = command.name, command.value
        if name == command_box.SKIP_PASS and value != self._pass:
            return  # the pass has ended in the meantime
        self._record(command)
        self._tell(Steered(command))
        match name, value:
            case command_box.PAUSE, _:
                self._is_paused = True
            case command_box.GO_ON, _:
                self._is_paused = False
            case command_box.JOBS, int(jobs):
                self._pool.most = jobs
            case command_box.MAX_QUERIES, int(queries):
                self._budget.max_queries = queries
            case command_box.MAX_TIME, (int() | float()) as seconds:
                self._budget.max_time = self._budget.seconds + seconds
            case command_box.SKIP_PASS, _:
                raise PassSkipped
            case command_box.STOP, _:
                raise BudgetSpent("stopped")

    def _record(self, command: SteeringCommand) -> None:
        if self._journal is not None:
            queries = self._budget.queries
            record = RecordedCommand(time.time(), queries, command.name, command.value)
            self._journal.tell(commands=[*self._journal.facts.commands, record])
