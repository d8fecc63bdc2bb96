"""Recorded oracles answer as the tests did, and say what they do not know."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.research import Algorithm
from nubbin_bench.commands import main
from nubbin_bench.compare import replay
from nubbin_bench.recorded import Answer, Oracle, Recorded, oracles
from nubbin_core.minimizers import Subset

NOBODY = frozenset({"all"})


def about(n: int) -> Recorded:
    return Recorded("case/0", "case", "defect", "picireny", 0, n, 0.1, False, "", "")


def oracle(n: int, answers: dict[tuple[int, ...], bool]) -> Oracle:
    told: dict[tuple[int, ...], Answer] = {
        bounds: (interesting, 0.5, NOBODY) for bounds, interesting in answers.items()
    }
    return Oracle(about(n), told)


def test_what_follows_is_implied_and_the_rest_unknown() -> None:
    asked = oracle(6, {(0, 2): True, (3, 6): False})
    assert asked(Subset.of([0, 1]))
    assert (asked.implied, asked.unknown) == (0, 0)
    assert asked(Subset.of([0, 1, 5]))
    assert not asked(Subset.of([3, 5]))
    assert (asked.implied, asked.unknown) == (2, 0)
    assert not asked(Subset.of([2, 3]))
    assert not asked(Subset.of([2, 3]))
    assert (asked.implied, asked.unknown) == (2, 1)
    assert (asked.asks, len(asked.asked), asked.seconds) == (5, 4, 2.0)


@given(essential=st.sets(st.integers(0, 6)), name=st.sampled_from(["auto", "cdd", "ddmin"]))
@examples(20)
def test_a_list_that_is_recorded_whole_is_replayed_exactly(essential: set[int], name: str) -> None:
    found = replay(Algorithm.named(name).load(), whole(7, essential))
    assert (found.implied, found.unknown) == (0, 0)
    assert found.left == len(essential)


def whole(n: int, essential: set[int]) -> Oracle:
    subsets = [Subset.of(i for i in range(n) if bits >> i & 1) for bits in range(1 << n)]
    return oracle(n, {tuple(s.bounds.tolist()): essential <= {*s} for s in subsets})


@pytest.mark.parametrize("name", ["auto", "bisect", "cdd", "lithium"])
def test_all_pay_for_the_last_element(name: str) -> None:
    asked = whole(7, {0})
    assert replay(Algorithm.named(name).load(), asked).left == 1
    assert () in asked.asked


@pytest.mark.parametrize("name", ["auto", "bisect", "cdd", "lithium"])
def test_all_pay_for_the_proof(name: str) -> None:
    asked = whole(7, {1, 5})
    found = replay(Algorithm.named(name).load(), asked)
    assert {(1, 2), (5, 6)} <= asked.asked.keys()
    assert found.proved == len(asked.asked)
    assert found.proved > found.queries or name != "bisect"


def test_the_record_has_what_its_algorithms_ask() -> None:
    problems, cdd = list(oracles()), Algorithm.named("cdd").load()
    assert len(problems) > 10
    for each in problems:
        assert each(Subset.full(each.about.elements))
        found = replay(cdd, each)
        assert (found.implied, found.unknown) == (0, 0)


@pytest.mark.parametrize(
    ("words", "said"), [(["cdd"], "queries over cdd"), (["nothing"], "no algorithm 'nothing'")]
)
def test_one_command_compares(words: list[str], said: str) -> None:
    assert said in CliRunner().invoke(main, ["compare", *words]).output
