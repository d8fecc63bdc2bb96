"""Each end that a run can have is a row of one table."""

import ast
from collections.abc import Iterator
from pathlib import Path

import nubbin
import nubbin_core
from nubbin.journal.recorded_run import ENDS


def reasons(tree: ast.AST) -> Iterator[str]:
    """Yield the reasons that code gives for an end."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="BudgetSpent" | "ReductionEnd"),
                args=[ast.Constant(value=str(reason)), *_],
            ):
                yield reason
            case ast.keyword(arg="ended", value=ast.Constant(value=str(reason))):
                yield reason


def test_each_reason_for_an_end_has_a_row() -> None:
    given = set[str]()
    for package in (nubbin, nubbin_core):
        for path in Path(*package.__path__).rglob("*.py"):
            given.update(reasons(ast.parse(path.read_bytes())))
    assert given == ENDS.keys() - {"fixpoint", "running", "died", "damaged", "other-version"}
