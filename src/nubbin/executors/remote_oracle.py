"""Run the user's test in the workers of any executor, perhaps on other machines."""

from __future__ import annotations

import os
import pickle
import socket
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any

from nubbin.documents.deltas import applied, delta
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.oracle import Oracle, Timeout
from nubbin.oracles.processes import cancellation
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Answer, Verdict
from nubbin_core.version import __version__
from nubbin_core.waiting import until

_MIN_BASE_BYTES = 1 << 14  # smaller inputs are sent whole, not as deltas
_MAX_TRIES = 3  # of a query without an answer
_OVERHEAD_S = 60.0  # of a call, in addition to the test and the start of its server
_MAX_SETUPS = 8  # kept by a worker: reductions may share it, and a new setup overlaps with the last


class RemoteOracle(Oracle):
    """Sends queries to an executor, which may pickle its calls and make them anywhere.

    Candidates are sent as deltas of a base, which each worker gets once: first the `files` of the
    input, then each interesting candidate of less than half the size of the last base. So all bases
    together have at most twice the bytes of the input. `timeout` and `runs` are as in
    `Oracle`, and the limit is learned here.

    A query that is cancelled (`nubbin.oracles.processes.cancellation`) is cancelled in the
    executor, which may or may not stop the worker that runs it.

    An executor is foreign code. A query is sent again if the executor rejects it, cancels it,
    returns anything but an answer, or does not return in the time that all its queries may take.
    There is no such limit while `has_workers` is false. Errors call the executor `name`.
    """

    def __init__(
        self,
        executor: Executor,
        spec: OracleSpec,
        files: Files,
        timeout: Timeout | float | None,
        *,
        runs: int = 1,
        name: str = "the executor",
        has_workers: Callable[[], bool] = lambda: True,
    ):
        super().__init__(timeout, runs)
        self._executor = executor
        self._setup = _setup(spec, files)
        self._overhead = _OVERHEAD_S + (Timeout().limit if spec.test.has_server else 0)
        self._name = name
        self._has_workers = has_workers
        self._calls: set[Future[Any]] = set()

    def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
        """See `Oracle`; raises BrokenExecutor, too, if the executor repeatedly gives no answer."""
        setup = self._setup
        query = RemoteQuery(setup.key, delta(files, setup.base), limit, explain)
        answer = self._answer(query, setup)
        if answer.verdict is Verdict.INTERESTING and 2 * _size(files) < _size(setup.base):
            self._setup = _setup(setup.spec, files)
        return answer

    def _answer(self, query: RemoteQuery, setup: WorkerSetup) -> Answer:
        for _ in range(_MAX_TRIES):
            try:
                if answer := self._call(query) or self._call(replace(query, setup=setup.packed)):
                    return answer
                reason = "it returned None"
            except NoAnswer as error:
                reason = str(error)
        raise BrokenExecutor(
            f"{self._name} was called {_MAX_TRIES} times and gave no answer: {reason}"
        )

    def _call(self, query: RemoteQuery) -> Answer | None:
        """Return the answer of a worker; None if it lacks the setup. Raises NoAnswer."""
        result = self._result(query)
        if isinstance(result, NubbinError | NoAnswer):
            raise result
        if result is None or isinstance(result, Answer):
            return result
        raise NoAnswer(f"it returned {result!r:.100}")

    def _result(self, query: RemoteQuery) -> Any:
        """Return the result of the executor's call; raises NoAnswer if there is none."""
        token = cancellation.current()
        over = threading.Event()

        def end(call: Future[Any]) -> None:
            self._calls.discard(call)
            over.set()

        try:
            call = self._executor.submit(run_query, query)
            self._calls.add(call)
            call.add_done_callback(end)
        except BrokenExecutor:
            raise
        except Exception as error:
            raise NoAnswer(f"it does not take calls: {_described(error)}") from error
        try:
            with token.on_cancel(over.set):
                self._wait(over, query.limit)
            if token.cancelled:
                raise CancelledError
        finally:
            with suppress(Exception):
                call.cancel()  # it has ended, or its result is not needed
        return _outcome(call)

    def _wait(self, over: threading.Event, limit: float | None) -> None:
        # In the worst case the executor has one worker, which makes this call after all others.
        seconds = None if limit is None else limit * len(self._calls) + self._overhead
        while not until(over.wait, seconds):
            if self._has_workers():
                raise NoAnswer(f"it did not return within {seconds:.0f} seconds")


