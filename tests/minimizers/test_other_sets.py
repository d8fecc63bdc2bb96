"""Lists with several minimal sets."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset
from nubbin_core.minimizers.bayesian.auto import Auto
from nubbin_core.minimizers.bayesian.other_sets import OtherSets
from problems import Interesting, Problem, drive, problems


def alternatives(n: int, sizes: tuple[int, ...], seed: int, *, together: bool) -> Interesting:
    """Any of some disjoint sets will do, of elements anywhere or of neighbours."""
    rng = Random(seed)
    order = [at for at, size in enumerate(sizes) for _ in range(size if not together else 1)]
    order += [len(sizes)] * (n - sum(sizes))
    rng.shuffle(order)
    if together:
        order = [at for at in order for _ in range((*sizes, 1)[at])]
    sets = [Subset.of(i for i in range(n) if order[i] == at) for at in range(len(sizes))]
    return lambda kept: any(each <= kept for each in sets)


@pytest.mark.parametrize(
    ("sizes", "together"),
    [*product([(2, 6, 18), (3, 12), (1, 9, 9)], [False, True]), ((2, *(10,) * 6), True)],
)
def test_of_several_sets_it_nearly_always_finds_the_smallest(
    sizes: tuple[int, ...], together: bool
) -> None:
    over = 0
    for seed in range(12):
        interesting = alternatives(128, sizes, seed, together=together)
        state = ALGORITHMS["auto"](Subset.full(128), Settings())
        over += len(drive(state, interesting).kept) - sizes[0]
    assert over <= 12 * 0.4


@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(1, 7), min_size=1, max_size=5))
@examples(30)
def test_of_disjoint_sets_each_rest_excludes_one(seed: int, sizes: list[int]) -> None:
    """Theorem 7 of record/limits.md, but for what skips hide."""
    interesting = alternatives(60, tuple(sizes), seed, together=False)
    asked = drive(ALGORITHMS["auto"](Subset.full(60), Settings()), interesting).queries
    tried = [query for query in asked if query.kind == "other set"]
    assert len(tried) <= len(sizes) + 2 * (len(sizes) - 1)


def test_one_query_shows_that_there_is_no_other_set() -> None:
    needed = Subset.of([3, 50, 90])
    before, after = (
        drive(start(Subset.full(100), Settings()), needed.__le__)
        for start in (Auto.start, OtherSets.start)
    )
    assert after.queries[:-1] == before.queries
    assert after.queries[-1].kept == Subset.full(100).without(3, 4)


def test_a_smaller_set_that_shares_elements_with_the_result_is_found() -> None:
    """The list without the elements of the first result has no set at all."""
    shared, large, small = {40}, {100, 110, 120, 130, 140}, {10}
    sets = [Subset.of(shared | large), Subset.of(shared | small)]
    state = ALGORITHMS["auto"](Subset.full(150), Settings())
    assert drive(state, lambda kept: any(each <= kept for each in sets)).kept == sets[1]


@given(problem=problems)
@examples(40)
def test_what_is_asked_elsewhere_is_paid_by_the_first_result(problem: Problem) -> None:
    """Only what proves a smaller set may cost more; `drive` checks each step."""
    size, interesting = problem
    state = OtherSets.start(Subset.full(size), Settings())
    first = elsewhere = 0
    while wave := state.ask():
        assert isinstance(state, OtherSets)
        smaller = state.running is not None and state.kept == state.running.kept
        first += not state.found
        elsewhere += state.found and not smaller
        state = state.tell((interesting(wave[0].kept),))
    assert elsewhere <= 1.5 * first + 1


def test_a_sweep_elsewhere_ends_when_what_was_paid_is_spent() -> None:
    """A block costs few queries, and to pass as many scattered elements costs many."""
    block, others = Subset.full(30), Subset.of(range(40, 1_000, 24))
    state = OtherSets.start(Subset.full(1_000), Settings())
    asked = drive(state, lambda kept: block <= kept or others <= kept).queries
    before = [query.kind for query in asked].index("other set")
    assert 2.5 * before <= len(asked) <= 2.5 * before + 1


def test_equal_sets_do_not_cost_without_end() -> None:
    """Each of ten sets of three would be found, one after the other."""
    interesting = alternatives(300, (3,) * 10, 1, together=False)
    first = drive(Auto.start(Subset.full(300), Settings()), interesting)
    every = drive(OtherSets.start(Subset.full(300), Settings()), interesting)
    assert 2 * len(first.queries) < len(every.queries) < 2.6 * len(first.queries) + 2
