"""What is imported, compiled or made late is there when it is needed, and then as if made early."""

from __future__ import annotations

import copy
import gc
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import nubbin
import nubbin_core
from nubbin.oracles.user_test import KINDS
from nubbin.pattern import _Pattern, pattern
from nubbin_core.late import _Late, named


def test_every_late_function_is_there_and_every_pattern_compiles() -> None:
    for package in (nubbin, nubbin_core):
        (root,) = map(Path, package.__path__)
        for file in root.rglob("*.py"):
            if "late(" in (text := file.read_text()) or "pattern(" in text:
                below = [
                    each for each in file.relative_to(root).with_suffix("").parts if each[0] != "_"
                ]
                import_module(".".join((package.__name__, *below)))
    late = [each for each in gc.get_objects() if isinstance(each, _Late)]
    patterns = [each for each in gc.get_objects() if isinstance(each, _Pattern)]
    assert len(late) > 50
    assert len(patterns) > 100
    assert all(callable(each.function) for each in late)
    assert all(each.groups >= 0 for each in patterns)
    assert {named(f"nubbin.oracles.{home}").kind: home for home in KINDS.values()} == KINDS


def test_the_program_that_starts_for_each_commit_imports_little() -> None:
    """`nubbin blame` starts it for each query: numpy alone takes longer than all the rest of it."""
    code = "import sys, nubbin.oracles.commands.checkout; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {name for name in ran.stdout.split() if name.partition(".")[0] in _HEAVY}
    assert not loaded


_HEAVY = {"msgspec", "numpy", "rich", "tree_sitter"}


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    word = pattern(rb"(?P<all>\w+)")
    assert word.pattern == rb"(?P<all>\w+)"
    assert word.groupindex == {"all": 1}
    found = word.search(b" some words")
    assert found is not None
    assert found["all"] == b"some"
    assert [each.group() for each in copy.copy(word).finditer(b"a b")] == [b"a", b"b"]
