"""`auto` beside a table of all subsets of up to sixteen elements."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset
from problems import drive

Table = npt.NDArray[np.bool_]
"""Whether each subset is interesting; subset b has element i if bit i of b is set."""


def bits(elements: Subset | frozenset[int]) -> int:
    return sum(1 << each for each in elements)


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, Table]:
    """Up to four sets, any of which will do; or of all subsets, some at random."""
    n = draw(st.integers(11, 16))
    subsets = np.arange(1 << n)
    if draw(st.booleans()):
        some = st.frozensets(st.integers(0, n - 1), min_size=1, max_size=9)
        needed = [bits(each) for each in draw(st.lists(some, min_size=1, max_size=4))]
        return n, np.logical_or.reduce([subsets & each == each for each in needed])
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = rng.random(1 << n) < draw(st.sampled_from([0.1, 0.5]))
    table[0], table[-1] = False, True
    return n, table


@given(of=tables())
@examples(25)
def test_the_result_is_one_of_the_1_minimal_sets_and_each_removal_from_it_was_rejected(
    of: tuple[int, Table],
) -> None:
    n, table = of
    subsets, minimal = np.arange(1 << n), table.copy()
    for each in range(n):
        minimal &= ~(table[subsets & ~(1 << each)] & (subsets >> each & 1 == 1))
    trace = drive(
        ALGORITHMS["auto"](Subset.full(n), Settings()), lambda kept: bool(table[bits(kept)])
    )
    assert minimal[bits(trace.kept)]
    rejected = {
        query.kept for query, told in zip(trace.queries, trace.answers, strict=True) if not told
    }
    removals = [trace.kept.without(at, at + 1) for at in range(len(trace.kept))]
    assert rejected.issuperset(removal for removal in removals if removal)


@given(data=st.data(), n=st.integers(9, 16))
@examples(25)
def test_of_two_disjoint_sets_it_finds_the_smaller(data: st.DataObject, n: int) -> None:
    elements = data.draw(st.permutations(range(n)))
    small = data.draw(st.integers(1, n // 3))
    large = data.draw(st.integers(small + 1, n - small))
    sets = Subset.of(elements[:small]), Subset.of(elements[small : small + large])
    trace = drive(
        ALGORITHMS["auto"](Subset.full(n), Settings()),
        lambda kept: any(each <= kept for each in sets),
    )
    assert trace.kept == sets[0]
