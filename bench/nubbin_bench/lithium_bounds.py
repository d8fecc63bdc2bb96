"""Wang's bounds for Lithium, constants included ("Analysis of Lithium's algorithm").

N elements, n = ceil(log2 N); M of them remain, m = ceil(log2 M), in C clusters.
"""

from __future__ import annotations

from nubbin_core.minimizers import Subset


def log2(count: int) -> int:
    """Return the logarithm, rounded up."""
    return (count - 1).bit_length()


def best(size: int, left: int) -> int:
    """Return the best case."""
    return log2(size) + left - 1


def prefix(size: int, left: int) -> int:
    """Return the bound if what remains is a prefix: one cluster in the best place."""
    n, m = log2(size), log2(left)
    return int(1 + 2 * (n - m) + (2**m - 1) + 2**m + left)


def clustered(size: int, left: int, clusters: int) -> int:
    """Return the bound for C clusters.

    At most 2 C chunks survive down to size 2^m, and twice as many at each size after it.
    """
    n, m = log2(size), log2(left)
    tries = (
        min(2**k, 4 * clusters * 2 ** max(0, k - 1 - (n - m)), 2 * left) for k in range(1, n + 1)
    )
    return int(sum(tries) + left)


def monotone(size: int, left: int) -> int:
    """Return Wang's sums. The total he prints is one less, and two of four elements exceed it."""
    n, m = log2(size), log2(left)
    return int(2 ** (m + 1) - 2 + left * (2 * (n - m) + 1))


def worst(size: int, left: int) -> int:
    """Return the worst case, without monotonicity."""
    return int(2 ** log2(size) - 2 + (size * (size + 1) - left * (left - 1)) // 2)


def quadratic(size: int, kept: Subset) -> bool:
    """Tell whether Wang's worst case, mirrored, is interesting; `size` is a power of two.

    As he prints it, one pass from the front is enough.
    """
    if len(kept.runs) != 1:
        return False
    ((start, stop),) = kept.runs
    half = size // 2
    return (stop == size and start < half) or (start == half - 1 and stop < size)
