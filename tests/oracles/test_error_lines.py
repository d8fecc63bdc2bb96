"""Errors of another kind than those of an input are seen, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.failures.messages import known_errors

SOURCE = "a.c\nint total; int total_count; missing_count"
SIZE = 1 << 16

LINES = [
    "a.c:7:1: error: 'total' undeclared",
    "a.c:7:1: error: 'missing_count' undeclared; did you mean 'total_count'?",
    "a.c:9: error: expected ';' before '}' token",
    "a.c:9: fatal error: nothing.h: No such file or directory",
    "a.ts(7,1): error TS1005: '?' expected.",
    "error[E0308]: mismatched types",
    "Error: Symbol 'x' at (1) has no IMPLICIT type",
    "a.py:3: error: Name 'b' is not defined  [name-defined]",
    "[error] a.ts: SyntaxError: Unexpected token",
    "a.c:(.text+0xb02): undefined reference to `squeeze_block'",
    "/usr/bin/ld: b.o: multiple definition of `shared'; a.o: first defined here",
    "Parse error: syntax error, unexpected end",
]
NONE = [
    "a.c:9:3: warning: unused variable",
    "a.c:9:3: error: unused variable [-Werror=unused]",
    "collect2: error: ld returned 1 exit status",
    "error: aborting due to 1 previous error",
    "a.cc:1:2: confused by earlier errors, bailing out",
    "KeyError: 'rows'",
    "  error",
    "errors in a.c",
]


def other(known: str, output: str) -> str:
    why = Conditions(known_errors=known).other_error(Ended(1, b"", output.encode()))
    return why.removeprefix("prints another error: ")


def known(output: str) -> str:
    found = known_errors([output.encode()], SIZE, SOURCE)
    assert found is not None
    return found


@pytest.mark.parametrize("line", LINES)
def test_an_error_of_another_kind_is_seen(line: str) -> None:
    one = known(line)
    assert other(one, f"note: so\n{line}\n") == ""
    for another in set(LINES) - {line}:
        assert other(one, f"{line}\n{another}\n") == another
    assert other(known(""), line) == line


@pytest.mark.parametrize("line", NONE)
def test_what_is_no_error_of_its_own_has_no_kind(line: str) -> None:
    assert known(line) == known("")
    assert other(known(""), line) == ""


def test_numbers_places_and_what_is_suggested_make_no_other_kind() -> None:
    one = known("a.c:7:1: error: 'missing_count' undeclared; did you mean 'total_count'?")
    assert other(one, "b.c:123: error: 'missing_count' undeclared\n") == ""


def test_too_many_kinds_tell_nothing() -> None:
    lines = [f"a.c:1: error: no {word * 3}" for word in "abcdefghijklm"]
    assert known_errors(["\n".join(lines[1:]).encode()], SIZE, SOURCE) is not None
    assert known_errors(["\n".join(lines).encode()], SIZE, SOURCE) is None


@given(st.lists(st.sampled_from([*LINES, *NONE]) | st.text(), max_size=6))
def test_no_output_has_another_error_than_its_own(lines: list[str]) -> None:
    output = "\n".join(lines)
    found = known_errors([output.encode(errors="surrogateescape")], SIZE, SOURCE)
    assert found is not None
    assert other(found, output) == ""
