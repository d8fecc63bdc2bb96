"""Numbers of queries: the sources' own figures and bounds."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_bench.studied import STUDIED
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset
from nubbin_core.minimizers.published.adaptive import Adaptive
from nubbin_core.minimizers.published.cdd import CDD, best_size
from nubbin_core.minimizers.published.probdd import ProbDD, at_random
from problems import Needs, Trace, drive, unique

Unique = tuple[int, frozenset[int]]


def solve(name: str, problem: Unique, options: Settings | None = None) -> Trace:
    """Run an algorithm on the problem of finding the only minimal set."""
    size, essential = problem
    state = STUDIED[name](Subset.full(size), options or Settings())
    return drive(state, Needs((essential,)))


@given(problem=unique(st.integers(1, 60)))
def test_linear_takes_n_plus_k(problem: Unique) -> None:
    size, essential = problem
    extra = len(essential) if len(essential) < size else 0
    assert len(solve("linear", problem).queries) == size + extra


@given(problem=unique(st.integers(1, 30)))
def test_greedy_visits_what_it_rejected_again_after_every_success(problem: Unique) -> None:
    size, essential = problem
    deleted = set(range(size)) - essential
    expected = len(deleted) + len(essential)
    expected += sum(1 for d in deleted for e in essential if e < d)
    trace = solve("greedy", problem)
    assert len(trace.queries) == expected
    rejected_once = sum(
        not a for a, kind in zip(trace.answers, trace.kinds, strict=True) if kind == "single"
    )
    assert rejected_once == len(essential)


def test_greedy_deletes_in_the_articles_order() -> None:
    """MacIver's example: 1 to 10, of which the even numbers can go."""
    trace = solve("greedy", (10, frozenset(range(0, 10, 2))))
    everything, deletes = set(range(1, 11)), []
    for query, answer in zip(trace.queries[:6], trace.answers[:6], strict=True):
        (gone,) = everything - {i + 1 for i in query.kept}
        deletes.append((gone, answer))
        everything -= {gone} if answer else set()
    assert deletes == [(1, False), (2, True), (1, False), (3, False), (4, True), (1, False)]


@given(problem=unique(st.integers(2, 100)))
def test_bisect_takes_a_logarithm_for_each_element_found(problem: Unique) -> None:
    size, essential = problem
    most = len(essential) * math.ceil(math.log2(size)) + math.ceil(math.log2(size + 1))
    assert len(solve("bisect", problem).queries) <= most


@pytest.mark.parametrize(
    ("block", "ratio"),
    [
        (1, "1.000000"),
        (2, "1.000000"),
        (3, "1.000000"),
        (4, "1.000000"),
        (5, "1.000000"),
        (6, "1.142857"),
        (7, "1.000000"),
        (8, "1.111111"),
        (9, "1.000000"),
        (10, "0.909091"),
        (11, "0.833333"),
    ],
)
def test_adaptive_deletes_a_block_at_the_articles_ratio_to_greedy(block: int, ratio: str) -> None:
    assert f"{queries_for_a_block(block) / (block + 1):.6f}" == ratio


def test_adaptive_is_better_than_greedy_for_all_longer_blocks() -> None:
    assert all(queries_for_a_block(block) < block + 1 for block in range(10, 300))


def queries_for_a_block(block: int) -> int:
    """Count the queries until a block is gone and what follows it known to stay."""
    size = 4 * block + 20
    interesting = Needs((frozenset(range(block, size)),))
    state, queries = Adaptive.start(Subset.full(size), Settings()), 0
    while state.at == 0:
        (query,) = state.ask()
        state, queries = state.tell((interesting(query.kept),)), queries + 1
    assert len(state.kept) == size - block
    return queries


@given(levels=st.integers(0, 7), data=st.data())
def test_quickxplain_stays_within_the_papers_bound(levels: int, data: st.DataObject) -> None:
    """Junker's Theorem 1 is of lists in which every split is even."""
    size = 2**levels
    essential = data.draw(st.frozensets(st.integers(0, size - 1), min_size=1))
    found = len(essential)
    most = 2 * found * math.log2(size / found) + 2 * found
    assert len(solve("quickxplain", (size, essential)).queries) <= most


@given(problem=unique(st.integers(1, 200)))
def test_progression_takes_a_logarithm_of_each_gap(problem: Unique) -> None:
    size, essential = problem
    ends = [*sorted(essential), size]
    gaps = [after - before - 1 for before, after in pairwise(ends)]
    most = sum(2 * int(math.log2(gap + 1)) + 1 for gap in gaps)
    most += min(essential) and math.ceil(math.log2(min(essential) + 1))
    assert len(solve("progression", problem).queries) <= most
    share = size / len(essential)
    assert most <= len(essential) * (2 * math.log2(share) + 1) + math.log2(size + 1) + 1


