"""Real suites and a real pytest: the tests that another one needs, to fail or to pass."""

from __future__ import annotations

import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import mostly_nightly
from nubbin.oracles.servers.python_test import PytestTest, as_lines
from nubbin.oracles.user_test import from_json
from nubbin.reduction.options import Options
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.run_job import Reduction
from nubbin.suspects.tests import Suite, blame_tests
from nubbin_core.errors import NubbinError

_STATE = "import state\n"
_SUITE = {
    "conftest.py": "",
    "pytest.ini": "[pytest]\naddopts = -x --junitxml=mine.xml --basetemp=mine\n",
    "mine.xml": "mine",
    "mine/file": "mine",
    "state.py": "SEEN = set()\n",
    "test_a.py": _STATE
    + "import unittest\n"
    + "class TestOne(unittest.TestCase):\n"
    + "    def test_it(self):\n        state.SEEN.add('a')\n"
    + "    def test_other(self):\n        pass\n",
    "sub/test_b 1.py": _STATE
    + "import pytest\n"
    + "@pytest.mark.parametrize('x', ['p q', 'a::b', \"it's\", 'l\\nl', 'é'])\n"
    + "def test_b(x):\n    state.SEEN.add(x)\n",
    "test_c.py": _STATE
    + "import pytest\n"
    + "def test_fails_itself():\n    assert False\n"
    + "def test_two():\n    assert not {'a', 'a::b'} <= state.SEEN, 'polluted'\n"
    + "def test_needs():\n    assert 'l\\nl' in state.SEEN\n"
    + "def test_fine():\n    pass\n"
    + "def test_skipped():\n    pytest.skip()\n"
    + "@pytest.fixture\ndef broken():\n    assert 'é' not in state.SEEN\n"
    + "def test_set_up(broken):\n    pass\n",
}
_A = "test_a.py::TestOne::test_it"
_B = "sub/test_b 1.py::test_b[{}]"


def _suite(folder: Path, files: Mapping[str, str] = _SUITE) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = _suite(tmp_path / "the suite")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # four fifths of a run's time
    return folder


def _blamed(tmp_path: Path, one: str, **rest: Any) -> Reduction:
    place = tmp_path / "run"
    return blame_tests(
        one, record=place, output=tmp_path / "tests.txt", options=Options(jobs=1), **rest
    )


def _before(result: Reduction) -> list[str]:
    return result.data.decode().replace("\0", "\n").split("\n")[:-1]


@pytest.mark.parametrize(
    ("one", "needed"),
    mostly_nightly(
        [
            ("test_c.py::test_two", {_A, _B.format("a::b")}),
            ("test_c.py::test_set_up", {_B.format("\\xe9")}),
            ("test_c.py::test_needs", {_B.format("l\\nl")}),
        ],
        [("test_c.py::test_two", {_A, _B.format("a::b")})],
    ),
)
def test_the_tests_that_it_takes(suite: Path, tmp_path: Path, one: str, needed: set[str]) -> None:
    result = _blamed(tmp_path, one)
    assert set(_before(result)) == needed
    assert result.minimal
    assert (suite / "mine.xml").read_text() == (suite / "mine/file").read_text() == "mine"
    assert not {*suite.rglob(".pytest_cache"), *suite.rglob("__pycache__")}
    # The last thing that is said shows it.
    assert result.line is not None
    ran = subprocess.run(
        f"{result.line} -o addopts=", shell=True, cwd=suite, capture_output=True, check=False
    )
    assert (ran.returncode == 0) == (one == "test_c.py::test_needs"), ran.stdout
    assert b"%d passed" % (len(needed) + (ran.returncode == 0)) in ran.stdout
    # And a run that was not done would go on.
    assert resume(tmp_path / "run").files == result.files


@pytest.mark.parametrize(
    ("one", "says"),
    mostly_nightly(
        [
            ("test_c.py::test_fails_itself", "fails after the 7 tests"),
            ("test_c.py::test_fine", "passes after the 10 tests"),
            ("test_c.py::test_skipped", "does not run alone"),
            ("test_c.py::test_fin", "Did you mean test_c.py::test_fine"),
            ("sub/test_b 1.py::test_b", "Did you mean sub/test_b 1.py::test_b[p q]"),
            (_B.format("p q"), "No test runs before"),
            ("nowhere", "There is no test 'nowhere'"),
        ],
        [
            ("test_c.py::test_fails_itself", "fails after the 7 tests"),
            ("nowhere", "There is no test 'nowhere'"),
        ],
    ),
)
def test_what_makes_no_sense(suite: Path, tmp_path: Path, one: str, says: str) -> None:
    with pytest.raises(NubbinError, match=re.escape(says)):
        _blamed(tmp_path, one)
    assert not (tmp_path / "tests.txt").exists()


def test_a_folder_without_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NubbinError, match=r"pytest finds no tests here(?s:.*)no tests collected"):
        _blamed(tmp_path, "test_a.py::test_b")


@pytest.mark.nightly
def test_a_name_from_a_folder_in_the_suite(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite / "sub")
    result = _blamed(tmp_path, "../test_c.py::test_set_up", arguments=["..", "-p", "no:randomly"])
    assert _before(result) == [_B.format("\\xe9")]


_XDIST = "[gw{}] [ 50%] {} {} \n"


