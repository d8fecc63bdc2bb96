"""What two runs take until both have reached one size: where one is cut does not matter."""

from __future__ import annotations

from nubbin_bench.comparisons import Comparison, compared, log_ratio
from nubbin_bench.halvings import points
from nubbin_bench.results import Results
from nubbin_bench.rows import FIXPOINT

#: All ends of runs.
ENDS = (FIXPOINT, "max-queries", "max-time")


def until_the_same_size(results: Results, suite: str, one: str, other: str) -> Comparison | None:
    """Compare the queries until the last halving of the bytes that both runs came to.

    A run may be cut, because only what both have reached counts. Sizes are known to a halving (a
    half, a quarter, ...), of first seeds. Cases on which one came to no halving are left out; None
    if there is no other.
    """
    logs = []
    for case in results.cases(suite, (one, other)):
        rows = [results.runs[case, name][0] for name in (one, other)]
        fell = [points(row) for row in rows]
        reached = min(map(len, fell)) - 1
        if reached > 0:
            queries = [each[reached][0] for each in fell]
            logs.append((rows[0].defect or case, log_ratio(*queries)))
    return compared(one, other, "queries", suite, [logs])
