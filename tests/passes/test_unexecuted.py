"""Code that did not run goes, and what is left can still be read by its language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.document import Document, Trace
from nubbin.documents.edits import File
from nubbin.documents.parsing.trees import parsing
from nubbin.passes.folders.traced import unexecuted
from nubbin.passes.proposal import Proposals, next_proposal
from nubbin.passes.table import FileView
from nubbin_core.minimizers.subset import EMPTY

_SOURCE = '''\
"""Docs."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import json
elif 1:
    pass
else:
    import os

class A:
    """A class."""
    x: int
    y: int = 1

    @property
    def f(self):
        ...

    def g(self): return 1

    async def h(self):
        async with self as a, \\
                self as b:
            await b
        return None


def total(text, *,
          more=()):
    """Text."""
    global amounts
    other: list[int]
    if not text:
        return 0  # nothing
    elif text == "a":
        for each in text:
            print(each)
        else:
            return 2
    try:
        amounts = [
            int(each)
            for each in text
        ]
    except ValueError:
        raise
    except TypeError as error:
        # said
        print(error); return 1
    else:
        return 3
    finally:
        text = 0
    while text: text -= 1
    match text:
        case 1:
            return 9
        case _:
            pass
    return lambda: (
        text
    )
'''
_LINES = _SOURCE.count("\n")


@pytest.fixture(scope="module", autouse=True)
def parser() -> Iterator[None]:
    with parsing():
        yield


def document(name: str, text: str) -> Document:
    return Document("p", (File(f"p/{name}", text.encode()), File("p/other.txt", b"other\n")))


def on(whole: Document, ran: set[int]) -> Callable[[Document], Proposals[Document]]:
    (path, _) = (file.path for file in whole.files)
    structures = {file.path: FileView(file).structure for file in whole.files}
    trace = Trace(frozenset({path}), frozenset(), {path: tuple(sorted(ran))})
    return partial(unexecuted, structures=structures, trace=trace, original=whole)


def at_once(whole: Document, ran: set[int]) -> str:
    proposal = next_proposal(on(whole, ran)(whole))
    came_out = whole if proposal is None else proposal.render(EMPTY)
    return came_out.files[0].data.decode()


@given(ran=st.sets(st.integers(1, _LINES + 3)))
def test_what_is_left_compiles(ran: set[int]) -> None:
    left = at_once(document("a.py", _SOURCE), ran)
    compile(left, "a.py", "exec")
    # A line that ran is there, but for comments after it.
    for number in ran:
        if number <= _LINES:
            assert _SOURCE.splitlines()[number - 1].strip() in left


def test_statements_go_and_bodies_are_empty() -> None:
    source = (
        "def f():\n    return 1\n\n\ndef g(x):\n    global y\n    if x:\n        return 2\n"
        "    else:\n        return 3\n    return 4\n\n\ng(1)\n"
    )
    assert at_once(document("a.py", source), {1, 5, 7, 8, 14}) == (
        "def f():\n    ...\n\n\ndef g(x):\n    global y\n    if x:\n        return 2\n\n\ng(1)\n"
    )


def test_functions_of_javascript_stay_with_an_empty_body() -> None:
    source = "function f() {\n  return 1;\n}\nexports.f = f;\nif (f.x) {\n  f();\n}\n"
    assert at_once(document("a.js", source), {4, 5}) == (
        "function f() {}\nexports.f = f;\nif (f.x) {\n}\n"
    )


def test_it_is_asked_at_once_and_then_in_parts() -> None:
    whole = document("a.py", _SOURCE)
    running = on(whole, {1, 2, 4, 11, 28, 53})(whole)
    first = next_proposal(running)
    assert first is not None
    assert first.size == 1
    second = next_proposal(running, whole)
    assert second is not None
    assert second.size > 3
    assert second.render(EMPTY) == first.render(EMPTY)
    assert next_proposal(running, whole) is None


def test_a_file_that_has_changed_is_left_alone() -> None:
    whole = document("a.py", _SOURCE)
    changed = whole.each(lambda file: file.with_data(b"\n" + file.data))
    assert next_proposal(on(whole, {1})(changed)) is None
