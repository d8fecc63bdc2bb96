"""Inputs of one failure are one group, whatever they are called and whatever is in them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from nubbin.campaigns.failure_groups import Failed, grouped
from nubbin.documents.document import Document
from nubbin_core.verdict import Answer, Verdict

#: What real tools printed; see tests/oracles/test_failure_formats.py.
_OUTPUTS = Path(__file__).parents[1] / "oracles/failures"


def failed(name: str, output: str, *, data: str = "rows 17", status: int = 1) -> Failed:
    answer = Answer(Verdict.INTERESTING, 0.1, status, timed_out=False, output=output.encode())
    return Failed(Path(name), Document.single("input", data.encode()), answer)


def groups(*inputs: Failed) -> list[list[str]]:
    """Return the names of the inputs in each group."""
    return [[each.path.name for each in members] for _, members in grouped(inputs)]


@pytest.mark.parametrize(
    ("tool", "same", "other"),
    [
        ("python", ("line 1 column", "line 87 column"), ("parse_row", "parse_head")),
        ("asan-gcc", ("0x6020", "0x7130"), ("copy_name", "copy_row")),
        ("asan-use-after-free", ("0x6020", "0x7130"), ("use-after-free", "buffer-overflow")),
        ("rust", ("the index is", "the index is 1"), ("app.rs:1:39", "app.rs:7:3")),
        ("assert", ("/tmp/", "/home/me/"), ("c > 3", "c > 4")),
        ("gdb", ("0x0000", "0x0004"), ("in check (", "in parse (")),
        ("java", ("App.java:", "App.java:1"), ("at App.size", "at App.width")),
        ("go", ("goroutine 1", "goroutine 17"), ("main.take", "main.drop")),
    ],
)
def test_message_and_innermost_function_tell_failures_apart(
    tool: str, same: tuple[str, str], other: tuple[str, str]
) -> None:
    output = (_OUTPUTS / f"{tool}.txt").read_text()
    assert other[0] in output
    inputs = [failed("a", output), failed("b", output.replace(*same)), failed("c", "error: none")]
    assert groups(*inputs, failed("d", output.replace(*other))) == [["a", "b"], ["c"], ["d"]]


STACK = 'Traceback (most recent call last):\n  File "a.py", line 1, in {}\n    f\n'


def test_a_function_on_the_stack_is_not_the_innermost() -> None:
    deeper = '  File "a.py", line 7, in row\n    g\n'
    outer, inner = (STACK.format("load") + more + "ValueError: bad\n" for more in ("", deeper))
    assert groups(failed("a", outer), failed("b", inner)) == [["a"], ["b"]]


def test_what_quotes_a_part_of_the_input_that_the_program_changed_is_no_other_failure() -> None:
    said = [STACK.format("number") + f"ValueError: no number: {each}\n" for each in ("'1x'", "'X'")]
    changed, quoted = failed("a", said[1], data="x is longer"), failed("b", said[0], data="1x")
    assert groups(changed, quoted) == groups(quoted, changed) == [["b", "a"]]
    # Python chooses the quotes by the text.
    texts = ("it", "it's", '"it\'s"', "it\n")
    reprs = [failed(repr(text), f"KeyError: {text!r}", data=text) for text in texts]
    assert len(groups(*reprs)) == 1
    # A quote that no input has tells failures apart.
    types = [STACK.format("number") + f"TypeError: not {each}\n" for each in ("'list'", "'str'")]
    assert groups(failed("a", types[0]), failed("b", types[1])) == [["a"], ["b"]]


def test_a_signal_without_a_report_is_the_failure_whatever_else_is_printed() -> None:
    segv = [failed(name, f"working on {name}\n", status=-11) for name in "ab"]
    assert groups(*segv, failed("c", "working on c\n", status=134)) == [["a", "b"], ["c"]]


def test_the_largest_group_and_the_smallest_input_are_the_first() -> None:
    sizes = {"a": 3, "b": 9, "c": 4, "d": 4, "e": 2}
    inputs = [
        failed(name, f"error: {'one' if name < 'b' else 'two'}", data="x" * size)
        for name, size in sizes.items()
    ]
    found = groups(*inputs)
    assert found == [["e", "c", "d", "b"], ["a"]]
    assert all(len(one) >= len(other) for one, other in pairwise(found))
