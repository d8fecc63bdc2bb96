"""What MacIver says besides: two quadratic cases, the plain probe, and where greedy is better."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import numpy as np

from nubbin_bench.lists import Interesting, prefix, scattered, suffix
from nubbin_bench.markdown import table
from nubbin_bench.theory import article_ddmin, asked

_SEGMENTS = {"1..k": prefix, "k..N": suffix}
_SIZES = (32, 64, 128)


def _segment(name: str, n: int) -> Interesting:
    _, interesting = _SEGMENTS[name](n, 1)(np.random.default_rng(0))
    return interesting


def segments() -> str:
    """Return the queries when any of the segments 1..k, or k..N, is interesting."""
    rows = []
    for name in _SEGMENTS:
        for n in _SIZES:
            interesting = _segment(name, n)
            counts = [asked(each, n, interesting) for each in ("greedy", "linear", "adaptive")]
            counts += [article_ddmin(n, interesting), asked("auto", n, interesting)]
            rows.append([f"{name}, N={n}", *(f"{count:,}" for count in counts)])
    head = ["interesting", "greedy", "greedy, going on", "adaptive", "article's ddmin", "auto"]
    return table(head, rows)


def growth(name: str) -> str:
    """Return how greedy's queries on segments grow if N doubles: going on, and starting again."""
    grown = []
    for each in ("linear", "greedy"):
        before, after = (asked(each, n, _segment(name, n)) for n in _SIZES[-2:])
        order = "linear" if after / before < 3 else "quadratic"
        grown.append(f"{order} ({after / before:.1f} times the queries if N doubles)")
    return f"going on, {grown[0]}; starting again, {grown[1]}"


@cache
def _starting_again(n: int, k: int) -> float:
    """Return the queries of greedy that starts again, with k of N scattered, over k² + N."""
    return asked("greedy", *scattered(n, k)(np.random.default_rng(0))) / (k * k + n)


def starting_again(*sizes: int) -> str:
    """Return these ratios."""
    rows = [[f"k={k}", *(f"{_starting_again(n, k):.2f}" for n in sizes)] for k in (5, 10, 20)]
    return table(["greedy, starting again", *(f"N={n}" for n in sizes)], rows)


def starting_again_at(k: int, *sizes: int) -> str:
    """Return some of these ratios, in words."""
    return ", ".join(f"{_starting_again(n, k):.2f} times that with N={n}" for n in sizes)


def plain_probe(block: int) -> int:
    """Return the calls that find a block's length without the linear part: double, then halve."""
    known = {0: True}

    def goes(length: int) -> bool:
        return known.setdefault(length, length <= block)

    low, high = 0, 1
    while goes(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if goes(middle) else (low, middle)
    return len(known) - 1


def plain_probe_most() -> str:
    """Return where the plain probe takes most, over greedy's block + 1."""
    blocks = range(1, 1025)
    worst = max(blocks, key=lambda block: plain_probe(block) / (block + 1))
    ratio = plain_probe(worst) / (worst + 1)
    return f"up to {ratio - 1:.0%} more, for a block of {worst}"


def probes() -> str:
    """Return the plain probe's calls over greedy's block + 1."""
    blocks = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64)
    ratios = [plain_probe(block) / (block + 1) for block in blocks]
    return table(
        ["block size", *map(str, blocks)], [["plain probe", *(f"{each:.2f}" for each in ratios)]]
    )


@cache
def _against_greedy(n: int, draws: int, share: float) -> float:
    """Return the calls of the article's ddmin over those of greedy that goes on."""
    problem = scattered(n, round(share * n))
    lists: list[Interesting] = [problem(np.random.default_rng(seed))[1] for seed in range(draws)]
    ddmin = fmean(article_ddmin(n, each) for each in lists)
    return ddmin / fmean(asked("linear", n, each) for each in lists)


def crossover(n: int, draws: int) -> str:
    """Return these ratios for shares of essential elements."""
    shares = (0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.5, 0.8, 1.0)
    row = [f"{_against_greedy(n, draws, share):.2f}" for share in shares]
    head = ["essential", *(f"{share:.0%}" for share in shares)]
    return table(head, [["article's ddmin / greedy, going on", *row]])


def crossover_at(n: int, draws: int, *shares: float) -> str:
    """Return some of these ratios, in words."""
    ratios = (f"{_against_greedy(n, draws, share):.2f} times at {share:.0%}" for share in shares)
    return ", ".join(ratios)
