"""Reports of failures, as real tools print them: what is recognised, and what is kept."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.failures.formats import FORMATS, is_crash, recognised
from nubbin.oracles.failures.messages import Message, telling
from nubbin.oracles.failures.transcript import Transcript

#: The files hold what real tools printed for small programs; long reports are cut at the end.
OUTPUTS = {path.stem: path.read_text() for path in (Path(__file__).parent / "failures").iterdir()}

_AT = "(?s:.*)"  # between two parts that are kept, on two lines
_IN = r"\n(?: {4}.*\n)*"  # after the innermost function of a traceback

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
    "gdb": rf"SIGABRT{_AT}\bcheck\b",
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
    "rust-2022": "byte index [\\d.]+ is not a char boundary; it is inside 'Я' "
    r"\(bytes [\d.]+\.\.[\d.]+\) of `ЯЧ\}`.*\bformat\.rs:902:31\b",
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
    # What the two values are stands between the message and the stack.
    "node-assert": r"AssertionError \[ERR_ASSERTION\]: Expected values to be strictly deep-equal:"
    rf"{_AT}\bcheck\b",
    "python": rf"\bparse_row\b{_AT}json\.decoder\.JSONDecodeError: Expecting ',' delimiter: "
    r"line [\d.]+ column [\d.]+ \(char [\d.]+\)",
    "python-cause": rf"KeyError: 'rows'{_AT}\bmain\b{_IN}ValueError: row [\d.]+ is bad",
    "ruby": r"\bfetch\b.*undefined method `size' for nil:NilClass \(NoMethodError\)",
    "mono": r"System\.Collections\.Generic\.KeyNotFoundException: The given key 'rows' was not "
    rf"present in the dictionary\.{_AT}\bApp\.Size\b",
    "php": r"Uncaught TypeError: count\(\): Argument #[\d.]+ \(\$value\) must be of type "
    rf"Countable\|array, null given{_AT}\bStore->fetch\b",
    "php-undefined": r"Uncaught Error: Call to undefined function undefined_fn\(\)",
    "perl": r"no row for key [\d.]+.*\bapp\.pl\b",
    "perl-confess": r"went wrong.*\bboom\.pl\b",
    "pytest": rf"assert [\d.]+ == [\d.]+{_AT}\btest_shop\.py\b{_AT}test_shop\.py::test_total",
    "pytest-short": r"test_shop\.py::test_total.*assert [\d.]+ == [\d.]+",
    "unittest": rf"test_key \(test_shop\.ShopTest\.test_key\){_AT}\bshop\.py\b{_AT}KeyError: 'zz'",
    "mocha": rf"totals rows{_AT}AssertionError \[ERR_ASSERTION\]: Expected values to be strictly "
    rf"equal:{_AT}[\d.]+ !== [\d.]+{_AT}\bmocha\.spec\.js\b",
    "mocha-flat": rf"means numbers{_AT}AssertionError \[ERR_ASSERTION\]: Expected values to be "
    rf"strictly equal:{_AT}[\d.]+ !== [\d.]+{_AT}\bsum\.test\.js\b",
    "jest": rf"shop › totals rows{_AT}expect\(received\)\.toBe\(expected\) // Object\.is equality"
    rf"{_AT}Expected: [\d.]+{_AT}Received: [\d.]+{_AT}\bjest\.test\.js\b",
    "vitest": rf"t/vi\.test\.mjs > shop > totals rows{_AT}AssertionError: expected [\d.]+ to be "
    rf"[\d.]+ // Object\.is equality{_AT}\bvi\.test\.mjs\b",
    "node-test": rf"not ok.*totals rows{_AT}Expected values to be strictly equal:{_AT}[\d.]+ !== "
    rf"[\d.]+{_AT}[\d.]+{_AT}[\d.]+{_AT}'strictEqual'",
    "node-spec": rf"totals rows{_AT}AssertionError \[ERR_ASSERTION\]: Expected values to be "
    rf"strictly equal:{_AT}[\d.]+ !== [\d.]+",
    "tape": rf"verify totals{_AT}not ok.*sum of rows{_AT}equal{_AT}[\d.]+{_AT}[\d.]+",
    "tap": rf"verify evil json{_AT}not ok.*expected to throw",
    "perl-more": rf"totals rows{_AT}'[\d.]+'{_AT}'[\d.]+'",
    "go-test": rf"TestTotal{_AT}\bshop_test\.go\b.*Total\([\d.]+, [\d.]+\) = [\d.]+, want [\d.]+",
    "go-test-v": rf"TestTotal{_AT}\bshop_test\.go\b.*Total\([\d.]+, [\d.]+\) = [\d.]+, want [\d.]+",
    "cargo-test": rf"tests::totals{_AT}\blib\.rs\b{_AT}assertion `left == right` failed: sum of "
    rf"[\d.]+{_AT}[\d.]+{_AT}[\d.]+",
    "maven": rf"ShopTest\.totals{_AT}org\.opentest4j\.AssertionFailedError: expected: <[\d.]+> but "
    rf"was: <[\d.]+>{_AT}\bShopTest\.java\b",
    "junit": rf"totals\(ShopTest\){_AT}java\.lang\.AssertionError: expected:<[\d.]+> but "
    r"was:<[\d.]+>",
    "gradle": rf"ShopTest > totals{_AT}java\.lang\.AssertionError.*\bShopTest\.java\b",
    "phpunit": rf"ShopTest::testFind{_AT}RuntimeException: no row b",
    "rspec": rf"shop totals all rows{_AT}expected: [\d.]+{_AT}got: [\d.]+{_AT}\bshop_spec\.rb\b",
    "rspec-load": rf"\bshop_spec\.rb\b{_AT}LoadError:{_AT}cannot load such file -- \S+",
    "minitest": rf'ShopTest#test_fetch{_AT}KeyError: key not found: "b"',
    "gtest": rf"\bgt\.cc\b{_AT}Expected equality of these values:{_AT}add\([\d.]+,[\d.]+\)"
    rf"{_AT}Which is: -1{_AT}[\d.]+{_AT}Shop\.Adds",
    "jasmine": rf"shop rows adds up{_AT}Expected [\d.]+ to be [\d.]+\.{_AT}\bshop\.spec\.js\b",
    "ava": rf"adds up{_AT}\btest\.js\b{_AT}- [\d.]+{_AT}\+ [\d.]+",
    "busted": rf"\bshop_spec\.lua\b{_AT}shop adds up{_AT}Expected objects to be equal\.{_AT}"
    rf"\(number\) [\d.]+{_AT}\(number\) [\d.]+",
    "bats": rf"""not ok.*totals rows{_AT}`\[ "\$output" -eq [\d.]+ \]' failed""",
    "doctest": rf"\bshop\.py\b.*shop\.total{_AT}[\d.]+{_AT}[\d.]+",
    "trial": rf"\btest_shop\.py\b{_AT}twisted\.trial\.unittest\.FailTest: [\d.]+ != [\d.]+{_AT}"
    r"test_shop\.Shop\.test_total",
    "perl-syntax": r'syntax error.*\bshop\.pl\b.*near "[\d.]+;"',
    "ctest": r"adds_up.*Subprocess aborted",
}
#: What is learned first where there is no report, but a line that tells.
TOLD = {
    "make-ld": "multiple definition of `shared_counter'",
    "gcc-color": "error: expected ‘,’ or ‘;’ before ‘return’",
    "tsc-pretty": r"error TS2322: Type 'string' is not assignable to type 'number'\.",
}
#: Their names and numbers are in the input: a test in it keeps the values that it compares.
TEST_IN_INPUT = "test_shop.py test_total assert total([3, 4]) == 8"


