"""The user's test, run by the workers of any executor."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import replace
from typing import Any

from nubbin.executors.remote_query import NoAnswer, OracleSpec, RemoteQuery, WorkerSetup, run_query
from nubbin.oracles import cancellation
from nubbin.oracles.candidate_files import Files
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Answer
from nubbin.oracles.timed_oracle import TimedOracle
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.verdict import Verdict
from nubbin.waiting import until

#: Bytes; less is sent as it is.
_SMALL = 1 << 14

#: How often a question is asked that an executor does not answer.
_TRIES = 3

#: Seconds that a call may take besides the test, and a server that has to start.
_OVERHEAD_S = 60.0


class RemoteOracle(TimedOracle):
    """Has queries answered by an executor, whose calls may be pickled and run anywhere.

    Candidates go there as deltas of a base that each worker is sent once: the `files` of the
    input, and then an interesting candidate whenever there is one of half the size; so all bases
    weigh no more than twice the input. `timeout` is as in `TimedOracle`, and taught here.

    A query that is cancelled (`nubbin.oracles.cancellation`) is cancelled in the executor;
    whether a worker that runs it stops is the executor's affair.

    An executor is somebody else's code. A query that it refuses, cancels, answers with anything
    but an answer, or does not answer in the time for all that it was asked so far, is asked again.
    `name` is what a user is told that did not answer; while nothing is `manned`, nothing is late.
    """

    def __init__(
        self,
        executor: Executor,
        spec: OracleSpec,
        files: Files,
        timeout: Timeout | float | None,
        *,
        name: str = "the executor",
        manned: Callable[[], bool] = lambda: True,
    ):
        super().__init__(timeout)
        self._executor = executor
        self._setup = _setup(spec, files)
        self._overhead = _OVERHEAD_S + (Timeout().limit if spec.test.has_server else 0)
        self._name = name
        self._manned = manned
        self._calls: set[Future[Any]] = set()

    def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
        """Have the test run on a candidate, for at most `limit` seconds.

        Raises NubbinError if the test cannot be run, CancelledError if the query is cancelled,
        BrokenExecutor if the executor is broken, or leaves the query unanswered again and again.
        """
        setup = self._setup
        query = RemoteQuery.of(files, setup, limit, explain=explain)
        told = self._answer(query, setup)
        if told.verdict is Verdict.INTERESTING and 2 * _size(files) < _size(setup.base):
            self._setup = _setup(setup.spec, files)
        return told

    def _answer(self, query: RemoteQuery, setup: WorkerSetup) -> Answer:
        for _ in range(_TRIES):
            try:
                told = self._told(query)
                if told is None:
                    told = self._told(replace(query, setup=setup.packed))
                if told is not None:
                    return told
                reason = "it returned None"
            except NoAnswer as error:
                reason = str(error)
        raise BrokenExecutor(f"{self._name} was asked {_TRIES} times and gave no answer: {reason}")

    def _told(self, query: RemoteQuery) -> Answer | None:
        """Return what a worker answers, None for one that wants the brief; raises NoAnswer."""
        told = self._called(query)
        if isinstance(told, NubbinError | NoAnswer):
            raise told
        if told is None or isinstance(told, Answer):
            return told
        raise NoAnswer(f"it returned {told!r:.100}")

    def _called(self, query: RemoteQuery) -> Any:
        """Return what a call returns; raises NoAnswer if it does not."""
        token = cancellation.current()
        over = threading.Event()

        def ended(call: Future[Any]) -> None:
            self._calls.discard(call)
            over.set()

        try:
            call = self._executor.submit(run_query, query)
            self._calls.add(call)
            call.add_done_callback(ended)
        except BrokenExecutor:
            raise
        except Exception as error:
            raise NoAnswer(f"it does not take calls: {_words(error)}") from error
        try:
            with token.on_cancel(over.set):
                self._wait(over, query.limit)
            if token.cancelled:
                raise CancelledError
        finally:
            with suppress(Exception):
                call.cancel()  # it has ended, or nobody waits for it any more
        return _result(call)

    def _wait(self, over: threading.Event, limit: float | None) -> None:
        # In the worst case it has one worker, which makes this call after all others.
        seconds = None if limit is None else limit * len(self._calls) + self._overhead
        while not until(over.wait, seconds):
            if self._manned():
                raise NoAnswer(f"it did not return within {seconds:.0f} seconds")


def _result(call: Future[Any]) -> Any:
    try:
        error = call.exception(0)
    except CancelledError:
        raise NoAnswer("it cancelled the call") from None
    except Exception as odd:
        raise NoAnswer(f"its call cannot be asked for an outcome: {_words(odd)}") from odd
    if isinstance(error, BrokenExecutor):
        raise error
    if error is not None:  # in a worker even Ctrl-C is none of ours
        raise NoAnswer(f"its call raised {_words(error)}") from error
    return call.result(0)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _setup(spec: OracleSpec, files: Files) -> WorkerSetup:
    return WorkerSetup(spec, dict(files) if _size(files) > _SMALL else {})


def _size(files: Files) -> int:
    return sum(map(len, files.values()))
