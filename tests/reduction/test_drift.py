"""A result that shows a different failure than the input is told so, and where it turned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.document import Document
from nubbin.journal.reading import candidate, facts_of
from nubbin.journal.recorded_run import RecordedRun
from nubbin.journal.run_facts import Baseline, RunFacts
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.failures.failure import Failure, frames_in
from nubbin.reduction.job import Job
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.result.drift import failure_of, failure_of_input, printed
from nubbin.reduction.run_job import Reduction
from nubbin.report.page.recording import commands_again
from nubbin_core.errors import NubbinError, OptionError
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Answer, Verdict
from watch.recorded import RECORDED

Script = Callable[..., Path]

TEXT = b"".join(b"%c\n" % letter for letter in range(97, 123))
#: Interesting with an `a`; with a `k` it fails in another way.
BODY = """
grep -q a input.txt || exit 1
grep -q k input.txt && echo "error: no such table" || echo "error: syntax of line 1"
exit 0"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "input.txt"
    path.write_bytes(TEXT)
    return path


@pytest.fixture
def drifted(script: Script, source: Path, tmp_path: Path) -> Reduction:
    return reduce(script(BODY), source, record=tmp_path / "run", jobs=1)


def test_tells_what_was_lost_and_where(drifted: Reduction) -> None:
    said = drifted.printed
    assert said is not None
    assert (said.at_first, said.now) == ("error: no such table", "error: syntax of line 1")
    assert said.drifted
    assert said.step is not None
    assert drifted.run is not None
    assert b"k" in candidate(drifted.run, said.step - 1)["input.txt"]
    assert b"k" not in candidate(drifted.run, said.step)["input.txt"]


def test_goes_on_from_there_with_a_signature_in_a_new_run(drifted: Reduction) -> None:
    said, run = drifted.printed, drifted.run
    assert said is not None
    assert said.step is not None
    assert run is not None
    before = RecordedRun.open(run)
    again = resume(run, step=said.step - 1, prints=said.pattern, jobs=1)
    assert again.run not in {None, run}
    assert again.data in {b"ak", b"a\nk"}
    assert again.output.read_bytes() == again.data
    assert again.minimal
    assert again.printed is not None
    assert not again.printed.drifted
    assert RecordedRun.open(run).steps == before.steps
    assert again.run is not None
    steps = RecordedRun.open(again.run).steps[: said.step - 1]
    assert [each.key for each in steps] == [each.key for each in before.steps[: said.step - 1]]


def test_a_fork_that_cannot_begin_leaves_nothing(drifted: Reduction, tmp_path: Path) -> None:
    assert drifted.run is not None
    for step, choice, words in (
        (99, "", "has no candidate 99"),
        (0, "", "has no candidate 0"),
        (1, "quark", f"nubbin log {drifted.run}` lists others.* does not match --prints"),
        (1, "(", "is not a regular expression"),
    ):
        with pytest.raises(NubbinError, match=words):
            resume(drifted.run, step=step, prints=choice or None)
    assert not list(tmp_path.glob(".nubbin/*"))
    assert drifted.output.read_bytes() == drifted.data


def test_another_expression_replaces_that_of_a_command_line(source: Path, tmp_path: Path) -> None:
    test = RunTest.of("cat {}", Conditions(prints="a"), source)
    first = reduce(test, source, record=tmp_path / "run")
    again = resume(tmp_path / "run", step=1, prints="k", jobs=1)
    assert (first.data, again.data) == (b"a", b"k")
    assert again.run is not None
    job = Job.of(facts_of(again.run), {"input.txt": TEXT})
    assert job.test.conditions == Conditions(prints="k")
    (line, _) = commands_again(job, again.run, is_done=True)
    assert line[1].startswith("nubbin reduce --run 'cat {}' --prints k ")


