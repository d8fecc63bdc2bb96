"""A test that counts how often it found each candidate interesting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from contextlib import closing
from itertools import repeat
from typing import Any, Generic, Protocol, TypeVar

from nubbin_core.answer import Answer
from nubbin_core.in_line import InLine
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict


class Testable(Protocol):
    """What a test runs on: a document or a list."""

    @property
    def key(self) -> Hashable:
        """A fingerprint of at least 128 bits."""

    @property
    def title(self) -> str:
        """Its name in messages."""


C = TypeVar("C", bound=Testable)
_NONE = Trials()


class CountedTest(Generic[C]):
    """Runs a test, and counts for each candidate how many runs were interesting.

    `known` are earlier trials by the key of their candidate; `runs` includes them. `note` is called
    with each answer and the trials that include it. Several threads may call this object. The
    `pool` makes runs that do not depend on each other, as many at once as its width.
    """

    def __init__(
        self,
        ask: Callable[[C], Answer],
        known: Mapping[Any, Trials],
        note: Callable[[C, Answer, Trials], None] = lambda *_: None,
        pool: InLine | None = None,
    ):
        self.pool = pool or InLine()
        self._ask = ask
        self._trials: dict[Hashable, Trials] = dict(known)
        self._note = note
        self._lock = threading.Lock()
        #: Keys of candidates that were rejected only because their error is of another kind.
        self.with_other_error: set[Hashable] = set()
        #: Whether such candidates are accepted.
        self.allows_other_errors = False
        self.runs = sum(each.runs for each in known.values())

    def run(self, candidate: C) -> Verdict:
        """Run the test once on a candidate."""
        answer = self._ask(candidate)
        if answer.other_error and self.allows_other_errors:
            answer = answer._replace(verdict=Verdict.INTERESTING, other_error=False, why="")
        with self._lock:
            self.runs += 1
            interesting = answer.verdict is Verdict.INTERESTING
            key = candidate.key
            trials = self._trials[key] = self._trials.get(key, _NONE).plus(interesting)
            if answer.other_error:
                self.with_other_error.add(key)
        self._note(candidate, answer, trials)
        return answer.verdict

    def run_often(self, candidate: C, times: int) -> Trials:
        """Run the test `times` times on a candidate; return only these trials."""
        with closing(self.pool.each(self.run, repeat(candidate, times))) as verdicts:
            return Trials(list(verdicts).count(Verdict.INTERESTING), times)

    def trials(self, candidate: C) -> Trials:
        """Return all trials of a candidate."""
        return self._trials.get(candidate.key, _NONE)
