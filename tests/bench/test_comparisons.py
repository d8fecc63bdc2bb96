"""Intervals, effects, Holm's correction, and sentences that change when the data does."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_bench.comparisons import MIN_DEFECTS, Comparison, compared, log_ratio
from nubbin_bench.conclusions import brief, conclusion, figures, primary
from nubbin_bench.family import Family, holm

logs = st.lists(st.sampled_from([-2.0, -0.7, -0.1, 0.0, 0.1, 0.7, 2.0]), min_size=MIN_DEFECTS)


def comparison(*ratios: float, metric: str = "queries", suite: str = "xml") -> Comparison:
    logs = tuple(log_ratio(x, 1) for x in ratios)
    return Comparison("cdd", "ddmin", metric, suite, (logs,), len(logs))


def mirrored(compared: Comparison) -> Comparison:
    """The same cases with the algorithms swapped."""
    samples = tuple(tuple(-each for each in sample) for sample in compared.samples)
    return replace(compared, one=compared.other, other=compared.one, samples=samples)


@pytest.mark.nightly
@given(logs=logs)
@examples(15)
def test_an_interval_holds_its_ratio_and_stays_among_the_cases(logs: list[float]) -> None:
    found = Comparison("cdd", "ddmin", "queries", "xml", (tuple(logs),), len(logs))
    assert found.interval
    (low, high), (least, greatest) = found.interval, found.extremes
    assert least - 1e-9 <= low <= found.ratio + 1e-9 <= high + 2e-9 <= greatest + 3e-9
    assert mirrored(found).ratio == pytest.approx(1 / found.ratio)
    assert mirrored(found).share == pytest.approx(1 - found.share)
    assert mirrored(found).p_value == pytest.approx(found.p_value)


@pytest.mark.nightly
def test_an_interval_is_the_same_each_time_and_holds_the_truth_as_often_as_it_says() -> None:
    """Twenty cases around a half, drawn 200 times."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        drawn = tuple((log(0.5) + rng.normal(0, 0.3, 20)).tolist())
        found = Comparison("cdd", "ddmin", "queries", "xml", (drawn,), 20)
        assert found.interval
        held += found.interval[0] <= 0.5 <= found.interval[1]
    assert 175 <= held <= 199


def test_the_share_counts_equal_cases_half() -> None:
    assert comparison(0.5, 1, 1, 2).share == 0.5
    assert comparison(0.5, 0.5, 1, 2).share == 0.625


def test_figures_under_a_tenth_count_as_a_tenth() -> None:
    assert exp(log_ratio(0, 1)) == pytest.approx(0.1)
    assert log_ratio(0, 0.05) == 0


@given(ps=st.lists(st.floats(0, 1), max_size=20))
@examples(60)
def test_holm_is_what_the_definition_says(ps: list[float]) -> None:
    """The p-value of a test is the least level at which Holm's steps reject it."""
    ascending = sorted(ps)
    corrected = holm(ascending)
    for at, value in enumerate(corrected):
        steps = [min(1.0, p * (len(ps) - i)) for i, p in enumerate(ascending[: at + 1])]
        assert value == max(steps)
        assert value >= ascending[at]


def test_a_family_corrects_for_all_tests_of_the_page() -> None:
    family = Family()
    assert family.corrected("a", 0.01) == 0.01
    assert family.corrected("b", 0.04) == 0.04
    assert family.corrected("a", 0.01) == 0.02
    assert family.corrected("c", None) is None
    assert len(family) == 2


def test_the_primary_hypothesis_is_not_corrected_and_corrects_nothing() -> None:
    family = Family()
    family.corrected("a", 0.01)
    family.corrected("b", 0.04)
    family.begin_with("b")
    assert (family.corrected("b", 0.04), family.corrected("a", 0.01)) == (0.04, 0.01)
    assert family.named("a", 0.01) == 0.01
    assert family.named("c", 0.01) is None
    assert len(family) == 1


