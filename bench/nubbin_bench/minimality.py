"""What Wang says of minimality, on all tests of few elements."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

from nubbin_bench.lists import drive, holding
from nubbin_core.minimizers import Settings, Subset
from nubbin_core.minimizers.published.exhaustive import Exhaustive

#: A test of n elements: for each subset, as a number of n bits, whether it is interesting.
Test = tuple[bool, ...]


def _tests(n: int) -> Iterator[Test]:
    """Yield each test of n elements that finds all of them interesting, and the empty list not."""
    for bits in range(1 << (1 << n) - 2):
        yield (False, *(bool(bits >> i & 1) for i in range((1 << n) - 2)), True)


def _singles(subset: int) -> Iterator[int]:
    """Yield a subset without each of its elements."""
    left = subset
    while left:
        yield subset & ~(left & -left)
        left &= left - 1


def _is_monotone(test: Test) -> bool:
    return all(test[s] or not any(test[part] for part in _singles(s)) for s in range(len(test)))


def _has_loose(test: Test) -> bool:
    """Tell whether a subset is 1-minimal, and yet a part of it is interesting."""
    return any(
        any(test[part] and not part & ~s for part in range(s))
        for s in range(len(test))
        if test[s] and not any(test[part] for part in _singles(s))
    )


def one_minimal(most: int) -> str:
    """Return in how many tests of up to `most` elements, at most 4, 1-minimal is not minimal."""
    tests = [test for n in range(1, most + 1) for test in _tests(n)]
    told = []
    for monotone, name in ((True, "monotone tests"), (False, "others")):
        loose = [_has_loose(test) for test in tests if _is_monotone(test) == monotone]
        told.append(f"{sum(loose):,} of {len(loose):,} {name}")
    return (
        f"{told[0]} of up to {most} elements have a 1-minimal subset that is not minimal; {told[1]}"
    )


def checking(most: int) -> str:
    """Return in how many lists that are minimal `exhaustive` takes as many queries as claimed."""
    lists = [(m, n) for m in range(2, most + 1) for n in range(1, m)]
    exact = 0
    for m, n in lists:
        start = Exhaustive.up_to(n)(Subset.full(m), Settings())
        _, asked = drive(start, holding(m, range(m)))
        exact += asked == sum(comb(m, k) for k in range(1, n + 1))
    return f"exactly that on {exact} of {len(lists)} lists of up to {most} elements that all stay"
