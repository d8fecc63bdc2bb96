"""What tells one failure from another: its report, its telling line, or its last line."""

from __future__ import annotations

import pytest

from nubbin.oracles.failures.conditions import Ended
from nubbin.oracles.failures.failure import Failure, FailureKind, line_of
from nubbin.oracles.failures.regex import Regex


def traceback(function: str, message: str) -> bytes:
    """Return what Python prints of an error that is raised where its message stands."""
    return (
        "Traceback (most recent call last):\n"
        f'  File "/tmp/p.py", line 7, in {function}\n'
        f'    raise ValueError("{message}")\n'
        f"ValueError: {message}\n"
    ).encode()


def overflow(function: str) -> bytes:
    return (
        "==17==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x401 bp 0x7\n"
        "READ of size 1 at 0x602 thread T0\n"
        f"    #0 0x4011d6 in {function} tool.c:7\n"
    ).encode()


@pytest.mark.parametrize(
    ("one", "same"),
    [
        (b"x.c:12: error: no member 'foo' in 'bar'", b"/tmp/1/x.c:7: error: no member 'a' in 'b'"),
        (b"start\nAssertion failed at 0x7f00\nend 1", b"Assertion failed at 0x8\nend of it"),
        (b"Segmentation fault (core dumped)\n", b"noise\nSegmentation fault (core dumped)"),
        (b"done 1\n\n", b"more\ndone 17"),
        (b"", b"\n"),
        (traceback("f", "of row 12"), b"noise\n" + traceback("f", "of row 3")),
    ],
)
def test_one_kind(one: bytes, same: bytes) -> None:
    first, second = (
        FailureKind.of(Ended(1, one), "x.c foo bar a b"),
        FailureKind.of(Ended(1, same), "x.c a b"),
    )
    assert first.key == second.key


@pytest.mark.parametrize(
    "said",
    [
        [b"error: in fold", b"error: in gimplify", b"Segmentation fault", b"ok", b""],
        [traceback("f", "bad header"), traceback("f", "freed twice"), traceback("g", "too long")],
        [overflow("free_table"), overflow("grow_array"), overflow("read_name")],
    ],
)
def test_kinds_differ(said: list[bytes]) -> None:
    assert len({FailureKind.of(Ended(1, each), "17 42").key for each in said}) == len(said)


def test_the_line_is_what_is_said_and_not_the_line_that_says_it() -> None:
    output = traceback("f", "bad header")
    failure = Failure.of(output, "17")
    assert failure is not None
    assert failure.line == line_of(output) == "ValueError: bad header"
    in_f = r"\bf\b\n(?: {4}.*\n)*ValueError: bad header"
    assert failure.patterns == (in_f, "ValueError: bad header")
    assert failure.is_in(b"...\n" + traceback("g", "bad header"))
    assert not failure.is_in(traceback("f", "freed twice"))


def test_a_function_that_only_calls_the_one_that_fails_is_not_where_it_fails() -> None:
    first, *calls = traceback("f", "bad header").splitlines(keepends=True)
    *_, raised, message = traceback("g", "bad header").splitlines(keepends=True)
    deeper = b"".join([first, *calls[:2], b'  File "/tmp/p.py", line 9, in g\n', raised, message])
    pattern = FailureKind.of(Ended(1, traceback("f", "bad header")), "").pattern
    assert Regex("", pattern).is_in(b"".join([first, *calls]))
    assert not Regex("", pattern).is_in(deeper)


def test_what_says_nothing_of_a_failure_has_a_last_line_but_is_none() -> None:
    assert Failure.of(b"done\nby now\n", "") is None
    assert line_of(b"done\nby now\n") == "by now"
    assert line_of(b"\n") == ""


def test_a_heading_is_told_with_what_it_is_about() -> None:
    output = b"Minification error:\nParse Error: <foo.txt> bar\n"
    failure = Failure.of(output, "17")
    assert failure is not None
    assert failure.line == line_of(output) == "Minification error: Parse Error: <foo.txt> bar"
