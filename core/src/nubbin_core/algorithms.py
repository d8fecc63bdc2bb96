"""The algorithms by name, for the search, the command line and the pages.

Each is imported when it starts, so that `--help` imports none.
"""

from __future__ import annotations

from nubbin_core.late import late

TYPE_CHECKING = False  # as in `typing`
if TYPE_CHECKING:
    from nubbin_core.minimizers.minimizer import Start

#: What starts each algorithm. docs/new-algorithm.md tells how to add one.
ALGORITHMS: dict[str, Start] = {
    name: late(f"nubbin_core.minimizers.{home}")
    for name, home in {
        "auto": "bayesian.other_sets:OtherSets.start",
        "adaptive": "published.adaptive:Adaptive.start",
        "bisect": "published.bisect:Bisect.start",
        "cdd": "published.cdd:CDD.start",
        "ddmin": "published.ddmin:Ddmin.start",
        "exhaustive": "published.exhaustive:PAIRS",
        "greedy": "published.one_by_one:Greedy.start",
        "heavy-first": "bayesian.heavy_first:HeavyFirst.start",
        "linear": "published.one_by_one:Linear.start",
        "lithium": "published.lithium:Lithium.start",
        "opdd": "published.opdd:OnePass.start",
        "probdd": "published.probdd:ProbDD.start",
        "probdd-no-random": "published.probdd:ProbDD.start_in_order",
        "waves": "bayesian.waves:Waves.start",
        "wdd": "published.wdd:WDD.start",
    }.items()
}
