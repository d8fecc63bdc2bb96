"""A test that may be flaky: believed after one run, or only after as many as it takes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping

from nubbin.documents.document import Document
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Answer
from nubbin.oracles.verdict import Verdict
from nubbin.search.trials import Trials, sprt

#: The rate of the original is measured until this many runs were interesting.
_RATE_SUCCESSES = 20
#: A test that finds the original interesting less often than this, in this many runs, is no use.
_MIN_SUCCESSES = 5
_MIN_SUCCESSES_RUNS = 60

#: Runs that measure the rate of the result.
_RESULT_RUNS = 20

#: Runs of the result if the user gives the number of runs of a candidate.
_GIVEN_RESULT_RUNS = 3

#: Refusals in a row after which the best is run again: it may never have been interesting.
_MAX_REFUSALS_IN_A_ROW = 64


class FlakyDetected(Exception):
    """A test has answered differently when it was asked again about a document."""

    def __init__(self, document: Document):
        super().__init__()
        self.document = document


class FlakyAwareTest:
    """Asks a test about documents: once each, and if it proves flaky, as often as it takes.

    To find out whether it is flaky, some questions are asked twice: the 16th, 64th, 256th, ...
    candidate accepted and refused, the best after 64, 256, ... refusals in a row, and at the end
    the removals that prove the result 1-minimal (`ask_again`). If it is, a candidate is accepted
    when its rate is as good as the original's (`nubbin.search.trials.sprt`); all trials of it
    count. With `sampled` False nothing is asked twice.

    `known` are trials from earlier, by the key of a document; `runs` counts them as well. `note` is
    called with every answer and the trials after it. May be called by several threads.
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
        """Return the verdict; costs one run, or if the test is flaky, as many as it takes."""
        if not self.flaky:
            return self.run(document)
        # The rate of the original is an estimate: a rate slightly below it is as good.
        rate, _ = self.rate.interval(1.0)
        verdict = Verdict.UNINTERESTING
        while (good := sprt(self._of(document), rate)) is None:
            verdict = self.run(document)
        return Verdict.INTERESTING if good else _not_interesting(verdict)

    @property
    def rate(self) -> Trials:
        """How often the original was interesting."""
        return self._of(self._original)

    def measure_rate(self) -> None:
        """Treat the test as flaky from now on; costs twenty interesting runs on the original.

        Raises NubbinError if hardly any run is interesting.
        """
        self.flaky = True
        while self.rate.yes < _RATE_SUCCESSES:
            if self.rate.runs >= _MIN_SUCCESSES_RUNS and self.rate.yes < _MIN_SUCCESSES:
                raise NubbinError(
                    f"The test is flaky, and found {self._original.title} interesting in "
                    f"{self.rate.yes} of {self.rate.runs} runs only: too seldom to reduce it. Make "
                    "it answer alike more often: fix seeds, the number of threads and the clock, "
                    "or run the tool several times in it; or give --runs N, which does the latter."
                )
            self.run(self._original)

    def start_over(self, original: Trials) -> None:
        """Forget all trials, but for these of the original."""
        self._trials = {self._original.key: original}

    # -- asked again -------------------------------------------------------------------------

    def sample(self, verdict: Verdict, candidate: Callable[[], Document], best: Document) -> None:
        """Count an answer that was needed, and ask a few again; raises FlakyDetected."""
        if self.flaky or not self._sampled or verdict is Verdict.UNRESOLVED:
            return
        interesting = verdict is Verdict.INTERESTING
        self._counts[interesting] += 1
        self._refused_in_a_row = 0 if interesting else self._refused_in_a_row + 1
        if _times_due(self._counts[interesting], 16):
            self._ask_again(candidate(), 1)
        if times := _times_due(self._refused_in_a_row, _MAX_REFUSALS_IN_A_ROW):
            self._ask_again(best, times)

    def ask_again(self, answered: Iterable[Document]) -> None:
        """Ask again about each document that was asked about only once; raises FlakyDetected.

        Costs nothing if the test is known to be flaky, or if nothing is asked twice.
        """
        if self._sampled and not self.flaky:
            for document in answered:
                self._ask_again(document, 1)

    def confirm(self, result: Document) -> Trials:
        """Run the test again on the result; raises FlakyDetected if it does not hold.

        Costs one run, or twenty if the test is flaky. If nothing is asked twice, raises NubbinError
        instead, after three runs.
        """
        if not self.flaky:
            for runs in range(1, 1 + (1 if self._sampled else _GIVEN_RESULT_RUNS)):
                if self.run(result) is Verdict.INTERESTING:
                    return Trials(1, runs)
            if self._sampled:
                raise FlakyDetected(result)
            raise NubbinError(
                "The test is flaky: it accepted the result during the run, and refused it "
                f"{_GIVEN_RESULT_RUNS} times at the end. The result is the smallest that it ever "
                "accepted, but do not rely on it. Give more --runs, or leave that out, for as many "
                "as it takes."
            )
        again = Trials()
        for _ in range(_RESULT_RUNS):
            again = again.plus(self.run(result) is Verdict.INTERESTING)
        if self(result) is not Verdict.INTERESTING:
            raise FlakyDetected(result)
        return again

    def last_interesting(self, chain: list[Document]) -> int:
        """Return the index of the last document that holds, in a chain of shrinking documents.

        Found by bisection: if one does not hold, those made from it do not either.
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
            self.run(document)
        if not self._of(document).agrees:
            raise FlakyDetected(document)

    def run(self, document: Document) -> Verdict:
        """Run the test once on a document."""
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
