"""Find the outcome of one test of a pytest suite after some of the others.

The Python of the suite runs this file, from 3.9 on, so it imports nothing of nubbin. As a program
it writes the ids of all tests, in their order, to a file. A fork server imports it, and pytest with
it, and calls `came_to` in a fork.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

if sys.path and sys.path[0] == str(Path(__file__).parent):
    del sys.path[0]  # the modules here are not the suite's

import pytest

if sys.dont_write_bytecode:  # pytest would rewrite all assertions again in each run
    sys.dont_write_bytecode, sys.pycache_prefix = False, f"{tempfile.gettempdir()}/bytecode"

#: The packages and modules of nubbin that a fork server has imported.
_OURS = ("nubbin", "nubbin_core", __name__)


def ids(lines: str) -> list[str]:
    """Return the ids of tests, one on each line; a NUL replaces a line break in an id."""
    return [line.replace("\0", "\n") for line in lines.split("\n") if line]


def came_to(path: Path, folder: str, outcome: str, test: str, *arguments: str) -> bool | None:
    """Tell whether a test has an outcome after the tests that a file lists.

    pytest runs in the folder with these arguments, and collects only the files of the tests. None
    if the test neither passes nor fails.
    """
    _enter(folder)
    one = OneTest([*ids(path.read_text("utf-8", "surrogateescape")), test])
    _run([*arguments, "--maxfail=0", "--continue-on-collection-errors"], one)
    return one.outcome == outcome if one.outcome in ("passed", "failed") else None


class Undisturbed:
    """Makes pytest run in this process, and write to no file of the user's.

    `orderly` are the arguments with which the suite's plugins do so and keep the order of tests.
    """

    orderly: tuple[str, ...] = ()

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: Any) -> None:
        """Override options of the command line and of the suite's own configuration."""
        seed = getattr(config.option, "randomly_seed", None)
        if seed is not None:
            self.orderly += (f"--randomly-seed={seed}", "--randomly-dont-reorganize")
        if getattr(config.option, "numprocesses", None):
            self.orderly += ("-n0",)
        config.option.__dict__.update(
            numprocesses=0, dist="no", tx=[], usepdb=False, xmlpath=None, basetemp=None
        )


class OneTest(Undisturbed):
    """Runs tests in the order of a list, and records the outcome of the last.

    `outcome` is pytest's word: passed, failed or skipped; None if the test was not run.
    """

    def __init__(self, tests: Sequence[str]):
        self.outcome: str | None = None
        self._test = tests[-1]
        self._places = {test: place for place, test in enumerate(tests)}
        self._files = {test.partition("::")[0] for test in tests}
        self._folders = {str(above) for file in self._files for above in Path(file).parents}

    def pytest_ignore_collect(self, collection_path: Path, config: Any) -> bool | None:
        """Skip files and folders that contain none of the tests."""
        try:
            name = collection_path.relative_to(config.rootpath).as_posix()
        except ValueError:
            return None
        if collection_path.name == "__init__.py":
            return None
        return True if name not in self._files | self._folders else None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> Generator[None, None, None]:
        """Keep the tests of the list in its order, whatever order a plugin has put them in."""
        yield
        items[:] = [item for item in items if item.nodeid in self._places]
        items.sort(key=lambda item: self._places[item.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """Print nothing about the other tests: a line for each takes longer than many of them."""
        return None if report.nodeid == self._test else ("", "", "")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Record the worst outcome of the set-up, the call, the tear-down and any subtests."""
        if report.nodeid != self._test or self.outcome == "failed":
            return
        if report.when == "call" or report.outcome != "passed":
            self.outcome = report.outcome


class _Word(str):
    """An argument that can be told from equal ones, because it is another object."""


class Collected(Undisturbed):
    """Writes to a file how to name the tests of a suite, and how to run them."""

    def __init__(self, place: str, arguments: Sequence[str]):
        self._place = Path(place)
        self._arguments = [_Word(each) for each in arguments]
        self._parser: Any = None

    def pytest_addoption(self, parser: Any) -> None:
        """Keep the parser, which tells the values of options from the names of files."""
        self._parser = parser

    def pytest_collection_finish(self, session: Any) -> None:
        """Write the folder that ids start from, the ids in the order of the tests, the arguments.

        The arguments are split into options, and files or folders to collect.
        """
        files = self._parser.parse_known_args(self._arguments).file_or_dir
        options = [word for word in self._arguments if not any(word is each for each in files)]
        found = {
            "root": str(session.config.rootpath),
            "tests": [item.nodeid for item in session.items],
            "options": [*options, *self.orderly],
            "files": files,
        }
        self._place.write_text(json.dumps(found))


def _enter(folder: str) -> None:
    """Enter the folder of a suite as python -m pytest does."""
    os.chdir(folder)
    sys.path.insert(0, folder)
    for name in [each for each in sys.modules if each.split(".")[0] in _OURS]:
        del sys.modules[name]  # the suite may have modules of these names


def _run(arguments: list[str], plugin: Undisturbed) -> int:
    temporary = tempfile.gettempdir()
    os.environ.update(PWD=str(Path.cwd()), COVERAGE_FILE=f"{temporary}/coverage")
    sys.argv[0] = pytest.__file__
    return pytest.main([*arguments, "-o", f"cache_dir={temporary}/cache"], plugins=[plugin])


if __name__ == "__main__":
    _enter(str(Path.cwd()))
    _, written, *given = sys.argv
    sys.exit(_run([*given, "--collect-only", "-q"], Collected(written, given)))
