"""The candidates of one list, and what is known of them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from nubbin.minimizers import Query, Subset
from nubbin.search.problem import Problem
from nubbin.search.verdict_cache import IMPLAUSIBLE, UNWANTED, CachedVerdict, VerdictCache

P = TypeVar("P", bound=Problem[Any])


class CandidateCache(Generic[P]):
    """The candidates of a list, by the digest of the subset: each is rendered once and judged once.

    Only the one that was looked at last is kept whole, for it is asked next.
    """

    def __init__(self, problem: P):
        self.problem = problem
        self._keys: dict[int, Hashable] = {}
        self._barred: dict[int, CachedVerdict | None] = {}
        self._answers: dict[int, CachedVerdict] = {}
        self._last: tuple[int, Any] | None = None

    def seen(self, query: Query) -> bool:
        """Tell whether a query's candidate was looked at before."""
        return query.kept.digest in self._keys

    def key(self, query: Query) -> Hashable:
        """Return the key of a query's candidate."""
        digest = query.kept.digest
        if digest not in self._keys:
            self._keys[digest] = self.problem.key(query.kept, self.candidate(query.kept))
        return self._keys[digest]

    def candidate(self, kept: Subset) -> Any:
        """Return what the oracle is asked about."""
        if self._last is None or self._last[0] != kept.digest:
            self._last = kept.digest, self.problem.render(kept)
        return self._last[1]

    def recall(self, query: Query, verdicts: VerdictCache) -> CachedVerdict | None:
        """Return what is known of a query's candidate, here or from another list."""
        record = verdicts.get(self.key(query))
        # What only speculation has asked so far must not matter.
        if record is None or not record.used:
            record = self._bar(query) or record
        return record

    def told(self, query: Query, record: CachedVerdict) -> None:
        """Take note that the minimizer was told this answer."""
        self._answers[query.kept.digest] = record

    def prove(self, kept: Subset) -> bool:
        """Tell whether each single removal from `kept` was really refused."""
        removals = map(self._answers.get, kept.digests_without_each())
        return all(r is not None and r.proves and not r.interesting for r in removals)

    def _bar(self, query: Query) -> CachedVerdict | None:
        """Return the answer to what is not worth a query, None where it is worth one."""
        digest = query.kept.digest
        if digest not in self._barred:
            candidate = self.candidate(query.kept)
            if not self.problem.is_allowed(candidate):
                self._barred[digest] = UNWANTED
            elif not self.problem.is_plausible(query.kept, candidate):
                self._barred[digest] = IMPLAUSIBLE
            else:
                self._barred[digest] = None
        return self._barred[digest]
