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
    """The candidates of a list, by the digest of the subset: each is rendered and judged once.

    Only the last one is kept whole, because it is usually the next to be asked about.
    """

    def __init__(self, problem: P):
        self.problem = problem
        self._keys: dict[int, Hashable] = {}
        self._barred: dict[int, CachedVerdict | None] = {}
        self._answers: dict[int, CachedVerdict] = {}
        self._last: tuple[int, Any] | None = None

    def seen(self, query: Query) -> bool:
        """Tell whether the key of a query's candidate is known."""
        return query.kept.digest in self._keys

    def key(self, query: Query) -> Hashable:
        """Return the key of a query's candidate."""
        key = self._keys.get(digest := query.kept.digest)
        if key is None:
            key = self._keys[digest] = self.problem.key(query.kept, self.candidate(query.kept))
        return key

    def candidate(self, kept: Subset) -> Any:
        """Return the candidate that a subset renders."""
        if self._last is None or self._last[0] != kept.digest:
            self._last = None  # before the next is made, which may be as large
            self._last = kept.digest, self.problem.render(kept)
        return self._last[1]

    def recall(self, query: Query, verdicts: VerdictCache) -> CachedVerdict | None:
        """Return the answer about a query's candidate, from any list; None if there is none."""
        record = verdicts.get(self.key(query))
        # Answers that only speculation has asked for so far must not matter.
        if record is None or not record.used:
            record = self._bar(query) or record
        return record

    def note(self, query: Query, record: CachedVerdict) -> None:
        """Note that the minimizer was told this answer."""
        self._answers[query.kept.digest] = record

    def prove(self, kept: Subset) -> bool:
        """Tell whether each single removal from `kept` was really refused, or is ill formed."""
        removals = map(self._answers.get, kept.digests_without_each())
        return all(r is not None and r.proves and not r.interesting for r in removals)

    def _bar(self, query: Query) -> CachedVerdict | None:
        """Return the answer to a query that is not worth a run, None if it is worth one."""
        digest = query.kept.digest
        if digest not in self._barred:
            candidate = self.candidate(query.kept)
            if not self.problem.is_allowed(candidate):
                self._barred[digest] = NOT_ALLOWED
            elif not self.problem.is_plausible(query.kept, candidate):
                is_ill_formed = self.problem.is_ill_formed(query.kept, candidate)
                self._barred[digest] = ILL_FORMED if is_ill_formed else IMPLAUSIBLE
            else:
                self._barred[digest] = None
        return self._barred[digest]
