"""Serve `nubbin watch`: carry out its commands between two queries, and write what it shows."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from typing import Self

from nubbin.journal import command_box
from nubbin.journal.command_box import CommandBox, SteeringCommand
from nubbin.journal.journal import Journal
from nubbin.journal.run_facts import ListTally, PassTally, RecordedCommand, RunTally, Tally
from nubbin.oracles.oracle import Oracle
from nubbin.reduction.events import Event, ListStarted, Observer, Steered
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool
from nubbin_core.search.budget import Budget, BudgetSpent
from nubbin_core.search.problem import Answered
from nubbin_core.verdict import Verdict
from nubbin_core.waiting import join

_LOOK_PERIOD_S = 0.2  # between two checks for commands


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
        self._looked = -_LOOK_PERIOD_S
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
            time.sleep(_LOOK_PERIOD_S)
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
        if self._box is not None and time.monotonic() - self._looked >= _LOOK_PERIOD_S:
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


_WRITE_PERIOD_S = 0.5  # between two writes


class TallyWriter:
    """Keeps the tally of a reduction, and writes it to the journal twice a second.

    An observer, and a context manager: a thread writes during the block. It ignores errors of the
    disk, which the next answer will report. Costs ten microseconds per query.
    """

    def __init__(self, journal: Journal, oracle: Oracle, pool: Pool, budget: Budget):
        self._journal = journal
        self._oracle = oracle
        self._pool = pool
        self._budget = budget
        self._lock = threading.Lock()
        self._tally = Tally()
        self._passes: dict[str, PassTally] = {}
        self._before = journal.tally.seconds if journal.tally else 0.0
        self._begun = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write_often, name="nubbin-tally", daemon=True)

    def __enter__(self) -> Self:
        self._write()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        join(self._thread)
        self._write()

    def __call__(self, event: Event) -> None:
        """Count an event."""
        with self._lock:
            match event:
                case ListStarted(name=name, elements=elements):
                    self._tally.at_work = ListTally(name, elements, elements)
                    self._passes.setdefault(name, PassTally(name)).lists += 1
                case Answered():
                    self._count(event)
                case Steered(
                    command=SteeringCommand(name=command_box.PAUSE | command_box.GO_ON as name)
                ):
                    self._tally.is_paused = name == command_box.PAUSE

    def _count(self, event: Answered) -> None:
        interesting = event.verdict is Verdict.INTERESTING
        at_work = self._tally.at_work
        assert at_work is not None, "a list asks"
        at_work.queries += 1
        if interesting:
            at_work.kept = event.size
        asked_by = self._passes[at_work.pass_name]
        asked_by.queries += 1
        asked_by.interesting += interesting
        asked_by.unresolved += event.verdict is Verdict.UNRESOLVED
        asked_by.seconds += event.seconds
        self._tally.kinds[event.kind] = list(self._budget.by_kind[event.kind][:2])

    def _write_often(self) -> None:
        while not self._over.wait(_WRITE_PERIOD_S):
            self._write()

    def _write(self) -> None:
        with self._lock:
            self._tally.at = time.time()
            self._tally.seconds = self._before + time.monotonic() - self._begun
            self._tally.passes = list(self._passes.values())
            self._tally.jobs = self._pool.width
            self._tally.runs = [RunTally(*each) for each in self._oracle.under_way]
            with suppress(OSError, NubbinError):
                self._journal.tell_tally(self._tally)
