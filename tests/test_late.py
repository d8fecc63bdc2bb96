"""What is imported, compiled or made late is there when it is needed, and then as if made early."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Barrier

import pytest

import nubbin
import nubbin_core
from nubbin.oracles.make import KINDS
from nubbin.pattern import _Pattern, pattern
from nubbin_core.dataclasses import dataclass, field, fields, replace
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


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    word = pattern(rb"(?P<all>\w+)")
    assert word.pattern == rb"(?P<all>\w+)"
    assert word.groupindex == {"all": 1}
    found = word.search(b" some words")
    assert found is not None
    assert found["all"] == b"some"
    assert [each.group() for each in copy.copy(word).finditer(b"a b")] == [b"a", b"b"]


@dataclass(frozen=True)
class _Base:
    """Never made itself."""

    size: int
    names: list[str] = field(default_factory=list, compare=False)


@dataclass(frozen=True)
class _Derived(_Base):
    """The first instance comes from a pickle."""

    more: str = "more"


@dataclass(frozen=True, eq=False)
class _ByIdentity:
    """Two are never equal."""

    size: int


@dataclasses.dataclass(frozen=True)
class _Standard:
    """As the standard library makes them."""

    size: int
    names: list[str] = dataclasses.field(default_factory=list, compare=False)
    more: str = "more"


def test_a_late_dataclass_is_one_of_the_standard_library() -> None:
    made = _Derived.__new__(_Derived)  # as by pickle: without a call of the class
    made.__dict__.update(size=3, names=["a"])
    assert made == _Derived(3)
    assert hash(made) == hash(_Derived(3)) == hash(_Standard(3))
    assert repr(_Derived(3)) == repr(_Standard(3)).replace("_Standard", "_Derived")
    assert [each.name for each in fields(_Derived)] == [each.name for each in fields(_Standard)]
    assert pickle.loads(pickle.dumps(_Derived(4, more="x"))) == replace(_Derived(4), more="x")
    assert _ByIdentity(1) != _ByIdentity(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.size = 4  # type: ignore[misc]
    match _Derived(3):
        case _Derived(size, names, more):
            assert (size, names, more) == (3, [], "more")


def test_threads_that_make_the_first_instances_at_once_all_succeed() -> None:
    def made() -> Callable[[], bool]:
        @dataclass(frozen=True)
        class Made:
            """One of its own for each round."""

            size: int
            more: str = "more"

        return lambda: Made(1) == Made(1, "more") and hash(Made(1)) == hash((1, "more"))

    def begun(each: Callable[[], bool]) -> bool:
        begin.wait()
        return each()

    begin = Barrier(4)
    with ThreadPoolExecutor(4) as threads:
        for _ in range(50):
            assert all(threads.map(begun, [made()] * 4))
