"""Find the tests of a pytest suite that make another test fail, or pass, if they run before it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nubbin.documents.document import Document
from nubbin.documents.reading.from_disk import Inputs
from nubbin.oracles.output import quoted_output
from nubbin.oracles.servers.python_test import ONE_TEST, PytestTest, as_lines, interpreter_for
from nubbin.oracles.user_test import UserTest
from nubbin.pattern import pattern
from nubbin.reduction.events import Observer
from nubbin.reduction.options import Options
from nubbin.reduction.reduce import reduce_inputs
from nubbin.reduction.run_job import Reduction
from nubbin.reduction.start.known import Known
from nubbin.text.figures import count, counted
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict
from nubbin_core.waiting import run

#: The name of the list.
NAME = "tests.txt"
# The lines about a test that pytest-xdist prints for a worker, and pytest with -v.
_OUTCOME = r"(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)"
_BY_WORKER = pattern(rf"\[(gw\d+)\](?: \[ *\d+%\])? {_OUTCOME} (.+?) *")
_VERBOSE = pattern(rf"(.+?) {_OUTCOME}(?: .*)?")


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of a suite in the order in which they run, and the folder where their ids start.

    The arguments of pytest are `options`, including those with which its plugins keep the order,
    and `files` or folders to collect.
    """

    root: str
    tests: list[str]
    options: list[str]
    files: list[str]

    @classmethod
    def collected(cls, arguments: Sequence[str], python: str) -> Suite:
        """Let pytest collect the tests here, without running them; raises NubbinError if none."""
        with TemporaryDirectory() as temporary:
            place = Path(temporary, "suite.json")
            ran = run(
                [python, str(ONE_TEST), str(place), *arguments],
                stderr=subprocess.STDOUT,
                env={**os.environ, "TMPDIR": temporary},
            )
            values: dict[str, Any] = json.loads(place.read_text()) if place.exists() else {}
        if not values.get("tests"):
            raise NubbinError(
                f"pytest finds no tests here, by {shlex.join([python, '-m', 'pytest', *arguments])}"
                ". Go to the folder of the suite, name a Python with its packages, by "
                "--interpreter, or give arguments of pytest after --." + quoted_output(ran.stdout)
            )
        return cls(**values)

    def named(self, given: str) -> str:
        """Return the id of a test that the user named; raises NubbinError, with similar ids."""
        file, mark, rest = given.partition("::")
        from_root = os.path.relpath(os.path.abspath(file), self.root) + mark + rest  # noqa: PTH100
        for name in (given, from_root):
            if name in self.tests:
                return name
        near = [test for test in self.tests if test.startswith((f"{given}[", f"{from_root}["))]
        near = near or get_close_matches(given, self.tests)
        hint = (
            f"Did you mean {' or '.join(near[:3])}?"
            if near
            else "pytest --collect-only -q lists them."
        )
        raise NubbinError(f"There is no test {given!r} among {len(self.tests)}. {hint}")

    def before(self, one: str, order: str | None) -> list[str]:
        """Return the tests that run before one, in the given order or in that of the suite.

        `order` is a list of ids, or the output of pytest -v. With pytest-xdist, the order is that
        of the worker which ran the test. Raises NubbinError if the test is not in it, or the first.
        """
        tests = self.tests if order is None else _in_order(order, one)
        known = set(self.tests)
        if one not in tests:
            raise NubbinError(
                f"The given order does not contain {one}: give ids as pytest -v prints them."
            )
        before = [test for test in tests[: tests.index(one)] if test in known]
        if not before:
            raise NubbinError(
                f"No test runs before {one}. Pass the order of a run that failed (--order FILE) "
                "or, after --, arguments of pytest."
            )
        return before


def _in_order(text: str, one: str) -> list[str]:
    lines = [line.rstrip("\r") for line in text.split("\n")]
    by_worker = [match.groups() for line in lines if (match := _BY_WORKER.fullmatch(line))]
    if by_worker:
        workers = [worker for worker, test in by_worker if test == one]
        return [test for worker, test in by_worker if worker in workers[-1:]]
    return [match[1] if (match := _VERBOSE.fullmatch(line)) else line for line in lines]


def blame_tests(
    one: str,
    *,
    arguments: Sequence[str] = (),
    order: str | None = None,
    interpreter: str | None = None,
    prints: str | None = None,
    record: StrPath,
    output: StrPath,
    observers: Sequence[Observer] = (),
    options: Options,
) -> Reduction:
    """Find a smallest set of tests after which one test has the same outcome as after all of them.

    `one` is the id of the test, `arguments` are for pytest, and `order` is a list of ids or the
    output of `pytest -v`. The output must match `prints`. If the test passes alone, but fails after
    the tests before it, the result makes it fail. If it fails alone, but passes after them, the
    result makes it pass. The result is a list of ids in their order, one per line.

    Costs a collection of the suite and two runs, besides the queries and the end of
    `nubbin.reduce`. Raises NubbinError if the test has the same outcome alone.
    """
    here = Path.cwd()
    python = interpreter_for(here, interpreter, "pytest")

    def take() -> tuple[UserTest, Inputs]:
        suite = Suite.collected(arguments, python or sys.executable)
        name = suite.named(one)
        before = as_lines(suite.before(name, order))
        test = PytestTest.of_suite(here, name, suite.options, python, suite.files)
        return test.with_prints(prints), Inputs(Document.single(NAME, before), here)

    chosen = replace(options, smallest="tests", output=output)
    return reduce_inputs(take, _learned, record=record, observers=observers, options=chosen)


def _learned(known: Known) -> Known:
    """Return the job with a test for the outcome that the one test has after all others.

    Costs a run after all others and a run alone; raises NubbinError if their outcomes are equal.
    """
    job = known.job
    assert isinstance(job.test, PytestTest)
    one, tests = job.test.one, job.original.sizes.lines
    with known.examined() as case:
        # The second run sets the time limit, because pytest is already imported.
        alone, after = (case.run(each) for each in (job.original.emptied(), job.original))
    for answer, where in ((alone, "alone"), (after, f"after {counted(tests, 'test')}")):
        if answer.verdict is Verdict.UNRESOLVED:
            how = (
                f"is not finished after {case.limit:.0f} s" if answer.timed_out else "does not run"
            )
            raise NubbinError(
                f"{one} {how} {where}: it neither passes nor fails." + quoted_output(answer.output)
            )
    if after.verdict is alone.verdict:
        company = "the test" if tests == 1 else f"the {count(tests)} tests"
        fails = after.verdict is Verdict.INTERESTING
        raise NubbinError(
            f"{one} {'fails' if fails else 'passes'} after {company} before it, and also "
            "alone: none of them is to blame."
            + (quoted_output(alone.output) if fails else _OTHER_ORDER)
        )
    test = job.test if after.verdict is Verdict.INTERESTING else job.test.passing()
    nothing = alone._replace(verdict=Verdict.UNINTERESTING)
    after = after._replace(verdict=Verdict.INTERESTING)
    return replace(known, job=replace(job, test=test), nothing=nothing, answer=after)


_OTHER_ORDER = (
    " If it fails in another order, give that: what pytest -v printed, by --order FILE, or the "
    "seed of pytest-randomly, by -- --randomly-seed=N. It may also fail now and then, whatever is "
    "run before it."
)