def test_cases_of_one_defect_count_once() -> None:
    """Nineteen documents with one defect are no more evidence than one."""
    sample = [("w", log_ratio(0.5, 1))] * 19 + [(f"{at}", log_ratio(2, 1)) for at in range(5)]
    found = compared("auto", "cdd", "queries", "xml", [sample])
    assert found
    assert (found.defects, found.cases) == (6, 24)
    assert found.ratio == pytest.approx((0.5 * 2**5) ** (1 / 6))
    assert found.interval
    assert found.p_value is not None
    assert found.p_value > 0.2
    assert brief([found]).endswith("], n 6 (24 cases)")


LESS = (0.5, 0.6, 0.4, 0.55, 0.45, 0.65, 0.5, 0.35)


def test_a_sentence_turns_when_the_data_turns() -> None:
    less = comparison(*LESS)
    more = comparison(*(1 / each for each in LESS))
    assert conclusion([less], Family()).startswith("on xml 51 % fewer queries, significantly (0.49")
    assert conclusion([more], Family()).startswith("on xml 104 % more queries, significantly (2.04")
    larger = comparison(*(1 / each for each in LESS), metric="tokens")
    assert "larger results, significantly" in conclusion([larger], Family())
    assert conclusion([mirrored(less)], Family()) == conclusion([more], Family())


def test_no_difference_is_called_none() -> None:
    even = comparison(0.5, 2, 0.8, 1.25, 0.9, 1.1, 1, 1)
    assert conclusion([even], Family()).startswith("on xml no difference is shown (1.00 [")


def test_nothing_is_significant_that_does_not_survive_the_correction() -> None:
    less, family = comparison(*LESS, 1.1), Family()
    for other in range(10):
        family.corrected(other, 0.5)
    sentence = conclusion([less], family)
    assert "significant" not in sentence
    assert "fewer queries, which does not survive the correction" in sentence
    for other in range(20):
        family.corrected(other, 0.5)
    sentence = conclusion([less], family)
    assert (
        "fewer queries, on 8 of the 9 defects (p 0.0078 alone; none of 9 defects can " in sentence
    )
    assert "survive the correction for 21 tests)" in sentence
    assert "**" not in figures(less, family)
    alone = Family()
    assert ", p " not in figures(less, alone)  # the page does not name it
    alone.corrected(less, less.p_value)
    assert figures(less, alone).startswith("**0.5")


def test_a_difference_of_which_too_few_cases_are_part_is_not_tested() -> None:
    found = comparison(*[0.5] * 5, 1)
    assert "smaller" in conclusion([replace(found, metric="tokens")], Family())
    assert "but too few defects differ to test it" in conclusion([found], Family())


def test_a_difference_case_by_case_need_not_be_one_in_the_mean() -> None:
    found = comparison(*[0.9] * 19, 50)
    assert "a difference defect by defect, but none in the mean" in conclusion([found], Family())


def test_too_few_cases_are_not_judged() -> None:
    few = comparison(*LESS[: MIN_DEFECTS - 1], suite="programs")
    assert conclusion([few], Family()) == "too few defects to judge: programs (5)."
    assert figures(few, Family()) == "0.49, from 0.40 to 0.60, n 5"
    assert brief([few]) == "programs 0.49, from 0.40 to 0.60, n 5"
    assert brief([]) == "–"


def test_all_suites_have_an_interval_and_are_never_called_significant() -> None:
    (sample,) = comparison(*LESS).samples
    both = Comparison("cdd", "ddmin", "queries", "all", (sample, sample[:3]), 11)
    sentence = conclusion([both], Family())
    assert sentence.startswith("over 2 suites that weigh the same 51 % fewer queries (0.49 [")
    assert "significantly" not in sentence


def test_the_primary_hypothesis_is_said_first() -> None:
    less, even = comparison(*LESS), comparison(0.5, 0.6, 0.9, 0.9, 1.1, 0.4)
    said = primary([less], Family())
    assert said.startswith("`cdd` over `ddmin`: on xml 51 % fewer queries, significantly")
    assert "but the test does not confirm it (p 0.062)" in primary([even], Family())
    assert primary([], Family()) == "it has no runs in this record."
