"""What every registered algorithm is held to, whatever it is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_bench.studied import ONE_MINIMAL, PROGRAMS, STUDIED
from nubbin_core.minimizers import (
    ALGORITHMS,
    EMPTY,
    LastElement,
    Minimizer,
    Settings,
    Subset,
    is_minimal,
)
from problems import Needs, Problem, drive, monotone, problems, unique

EVERY = {**STUDIED, **PROGRAMS}
every = pytest.mark.parametrize("name", sorted(EVERY))
chances = st.floats(0.001, 0.95)
prices = st.sampled_from([1.0, 30.0, 1 / 30])


@st.composite
def options(draw: st.DrawFn) -> Settings:
    weights = draw(st.one_of(st.just([]), st.lists(st.integers(0, 9), min_size=14, max_size=14)))
    seed = draw(st.integers(0, 99))
    return Settings(p0=draw(chances), seed=seed, weights=weights, price=draw(prices))


def started(name: str, size: int, options: Settings) -> Minimizer:
    """Start an algorithm on a list, with as many weights as that has elements."""
    weights = options.weights[:size]
    return EVERY[name](Subset.full(size), options._replace(weights=weights))


@every
@given(problem=problems, options=options())
@examples(60)
def test_ends_interesting_and_as_minimal_as_promised(
    name: str, problem: Problem, options: Settings
) -> None:
    size, interesting = problem
    trace = drive(started(name, size, options), interesting)
    assert interesting(trace.kept)
    if name in ONE_MINIMAL:
        assert is_minimal(interesting, trace.kept, 1)


@every
@given(problem=monotone(), options=options())
@examples(60)
def test_ends_minimal_in_a_monotone_problem(name: str, problem: Problem, options: Settings) -> None:
    size, interesting = problem
    trace = drive(started(name, size, options), interesting)
    assert is_minimal(interesting, trace.kept, 1)  # which is minimal, here


@every
@given(problem=unique(), options=options())
@examples(60)
def test_finds_the_only_minimal_set(
    name: str, problem: tuple[int, frozenset[int]], options: Settings
) -> None:
    size, essential = problem
    trace = drive(started(name, size, options), Needs((essential,)))
    assert trace.kept == Subset.of(essential)


@every
@given(some=st.sets(st.integers(0, 13), min_size=1), data=st.data(), options=options())
@examples(40)
def test_starts_from_any_subset(
    name: str, some: set[int], data: st.DataObject, options: Settings
) -> None:
    essential = data.draw(st.frozensets(st.sampled_from(sorted(some)), min_size=1))
    trace = drive(EVERY[name](Subset.of(some), options), Needs((essential,)))
    assert trace.kept == Subset.of(essential)


@every
@given(problem=problems, empty=st.booleans(), options=options())
@examples(40)
def test_asked_about_the_last_element_as_well_nothing_is_left_unproved(
    name: str, problem: Problem, empty: bool, options: Settings
) -> None:
    size, interesting = problem
    state = LastElement(started(name, size, options))
    trace = drive(state, lambda kept: interesting(kept) if kept else empty)
    assert len(trace.kept) != 1 or EMPTY in [query.kept for query in trace.queries]
    assert not (empty and len(trace.kept) == 1)


@every
def test_has_nothing_to_ask_about_nothing(name: str) -> None:
    assert EVERY[name](EMPTY, Settings()).ask() == ()


@every
@given(problem=problems, options=options())
@examples(20)
def test_goes_the_same_way_every_time(name: str, problem: Problem, options: Settings) -> None:
    size, interesting = problem
    first, second = (drive(started(name, size, options), interesting) for _ in range(2))
    assert first == second


@every
def test_needs_one_answer_for_each_question(name: str) -> None:
    state = EVERY[name](Subset.full(5), Settings())
    with pytest.raises(ValueError, match="unpack"):
        state.tell((False,) * (len(state.ask()) + 1))


def test_the_promise_is_about_registered_algorithms() -> None:
    assert set(ALGORITHMS) > ONE_MINIMAL


@pytest.mark.parametrize("p0", [-0.1, 0.0, 1.0, float("nan")])
def test_settings_refuse_what_is_no_prior_probability(p0: float) -> None:
    with pytest.raises(ValueError, match="p0"):
        Settings(p0=p0)


@pytest.mark.parametrize("price", [-1.0, 0.0, math.inf, math.nan])
def test_settings_refuse_what_is_no_price(price: float) -> None:
    with pytest.raises(ValueError, match="price"):
        Settings(price=price)


def test_settings_refuse_a_negative_seed() -> None:
    with pytest.raises(ValueError, match="seed"):
        Settings(seed=-1)
