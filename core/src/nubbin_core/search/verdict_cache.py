"""A cache of the oracle's answers, and how queries are counted."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from nubbin_core.verdict import Verdict


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
