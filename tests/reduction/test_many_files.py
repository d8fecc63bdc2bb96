"""Folders and several files, reduced together."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError

Script = Callable[..., Path]

MAIN = b'#include "lib/twice.h"\nint unused;\nint main(void) { return twice(21) - 42; }\n'
HEADER = b"static int twice(int x) { return 2 * x; }\nstatic int thrice(int x) { return 3 * x; }\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "project"
    (folder / "src/lib").mkdir(parents=True)
    (folder / "docs/deep").mkdir(parents=True)
    (folder / "src/main.c").write_bytes(MAIN)
    (folder / "src/lib/twice.h").write_bytes(HEADER)
    (folder / "docs/deep/guide.md").write_bytes(b"# Guide\n" * 50)
    (folder / "docs/index.md").write_bytes(b"# Index\n" * 50)
    (folder / "run.sh").write_bytes(b"#!/bin/sh\nexit 0\n")
    (folder / "run.sh").chmod(0o755)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder(script: Script, project: Path) -> None:
    before = files(project)
    test = script('[ "$1" = "$PWD/project" ] && grep -rq twice "$1/src/lib"')
    result = reduce(test, project)
    assert result.files == {"project/src/lib/twice.h": b"twice"}
    assert result.output == project.with_name("project.reduced")
    assert files(result.output) == {"src/lib/twice.h": b"twice"}
    assert files(project) == before
    assert result.minimal
    assert [path.name for path in project.parent.iterdir()].count("project.reduced") == 1
    assert sorted(path.name for path in project.parent.iterdir()) == [
        "project",
        "project.reduced",
    ]


def test_a_pass_without_success_stops_no_other_of_its_name(script: Script, tmp_path: Path) -> None:
    """White space of a text is one pass, and that of a program, which has a grammar, another."""
    folder = tmp_path / "work" / "project"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"word")
    (folder / "b.c").write_bytes(b"int   x ;")
    test = script("[ $(cat project/a.txt) = word ] && grep -qx 'int *x *;' project/b.c")
    result = reduce(test, folder, smallest="tree")
    assert result.files == {"project/a.txt": b"word", "project/b.c": b"int x;"}


def test_files_that_must_be_there_are_emptied(script: Script, project: Path) -> None:
    result = reduce(
        script("[ -e project/docs/index.md ] && grep -q main project/src/main.c"), project
    )
    assert result.files == {"project/docs/index.md": b"", "project/src/main.c": b"main"}


def test_files_may_be_run_in_candidates_and_in_the_result(script: Script, project: Path) -> None:
    result = reduce(script("project/run.sh && [ -s project/run.sh ]"), project)
    assert os.access(result.output / "run.sh", os.X_OK)


def test_several_files_keep_their_places(script: Script, project: Path) -> None:
    inputs = [project / "src/main.c", project / "src/lib"]
    test = script('[ "$1" = "$PWD" ] && grep -q main main.c && grep -q thrice lib/twice.h')
    result = reduce(test, inputs)
    assert result.output == project / "src/nubbin.reduced"
    assert files(result.output) == {"main.c": b"main", "lib/twice.h": b"thrice"}


def test_in_place(script: Script, project: Path) -> None:
    before = files(project)
    result = reduce(script("grep -q main project/src/main.c"), project, in_place=True)
    assert result.output == project
    assert files(project) == {"src/main.c": b"main"}
    assert files(project.with_name("project.orig")) == before


def test_in_place_needs_one_input(script: Script, project: Path) -> None:
    with pytest.raises(NubbinError, match="one folder"):
        reduce(script("true"), [project / "run.sh", project / "docs"], in_place=True)


def test_the_input_is_not_replaced_if_there_is_an_output(script: Script, project: Path) -> None:
    before, test = files(project), script("grep -q main project/src/main.c")
    with pytest.raises(NubbinError, match="either --output or --in-place"):
        reduce(test, project, in_place=True, output=project.with_name("small"))
    assert files(project) == before


def test_a_folder_with_something_in_it_is_not_replaced(script: Script, project: Path) -> None:
    mine = project.with_name("mine")
    mine.mkdir()
    (mine / "thesis.tex").write_bytes(b"years of work")
    with pytest.raises(NubbinError, match="empty"):
        reduce(script("grep -q main project/src/main.c"), project, output=mine)
    assert files(mine) == {"thesis.tex": b"years of work"}


def test_any_number_of_workers_gives_the_same_files(script: Script, project: Path) -> None:
    test = script("grep -q 'main' project/src/main.c && grep -rq Guide project/docs")
    alone, together = (
        reduce(test, project, jobs=jobs, smallest="lines", output=project.with_name(f"by-{jobs}"))
        for jobs in (1, 4)
    )
    assert together.files == alone.files


def test_an_empty_folder(script: Script, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(NubbinError, match="nothing to reduce"):
        reduce(script("true"), tmp_path / "empty")