def said(output: str, source: str) -> list[Message]:
    return list(recognised(Transcript.of([output.encode()]), source))


@pytest.mark.parametrize("name", sorted(LEARNED))
def test_what_is_kept_of_a_report(name: str) -> None:
    transcript = Transcript.of([OUTPUTS[name].encode()])
    patterns = [each.pattern for each in recognised(transcript, "")]
    assert patterns[0] == LEARNED[name]
    assert all(re.search(each, transcript.text, re.MULTILINE) for each in patterns)


@pytest.mark.parametrize("name", sorted(TOLD))
def test_the_line_that_tells(name: str) -> None:
    assert not said(OUTPUTS[name], "")
    messages = telling(Transcript.of([OUTPUTS[name].encode()]), "")
    assert next(messages).pattern == TOLD[name]


def told(output: str, source: str = "") -> str:
    return next(telling(Transcript.of([output.encode()]), source)).pattern


def test_a_token_at_the_end_of_a_message_is_no_decoration() -> None:
    assert told("  3:17  error  Unexpected token =\n").endswith("error +Unexpected token =")
    assert told("=== error: lost ===\n") == told("| error: lost |\n") == "error: lost"


def test_a_line_of_the_input_below_a_heading_is_no_part_of_it() -> None:
    output = "SyntaxError: no denominator in x.css on line 6:\n5  * Licensed under (MIT)\n"
    assert "Licensed" not in told(output, " * Licensed under (MIT)\na{b:c}")
    assert "Licensed" in told(output, "a{b:c}")


def test_a_line_that_names_only_the_file_is_a_heading() -> None:
    output = "\n[ERROR] in range.js\n  12:34:missing ) after list\n"
    assert told(output).endswith(r"missing \) after list")
    assert told("[ERROR] in range.js: bad list\n  1:2\n").endswith("bad list")


