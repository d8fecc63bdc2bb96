"""Queries for other processes, maybe on other machines, and the way they are answered there."""

from __future__ import annotations

import os
import pickle
import socket
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b

from nubbin.documents.deltas import applied, delta
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin_core.answer import Answer
from nubbin_core.errors import NubbinError
from nubbin_core.version import __version__

_MAX_SETUPS = 8  # kept by a worker: reductions may share it, and a new setup overlaps with the last


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

    @classmethod
    def of(
        cls, files: Files, setup: WorkerSetup, limit: float | None, *, explain: bool
    ) -> RemoteQuery:
        """Return the query for a candidate; linear in its bytes."""
        return cls(setup.key, delta(files, setup.base), limit, explain)


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
