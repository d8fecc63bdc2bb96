"""What Wang says of lists whose length is not a power of two, and of caches, on all small lists."""

from __future__ import annotations

from collections import Counter
from functools import cache

from nubbin_bench.lists import holding
from nubbin_bench.lithium_bounds import log2
from nubbin_bench.markdown import table
from nubbin_core.minimizers import Settings, Subset
from nubbin_core.minimizers.published.lithium import Lithium


def asked_about(n: int, essential: tuple[int, ...]) -> list[Subset]:
    """Return the subsets of N elements that Lithium asks about, in order."""
    interesting, asked = holding(n, essential), []
    state = Lithium.start(Subset.full(n), Settings())
    while wave := state.ask():
        asked += [query.kept for query in wave]
        state = state.tell(tuple(interesting(query.kept) for query in wave))
    return asked


_SPARED = "C(2^n) - n <= C(N)"
_NO_MORE = "C(N) <= C(2^n)"
_NEVER_TWICE = "no subset is asked about twice"


@cache
def _checked(most: int) -> tuple[Counter[str], Counter[str]]:
    """Return for each claim in how many problems it is false, and how many problems there are.

    Each set of essential elements among up to `most` is a problem. About 2^(most + 1) runs of
    Lithium, twice.
    """
    false: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    for n in range(2, most + 1):
        for mask in range(1, 1 << n):
            essential = tuple(i for i in range(n) if mask >> i & 1)
            subsets = asked_about(n, essential)
            repeats = len(set(subsets)) < len(subsets)
            if n == 1 << log2(n):
                claims = {f"{_NEVER_TWICE}, N = 2^n": not repeats}
            else:
                padded = len(asked_about(1 << log2(n), essential))
                claims = {
                    _SPARED: padded - log2(n) <= len(subsets),
                    _NO_MORE: len(subsets) <= padded,
                    f"{_NEVER_TWICE}, other N": not repeats,
                }
            for claim, holds in claims.items():
                problems[claim] += 1
                false[claim] += not holds
    return false, problems


def padding(most: int) -> str:
    """Return in how many problems each claim is false, of all with up to `most` elements."""
    false, problems = _checked(most)
    rows = [[claim, f"{false[claim]:,}", f"{problems[claim]:,}"] for claim in sorted(problems)]
    return table(["claim", "false", "of"], rows)


def padding_false(most: int) -> str:
    """Return in how many problems filling up spares more queries than claimed."""
    return _false(most, _SPARED)


def repeats_false(most: int) -> str:
    """Return in how many problems Lithium asks about a subset again."""
    return _false(most, _NEVER_TWICE)


def _false(most: int, claim: str) -> str:
    false, problems = (
        sum(count for name, count in counted.items() if name.startswith(claim))
        for counted in _checked(most)
    )
    return f"false in {false:,} of {problems:,} problems of up to {most} elements"