@pytest.mark.parametrize(
    "text",
    [
        "".join(
            _XDIST.format(*each)
            for each in [
                (0, "PASSED", "test_c.py::test_fine"),
                (1, "PASSED", _A),
                (0, "PASSED", _B.format("a::b")),
                (1, "PASSED", "test_c.py::test_needs"),
                (0, "PASSED", _B.format("\\xe9")),
                (0, "ERROR", "test_c.py::test_set_up"),
                (1, "PASSED", "test_a.py::TestOne::test_other"),
            ]
        ),
        f"test_c.py::test_fine PASSED [ 1%]\r\n{_B.format('a::b')} PASSED\n"
        f"{_B.format(chr(92) + 'xe9')} SKIPPED (why) [ 3%]\ntest_c.py::test_set_up FAILED [4%]\n",
        f"test_c.py::test_fine\nof another suite\n{_B.format('a::b')}\n{_B.format(chr(92) + 'xe9')}"
        f"\ntest_c.py::test_set_up\n{_A}\n",
    ],
)
def test_the_order_that_is_given(suite: Path, text: str) -> None:
    tests = [_A, _B.format("a::b"), _B.format("\\xe9"), "test_c.py::test_fine"]
    tests += ["test_c.py::test_set_up", "test_c.py::test_needs", "test_a.py::TestOne::test_other"]
    found = Suite(str(suite), tests, [], []).before("test_c.py::test_set_up", text)
    assert found == ["test_c.py::test_fine", _B.format("a::b"), _B.format("\\xe9")]


def test_an_order_without_the_test() -> None:
    with pytest.raises(NubbinError, match="does not contain b"):
        Suite("/", ["a", "b"], [], []).before("b", "a\n")


@pytest.mark.nightly
def test_how_many_times_the_suite_is_run(suite: Path, tmp_path: Path) -> None:
    """No run of all tests is made twice, and one in a thousand is found as by halving."""
    many = "def test_{0}():\n    state.SEEN.add({0})\n"
    (suite / "sub" / "test_many.py").write_text(_STATE + "".join(map(many.format, range(1000))))
    (suite / "sub" / "test_one.py").write_text(
        _STATE + "def test_it(): bad = 613 in state.SEEN; assert not bad\n"
    )
    (suite / "sub" / "conftest.py").write_text(
        "def pytest_sessionfinish(session):\n"
        f"    with open({str(tmp_path / 'log')!r}, 'a') as log:\n"
        "        print(len(session.items), file=log)\n"
    )
    result = _blamed(
        tmp_path, "sub/test_one.py::test_it", arguments=("sub/test_many.py", "sub/test_one.py")
    )
    assert _before(result) == ["sub/test_many.py::test_613"]
    ran = (tmp_path / "log").read_text().split()
    assert ran.count("1001") == 2, "the collection, and a run"
    assert result.queries <= math.log2(1000) + 1 + 5


@pytest.mark.nightly
def test_assertions_are_rewritten_once(suite: Path, tmp_path: Path) -> None:
    """Where no byte code is written, it is kept as long as the server lives, and not here."""
    (suite / "conftest.py").write_text(
        "import sys\nassert not sys.dont_write_bytecode and sys.pycache_prefix\n"
    )
    assert _before(_blamed(tmp_path, "test_c.py::test_needs")) == [_B.format("l\\nl")]
    assert not [*suite.rglob("__pycache__")]


@pytest.mark.nightly
def test_only_files_of_the_tests_are_collected(suite: Path, tmp_path: Path) -> None:
    # Whoever imports this one ends.
    (suite / "sub" / "test_deadly.py").write_text(
        "import os, sys\nif len(sys.argv) == 1: os._exit(1)\ndef test_it(): pass\n"
    )
    order = f"{_A}\n{_B.format('p q')}\n{_B.format('a::b')}\ntest_c.py::test_two\n"
    result = _blamed(tmp_path, "test_c.py::test_two", order=order)
    assert _before(result) == [_A, _B.format("a::b")]


@pytest.mark.nightly
def test_a_file_that_pytest_does_not_take_as_an_argument(suite: Path, tmp_path: Path) -> None:
    (suite / "sub" / "test_b 1.py").rename(suite / "sub" / "test_b [1].py")
    result = _blamed(tmp_path, "test_c.py::test_set_up")
    assert _before(result) == [_B.format("\\xe9").replace("1.py", "[1].py")]


@pytest.mark.nightly
def test_workers_of_xdist_are_not_used(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    (suite / "pytest.ini").write_text("[pytest]\naddopts = -n2 --dist=load\n")
    result = _blamed(tmp_path, "test_c.py::test_two")
    assert _before(result) == [_B.format("a::b"), _A]
    assert result.line is not None
    assert " -n0 " in result.line


@pytest.mark.nightly
def test_the_value_of_an_option_may_be_the_name_of_a_folder(suite: Path, tmp_path: Path) -> None:
    given = ("-k", "sub or test_two", "sub", "-k", "sub", "-x", "test_c.py", "--deselect", "sub/x")
    (suite / "sub" / "x").touch()
    (suite / "test_c.py").write_text(
        _STATE + "def test_sub():\n    assert not {'a::b'} <= state.SEEN\n"
    )
    result = _blamed(tmp_path, "test_c.py::test_sub", arguments=given)
    (needed,) = _before(result)
    assert result.line is not None
    line = shlex.split(result.line)[3:]
    options = ["-k", "sub or test_two", "-k", "sub", "-x", "--deselect", "sub/x"]
    assert line == [*options, needed, "test_c.py::test_sub"]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)))
def test_ids_are_read_as_they_are_written(tests: list[str]) -> None:
    sys.path.insert(0, str(Path(PytestTest.of_suite.__code__.co_filename).parent))
    from nubbin.oracles.servers.one_test import ids  # noqa: PLC0415 - the suite's Python does it

    assert ids(as_lines(tests).decode("utf-8", "surrogateescape")) == tests


def test_a_journal_keeps_it(tmp_path: Path) -> None:
    test = PytestTest.of_suite(tmp_path, "a b\n::c", ["-k", "x"], None, ["t"]).passing()
    assert from_json(test.to_json()) == test
    assert not test.fails
    assert os.fspath(tmp_path) in test.words
