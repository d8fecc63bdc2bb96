from __future__ import annotations

import os
from pathlib import Path

import pytest

from nubbin.oracles.workspace import Workspace

NOBODY = 65534


@pytest.fixture
def common_user() -> object:
    """As somebody who may not do everything, for root opens every locked folder."""
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