def test_what_a_heading_is_about_stands_below_a_part_of_the_input() -> None:
    output = "Uncaught exception in a.js\n\na.js:2\n\n 2: let t = 1\n\nError: Cannot find it\n"
    assert told(output, "a.js\nlet t = 1").endswith("Error: Cannot find it")
    rustc = "error: no `try`\n --> a.rs:1:2\n  |\n1 | let t = 1\n  = note: it is reserved\n"
    assert told(rustc, "a.rs\nlet t = 1") == "error: no `try`"
    other = "a.v:3: syntax error\na.v:9: warning: no width\n1 error\n"
    assert told(other, "a.v").endswith("syntax error")


def test_files_that_rspec_names_beside_one_that_it_cannot_load() -> None:
    output = OUTPUTS["rspec-load"].replace(
        "shop_spec.rb.\n", "shop_spec.rb. - Did you mean?\n          rspec ./a_spec.rb\n\n", 1
    )
    assert said(output, "")[0].pattern == LEARNED["rspec-load"]


def test_what_a_linter_finds_is_no_reason_if_it_breaks() -> None:
    found = "a.py:1:80: E501 line too long\n"
    assert told(found + "rule failed: no attribute 'MATCH'", "a.py").startswith("rule failed")
    assert told(found, "a.py").startswith("E501")


def test_errors_are_told_beside_one_another() -> None:
    output = "a.go:1:2: undefined: rows\na.go:3:4: cannot use a string as int\n"
    first, second, *_ = telling(Transcript.of([output.encode()]), "a.go rows")
    assert first.is_beside(second) and not first.is_beside(first)


@pytest.mark.parametrize(
    ("line", "more"),
    [("INTERNAL ERROR -- Please report a bug", ""), ("internal error: no width of", "a frame")],
)
def test_a_crash_that_says_nothing_of_itself(line: str, more: str) -> None:
    assert Message(line, line, line).tells_no_bug is not bool(more)


def test_a_place_in_the_input_tells_unless_it_is_of_a_warning_or_a_frame() -> None:
    output = "Error compiling:\n{}\napp.py:6:23: rows are not defined\n"
    for other in ("app.py:1:2: warning: error or not", "# ./app.py:3:in `load'"):
        assert told(output.format(other), "app.py\nrows") == "rows are not defined"


def test_a_sentence_above_indented_lines_is_a_heading() -> None:
    output = "Validation errors were found.\n  $.on: 'push' is not of type 'object'\n"
    assert told(output) == (
        r"Validation errors were found\.(?s:.*)\$\.on: 'push' is not of type 'object'"
    )
    assert told("Validation errors were found.\nSee the manual\n") == (
        r"Validation errors were found\."
    )


def test_a_file_that_vitest_cannot_load() -> None:
    output = (
        "⎯⎯⎯ Failed Suites 1 ⎯⎯⎯\n\n FAIL  test/a.test.js [ test/a.test.js ]\n"
        "Error: Cannot find module 'json5'\nRequire stack:\n- /srv/lib/b.js\n ❯ f lib/b.js:3:15\n"
    )
    first = said(output, "")[0]
    assert first.pattern == (
        rf"test/a\.test\.js{_AT}Error: Cannot find module 'json5'{_AT}\bb\.js\b"
    )
    assert "Failed" not in told("⎯⎯⎯ Failed Suites 1 ⎯⎯⎯\nerror: no rows\n")


def test_the_last_cause_of_what_a_test_of_junit_ends_with() -> None:
    output = (
        "1) rows[0: a](shop.ShopTest)\nRuntimeException: in a\n\tat shop.Shop.rows(Shop.java:3)\n"
        "Caused by: RuntimeException: in b\n\tat shop.Shop.row(Shop.java:4)\n"
        "Caused by: java.net.UnknownHostException: b.c\n\t... 9 more\n"
        "2) other(shop.ShopTest)\nError: other\nCaused by: Error: of another test\n"
    )
    assert said(output, "")[0].pattern == (
        rf"rows\[0: a\]\(shop\.ShopTest\){_AT}RuntimeException: in a{_AT}"
        r"java\.net\.UnknownHostException: b\.c"
    )


def test_the_values_of_pytest_below_an_empty_line() -> None:
    report = "E       AssertionError: no spec of:\nE           \nE           len, abs\n"
    patterns = [each.pattern for each in said(f"{report}FAILED test_a.py::test_b - Ass", "")]
    assert patterns[0] == rf"AssertionError: no spec of:{_AT}len, abs{_AT}test_a\.py::test_b"


def test_an_exception_that_pytest_shows_in_a_value_is_a_part_of_the_message() -> None:
    report = (
        "E       assert 1 == 0\nE        +  where 1 = <Result {}>.exit_code\n\n"
        "test_a.py:3: AssertionError\nFAILED test_a.py::test_b - assert 1 == 0"
    )
    ended = rf"{_AT}\btest_a\.py\b{_AT}test_a\.py::test_b"
    (first, *_) = said(report.format("TypeError('f() takes 1 argument')"), "")
    assert "TypeError" in first.pattern and first.pattern.endswith(ended)
    (first, *_) = said(report.format("okay"), "")
    assert first.pattern == rf"assert [\d.]+ == [\d.]+{ended}"


