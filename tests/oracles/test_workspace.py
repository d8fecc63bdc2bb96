from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from nubbin.oracles.workspace import Workspace

NOBODY = 65534


@pytest.fixture
def common_user(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As somebody who may not do everything, for root opens every locked folder."""
    monkeypatch.delenv("TMPDIR", raising=False)  # which may be a folder of root's own
    monkeypatch.setattr("tempfile.tempdir", None)
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    yield
    os.seteuid(0)


@pytest.mark.usefixtures("common_user")
def test_locked_folders_go() -> None:
    workspace = Workspace()
    folder = Path(workspace.fresh())
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").touch(0o000)
    for locked in (deep, deep.parent, folder):
        locked.chmod(0o000)
    workspace.clear(str(folder), None)
    assert list(Path(workspace.root).iterdir()) == []
    workspace.close()
    assert not Path(workspace.root).exists()


def test_folders_are_never_used_twice() -> None:
    workspace = Workspace()
    seen = set()
    for _ in range(3):
        folder = workspace.fresh()
        seen.add(folder)
        workspace.clear(folder, None)
    workspace.close()
    assert len(seen) == 3


def test_what_stays_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(tmp_path)
    folder = workspace.fresh()

    def refuse(*_: object) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", refuse)
        workspace.clear(folder, None)
        with pytest.warns(ResourceWarning, match="could not remove"):
            workspace.close()
    workspace.close()
    assert list(tmp_path.iterdir()) == []


def old(workspace: Workspace) -> None:
    os.utime(workspace.root, (0, 0))


def test_what_a_killed_process_left_is_found(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, sys\n"
        "from nubbin.oracles.workspace import Workspace\n"
        "workspace = Workspace(pathlib.Path(sys.argv[1]))\n"
        "workspace.fresh()\n"
        "os.utime(workspace.root, (0, 0))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    for left in Workspace.abandoned(tmp_path):
        left.close()
    assert not list(tmp_path.iterdir())


def test_what_is_in_use_or_young_or_of_others_is_left_alone(tmp_path: Path) -> None:
    used, young = Workspace(tmp_path), Workspace(tmp_path)
    old(used)
    (tmp_path / "nubbin-file").touch()
    assert not list(Workspace.abandoned(tmp_path))
    used.close()
    young.close()


def test_where_the_user_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with closing(Workspace()) as workspace:
        assert Path(workspace.root).parent == tmp_path
