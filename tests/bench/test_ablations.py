"""The ablations of ddmin are ddmin and one-pass ddmin at both ends."""

from __future__ import annotations

import pytest
from hypothesis import given

from examples import examples
from nubbin_bench.ablations import VARIANTS, ddmin
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset
from problems import Needs, Problem, drive, monotone, problems


@pytest.mark.parametrize(("variant", "name"), [("ddmin", "ddmin"), ("without both", "opdd")])
@given(problem=problems)
@examples(60)
def test_with_both_it_is_ddmin_and_with_neither_one_pass_ddmin(
    variant: str, name: str, problem: Problem
) -> None:
    size, interesting = problem
    trace = drive(ALGORITHMS[name](Subset.full(size), Settings()), interesting)
    assert ddmin(size, interesting, *VARIANTS[variant]) == (trace.kept, len(trace.asked))


@given(problem=monotone())
@examples(40)
def test_in_a_monotone_problem_all_end_at_a_minimal_result(problem: Problem) -> None:
    size, interesting = problem
    for variant in VARIANTS.values():
        kept, _ = ddmin(size, interesting, *variant)
        assert not any(
            interesting(kept.without(i, i + 1)) for i in range(len(kept)) if len(kept) > 1
        )


def test_restarts_delete_what_a_later_removal_made_possible() -> None:
    """A definition goes only without its use, which comes after it."""

    def interesting(kept: Subset) -> bool:
        return 7 in kept and (0 in kept or 5 not in kept)

    left = {name: list(ddmin(8, interesting, *variant)[0]) for name, variant in VARIANTS.items()}
    assert left["without subsets"] == [7]


def test_subsets_alone_find_what_no_removal_does() -> None:
    """Either everything is kept, or one half: no complement of a quarter will do."""
    half = Needs((frozenset(range(4)),))

    def interesting(kept: Subset) -> bool:
        return (
            kept == Subset.full(8) or (list(kept) == [2, 3]) or (list(kept) == [3] and half(kept))
        )

    assert list(ddmin(8, interesting, subsets=True, restarts=True)[0]) == [2, 3]
    assert len(ddmin(8, interesting, subsets=False, restarts=True)[0]) == 8
