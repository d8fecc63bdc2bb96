"""Claims of the sources on small lists, where they can be worked out by hand."""

from __future__ import annotations

import pytest

from nubbin_bench import ablations
from nubbin_bench.binary_search import average
from nubbin_bench.probes import crossover_at, growth, plain_probe, plain_probe_most
from nubbin_bench.small_lists import asked_about, padding, padding_false, repeats_false
from nubbin_bench.theory import ddmin_over_lithium, densities, densities_range


def test_filling_up_a_list_of_three_costs_more_than_a_query_a_size() -> None:
    """Both sizes, and single elements again after the filler is gone: 2 + 4 + 3 queries."""
    assert len(asked_about(3, (0, 1, 2))) == 5
    assert len(asked_about(4, (0, 1, 2))) == 9


def test_what_is_left_of_a_chunk_is_asked_about_again() -> None:
    subsets = [list(subset) for subset in asked_about(4, (0, 1, 2))]
    assert subsets.count([0, 1]) == 2


def test_every_set_of_essential_elements_is_a_problem() -> None:
    rows = padding(6).splitlines()[2:]
    counted = {row.split("|")[1].strip(): row.split("|")[3].strip() for row in rows}
    other = str(2**3 - 1 + 2**5 - 1 + 2**6 - 1)
    assert counted == {
        "C(2^n) - n <= C(N)": other,
        "C(N) <= C(2^n)": other,
        "no subset is asked about twice, N = 2^n": str(2**2 - 1 + 2**4 - 1),
        "no subset is asked about twice, other N": other,
    }


@pytest.mark.parametrize(("block", "calls"), [(1, 2), (2, 4), (3, 4), (4, 6), (5, 6), (7, 6)])
def test_the_plain_probe_doubles_and_halves(block: int, calls: int) -> None:
    assert plain_probe(block) == calls


def test_the_plain_probe_is_worst_for_a_block_of_two() -> None:
    assert plain_probe_most() == "up to 33% more, for a block of 2"


def test_sentences_on_small_lists_have_the_counts_of_the_table() -> None:
    rows = [row.split(" | ") for row in padding(5).splitlines()[2:]]
    told = {row[0].strip("| "): (int(row[1]), int(row[2].strip(" |"))) for row in rows}
    false, problems = told["C(2^n) - n <= C(N)"]
    assert padding_false(5) == f"false in {false} of {problems} problems of up to 5 elements"
    twice = [counts for claim, counts in told.items() if claim.startswith("no subset")]
    false, problems = map(sum, zip(*twice, strict=True))
    assert repeats_false(5) == f"false in {false} of {problems} problems of up to 5 elements"


@pytest.mark.nightly
def test_greedy_is_quadratic_on_prefixes_and_linear_on_suffixes() -> None:
    assert growth("1..k").count("quadratic") == 2
    assert growth("k..N").count("linear") == 2


def test_delta_debugging_a_minimal_list_takes_all_its_chunks_more_than_greedy() -> None:
    """Of four elements it asks about two halves and four elements; greedy about the four."""
    assert crossover_at(4, 1, 1.0) == "1.50 times at 100%"


@pytest.mark.nightly
def test_binary_search_takes_no_less_than_wang_says() -> None:
    least, most = (float(word) for word in average().split()[0:3:2])
    assert 1 <= least <= most


def test_ranges_are_those_of_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablations, "DRAWS", 1)
    rows = [row.split(" | ") for row in densities(20, 1).splitlines()[2:]]
    told = densities_range(20, 1)
    for column in (2, 3):
        ratios = [float(row[column]) for row in rows]
        assert f"{min(ratios):.0%} to {max(ratios):.0%}" in told
    assert ablations.programs_range(100).count(" to ") == 2


def test_ddmin_asks_more_than_lithium() -> None:
    least, most = (float(word) for word in ddmin_over_lithium(32).split()[0:3:2])
    assert 1 <= least <= most
