"""The candidates of one list, and the answers about them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from nubbin_core.minimizers import Query, Subset
from nubbin_core.search.problem import Problem
from nubbin_core.search.verdict_cache import (
    ILL_FORMED,
    IMPLAUSIBLE,
    NOT_ALLOWED,
    CachedVerdict,
    VerdictCache,
)

P = TypeVar("P", bound=Problem[Any])


class CandidateCache(Generic[P]):
    """The candidates of one list, by the digest of their subset.

    Each is rendered and checked once. Only the last candidate itself is kept in memory, because it
    is usually the next to run.
    """

    def __init__(self, problem: P):
        self.problem = problem
        self._keys: dict[int, Hashable] = {}
        self._unrun: dict[int, CachedVerdict | None] = {}
        self._answers: dict[int, CachedVerdict] = {}
        self._last: tuple[int, Any] | None = None

    def seen(self, query: Query) -> bool:
        """Tell whether the candidate of a query has been rendered."""
        return query.kept.digest in self._keys

    def key(self, query: Query) -> Hashable:
        """Return the key of a query's candidate."""
        key = self._keys.get(digest := query.kept.digest)
        if key is None:
            key = self._keys[digest] = self.problem.key(self.candidate(query.kept))
        return key

    def candidate(self, kept: Subset) -> Any:
        """Return the candidate of a subset."""
        if self._last is None or self._last[0] != kept.digest:
            self._last = None  # first: the next candidate may be as large
            self._last = kept.digest, self.problem.render(kept)
        return self._last[1]

    def recall(self, query: Query, verdicts: VerdictCache) -> CachedVerdict | None:
        """Return the answer for a query's candidate, from any list; None if it is unknown."""
        record = verdicts.get(self.key(query))
        # An answer that only speculation has needed so far must not decide anything.
        if record is None or not record.used:
            record = self._without_run(query) or record
        return record

    def note(self, query: Query, record: CachedVerdict) -> None:
        """Record that the minimizer was told this answer."""
        self._answers[query.kept.digest] = record

    def prove(self, kept: Subset) -> bool:
        """Tell whether each single removal from `kept` was rejected by a run, or ill formed."""
        removals = map(self._answers.get, kept.digests_without_each())
        return all(r is not None and r.proves and not r.interesting for r in removals)

    def _without_run(self, query: Query) -> CachedVerdict | None:
        """Return the answer that a query gets without a run; None if it needs a run."""
        digest = query.kept.digest
        if digest not in self._unrun:
            candidate = self.candidate(query.kept)
            if not self.problem.is_allowed(candidate):
                self._unrun[digest] = NOT_ALLOWED
            elif not self.problem.is_plausible(query.kept, candidate):
                is_ill_formed = self.problem.is_ill_formed(query.kept, candidate)
                self._unrun[digest] = ILL_FORMED if is_ill_formed else IMPLAUSIBLE
            else:
                self._unrun[digest] = None
        return self._unrun[digest]
