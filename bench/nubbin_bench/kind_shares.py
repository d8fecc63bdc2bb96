"""What the kinds of queries come to, in words: Finding 4 of Zhang et al. for an algorithm."""

from __future__ import annotations

from nubbin_bench.results import Results


def bottleneck(results: Results, suite: str, name: str) -> str:
    """Return what share of the queries is of the two kinds, and what share succeeds."""
    asked, succeeded = results.counts(suite, name, [name])
    two = asked["complement"] + asked["revisit"]
    well = succeeded["complement"] + succeeded["revisit"]
    if not (two and asked["other"]):
        return f"on {suite} {name} finished no case with queries of both kinds"
    return (
        f"on {suite} {100 * two / (two + asked['other']):.0f} % of {name}'s queries are "
        f"complements or revisits, of which {100 * well / two:.1f} % succeed, and "
        f"{100 * succeeded['other'] / asked['other']:.1f} % of the others"
    )
