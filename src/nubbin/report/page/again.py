"""How to run a recorded reduction again, and its test on the result."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from nubbin.oracles.commands.blame_test import BlameTest
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.shell_words import quoted_word
from nubbin.oracles.servers.pytest_test import PytestTest
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.job import Job
from nubbin.reduction.option import declared
from nubbin.reduction.options import JobOptions
from nubbin.report.visible import printable

#: Longer test scripts are not shown.
_MAX_TEST_BYTES = 64 << 10
#: Of more inputs than this, the first ones are named.
_MAX_INPUTS = 20


def commands(job: Job, run: Path) -> list[tuple[str, str]]:
    """Return what a person may want to do again, and the command line that does it.

    Paths are relative to the folder that the user was in. What was reduced is not there to be
    reduced again if it is no input: tests of a suite, commits, or what one of them changes.
    """
    verify = (
        "Run the test again on the result and on each removal",
        f"nubbin verify {_path(run, job.test)}",
    )
    if isinstance(job.test, BlameTest | PytestTest):
        return [verify]
    inputs = list(job.original.contents) if job.original.name == "." else [job.original.name]
    words = [_test(job.test), *_options(job)]
    words += [_path(job.root / each, job.test) for each in inputs[:_MAX_INPUTS]]
    words += ["..."] * (len(inputs) > _MAX_INPUTS)
    return [("Reduce the input again", f"nubbin reduce {' '.join(words)}"), verify]


def options(job: Job) -> dict[str, str]:
    """Return the options that are not as by default, and the seed."""
    chosen: dict[str, list[Any]] = {"seed": [job.options["seed"]], **_chosen(job)}
    return {name: printable(", ".join(map(str, values))) for name, values in chosen.items()}


def test_script(test: UserTest, digest: str | None) -> str | None:
    """Return the text of the test if it is a script that is still as the run had it."""
    with suppress(OSError, UnicodeDecodeError):
        path = test.path
        is_small = path.is_file() and path.stat().st_size <= _MAX_TEST_BYTES
        if is_small and test.digest() == digest and (text := path.read_text("utf-8")).strip():
            return text
    return None


def _chosen(job: Job) -> dict[str, list[Any]]:
    """Return the values of the options that are not as by default."""
    known = declared(JobOptions)
    given = {
        name: list(value) if isinstance(value, list | tuple) else [value]
        for name, value in job.options.items()
        if value != known[name][1].default
    }
    return {name: values for name, values in given.items() if values}


def _options(job: Job) -> list[str]:
    """Return the words of the options that are not as by default."""
    return [
        f"--{name.replace('_', '-')}" + ("" if value is True else f" {quoted_word(str(value))}")
        for name, values in _chosen(job).items()
        for value in values
    ]


def _test(test: UserTest) -> str:
    """Return the words that give the test on the command line."""
    if isinstance(test, RunTest):
        return test.as_options
    if isinstance(test, CommandTest):
        return _path(test.path, test)
    words = f"--{test.kind} {quoted_word(str(test))}"
    if isinstance(test, PythonTest) and test.interpreter is not None:
        words += f" --interpreter {quoted_word(test.interpreter)}"
    return words


def _path(path: Path, test: UserTest) -> str:
    """Return a path as a word of a command line in the folder that the user was in."""
    is_below = path.is_relative_to(test.folder)
    return quoted_word(f"./{path.relative_to(test.folder)}" if is_below else str(path))
