"""Confirm the result of a reduction with more runs of the test."""

from __future__ import annotations

import math
import time
from contextlib import closing
from itertools import repeat

from nubbin_core.errors import NubbinError
from nubbin_core.search.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin_core.search.trials import C, Trials
from nubbin_core.verdict import Verdict

#: The test runs twelve times on the result. If that takes over a second and over a tenth of the
#: time of all queries, it runs less often, but at least six times, and once for each worker. A
#: result that is interesting in half of its runs passes twelve runs with a probability of 0.0002,
#: six runs with 0.016.
_RESULT_RUNS = 12
_MIN_RESULT_RUNS = 6
_MAX_RESULT_S = 1.0
_MAX_RESULT_SHARE = 0.1

#: If the test is flaky, it runs twenty times on the result, and twenty times more until the 99 %
#: intervals of the result's rate and the original's are disjoint, but at most 400 times. A result
#: as good as the original is rejected in 0.1 % of all cases if that rate is 0.9, in 1 % if it is a
#: half or a fifth.
_FLAKY_RESULT_RUNS = 20
_MAX_FLAKY_RESULT_RUNS = 400
_APART_DEVIATIONS = 2.58

#: How often the test runs on the result if the user sets the number of runs of a candidate.
_GIVEN_RESULT_RUNS = 3


def confirm(test: FlakyAwareTest[C], result: C) -> Trials:
    """Run a test again on a result; raises FlakyDetected if the result does not hold.

    Costs twelve runs. If these take over a second and over a tenth of the time of all queries, it
    costs fewer, but at least six, and as many as the pool makes at once. If the test is flaky, it
    costs twenty runs, whose rate is compared with the original's; if it is below the original's
    interval, up to 400 runs of each. If the test is not `sampled`, costs up to three runs, until
    one is interesting, and raises NubbinError if none is.
    """
    test.settle()
    if not test.sampled:
        return _confirmed_once(test, result)
    return _compared(test, result) if test.flaky else _repeated(test, result)


def _confirmed_once(test: FlakyAwareTest[C], result: C) -> Trials:
    for runs in range(1, 1 + _GIVEN_RESULT_RUNS):
        if test.run(result) is Verdict.INTERESTING:
            return Trials(1, runs)
    raise NubbinError(
        "The test is flaky: it accepted the result during the run, and rejected it "
        f"{_GIVEN_RESULT_RUNS} times at the end. The result is the smallest that it ever "
        "accepted, but do not rely on it. Give more --runs, or leave that out, for as many "
        "as it takes."
    )


def _repeated(test: FlakyAwareTest[C], result: C) -> Trials:
    """Run a test that should find the result interesting every time.

    Repeated runs from before the reduction was resumed count; the run that accepted the result does
    not.
    """
    before, runs, seconds = max(0, test.trials(result).runs - 1), 0, 0.0
    least = min(max(_MIN_RESULT_RUNS, test.pool.width), _RESULT_RUNS)
    most_s = max(_MAX_RESULT_S, _MAX_RESULT_SHARE * test.seconds)

    def timed(candidate: C) -> tuple[Verdict, float]:
        begun = time.monotonic()
        return test.run(candidate), time.monotonic() - begun

    due = max(1, least - before)
    while due > 0:
        with closing(test.pool.each(timed, repeat(result, due))) as answers:
            for verdict, took in answers:
                if verdict is not Verdict.INTERESTING:
                    raise FlakyDetected(result)
                runs, seconds = runs + 1, seconds + took
        affordable = (most_s - seconds) / seconds * runs if seconds else math.inf
        due = min(_RESULT_RUNS - before - runs, math.ceil(min(affordable, _RESULT_RUNS)))
    return Trials(runs, runs)


def _compared(test: FlakyAwareTest[C], result: C) -> Trials:
    """Compare the rate of a result with the original's, unless they are the same."""
    again = test.run_often(result, _FLAKY_RESULT_RUNS)
    while result.key != test.original.key:
        holds = test(result) is Verdict.INTERESTING
        if holds and again.rate >= test.rate.interval()[0]:
            break
        lowest, _ = test.rate.interval(_APART_DEVIATIONS)
        _, highest = again.interval(_APART_DEVIATIONS)
        if not holds or highest < lowest or again.runs >= _MAX_FLAKY_RESULT_RUNS:
            test.reject(result)
            raise FlakyDetected(result)
        test.run_often(test.original, _FLAKY_RESULT_RUNS)
        more = test.run_often(result, _FLAKY_RESULT_RUNS)
        again = Trials(again.yes + more.yes, again.runs + more.runs)
    return again
