"""Formats that count their own bytes have right counts whatever is deleted."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.file import File
from nubbin.documents.format_spec import format_spec_of
from nubbin.minimizers import Subset
from nubbin.passes.flat import FLAT
from nubbin.passes.repaired import repaired

DIMACS = b"c hello\np cnf 3 3\n1 -2 0\n2 3\n 0\nc 0 clauses more\n-1 0\n"


def test_what_is_right_stays_as_it_is() -> None:
    format_spec = format_spec_of(DIMACS)
    assert format_spec is not None
    assert format_spec.repair(DIMACS) == DIMACS


def test_clauses_keep_the_header_s_count() -> None:
    format_spec = format_spec_of(DIMACS)
    assert format_spec is not None
    offsets = format_spec.split(DIMACS).offsets.tolist()
    assert [DIMACS[a:b] for a, b in itertools.pairwise(offsets)] == [
        b"c hello\np cnf 3 3\n",
        b"1 -2 0\n",
        b"2 3\n 0\n",
        b"c 0 clauses more\n",
        b"-1 0\n",
    ]
    (proposal,) = repaired(FLAT["lines"], format_spec)(File("f.cnf", DIMACS))
    assert proposal.render(Subset.of([0, 1, 6])).data == b"c hello\np cnf 3 1\n-1 0\n"
    assert proposal.render(Subset.full(7)).data == DIMACS


@given(st.binary(max_size=20), st.integers(0, 60))
def test_no_bytes_break_it(junk: bytes, at: int) -> None:
    format_spec = format_spec_of(DIMACS)
    assert format_spec is not None
    broken = DIMACS[:at] + junk + DIMACS[at + len(junk) :]
    assert isinstance(format_spec.repair(broken), bytes)
    assert format_spec.split(broken).join(Subset.full(len(format_spec.split(broken)))) == broken


def test_other_formats_are_left_alone() -> None:
    assert format_spec_of(b"int main(void) { return 0; }\n") is None
