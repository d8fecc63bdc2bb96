"""How far the test is believed: at its word, or only after as many runs as it takes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping

from nubbin.documents.document import Document
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Answer
from nubbin.oracles.verdict import Verdict
from nubbin.search.trials import Trials, sprt

#: The rate of the original is measured until so many runs were interesting. A test of which not
#: `_FEW` were in `_PATIENCE` runs is beyond use.
_ENOUGH = 20
_FEW = 5
_PATIENCE = 60

#: Runs that measure the rate of the result.
_RUNS = 20

#: How often the result is tried where the number of runs is given.
_PLAIN = 3

#: Refusals in a row after which the best is asked again: it may never have been interesting.
_DRY = 64


class FlakyDetected(Exception):
    """A test that was taken at its word has answered the same question differently."""


class FlakyAwareTest:
    """Asks a test about documents: once each, and when it proves flaky as often as it takes.

    Some questions are asked twice to find that out: the 16th, 64th, 256th, ... candidate accepted
    and refused, the best after a dry spell of 64, 256, ... refusals, and at the end what proves a
    result 1-minimal (`ask_again`). From then on a candidate
    is accepted when its rate is as good as the original's (`nubbin.search.trials.sprt`);
    all that is known of it counts. With `sampled` False nothing is asked twice.

    `known` is evidence from earlier, by the key of a document; `runs` counts it as well. `note`
    is told of every answer and the evidence after it. May be called by several threads.
    """

    def __init__(
        self,
        ask: Callable[[Document], Answer],
        original: Document,
        known: Mapping[bytes, Trials],
        *,
        note: Callable[[Document, Answer, Trials], None] = lambda *_: None,
        sampled: bool = True,
    ):
        self._ask = ask
        self._original = original
        self._trials = dict(known)
        self._note = note
        self._sampled = sampled
        self._lock = threading.Lock()
        self._counts = {True: 0, False: 0}
        self._refused_in_a_row = 0
        self.flaky = False
        self.runs = sum(each.runs for each in known.values())

    def __call__(self, document: Document) -> Verdict:
        """Return what the test says; costs a run, or of a flaky test as many as it takes."""
        if not self.flaky:
            return self._asked(document)
        # The original's rate is an estimate: what falls a little short of it is as good.
        rate, _ = self.rate.interval(1.0)
        verdict = Verdict.UNINTERESTING
        while (good := sprt(self._of(document), rate)) is None:
            verdict = self._asked(document)
        return Verdict.INTERESTING if good else _not_interesting(verdict)

    @property
    def rate(self) -> Trials:
        """How often the original was interesting."""
        return self._of(self._original)

    def measure_rate(self) -> None:
        """Believe single answers no more; costs twenty interesting runs on the original.

        Raises NubbinError where it hardly ever misbehaves.
        """
        self.flaky = True
        while self.rate.yes < _ENOUGH:
            if self.rate.runs >= _PATIENCE and self.rate.yes < _FEW:
                raise NubbinError(
                    f"The test is flaky, and found {self._original.title} interesting in "
                    f"{self.rate.yes} of {self.rate.runs} runs only: too seldom to reduce it. Make "
                    "it answer alike more often: fix seeds, the number of threads and the clock, "
                    "or run the tool several times in it; or give --runs N, which does the latter."
                )
            self._asked(self._original)

    # -- asked again -------------------------------------------------------------------------

    def sample(self, verdict: Verdict, candidate: Callable[[], Document], best: Document) -> None:
        """Take note of an answer that was needed, and ask a few again; raises Doubted."""
        if self.flaky or not self._sampled or verdict is Verdict.UNRESOLVED:
            return
        interesting = verdict is Verdict.INTERESTING
        self._counts[interesting] += 1
        self._refused_in_a_row = 0 if interesting else self._refused_in_a_row + 1
        if _times_due(self._counts[interesting], 16):
            self._ask_again(candidate(), 1)
        if times := _times_due(self._refused_in_a_row, _DRY):
            self._ask_again(best, times)

    def ask_again(self, answered: Iterable[Document]) -> None:
        """Ask once more about each document that was asked about only once; raises Doubted.

        Costs nothing where the test is known to be flaky, or nothing is asked twice.
        """
        if self._sampled and not self.flaky:
            for document in answered:
                self._ask_again(document, 1)

    def confirm(self, result: Document) -> Trials:
        """Run the test afresh on the result; raises Doubted if it does not hold.

        Costs one run, of a flaky test twenty. Where nothing is asked twice, raises NubbinError
        instead, after three runs.
        """
        if not self.flaky:
            for runs in range(1, 1 + (1 if self._sampled else _PLAIN)):
                if self._asked(result) is Verdict.INTERESTING:
                    return Trials(1, runs)
            if self._sampled:
                raise FlakyDetected
            raise NubbinError(
                "The test is flaky: it accepted the result during the run, and refused it "
                f"{_PLAIN} times at the end. The result is the smallest that it ever accepted, but "
                "do not rely on it. Give more --runs, or leave that out, for as many as it takes."
            )
        afresh = Trials()
        for _ in range(_RUNS):
            afresh = afresh.plus(self._asked(result) is Verdict.INTERESTING)
        if self(result) is not Verdict.INTERESTING:
            raise FlakyDetected
        return afresh

    def last_interesting(self, chain: list[Document]) -> int:
        """Return the place of the last document, of a chain of ever smaller ones, that holds.

        Found by bisection: what comes from one that does not hold, does not either.
        """
        good, bad = 0, len(chain)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self(chain[middle]) is Verdict.INTERESTING:
                good = middle
            else:
                bad = middle
        return good

    def _ask_again(self, document: Document, times: int) -> None:
        while self._of(document).runs <= times:  # or it was, before the run was resumed
            self._asked(document)
        if not self._of(document).agrees:
            raise FlakyDetected

    def _asked(self, document: Document) -> Verdict:
        answer = self._ask(document)
        with self._lock:
            self.runs += 1
            interesting = answer.verdict is Verdict.INTERESTING
            trials = self._of(document).plus(interesting)
            self._trials[document.key] = trials
        self._note(document, answer, trials)
        return answer.verdict

    def _of(self, document: Document) -> Trials:
        return self._trials.get(document.key, Trials())


def _not_interesting(verdict: Verdict) -> Verdict:
    return Verdict.UNINTERESTING if verdict is Verdict.INTERESTING else verdict


def _times_due(count: int, first: int) -> int:
    """Return 1 if a count is `first`, 2 if it is four times that, 3 for sixteen, ..., else 0."""
    times = 1
    while count > first and count % 4 == 0:
        count //= 4
        times += 1
    return times if count == first else 0
