"""A command line as the test: its place for the candidate, and what its conditions ask."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from faults import PATIENCE_S
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures import regex
from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.user_test import from_json
from nubbin_core.errors import OptionError
from nubbin_core.verdict import Answer, Verdict

INTERESTING, UNINTERESTING, UNRESOLVED = Verdict


def ask(
    line: str, name: str = "a b.c", data: bytes = b"x\n", timeout: float = PATIENCE_S, **asked: Any
) -> Answer:
    test = RunTest.of(line, Conditions(**asked))
    with LocalOracle(OracleSpec(test, name), timeout) as oracle:
        return oracle.explain({name: data})


def test_an_output_that_nobody_needs_is_not_kept() -> None:
    test = RunTest.of("echo error; cat {} >&2", Conditions(prints="x"))
    with LocalOracle(OracleSpec(test, "a"), PATIENCE_S) as oracle:
        answer, explained = oracle({"a": b"x"}), oracle.explain({"a": b"x"})
    assert (answer.verdict, answer.output, answer.errors) == (INTERESTING, b"", b"")
    assert (explained.output, explained.errors) == (b"error\nx", b"x")


@pytest.mark.parametrize(
    ("line", "asked", "holds"),
    [
        ("exit 3; : {}", {"exits": "3"}, True),
        ("exit 3; : {}", {"exits": "nonzero"}, True),
        ("exit 3; : {}", {"exits": "0"}, False),
        ("exit 3; : {}", {"exits": "signal"}, False),
        ("kill -SEGV $$; : {}", {"exits": "SIGSEGV"}, True),
        ("kill -SEGV $$; : {}", {"exits": "segv"}, True),
        ("kill -SEGV $$; : {}", {"exits": "nonzero"}, True),
        ("kill -SEGV $$; : {}", {"exits": "SIGABRT"}, False),
        ("sh -c 'kill -ABRT $$'; exit $?; : {}", {"exits": "signal"}, True),
        ("exit 150; : {}", {"exits": "150"}, True),
        ("cat", {"prints": "^x$"}, True),
        ("cat", {"stdout": "x", "no_stderr": "x"}, True),
        ("cat {} >&2", {"prints": "x", "stderr": "x", "no_stdout": "x"}, True),
        ("cat {} >&2", {"stdout": "x"}, False),
        ("cat", {"no_prints": "x"}, False),
        (r"printf '\033[1mer\033]8;;a\007ror\033[0m: x\n'; : {}", {"prints": "^error: x$"}, True),
        (r"printf '\033[1mer\033[0mror: x\n'; : {}", {"prints": r"\x1b\[1mer\x1b"}, True),
        (r"printf '\033[1mer\033[0mror: x\n'; : {}", {"no_prints": "error"}, False),
        ("cat", {"prints": "x", "exits": "nonzero"}, False),
        ("echo a.c:1:2: error: no x >&2; cat", {"prints": "x", "known_errors": "no [xy]"}, True),
        ("echo a.c:1:2: error: no z >&2; cat", {"prints": "x", "known_errors": "no [xy]"}, False),
        ("cat", {"differs": "cat {}"}, False),
        ("cat", {"differs": "cat {} {}"}, True),
        ("cat", {"differs": "cat {}; exit 1"}, True),
        ("cat", {"differs": "cat {}", "valid": ("cat {}",)}, False),
        ("cat", {"prints": "x", "valid": ("test -s", "grep x")}, True),
        ("cat", {"prints": "x", "valid": ("test -s", "grep y")}, False),
    ],
)
def test_all_that_is_asked_must_hold(line: str, asked: dict[str, Any], holds: bool) -> None:
    answer = ask(line, **asked)
    assert (answer.verdict is INTERESTING, answer.why == "") == (holds, holds)
    assert not answer.timed_out


def test_the_candidate_is_in_its_place_and_at_standard_input() -> None:
    line = 'test {} = "a b.c" && cmp {} - && test "$(ls -A)" = {}'
    assert ask(line, exits="0").verdict is INTERESTING
    assert ask("test ./-a.c =", name="-a.c", exits="0").verdict is INTERESTING


def test_a_command_hangs_if_it_runs_for_so_long() -> None:
    endless = "while :; do :; done; : {}"
    assert ask(endless, hangs=0.01).verdict is INTERESTING
    assert ask("echo x; " + endless, hangs=0.5, prints="y").why.startswith("prints nothing")
    ended = ask("exit 1; : {}", hangs=PATIENCE_S)
    assert (ended.verdict, ended.why) == (UNINTERESTING, "does not hang")


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("while :; do :; done; : {}", {"exits": "0"}),
        ("true", {"exits": "0", "valid": ("while :; do :; done; : {}",)}),
        ("true", {"differs": "while :; do :; done; : {}"}),
    ],
)
def test_no_time_is_no_answer(line: str, asked: dict[str, Any]) -> None:
    answer = ask(line, timeout=0.2, **asked)
    assert (answer.verdict, answer.timed_out) == (UNRESOLVED, True)


def test_outputs_are_compared_whole() -> None:
    many = "yes | head -c 1000000; : {}"
    other = "yes | head -c 500000; printf x; yes | head -c 499999; : {}"
    assert ask(many, differs=many).verdict is UNINTERESTING
    assert ask(many, differs=other).verdict is INTERESTING


def test_a_signal_is_the_shells_status_less_128() -> None:
    assert Ended(-signal.SIGSEGV).signal == Ended(128 + signal.SIGSEGV).signal == signal.SIGSEGV
    assert not any(Ended(status).signal for status in (0, 1, 127, 128, 255))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"exits": "256"}, "--exits '256'"),
        ({"exits": "SIGNOTHING"}, "--exits 'SIGNOTHING'"),
        ({"exits": "-1"}, "--exits '-1'"),
        ({"no_stdout": "("}, "--no-stdout"),
        ({"exits": "1", "hangs": 1.0}, "either --exits or --hangs"),
    ],
)
def test_values_that_conditions_cannot_have(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Conditions(**asked)


def test_what_says_nothing_of_the_command_is_no_condition() -> None:
    assert not Conditions() and not Conditions(valid=("true",))
    assert Conditions(exits="0") and Conditions(hangs=1.0)


@pytest.mark.parametrize(
    ("line", "crashes"),
    [
        ("kill -ABRT $$; : {}", True),
        ("echo 'panic: x' && echo && echo 'goroutine 1 [running]:'; exit 2; : {}", True),
        ("echo 'x.c:1:1: error: what a panic' >&2; exit 1; : {}", False),
    ],
)
def test_another_crash_is_another_bug(line: str, crashes: bool) -> None:
    assert ask(line, exits="SIGSEGV").different == crashes
    assert not ask(line, exits="nonzero").different
    assert not ask(line, exits="nonzero", valid=("false",)).different
    assert not ask(line, differs=line).different and not ask(line, exits="0").different


def test_an_expression_that_never_ends_costs_the_limit_and_says_which_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask_matcher = regex._ask

    def soon(asked: bytes, limit: float | None) -> bytes | None:
        return ask_matcher(asked, 0.1 if b"(a+)+b" in asked else limit)

    monkeypatch.setattr(regex, "_ask", soon)
    line, words = f"echo {'a' * 64}!; : {{}}", f"{PATIENCE_S:.2g} s to match --prints '(a+)+b'"
    answer = ask(line, no_stderr="x", prints="(a+)+b")
    assert answer.verdict is UNRESOLVED and not answer.different and not answer.timed_out
    assert answer.exceeded == answer.why == words
    test = CommandTest(("/bin/echo", "a" * 64 + "!"), "/", conditions=Conditions(prints="(a+)+b"))
    with LocalOracle(OracleSpec(test, "a"), PATIENCE_S) as oracle:
        held = oracle({"a": b""})
    assert (held.verdict, held.different) == (UNRESOLVED, False)
    assert held.exceeded == words


def test_both_streams_are_printed_in_lines_of_their_own() -> None:
    assert Ended(0, b"a", b"b").printed == Ended(0, b"a\n", b"b").printed == b"a\nb"
    assert Ended(0, b"a").printed == Ended(0, b"", b"a").printed == b"a"


def test_the_journal_gives_it_back(tmp_path: Path) -> None:
    asked = Conditions(exits="1", valid=("true {}",), hangs=None, differs="cat {}")
    test = RunTest.of("gcc -c {}", asked)
    assert from_json(test.to_json()) == test
    assert test.digest() != RunTest.of("gcc -c {}", Conditions(exits="1")).digest()


def test_another_content_of_a_file_in_the_line_is_another_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check = tmp_path / "check.py"
    check.write_text("one")
    test = RunTest.of("python check.py {}", Conditions(exits="1"))
    assert test.words == (f"python {check} {{}}",)
    before = test.digest()
    check.write_text("two")
    assert test.digest() != before


def test_in_full_it_has_its_conditions_as_options() -> None:
    asked = Conditions(exits="1", no_prints="it's", valid=("true {}", "cat {}"), hangs=None)
    assert RunTest.of("gcc {}", asked).in_full == (
        "gcc {} --exits 1 --no-prints \"it's\" --valid 'true {}' --valid 'cat {}'"
    )


def test_a_run_that_prints_without_end_is_ended_at_once() -> None:
    answer = ask("yes {}", exits="1")
    assert (answer.verdict, answer.exceeded) == (UNRESOLVED, "64 MB of output")


def test_what_is_to_hang_may_print_without_end() -> None:
    assert ask("yes {}", hangs=0.5).verdict is INTERESTING
