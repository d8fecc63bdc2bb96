"""What may be another in the message for a smaller input."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.failures.masking import escaped, is_of, masked, says_something, whole_word


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("line 12, column 3.", r"line [\d.]+, column [\d.]+\."),
        ("took 0.25 s at 12:30:01", r"took [\d.]+ s at [\d.]+:[\d.]+:[\d.]+"),
        ("at 0x7ffd and 60200000001c", r"at \w+ and \w+"),
        ("/tmp/a-1/x.c:3: oops", r"\S+:[\d.]+: oops"),
        (r"C:\Users\x\a.c: oops", r"\S+: oops"),
        ("error TS2304: E501", r"error TS2304: E501"),
        ("a \x07 bell", "a .* bell"),
        ("==   17== and [ 3] at  7.5", r"== *[\d.]+== and \[ *[\d.]+\] at *[\d.]+"),
        ("job c7f1d4a2-d074-4e11-b1bb-0a1b2c3d4e5f ended", r"job \S+ ended"),
        ("id=01ARZ3NDEKTSV4RRFFQ69G5FAV.", r"id=\S+\."),
        ("token q83vEjRWeJCrze8SNFZ4kA== of 9F86D081884C", r"token \S+ of \w+"),
        ("in _ZN4llvm3sys15PrintStackTraceEv", "in _ZN4llvm3sys15PrintStackTraceEv"),
        ("HTTP2ServerConnectionManager closed", "HTTP2ServerConnectionManager closed"),
        ("in/dev/shm/nubbin-5hf0dfx0/12/a.css on line 3", r"\S+ on line [\d.]+"),
        ("'list' has no 'size'", r"'list' has no \W.*\W"),
        ("input '12.5 size' at 'col 3'", r"input \W.*\W at 'col [\d.]+'"),
        ("can't do 'size' at all", r"can't do \W.*\W at all"),
        ('no "size\'and" here', r"no \W.*\W here"),
        (r"""no 'size\'and "size"' here""", r"no \W.*\W here"),
        (r"""no b'size\x00size_t\nsize' here""", r"no b\W.*\W here"),
        ("kein „size“ und “size”", r"kein \W.*\W und \W.*\W"),
        ("pas de « size » ni `size' ni ‘size’", r"pas de \W.*\W ni \W.*\W ni \W.*\W"),
        (r"in 'C:\other\' or 'size'", r"in '\S+\\' or \W.*\W"),
        ("a    b", r"a +b"),
        ("size is not defined", r"\S+ is not defined"),
        ("no such column: size", r"no such column: \S+"),
        ("failed: size.size_t, size.a", r"failed: \S+, size\.a"),
        ("no such column: size-size", r"no such column: \S+"),
        ("size the size_t of data", r"size the \S+ of data"),
        ("unknown size() in call()", r"unknown \S+\(\) in call\(\)"),
        ("use $(...) instead", r"use \$\(\.\.\.\) instead"),
        ("a (b) [c] {d} *e+ f? ^g $ h|i", r"a \(b\) \[c\] \{d\} \*e\+ f\? \^g \$ h\|i"),
    ],
)
def test_what_is_masked(text: str, pattern: str) -> None:
    assert masked(text, "size and size_t") == pattern


def test_what_unittest_leaves_out_of_a_text_is_there_in_a_short_folder() -> None:
    said = "(1, '/dev/shm/nubbin-5hf0dfx0/12/a.c[49 chars]^') != [49]"
    assert escaped(said) == r"\(1, '\S+.*\^'\) != \[49\]"
    assert re.search(escaped(said), "(1, '/tmp/a.c:3: an error\\n ^') != [49]")


def test_a_path_that_the_input_names_stays() -> None:
    source = "app.rb\nrequire './lib/rows'\napp.rb b.c"
    texts = {
        "no such file -- ./lib/rows (LoadError)": r"no such file -- \./lib/rows \(LoadError\)",
        "no /dev/shm/nubbin-5hf0dfx0/12/lib/rows here": r"no \S+/lib/rows here",
        "no /dev/shm/nubbin-5hf0dfx0/12/lib/row.x here": r"no \S+ here",
        "in /dev/shm/nubbin-5hf0dfx0/12/app.rb": r"in \S+",
        "app.rb: lost b.c": r"\S+: lost b\.c",
    }
    assert {text: masked(text, source, 40) for text in texts} == texts
    assert masked("see ./lib/rows", source) == r"see \S+"


@given(st.text(), st.text())
def test_a_masked_text_matches_that_text(text: str, source: str) -> None:
    pattern = os.fsencode(masked(text.replace("\n", " "), source))
    assert re.search(pattern, os.fsencode(text.replace("\n", " ")), re.MULTILINE)


@given(st.binary(), st.binary())
def test_bytes_that_are_no_text_do_no_harm(data: bytes, source: bytes) -> None:
    line = data.replace(b"\n", b" ")
    pattern = os.fsencode(masked(os.fsdecode(line), os.fsdecode(source)))
    assert re.search(pattern, line, re.MULTILINE)


@given(st.integers(0), st.integers(0))
def test_numbers_make_no_difference(one: int, other: int) -> None:
    message = "frame {} of 'x{}' is bad: {}"
    assert masked(message.format(one, 7, one), "") == masked(message.format(other, 7, other), "")


def test_words() -> None:
    assert is_of("the size.", "size") and not is_of("the size_t", "size")
    assert is_of("b: size", "size->b") and not is_of("size", "size->b")
    assert re.search(whole_word("a::~b"), "in a::~b(c)") and not re.search(whole_word("ab"), "abc")
    assert says_something(r"\S+:[\d.]+: no") and not says_something(r"\S+:[\d.]+: .*")
