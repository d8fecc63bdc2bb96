"""What the oracle has answered, so that it is not asked twice; and how queries are counted."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from nubbin_core.verdict import Verdict


class CachedVerdict:
    """One run of the oracle: the verdict, its seconds, and whether a minimizer needed it.

    `error` is what the oracle raised instead of answering. `used` turns True when a minimizer is
    first told the answer; until then the run was speculation. `proves` is False if the candidate
    was not run because it was not worth a query.
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
        """Whether the candidate may become the new best."""
        return self.verdict is Verdict.INTERESTING


#: The answer for every candidate that is not worth a query.
IMPLAUSIBLE = CachedVerdict(Verdict.UNINTERESTING, 0.0, used=True, proves=False)

#: The answer for every candidate that leaves what cannot be read: no result at the list's grain.
ILL_FORMED = CachedVerdict(Verdict.UNINTERESTING, 0.0, used=True)

#: The answer for every candidate that the user does not allow, whatever the oracle would say.
NOT_ALLOWED = CachedVerdict(Verdict.UNINTERESTING, 0.0, used=True)


class VerdictCache(dict[Hashable, CachedVerdict]):
    """The answers of the oracle so far, by the key of the candidate.

    Keys are fingerprints of at least 128 bits, so that the cache stays small whatever the
    candidates weigh. It outlives a single list: a candidate met again in a later pass is free.
    """


class Count(NamedTuple):
    """Queries: asked, and of these answered `interesting`, and `unresolved`."""

    asked: int = 0
    succeeded: int = 0
    unresolved: int = 0

    def plus(self, verdict: Verdict) -> Count:
        """Return the count with one more."""
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
    """A query of a minimizer: its kind, how many elements it kept, and the verdict.

    `seconds` is the time of the run of the test that answered it. Answers from the cache, and
    speculation that no minimizer needed, are not queries. `so_far` counts it and all before it.
    """

    kind: str
    size: int
    verdict: Verdict
    seconds: float
    so_far: Count
