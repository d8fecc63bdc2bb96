"""An oracle that keeps every answer on disk, and the seconds that it took.

Algorithms ask many of the same questions. Each run still counts every query it asks, and the
seconds that the test took when it was really run. So the cache saves time and changes no figure.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType

from nubbin.bench.cases import Case
from nubbin.documents.document import Document
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict
from nubbin.search.budget import BudgetSpent

_TIMEOUT_S = 20.0  # of one run of a test: a program under debloating may loop forever
_MEMORY_BYTES = 8 << 30  # of all processes of one run of a test


class CachedOracle:
    """Answers for one case; `queries` and `seconds` count as if nothing were cached.

    Raises BudgetSpent once the recorded seconds exceed `limit`. A context manager; several
    processes may share a cache.
    """

    def __init__(self, case: Case, cache: Path, limit: float):
        self.queries = 0
        self.seconds = 0.0
        self._limit = limit
        self._case = case.name
        cache.parent.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(cache, timeout=60, isolation_level=None)
        self._store.execute("PRAGMA journal_mode = WAL")
        self._store.execute("PRAGMA synchronous = OFF")
        self._store.execute(
            "CREATE TABLE IF NOT EXISTS answers (name TEXT, candidate BLOB, verdict TEXT, "
            "seconds REAL, PRIMARY KEY (name, candidate)) WITHOUT ROWID"
        )
        self._command = LocalOracle(
            UserTest.command(case.test), case.input.name, timeout=_TIMEOUT_S, memory=_MEMORY_BYTES
        )

    def __enter__(self) -> CachedOracle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._command.close()
        self._store.close()

    def __call__(self, document: Document) -> Verdict:
        """Return the verdict on a document, and count the query."""
        if self.seconds > self._limit:
            raise BudgetSpent("max-time")
        verdict, seconds = self.peek(document)
        self.queries += 1
        self.seconds += seconds
        return verdict

    def peek(self, document: Document) -> tuple[Verdict, float]:
        """Return the verdict and its seconds, and count nothing."""
        known = self._store.execute(
            "SELECT verdict, seconds FROM answers WHERE name = ? AND candidate = ?",
            (self._case, document.key),
        ).fetchone()
        if known is not None:
            return Verdict(known[0]), known[1]
        verdict, seconds = self.run_test(document)
        self._store.execute(
            "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)",
            (self._case, document.key, verdict.value, seconds),
        )
        return verdict, seconds

    def run_test(self, document: Document) -> tuple[Verdict, float]:
        """Run the test, whatever is cached; return the verdict and its seconds."""
        answer = self._command(document.contents)
        return answer.verdict, answer.seconds
