"""An oracle that keeps every answer on disk, and the seconds that it took.

Algorithms ask many of the same questions. Each run still counts every query it asks, and the
seconds that the test took when it was really run. So the cache saves time and changes no figure. An
answer is that of one test with its tools (`Case.digest`); what ran into a limit is not kept.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from nubbin import Verdict
from nubbin.research import BudgetSpent, Document, LocalOracle, OracleSpec
from nubbin_bench.cases import Case

_MEMORY_BYTES = 8 << 30  # of all processes of one run of a test


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a query: its verdict, its seconds, and the bytes of its candidate."""

    verdict: Verdict
    seconds: float
    bytes: int
    cached: bool


class CachedOracle:
    """Answers for one case; `queries` and `seconds` count as if nothing were cached.

    One run of the test takes at most `timeout` seconds. Raises BudgetSpent once the recorded
    seconds exceed `limit`. A context manager; several processes may share a cache.
    """

    def __init__(self, case: Case, cache: Path, *, timeout: float, limit: float):
        self.queries = 0
        self.seconds = 0.0
        self.last: Answered | None = None
        self._limit = limit
        self.digest = case.digest
        cache.parent.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(cache, timeout=60, isolation_level=None)
        self._store.execute("PRAGMA journal_mode = WAL")
        self._store.execute("PRAGMA synchronous = OFF")
        self._store.execute(
            "CREATE TABLE IF NOT EXISTS answers (test TEXT, candidate BLOB, verdict TEXT, "
            "seconds REAL, PRIMARY KEY (test, candidate)) WITHOUT ROWID"
        )
        self._test = LocalOracle(
            OracleSpec(case.test, case.input.name, memory=_MEMORY_BYTES), timeout
        )

    def __enter__(self) -> CachedOracle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._test.close()
        self._store.close()

    def __call__(self, document: Document) -> Verdict:
        """Return the verdict on a document, and count the query."""
        if self.seconds > self._limit:
            raise BudgetSpent("max-time")
        self.last = self.peek(document)
        self.queries += 1
        self.seconds += self.last.seconds
        return self.last.verdict

    def peek(self, document: Document) -> Answered:
        """Return the answer about a document, and count nothing."""
        known = self._store.execute(
            "SELECT verdict, seconds FROM answers WHERE test = ? AND candidate = ?",
            (self.digest, document.key),
        ).fetchone()
        if known is not None:
            return Answered(Verdict(known[0]), known[1], document.sizes.bytes, cached=True)
        return self.run_test(document)

    def run_test(self, document: Document) -> Answered:
        """Run the test, whatever is cached, and keep its answer."""
        answer = self._test(document.contents)
        if not answer.timed_out and answer.exceeded is None:
            self._store.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)",
                (self.digest, document.key, answer.verdict.value, answer.seconds),
            )
        return Answered(answer.verdict, answer.seconds, document.sizes.bytes, cached=False)
