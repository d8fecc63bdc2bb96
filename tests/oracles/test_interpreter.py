"""Functions that another Python calls: the project's own, with the libraries that it has."""

from __future__ import annotations

import ast
import os
import sys
import venv
from pathlib import Path

import pytest
from click.testing import CliRunner

import nubbin
from nubbin import verdict as verdicts
from nubbin.cli import main
from nubbin.errors import NubbinError
from nubbin.oracles.processes import process as wait_exit
from nubbin.oracles.servers import zygote
from nubbin.oracles.servers.interpreter import interpreter_for
from nubbin.oracles.servers.python_test import PythonTest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a virtual environment, in which there is a library, and a test below it."""
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    venv.create(folder / ".venv", symlinks=True)
    (site,) = folder.glob(".venv/lib/*/site-packages")
    (site / "only_there.py").write_text("def is_bad(data):\n    return b'b' in data\n")
    (folder / "tests" / "check.py").write_text(
        "import sys\nimport only_there\n\n\ndef bad(path):\n"
        "    return only_there.is_bad(path.read_bytes()) and '.venv' in sys.prefix\n"
    )
    (folder / "abc.txt").write_text("a\nb\nc\n")
    return folder


def test_the_environment_of_a_project_is_found_and_said(project: Path) -> None:
    words = ["--python", f"{project}/tests/check.py:bad", f"{project}/abc.txt"]
    said = CliRunner().invoke(main, ["reduce", *words])
    assert f"nubbin: the test runs in {project}/.venv/bin/python\n" in said.stderr
    assert (project / "abc.reduced.txt").read_text() == "b"
    history = CliRunner().invoke(main, ["history", str(next(project.glob(".nubbin/*")))])
    assert f"check.py:bad in {project}/.venv/bin/python, with" in history.stdout


def test_an_active_environment_comes_first(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / "tests" / "check.py"
    assert interpreter_for(file, None) == f"{project}/.venv/bin/python"
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert interpreter_for(file, None) is None
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "gone"))
    assert interpreter_for(file, None) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to somebody else")
def test_an_environment_of_somebody_else_is_not_run(project: Path) -> None:
    file = project / "tests" / "check.py"
    os.chown(project / ".venv", 12345, -1)
    assert interpreter_for(file, None) is None
    os.chown(file, 12345, -1)  # whose code is run anyway
    assert interpreter_for(file, None) == f"{project}/.venv/bin/python"


def test_an_interpreter_is_named_by_its_path_or_on_the_PATH(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / "tests" / "check.py"
    assert interpreter_for(file, sys.executable) is None
    monkeypatch.setenv("PATH", f"{project}/.venv/bin", prepend=os.pathsep)
    assert interpreter_for(file, "python") == f"{project}/.venv/bin/python"
    monkeypatch.chdir(project)
    assert interpreter_for(file, ".venv/bin/python") == f"{project}/.venv/bin/python"
    with pytest.raises(NubbinError, match="There is no Python interpreter nowhere"):
        interpreter_for(file, "nowhere")


def test_a_module_that_is_elsewhere_is_missed_with_the_interpreter(project: Path) -> None:
    test = PythonTest.of(f"{project}/tests/check.py:bad", sys.executable)
    with pytest.raises(NubbinError, match=f"No module named 'only_there'. It runs in {sys.prefix}"):
        nubbin.reduce(test, project / "abc.txt")


def test_what_is_no_python_is_told(project: Path) -> None:
    test = PythonTest.of(f"{project}/tests/check.py:bad", "false")
    with pytest.raises(NubbinError, match="exited with status 1"):
        nubbin.reduce(test, project / "abc.txt")


def test_an_interpreter_without_a_function_is_a_wrong_command_line(project: Path) -> None:
    said = CliRunner().invoke(main, ["reduce", "--interpreter", "python", "a", "b"])
    assert (said.exit_code, "--interpreter needs --python" in said.stderr) == (2, True)


@pytest.mark.parametrize("module", [nubbin, zygote, wait_exit, verdicts, nubbin.waiting])
def test_old_interpreters_can_read_what_they_import(module: object) -> None:
    file = Path(str(module.__file__))  # type: ignore[attr-defined]
    assert ast.parse(file.read_text(), feature_version=(3, 9))
