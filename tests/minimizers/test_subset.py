"""Subset against Python's own sets and lists."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin_core.minimizers import EMPTY, Subset

index_sets = st.sets(st.integers(0, 60))


@given(index_sets)
def test_holds_what_it_was_given(members: set[int]) -> None:
    subset = Subset.of(members)
    assert list(subset) == sorted(members)
    assert len(subset) == len(members)
    assert bool(subset) == bool(members)
    assert all((i in subset) == (i in members) for i in range(-1, 63))
    assert [i for start, stop in subset.runs for i in range(start, stop)] == sorted(members)


@given(index_sets)
def test_positions_are_those_of_the_sorted_list(members: set[int]) -> None:
    subset, listed = Subset.of(members), sorted(members)
    assert [subset[i] for i in range(len(listed))] == listed
    assert [subset.rank(i) for i in range(62)] == [sum(m < i for m in listed) for i in range(62)]
    with pytest.raises(IndexError):
        subset[len(listed)]


@given(index_sets, st.integers(0, 62), st.integers(0, 62))
def test_slices_and_without_split_the_list(members: set[int], lo: int, hi: int) -> None:
    subset, listed = Subset.of(members), sorted(members)
    assert list(subset[lo:hi]) == listed[lo:hi]
    rest = subset.without(lo, hi)
    assert list(rest) == listed[:lo] + listed[max(lo, hi) :]
    assert rest == Subset.of(rest)
    assert rest.digest == Subset.of(list(rest)).digest


@given(index_sets, index_sets)
def test_is_a_set(a: set[int], b: set[int]) -> None:
    one, two = Subset.of(a), Subset.of(b)
    assert set(one | two) == a | b
    assert set(one & two) == a & b
    assert set(one - two) == a - b
    assert (one <= two) == (a <= b)
    assert (one < two) == (a < b)
    assert one.isdisjoint(two) == a.isdisjoint(b)
    assert (one == two) == (a == b) == (one.digest == two.digest)
    assert (one | two) == Subset.of(a | b)
    assert len({one | two, Subset.of(a | b)}) == 1


@given(index_sets, index_sets)
def test_parts_come_and_go(a: set[int], b: set[int]) -> None:
    whole, part = Subset.of(a | b), Subset.of(a)
    assert whole.less(part) == Subset.of(b - a)
    assert len(whole.less(part)) == len(b - a)
    assert whole.less(part).digest == Subset.of(b - a).digest
    assert part.plus(Subset.of(b - a)) == whole
    assert len(part.plus(Subset.of(b - a))) == len(a | b)
    assert part.plus(Subset.of(b - a)).digest == Subset.of(a | b).digest


@given(index_sets, st.data())
def test_takes_positions_in_any_order(members: set[int], data: st.DataObject) -> None:
    listed = sorted(members)
    positions = data.draw(st.lists(st.integers(0, len(listed) - 1)) if listed else st.just([]))
    taken = Subset.of(members).take(positions)
    assert taken == Subset.of([listed[i] for i in positions])


@given(st.integers(0, 2**40), st.integers(1, 2**20))
def test_a_run_is_digested_the_same_by_either_way(start: int, length: int) -> None:
    """One run is digested by itself, several together; taking one from the other must agree."""
    run = Subset(array("q", (start, start + length)))
    both = Subset(array("q", (start, start + length, start + length + 1, start + length + 3)))
    assert both.less(run).digest == Subset(both.bounds[2:]).digest


@given(index_sets)
def test_digest_adds_up(members: set[int]) -> None:
    subset = Subset.of(members)
    assert [*subset.digests_without_each()] == [
        Subset.of(members - {i}).digest for i in sorted(members)
    ]


def test_a_million_elements_are_two_numbers() -> None:
    everything = Subset.full(1_000_000)
    assert everything.bounds.tolist() == [0, 1_000_000]
    assert everything.without(10, 999_990).runs == [(0, 10), (999_990, 1_000_000)]
    assert Subset.full(0) == EMPTY == Subset.of([])