def test_the_values_of_pytest_below_a_message_of_the_test() -> None:
    report = (
        "E       AssertionError: wrong total\nE       of two rows\nE       assert 8 == 9\n\n"
        "test_shop.py:3: AssertionError\nFAILED test_shop.py::test_total - AssertionError: wr"
    )
    (first, *_) = said(report, TEST_IN_INPUT)
    ended = rf"{_AT}\btest_shop\.py\b{_AT}test_shop\.py::test_total"
    assert first.pattern == f"AssertionError: wrong total{_AT}assert 8 == 9{ended}"


def test_the_test_around_an_assertion_of_tap() -> None:
    def learned(*lines: str) -> str:
        return said("\n".join([*lines, ""]), "")[0].pattern

    failed = "not ok 3 should throw"
    assert learned("# rows", "ok 1 is one", "a note", failed) == f"rows{_AT}not ok.*should throw"
    assert learned("# rows", "# columns", failed) == f"columns{_AT}not ok.*should throw"
    assert learned("# rows", "not ok 1 # TODO", failed) == "not ok.*should throw"
    inner = "    # Subtest: rows", "    ok 1 - is one"
    assert learned(*inner, "ok 1 - rows", failed) == "not ok.*should throw"
    deeper = "        # Subtest: first", "        ok 1 - one", "    ok 2 - first"
    assert learned(*inner, *deeper, f"    {failed}") == f"rows{_AT}not ok.*should throw"
    assert learned("# Subtest: rows", "not ok 1 - rows # time=3ms") == "not ok.*rows"
    assert not said("# rows\n" + "\n" * 100, "")  # in a time that does not double with each line


def test_an_assertion_of_tap_that_holds_is_another_end() -> None:
    report = "    # Subtest: evil\n    not ok 1 - should throw\nnot ok 2 - evil\n"
    first = said(report, "")[0].pattern
    assert re.search(first, report)
    assert not re.search(first, report.replace("not ok 1", "ok 1"))


def test_a_test_around_an_assertion_of_tap_that_fails_is_no_other_failure() -> None:
    report = "    # Subtest: evil\n    not ok 1 - should throw\nnot ok 2 - evil\nnot ok 3 - good\n"
    first, *others = said(report, "")
    assert {each.about for each in others if first.is_beside(each)} == {"good"}


def test_the_folders_of_a_test_outside_may_be_others() -> None:
    patterns = [each.pattern for each in said("FAILED ../../a/b/test_a.py::test_b - lost\n", "")]
    assert patterns[0] == r"test_a\.py::test_b.*lost"


def test_an_exception_that_counts_errors_is_no_report() -> None:
    stack = "\n\tat com.tool.Main.run(Main.java:3)\n"
    said_last = "com.tool.BadException: Compilation produced 2 syntax errors."
    output = f"[ERROR] 6:6:a reserved word\n{said_last}{stack}"
    assert not said(output, "")
    assert "a reserved word" in told(output)


def test_each_format_was_seen() -> None:
    assert {*LEARNED, *TOLD} == set(OUTPUTS)
    texts = [Transcript.of([each.encode()]).text for each in OUTPUTS.values()]
    for name, form in FORMATS.items():
        assert any(map(form.search, texts)), name


def test_a_test_that_fails_is_not_a_crash() -> None:
    assert is_crash(OUTPUTS["java"]) and is_crash(OUTPUTS["asan-gcc"])
    assert not is_crash(OUTPUTS["pytest"]) and not is_crash(OUTPUTS["make-ld"])


def test_a_test_in_the_input_keeps_the_values_that_it_compares() -> None:
    (first, *_) = said(OUTPUTS["pytest"], TEST_IN_INPUT)
    assert first.pattern.startswith(f"assert 7 == 8{_AT}")


def first(output: str, source: str) -> str:
    return said(output, source)[0].loose


def test_what_the_input_says_itself_may_change() -> None:
    program = 'import json\ndef parse_row(text): ...\nfetch = "rows"'
    assert first(OUTPUTS["python"], program).startswith("json")
    assert first(OUTPUTS["ruby"], program).startswith("undefined method `size' for")
    assert r"The given key \W.*\W was not" in first(OUTPUTS["mono"], program)
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
    transcript = Transcript.of([os.fsencode(whole)], 1 << 20)
    for message in recognised(transcript, source):
        assert message.line in transcript.text
        for pattern in (message.pattern, message.loose):
            assert re.search(pattern, transcript.text, re.MULTILINE)
