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
import nubbin_core.waiting
from nubbin.cli import main
from nubbin.oracles.processes import process as wait_exit
from nubbin.oracles.servers import fork_server
from nubbin.oracles.servers.python_test import PythonTest, interpreter_for
from nubbin_core import verdict as verdicts
from nubbin_core.errors import NubbinError
from strangers import NOBODY, needs_root


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
    history = CliRunner().invoke(main, ["log", str(next(project.glob(".nubbin/*")))])
    assert f"check.py:bad in {project}/.venv/bin/python, with" in history.stdout


def test_an_active_environment_comes_first(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / "tests" / "check.py"
    assert interpreter_for(file.parent, None) == f"{project}/.venv/bin/python"
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert interpreter_for(file.parent, None) is None
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "gone"))
    assert interpreter_for(file.parent, None) is None


@needs_root
@pytest.mark.parametrize("place", [".venv", ".venv/pyvenv.cfg", ".venv/bin", ".venv/bin/python"])
def test_an_environment_of_somebody_else_is_not_run(project: Path, place: str) -> None:
    assert interpreter_for(project, None) == f"{project}/.venv/bin/python"
    os.chown(project / place, NOBODY, -1, follow_symlinks=False)
    assert interpreter_for(project, None) is None
    assert interpreter_for(project / "tests", None) is None


@pytest.mark.parametrize("place", [".venv", ".venv/pyvenv.cfg", ".venv/bin"])
def test_nor_is_one_that_others_may_write_to(project: Path, place: str) -> None:
    (project / place).chmod(0o757)
    assert interpreter_for(project, None) is None


def test_the_python_of_a_program_on_the_PATH_comes_last(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    venv.create(own, symlinks=True)
    (own / "bin/pytest").write_text(f"#!{own}/bin/python\n")
    (own / "bin/pytest").chmod(0o755)
    monkeypatch.setenv("PATH", f"{own}/bin", prepend=os.pathsep)
    assert interpreter_for(tmp_path, None, "pytest") == f"{own}/bin/python"
    assert interpreter_for(tmp_path, None) is None
    assert interpreter_for(project, None, "pytest") == f"{project}/.venv/bin/python"


def test_an_interpreter_is_named_by_its_path_or_on_the_PATH(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / "tests" / "check.py"
    assert interpreter_for(file.parent, sys.executable) is None
    monkeypatch.setenv("PATH", f"{project}/.venv/bin", prepend=os.pathsep)
    assert interpreter_for(file.parent, "python") == f"{project}/.venv/bin/python"
    monkeypatch.chdir(project)
    assert interpreter_for(file.parent, ".venv/bin/python") == f"{project}/.venv/bin/python"
    with pytest.raises(NubbinError, match="There is no Python interpreter nowhere"):
        interpreter_for(file.parent, "nowhere")


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


@pytest.mark.parametrize("module", [nubbin, fork_server, wait_exit, verdicts, nubbin_core.waiting])
def test_old_interpreters_can_read_what_they_import(module: object) -> None:
    file = Path(str(module.__file__))  # type: ignore[attr-defined]
    assert ast.parse(file.read_text(), feature_version=(3, 9))