@given(problem=unique(st.integers(1, 60)))
def test_adaptive_takes_at_most_8_for_7_of_linear(problem: Unique) -> None:
    linear = len(solve("linear", problem).queries)
    assert len(solve("adaptive", problem).queries) <= linear * 8 / 7


@given(size=st.integers(2, 600), data=st.data())
@examples(50)
def test_ddmin_at_its_best_is_a_binary_search(size: int, data: st.DataObject) -> None:
    """Zeller and Hildebrandt: at most 2 log2 N, here with halves that may leave one over."""
    essential = frozenset({data.draw(st.integers(0, size - 1))})
    assert len(solve("ddmin", (size, essential)).queries) <= 3 * math.log2(size)
    if size & size - 1 == 0:
        assert len(solve("ddmin", (size, essential)).queries) <= 2 * math.log2(size)


@given(problem=unique(st.integers(2, 100)))
def test_opdd_is_linear(problem: Unique) -> None:
    size, _ = problem
    assert len(solve("opdd", problem).queries) <= 2 * size + math.log2(size)


@given(problem=unique(st.integers(2, 100)), p0=st.floats(0.001, 0.99))
def test_cdd_is_linear(problem: Unique, p0: float) -> None:
    size, _ = problem
    rounds = 1 + math.ceil(max(0.0, math.log(1 / p0, 1.582)))
    assert len(solve("cdd", problem, Settings(p0=p0)).queries) <= 3 * size + rounds


@given(chance=st.floats(0.0005, 0.9999))
def test_the_best_size_is_the_better_of_floor_and_ceiling(chance: float) -> None:
    """Zhang et al., Lemma III.3, up to the rounding of a tie."""

    def gain(size: int) -> float:
        return size * (1 - chance) ** size

    optimum = -1 / math.log1p(-chance)
    lemma = max(gain(max(math.floor(optimum), 1)), gain(math.ceil(optimum)))
    assert gain(best_size(chance)) == pytest.approx(lemma, rel=1e-9)


def test_of_two_best_sizes_the_larger_is_taken() -> None:
    assert [best_size(chance) for chance in (0.5, 0.25, 0.2, 0.1)] == [2, 4, 5, 10]


def test_cdd_shrinks_its_subsets_round_by_round() -> None:
    rounds = [CDD(Subset.full(8), 0.1, r) for r in range(6)]
    assert [state.size for state in rounds] == [10, 6, 3, 2, 1, 1]
    assert all(b.chance / a.chance == pytest.approx(1.582) for a, b in pairwise(rounds[:5]))
    assert CDD(Subset.full(8), 0.1, 6).chance == 1


@given(problem=unique(st.integers(1, 80)), seed=st.integers(0, 9))
def test_probdd_knows_its_chances(problem: Unique, seed: int) -> None:
    """Every group is of elements still kept, each once, and below certainty."""
    size, essential = problem
    state = ALGORITHMS["probdd"](Subset.full(size), Settings(p0=0.1, seed=seed))
    while wave := state.ask():
        (query,) = wave
        assert isinstance(state, ProbDD)
        groups = [*state.chosen, *state.rest]
        held = [i for _, members in groups for i in members]
        assert len(held) == len(set(held)) and set(held) <= set(state.kept)
        assert all(0 < p < 1 for p, _ in groups)
        state = state.tell((essential <= set(query.kept),))


def test_probdds_draws_are_fair() -> None:
    """Each of ten elements is drawn first about as often as the others, over 2,000 seeds."""
    counts = [0] * 10
    for seed in range(2000):
        for index in at_random(seed, Subset.full(10), 3, 0):
            counts[index] += 1
    assert sum(counts) == 6000
    assert all(500 <= count <= 700 for count in counts)


def test_probdds_draws_depend_on_seed_and_step() -> None:
    everything = Subset.full(1000)
    draws = {at_random(seed, everything, 5, step) for seed in range(4) for step in range(4)}
    assert len(draws) == 16
    assert at_random(3, everything, 5, 2) == at_random(3, everything, 5, 2)
    assert at_random(3, everything, 1000, 2) == everything


def test_weights_balance_the_parts() -> None:
    weights = [8, 1, 1, 1, 1, 4]
    trace = drive(
        ALGORITHMS["wdd"](Subset.full(6), Settings(weights=weights)), Needs((frozenset({5}),))
    )
    assert trace.asked[:5] == [[0], [1, 2, 3, 4, 5], [1, 2, 3, 4], [5], []]
