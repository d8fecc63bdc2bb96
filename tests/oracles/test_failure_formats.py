"""Reports of failures, as real tools print them: what is recognised, and what is kept."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.failures.formats import FORMATS, recognised

#: The files hold what real tools printed for small programs; long reports are cut at the end.
OUTPUTS = {path.stem: path.read_text() for path in (Path(__file__).parent / "failures").iterdir()}

_AT = "(?s:.*)"  # between two parts that are kept, on two lines

#: What is learned first from each.
LEARNED = {
    "asan-clang": rf"AddressSanitizer: heap-buffer-overflow{_AT}\bcopy_name\b",
    "asan-gcc": rf"AddressSanitizer: heap-buffer-overflow{_AT}\bcopy_name\b",
    "asan-use-after-free": rf"AddressSanitizer: heap-use-after-free{_AT}\blast_of\b",
    "msan": rf"MemorySanitizer: use-of-uninitialized-value{_AT}\breport\b",
    "tsan": rf"ThreadSanitizer: data race{_AT}\badd_up\b",
    "lsan": rf"LeakSanitizer: detected memory leaks{_AT}\bforget\b",
    "ubsan": r"\bub\.cc:3:31\b.*runtime error: signed integer overflow: [\d.]+ \* [\d.]+ cannot be "
    "represented in type 'int'",
    "valgrind": rf"Invalid read of size [\d.]+{_AT}\blast_of\b",
    "valgrind-leak": rf"definitely lost{_AT}\bforget\b",
    "assert": r"""\bmain\b.*Assertion `c > 3 && "too few"' failed""",
    "assert-cxx": r"Assertion '__n < this->size\(\)' failed",
    "glibc-free": r"free\(\): double free detected in tcache 2",
    "glibc-stack": r"\*\*\* stack smashing detected \*\*\*: terminated",
    "terminate": rf"terminate called after throwing an instance of 'std::runtime_error'{_AT}"
    r"bad node [\d.]+",
    "gfortran-internal": r"internal compiler error: Segmentation fault",
    "clang-crash": rf"Stack dump:{_AT}\bclang::Expr::EvaluateAsConstantExpr\b",
    "rustc-internal": rf"\blib\.rs:1531:17\b{_AT}aborting due to `-Z treat-err-as-bug=[\d.]+`{_AT}"
    r"<rustc_errors::DiagCtxtInner>::panic_if_treat_err_as_bug\.cold\b",
    "go": r"panic: runtime error: index out of range \[[\d.]+\] with length [\d.]+"
    rf"{_AT}\bmain\.take\b",
    "go-nil-map": rf"panic: assignment to entry in nil map{_AT}\bmain\.main\b",
    "rust": rf"\bapp\.rs:1:39\b{_AT}index out of bounds: the len is [\d.]+ but the index is [\d.]+",
    "rust-backtrace": rf"\bapp\.rs:1:39\b{_AT}index out of bounds: the len is [\d.]+ but the index "
    rf"is [\d.]+{_AT}\bapp::take\b",
    "java": r'java\.lang\.NullPointerException: Cannot invoke "java\.util\.List\.size\(\)" because '
    rf'the return value of "java\.util\.Map\.get\(Object\)" is null{_AT}\bApp\.size\b',
    "java-cause": rf'java\.lang\.NumberFormatException: For input string: "x12"{_AT}'
    r"\bApp\.number\b",
    "node-app": r"TypeError: Cannot read properties of undefined \(reading 'width'\)"
    rf"{_AT}\bwidth\b",
    "node-app2": r"SyntaxError: Expected property name or '\}' in JSON at position [\d.]+"
    rf"{_AT}\bload\b",
    "node-app3": "ReferenceError: missing is not defined",
    "python": rf"\bparse_row\b{_AT}json\.decoder\.JSONDecodeError: Expecting ',' delimiter: "
    r"line [\d.]+ column [\d.]+ \(char [\d.]+\)",
    "python-cause": rf"\bmain\b{_AT}ValueError: row [\d.]+ is bad",
    "ruby": r"\bfetch\b.*undefined method `size' for nil:NilClass \(NoMethodError\)",
    "mono": r"System\.Collections\.Generic\.KeyNotFoundException: The given key 'rows' was not "
    rf"present in the dictionary\.{_AT}\bApp\.Size\b",
    "php": r"Uncaught TypeError: count\(\): Argument #[\d.]+ \(\$value\) must be of type "
    rf"Countable\|array, null given{_AT}\bStore->fetch\b",
    "php-undefined": r"Uncaught Error: Call to undefined function undefined_fn\(\)",
    "perl": r"no row for key [\d.]+.*\bapp\.pl\b",
    "perl-confess": r"went wrong.*\bboom\.pl\b",
}


@pytest.mark.parametrize("name", sorted(OUTPUTS))
def test_what_is_kept_of_a_report(name: str) -> None:
    output = OUTPUTS[name]
    patterns = [each.pattern for each in recognised(output, "")]
    assert patterns[0] == LEARNED[name]
    assert all(re.search(os.fsencode(each), output.encode(), re.MULTILINE) for each in patterns)


def test_each_format_was_seen() -> None:
    assert set(LEARNED) == set(OUTPUTS)
    for name, form in FORMATS.items():
        assert any(map(form.search, OUTPUTS.values())), name


def first(output: str, source: str) -> str:
    return next(recognised(output, source)).pattern


def test_what_the_input_says_itself_may_change() -> None:
    program = 'import json\ndef parse_row(text): ...\nfetch = "rows"'
    assert first(OUTPUTS["python"], program).startswith("json")
    assert first(OUTPUTS["ruby"], program).startswith("undefined method `size' for")
    assert "The given key '.*' was not" in first(OUTPUTS["mono"], program)
    assert first(OUTPUTS["node-app3"], "missing") == r"ReferenceError: \S+ is not defined"
    assert first(OUTPUTS["rust"], "app.rs").startswith("index out of bounds")


def test_what_a_program_asserts_is_no_name_of_the_input() -> None:
    net = "ivl: t-dll-api.cc:1770: ivl_nexus* ptrs(ivl_nexus_t): Assertion `net' failed.\n"
    assert first(net, "wire net;") == r"\bptrs\b.*Assertion `net' failed"


@given(st.sampled_from(sorted(OUTPUTS)), st.text(max_size=30), st.text(max_size=30), st.data())
def test_what_is_kept_matches_the_report_wherever_it_stands(
    name: str, before: str, after: str, data: st.DataObject
) -> None:
    output = OUTPUTS[name]
    words = re.findall(r"\w+", output)
    source = " ".join(data.draw(st.lists(st.sampled_from(words), max_size=5)))
    whole = f"{before}\n{output}\n{after}"
    for said in recognised(whole, source):
        assert said.line in whole
        assert re.search(os.fsencode(said.pattern), os.fsencode(whole), re.MULTILINE)
