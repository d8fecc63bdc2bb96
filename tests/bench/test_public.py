"""The evaluation builds on what nubbin says is stable, and on nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import nubbin_bench

PACKAGE = Path(nubbin_bench.__file__).parent


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    froms = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    plain = {
        each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names
    }
    return {name for name in froms | plain if name.split(".")[0] in {"nubbin", "nubbin_core"}}


def test_only_public_modules_are_imported() -> None:
    used = set().union(*(imported(path) for path in PACKAGE.rglob("*.py")))
    assert {"nubbin", "nubbin.research", "nubbin_core.minimizers"} <= used
    others = {name for name in used if not name.startswith("nubbin_core.minimizers")}
    assert others == {"nubbin", "nubbin.research"}


def test_its_algorithm_comes_in_as_anybodys() -> None:
    from nubbin.research import Algorithm  # noqa: PLC0415

    assert Algorithm.named("cdd-artifact").source.startswith("nubbin-bench ")
