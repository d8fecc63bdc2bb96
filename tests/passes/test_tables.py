"""Columns of tables, whatever a table is."""

from __future__ import annotations

import pytest

from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.nodes.lists import tables
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import Subset

#: For each table, one of the columns that can go.
TABLES = [
    ("json", b'{"h":["x","y"],"d":[[1,2],[3,4]]}', b'{"h":["y"],"d":[[2],[4]]}'),
    ("json", b'{"x":[1,2,3],"y":[4,5,6]}', b'{"x":[1,3],"y":[4,6]}'),
    ("json", b'[{"a":1,"b":2},{"a":3,"b":4}]', b'[{"a":1},{"a":3}]'),
    ("markdown", b"| a | b |\n|---|---|\n| 1 | 2 |\n", b"| b |\n|---|\n| 2 |\n"),
    ("c", b"int x[][2] = {{1,2},{3,4}};", b"int x[][2] = {{2},{4}};"),
    ("python", b"y = dict(a=[1, 2], b=[3, 4])\n", b"y = dict(a=[1], b=[3])\n"),
]


def singles(language: str, text: bytes) -> set[bytes]:
    """What comes of each edit alone that is proposed for a text."""
    proposal = next_proposal(tables(File("input", text), Gate(Syntax(language))))
    if proposal is None:
        return set()
    full = Subset.full(proposal.size)
    return {proposal.render(full.without(i, i + 1)).data for i in range(proposal.size)}


@pytest.mark.parametrize(("language", "text", "without"), TABLES)
def test_a_column_goes_from_all_rows(language: str, text: bytes, without: bytes) -> None:
    assert without in singles(language, text)


def test_rows_of_other_lengths_keep_theirs() -> None:
    assert singles("json", b"[[1,2],[3],[4,5]]") == {b"[[2],[3],[5]]", b"[[1],[3],[4]]"}


def test_a_table_is_more_than_one_row_and_a_list_of_rows_is_no_row() -> None:
    assert singles("json", b'{"a":[1,2],"b":[1,2,3]}') == set()
    assert singles("json", b"[[1,2],[3,4]]") == {b"[[2],[4]]", b"[[1],[3]]"}


def test_two_functions_with_two_statements_are_no_table() -> None:
    assert singles("c", b"int f() { a(1); b(2); } int g() { c(3); d(4); }") == set()