def _outcome(call: Future[Any]) -> Any:
    try:
        error = call.exception(0)
    except CancelledError:
        raise NoAnswer("it cancelled the call") from None
    except Exception as odd:
        raise NoAnswer(f"its call has no outcome: {_described(odd)}") from odd
    if isinstance(error, BrokenExecutor):
        raise error
    if error is not None:  # even KeyboardInterrupt: the worker raised it
        raise NoAnswer(f"its call raised {_described(error)}") from error
    return call.result(0)


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _setup(spec: OracleSpec, files: Files) -> WorkerSetup:
    return WorkerSetup(spec, dict(files) if _size(files) > _MIN_BASE_BYTES else {})


def _size(files: Files) -> int:
    return sum(map(len, files.values()))


# -- what a worker is sent, and how it answers ---------------------------------------------------


@dataclass(frozen=True)
class WorkerSetup:
    """The data that a worker needs before its queries: the oracle, and the base of their deltas.

    It is sent once to each worker. Its `key` is a 128-bit fingerprint.
    """

    spec: OracleSpec
    base: dict[str, bytes]

    @cached_property
    def packed(self) -> bytes:
        """The setup as bytes."""
        # Another version of nubbin can read the outer tuple, even if it cannot read the inner one.
        return pickle.dumps((__version__, pickle.dumps((self.spec, delta(self.base, {})))))

    @cached_property
    def key(self) -> bytes:
        """The fingerprint."""
        return blake2b(self.packed, digest_size=16).digest()

    @classmethod
    def unpack(cls, packed: bytes) -> WorkerSetup:
        """Return the setup from its bytes; raises NubbinError for another version of nubbin."""
        theirs, content = pickle.loads(packed)
        ours = __version__
        if theirs != ours:
            raise NubbinError(
                f"{socket.gethostname()}, a worker of this run, has nubbin {ours}, and the run has "
                f"nubbin {theirs}. Install the same version on all machines."
            )
        spec, base = pickle.loads(content)
        return cls(spec, applied(base, {}))


@dataclass(frozen=True, slots=True)
class RemoteQuery:
    """A query for a worker."""

    #: The key of its setup.
    key: bytes
    #: The candidate as a delta of the setup's base.
    candidate: bytes
    #: Seconds; None for no limit.
    limit: float | None
    explain: bool
    #: The packed setup, for a worker that does not know it yet.
    setup: bytes | None = None


class NoAnswer(Exception):
    """A query has no answer, because of a worker or an executor."""


def run_query(query: RemoteQuery) -> Answer | NubbinError | NoAnswer | None:
    """Answer a query in the process of a worker; None if it lacks the setup.

    Errors of the test or the worker are returned. So any error that the call raises is the
    executor's.
    """
    try:
        if query.setup is not None:
            _setups[query.key] = WorkerSetup.unpack(query.setup)
            for old in list(_setups)[:-_MAX_SETUPS]:
                _setups.pop(old, None)
        setup = _setups.get(query.key)
        if setup is None:
            return None
        files = applied(query.candidate, setup.base)
        return _oracle(setup.spec, os.getpid()).ask(files, query.limit, explain=query.explain)
    except NubbinError as error:
        return error
    except OSError as error:
        return NoAnswer(f"the worker on {socket.gethostname()} cannot run the test: {error}")
    except CancelledError:
        return NoAnswer(f"the worker on {socket.gethostname()} stopped the test before its end")


def clear_worker() -> None:
    """Forget all setups; oracles close when their last query has ended."""
    _setups.clear()
    _oracle.cache_clear()


_setups: dict[bytes, WorkerSetup] = {}


@lru_cache(_MAX_SETUPS)
def _oracle(spec: OracleSpec, process: int) -> LocalOracle:
    """Return the oracle of the process with this id, because a fork inherits the cache."""
    path = spec.test.path
    if not path.is_file():
        raise NubbinError(
            f"There is no {path} on {socket.gethostname()}, a worker of this run. The test must "
            "be there for every worker, under the same path: put it, and the files it needs, in a "
            "folder that all machines share."
        )
    return LocalOracle(spec, None)
