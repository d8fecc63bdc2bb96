"""Flat lists: the families of docs/limits.md, and units that are removed together."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from zlib import crc32

from ledger.case import Case, minimized

Kept = frozenset[int]


def needs(*needed: int) -> Callable[[Kept], bool]:
    """Accept all lists that hold these elements."""
    return frozenset(needed).issubset


def scattered(n: int, m: int, size: int = 1) -> Callable[[Kept], bool]:
    """Need m elements in clusters of a size."""
    starts = Random(n + m + size).sample(range(0, n, size), m // size)
    return needs(*(start + i for start in starts for i in range(size)))


def groups(n: int, size: int, wanted: int) -> Callable[[Kept], bool]:
    """Accept whole groups, among them some that are wanted."""
    some = Random(size).sample(range(n // size), wanted)

    def test(kept: Kept) -> bool:
        whole = all((i in kept) == (i // size * size in kept) for i in range(n))
        return whole and all(group * size in kept for group in some)

    return test


def forest(n: int, wanted: int, *, uses_first: bool = False) -> Callable[[Kept], bool]:
    """Each element needs one before it, or after it; some are wanted."""
    random = Random(n + wanted)
    parents = [int(i * random.random()) for i in range(n)]
    some = random.sample(range(n), wanted)

    def test(kept: Kept) -> bool:
        held = {n - 1 - i for i in kept} if uses_first else kept
        return held.issuperset(some) and all(parents[i] in held for i in held)

    return test


def brackets(n: int, wanted: int) -> Callable[[Kept], bool]:
    """Half of the elements open what the others close; some are wanted."""
    random, opens, depth = Random(n), [], 0
    for i in range(n):
        up = depth == 0 or (depth < n - i and random.random() < 0.5)
        opens.append(up)
        depth += 1 if up else -1
    some = random.sample(range(n), wanted)

    def test(kept: Kept) -> bool:
        depth = 0
        for i in sorted(kept):
            depth += 1 if opens[i] else -1
            if depth < 0:
                return False
        return depth == 0 and kept.issuperset(some)

    return test


def at_least(n: int, least: int, *, last: bool) -> Callable[[Kept], bool]:
    """Accept what can only be cut at one end, down to some elements."""

    def test(kept: Kept) -> bool:
        size = len(kept)
        ends = range(n - size, n) if last else range(size)
        return size >= least and kept == frozenset(ends)

    return test


def noise(n: int, odds: int) -> Callable[[Kept], bool]:
    """Accept one list in some at random."""

    def test(kept: Kept) -> bool:
        return len(kept) == n or (bool(kept) and crc32(repr(sorted(kept)).encode()) % odds == 0)

    return test


def interval(n: int, middle: int) -> Callable[[Kept], bool]:
    """Accept what is connected, around one element."""
    return lambda kept: middle in kept and max(kept) - min(kept) + 1 == len(kept)


def either(*sets: range) -> Callable[[Kept], bool]:
    """Accept what holds any of these sets."""
    return lambda kept: any(kept.issuperset(each) for each in sets)


ROWS: dict[str, tuple[int, Callable[[Kept], bool]]] = {
    "one of 1000": (1000, needs(613)),
    "scattered 10 of 1000": (1000, scattered(1000, 10)),
    "scattered 30 of 300": (300, scattered(300, 30)),
    "scattered 90 of 100": (100, scattered(100, 90)),
    "clusters of 3": (300, scattered(300, 30, 3)),
    "clusters of 10": (500, scattered(500, 100, 10)),
    "clusters of 50": (500, scattered(500, 100, 50)),
    "first 50": (500, needs(*range(50))),
    "last 50": (500, needs(*range(450, 500))),
    "middle 50": (500, needs(*range(200, 250))),
    "first, at least 64": (256, at_least(256, 64, last=False)),
    "last, at least 64": (256, at_least(256, 64, last=True)),
    "interval around 2": (256, interval(256, 2)),
    "forest": (200, forest(200, 3)),
    "uses first": (200, forest(200, 3, uses_first=True)),
    "brackets": (200, brackets(200, 3)),
    "groups of 2": (200, groups(200, 2, 3)),
    "groups of 3": (201, groups(201, 3, 3)),
    "groups of 4": (200, groups(200, 4, 3)),
    "groups of 5": (200, groups(200, 5, 3)),
    "groups of 7": (203, groups(203, 7, 3)),
    "groups of 2 in 1000": (1000, groups(1000, 2, 5)),
    "groups of 4 in 512": (512, groups(512, 4, 8)),
    "noise 1 in 2": (100, noise(100, 2)),
    "noise 1 in 8": (100, noise(100, 8)),
    "either of three": (300, either(range(20, 30), range(100, 104), range(250, 270))),
}
#: No chunk of a halving holds whole units only.
OPEN = {"brackets"}

CASES = [
    Case(
        f"list: {name}",
        "list",
        lambda n=n, test=test: minimized(n, test),  # type: ignore[misc]
        "units that no halving finds" if name in OPEN else "",
    )
    for name, (n, test) in ROWS.items()
]
