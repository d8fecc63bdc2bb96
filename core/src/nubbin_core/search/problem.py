"""A list to minimize, its candidates, and the answers about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from typing import Any, Generic, NamedTuple, Self, TypeVar

from nubbin_core.minimizers import Minimizer, Query, Subset
from nubbin_core.verdict import Verdict

T = TypeVar("T")


class Problem(ABC, Generic[T]):
    """A list to minimize: it renders each subset as a candidate for the oracle.

    All methods are pure, because speculation calls them for subsets that may never be queried.
    """

    @abstractmethod
    def start(self) -> Minimizer:
        """Return the state of the minimizer before the first query."""

    @abstractmethod
    def render(self, kept: Subset) -> T:
        """Return the candidate of a subset."""

    @abstractmethod
    def key(self, candidate: T) -> Hashable:
        """Return a fingerprint of a candidate, of at least 128 bits.

        Equal candidates of different lists have the same fingerprint, and share their answer.
        """

    def is_allowed(self, candidate: T) -> bool:
        """Tell whether a candidate may be a result; otherwise it is rejected without a query."""
        return True

    def is_plausible(self, kept: Subset, candidate: T) -> bool:
        """Tell whether a candidate is worth a query.

        Otherwise it is rejected without one. That does not prove anything 1-minimal, unless the
        candidate is ill formed.
        """
        return True

    def is_ill_formed(self, kept: Subset, candidate: T) -> bool:
        """Tell whether a candidate that is not plausible cannot be read at all.

        A proof of 1-minimality need not try a removal that leads to such a candidate.
        """
        return False

    @property
    def may_look_ahead(self) -> bool:
        """Whether speculation may call `after`, for an end that is only likely."""
        return True

    def after(self, end: Minimizer) -> Self | None:
        """Return the next list if this one ends in the state `end`, None after the last."""
        return None


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


class CachedVerdict:
    """The verdict of one run of the oracle, with its seconds.

    `error` is the error that the oracle raised instead. `used` turns True when a minimizer is first
    told the answer; until then, the run was speculation. `proves` is False if the candidate was
    rejected without a run, because it was not worth a query.
    """

    __slots__ = ("error", "proves", "seconds", "used", "verdict")

    def __init__(
        self,
        verdict: Verdict,
        seconds: float,
        error: Exception | None = None,
        *,
        used: bool = False,
        proves: bool = True,
    ):
        self.verdict, self.seconds, self.error = verdict, seconds, error
        self.used, self.proves = used, proves

    @property
    def interesting(self) -> bool:
        """Whether the candidate may become the best."""
        return self.verdict is Verdict.INTERESTING


#: The answer for a candidate that is not worth a query.
IMPLAUSIBLE = CachedVerdict(Verdict.UNINTERESTING, 0.0, used=True, proves=False)

#: The answer for a candidate that cannot be read.
ILL_FORMED = CachedVerdict(Verdict.UNINTERESTING, 0.0, used=True)

#: The answer for a candidate that the user excludes, whatever the oracle would say.
NOT_ALLOWED = CachedVerdict(Verdict.UNINTERESTING, 0.0, used=True)


class VerdictCache(dict[Hashable, CachedVerdict]):
    """The answers of the oracle so far, by the key of the candidate.

    Keys are fingerprints of at least 128 bits, so that the cache is small even if candidates are
    large. All lists share it: a candidate that reappears in a later list costs no run.
    """


class Count(NamedTuple):
    """Numbers of queries: all, the interesting ones, and the unresolved ones."""

    asked: int = 0
    succeeded: int = 0
    unresolved: int = 0

    def plus(self, verdict: Verdict) -> Count:
        """Return the count after one more query."""
        return Count(
            self.asked + 1,
            self.succeeded + (verdict is Verdict.INTERESTING),
            self.unresolved + (verdict is Verdict.UNRESOLVED),
        )

    def by_verdict(self) -> Iterator[tuple[Verdict, int]]:
        """Yield each verdict, and how many queries had it."""
        yield Verdict.INTERESTING, self.succeeded
        yield Verdict.UNINTERESTING, self.asked - self.succeeded - self.unresolved
        yield Verdict.UNRESOLVED, self.unresolved


class Answered(NamedTuple):
    """The outcome of a query: its kind, how many elements it kept, and the verdict.

    `seconds` is the time of the run that answered it. `so_far` counts this query and all before it.
    Answers from the cache, and speculation that no minimizer needed, are not queries.
    """

    kind: str
    size: int
    verdict: Verdict
    seconds: float
    so_far: Count
