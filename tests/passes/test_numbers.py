"""Integers and fractions are written shorter: values of sums, and fewer digits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.edits import File
from nubbin.passes.consistent import proposals_of
from nubbin.passes.nodes.simpler import fractions, numbers
from nubbin_core.minimizers import EMPTY
from runs import run


def proposed(text: str) -> list[str]:
    """Return what becomes of a text by all edits of each list."""
    found = proposals_of(numbers, File("a.txt", text.encode()))
    return [each.render(EMPTY).data.decode() for each in found]


@given(st.integers(0, 10**6), st.sampled_from("+-*"), st.integers(0, 10**6))
def test_an_operation_becomes_its_value_where_that_is_shorter(a: int, mark: str, b: int) -> None:
    value = {"+": a + b, "-": a - b, "*": a * b}[mark]
    is_shorter = value >= 0 and len(f"{value}") < len(f"{a} {mark} {b}")
    assert (f"x({value})" in proposed(f"x({a} {mark} {b})")) == is_shorter


@pytest.mark.parametrize("text", ["2024-13-01", "a100", "1.25", "10:30", "/12/", "9"])
def test_parts_of_dates_names_and_fractions_stay(text: str) -> None:
    assert not proposed(text)


def test_a_bound_is_met_by_fewer_digits(tmp_path: Path) -> None:
    def overflows(data: bytes) -> bool:
        size = re.fullmatch(rb"buffer (\d+)\s*", data)
        return size is not None and int(size[1]) >= 73

    assert run(tmp_path, "a.txt", b"buffer 1000\n", overflows).data.split() == [b"buffer", b"99"]


def test_many_integers_cost_one_question() -> None:
    assert [each.size for each in proposals_of(numbers, File("a", b"10 20 30 40 50"))] == [1]


def test_fractions_keep_one_digit_all_at_once_or_by_halves() -> None:
    data = b"12.3456 7.8 a.b345 1.2.345 -0.0001 5.9999"
    first, second, *_ = proposals_of(fractions, File("a", data))
    assert first.render(EMPTY).data == b"12.3 7.8 a.b345 1.2.345 -0.0 5.9"
    assert (first.size, second.size) == (1, 2)