def test_answers_serve_again_if_the_signature_is_the_same(
    script: Script, source: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    first = reduce(script(f"echo >>{log}; grep -q a input.txt"), source, record=tmp_path / "run")
    asked = log.read_text().count("\n")
    assert first.run is not None
    again = resume(first.run, step=1)
    assert again.data == first.data
    # Nothing but a run on the best before it goes on, and a run on the result at the end.
    assert log.read_text().count("\n") <= asked + 2


def test_leaves_out_passes(script: Script, source: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    test = script("grep -q a input.txt && grep -q k input.txt")
    first = reduce(test, source, record=run, smallest="char")
    assert first.data in {b"ak", b"a\nk", b"a k"}
    coarse = resume(run, step=1, without=("tokens", "chars", "white space", "single blanks"))
    assert coarse.data == b"a\nk\n"
    assert not coarse.minimal
    with pytest.raises(OptionError, match="there is no pass 'token' for this input; there are "):
        resume(run, without=("token",))


@pytest.mark.parametrize("body", ["grep -q a input.txt", "grep -q a input.txt && echo it is there"])
def test_says_nothing_if_the_test_does_not(script: Script, source: Path, body: str) -> None:
    assert reduce(script(body), source).printed is None


def test_the_same_failure_with_other_names_and_numbers_is_no_drift() -> None:
    original = Document.single("a.py", b"import UserThing\nfrom x import y\n")
    smaller = Document.single("a.py", b"import a\n")
    failure = Failure.of(b"error: cannot find 'UserThing' in line 12\n", original.names_and_text)
    assert failure is not None
    said = printed(
        failure, original, smaller, _printing(b"error: cannot find 'a' in line 1\n"), None
    )
    assert (said.drifted, said.step, said.runs) == (False, None, 1)
    assert said.now == "error: cannot find 'a' in line 1"


def test_what_is_another_in_each_run_of_the_input_is_no_drift(script: Script, source: Path) -> None:
    chance = "$(head -c 999 /dev/urandom | tr -dc q-z | head -c 9)"
    said = reduce(script(f"grep -q a input.txt && echo error: lost {chance}"), source).printed
    assert said is not None
    assert (said.drifted, said.step, said.runs) == (False, None, 2)


def test_a_signature_is_proposed_only_if_another_run_of_the_input_matches_it() -> None:
    document, outputs = Document.single("a", b""), [b"error: b\n", b"error: a\nerror: qqq\n"]
    failure = Failure.of(b"error: qqrst\nerror: a\n", "")
    assert failure is not None
    said = printed(failure, document, document, lambda _: _printing(outputs.pop(0))({}), None)
    assert (said.drifted, said.pattern) == (True, "error: a")


STACK = b"""Traceback (most recent call last):
  File "tool.py", line 9, in main
  File "tool.py", line 7, in %s
  File "tool.py", line 3, in load
ValueError: no such row
"""


@pytest.mark.parametrize(
    ("again", "gone", "runs"),
    [(b"parse", ("parse",), 2), (b"parse_fast", (), 2), (b"skim", (), 1)],
    ids=["gone", "chance", "still there"],
)
def test_functions_of_the_first_stack_that_are_gone_are_named(
    again: bytes, gone: tuple[str, ...], runs: int
) -> None:
    document = Document.single("a", b"")
    first = b"skim" if runs == 1 else b"parse"
    failure = Failure.of(STACK % first, "")
    assert failure is not None
    assert failure.frames == ("main", first.decode(), "load")
    outputs = [STACK % b"skim", STACK % again]
    said = printed(failure, document, document, lambda _: _printing(outputs.pop(0))({}), None)
    assert (said.drifted, said.gone, said.runs) == (False, gone, runs)


def test_a_function_of_the_input_is_no_frame() -> None:
    failure = Failure.of(STACK % b"parse", "def main(): parse()")
    assert failure is not None
    assert failure.frames == ("load",)


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("python", {"main", "parse_row"}),
        ("java", {"App.size", "App.main"}),
        ("go", {"main.take", "main.main"}),
        ("ruby", {"fetch", "list_rows"}),
        ("rust-backtrace", {"app::take", "app::main"}),
        ("node-app", {"width", "total"}),
        ("mono", {"App.Size", "App.Main"}),
        ("asan-gcc", {"copy_name", "read_item", "main"}),
        ("valgrind", {"last_of", "main"}),
        ("clang-crash", {"clang::Expr::EvaluateAsConstantExpr"}),
    ],
)
def test_frames_of_every_language(name: str, frames: set[str]) -> None:
    output = Path(__file__).parent.parent / "oracles" / "failures" / f"{name}.txt"
    assert frames <= set(frames_in(output.read_text()))


def test_the_same_in_colours_is_no_drift() -> None:
    document = Document.single("a", b"")
    failure = Failure.of(b"\x1b[31merror\x1b[0m: lost", "")
    assert failure == Failure("error: lost", ("error: lost",))
    assert failure.is_in(b"error: \x1b[1mlost\x1b[m")
    assert not printed(failure, document, document, _printing(b"error: lost"), None).drifted


@pytest.mark.parametrize("asked", [{"hangs": 0.5}, {"differs": "cat {}"}])
def test_what_is_no_failure_has_no_other(source: Path, asked: dict[str, Any]) -> None:
    ends = "sleep 600" if "hangs" in asked else "true"
    line = f"if grep -q a {{}}; then echo error: $(wc -l <{{}}) lines; {ends}; else cat {{}}; fi"
    result = reduce(RunTest.of(line, Conditions(**asked)), source, jobs=1, max_queries=3)
    assert result.printed is None


@given(st.binary())
def test_any_output_has_the_failure_that_was_found_in_it(output: bytes) -> None:
    output = b"error: it broke\n" + output
    document = Document.single("input", b"")
    failure = Failure.of(output, document.names_and_text)
    assert failure is not None
    assert failure.is_in(output)
    told = (failure.line, *failure.patterns)
    known = Baseline(original=Trials(2, 2), failure=told, frames=failure.frames)
    facts = RunFacts.from_json({**RECORDED, **msgspec.to_builtins(known.facts())})
    assert failure_of_input(facts) == failure_of_input(known) == failure


def _printing(output: bytes) -> Callable[[object], Answer]:
    return lambda files: Answer(Verdict.INTERESTING, 0.0, 0, timed_out=False, output=output)


@pytest.mark.parametrize(
    ("asked", "at_first", "now"),
    [
        ("fatal: row", b"now: fatal: row 12", b"now: fatal: row 3"),
        (r"\bload\b(?s:.*)ValueError", STACK % b"main", STACK % b"skim"),
        (
            "",
            b"==778==ERROR: AddressSanitizer: bad-free 0x604f",
            b"==9==ERROR: AddressSanitizer: bad-free 0x1a",
        ),
    ],
)
def test_one_line_tells_the_failure_everywhere(asked: str, at_first: bytes, now: bytes) -> None:
    document = Document.single("a", b"")
    other = b"a.c:1: error: too odd\n" if asked else b""
    failure = failure_of(other + at_first, document, asked)
    assert failure is not None
    said = printed(failure, document, document, _printing(other + now), None, asked=asked)
    last = now.decode().splitlines()[-1]
    assert (said.at_first, said.now, said.drifted) == (last, last, False)


def test_what_was_asked_for_and_is_printed_is_no_drift() -> None:
    original = Document.single("a", b"export start")
    failure = failure_of(b"error: wrong division in start", original, "division")
    assert failure is not None
    said = printed(
        failure, original, original, _printing(b"error: a division\n"), None, asked="division"
    )
    assert not said.drifted
