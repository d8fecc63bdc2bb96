"""The hidden folder beside a result: one holds it, the next clears it, nobody else's is touched."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from nubbin.reduction.result.place import Staging
from nubbin_core.errors import NubbinError
from strangers import another_user, folder_for_all, needs_root


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "out"


def hidden(place: Path) -> Path:
    return place.with_name(".out.nubbin")


def test_nothing_is_left(place: Path) -> None:
    Staging(place).close()
    assert not list(place.parent.iterdir())


def test_one_at_a_time(place: Path) -> None:
    first = Staging(place)
    with pytest.raises(NubbinError, match=f"in process {os.getpid()}, writes to"):
        Staging(place)
    first.close()
    Staging(place).close()


def test_whoever_lets_go_at_this_instant_takes_the_lock_away(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, lock, held = Staging(place), fcntl.flock, list[Staging]()

    def flock(descriptor: int, kind: int) -> None:
        if held:
            lock(descriptor, kind)
            return
        held.append(first)
        first.close()
        lock(descriptor, kind)  # of a file that has no name any more

    monkeypatch.setattr(fcntl, "flock", flock)
    second = Staging(place)
    monkeypatch.undo()
    assert held
    with pytest.raises(NubbinError, match="writes to"):
        Staging(place)
    second.close()
    assert not list(place.parent.iterdir())


def test_what_a_killed_run_left_is_cleared_away(place: Path) -> None:
    hidden(place).mkdir()
    (hidden(place) / "lock").write_text("nubbin 1\n")
    (hidden(place) / "new").mkdir()
    (hidden(place) / "new/file").write_text("half")
    (hidden(place) / "old").write_text("replaced")
    place.write_text("best")
    Staging(place).close()
    assert {path.name: path.read_text() for path in place.parent.iterdir()} == {"out": "best"}


@pytest.mark.parametrize("name", ["aside", "old"])
def test_what_had_made_way_comes_back(place: Path, name: str) -> None:
    hidden(place).mkdir()
    (hidden(place) / "lock").write_text("nubbin 1\n")
    (hidden(place) / name).write_text("best")
    Staging(place).close()
    assert {path.name: path.read_text() for path in place.parent.iterdir()} == {"out": "best"}


def test_what_made_way_and_was_not_looked_at_stays(place: Path) -> None:
    hidden(place).mkdir()
    (hidden(place) / "lock").write_text("nubbin 1\n")
    (hidden(place) / "aside").write_text("perhaps mine")
    place.write_text("mine")
    for _ in range(2):
        with pytest.raises(NubbinError, match=r"What lay there before is in .*aside"):
            Staging(place)
    assert (hidden(place) / "aside").read_text() == "perhaps mine"
    assert place.read_text() == "mine"
    (hidden(place) / "aside").unlink()
    Staging(place).close()
    assert not hidden(place).exists()


@pytest.mark.parametrize("lock", [None, "", "mine"])
def test_a_folder_of_somebody_else_is_left_as_it_is(place: Path, lock: str | None) -> None:
    hidden(place).mkdir()
    (hidden(place) / "new").write_text("mine")
    if lock is not None:
        (hidden(place) / "lock").write_text(lock)
    before = {path: path.read_text() for path in hidden(place).iterdir()}
    with pytest.raises(NubbinError, match="in the way"):
        Staging(place)
    assert {path: path.read_text() for path in hidden(place).iterdir()} == before


def test_a_link_is_not_followed(place: Path) -> None:
    (place.parent / "else").mkdir()
    hidden(place).symlink_to("else")
    with pytest.raises(NubbinError, match="in the way"):
        Staging(place)
    assert not list((place.parent / "else").iterdir())


def test_killed_before_it_was_marked(place: Path) -> None:
    hidden(place).mkdir()
    (hidden(place) / "lock").touch()
    Staging(place).close()
    assert not hidden(place).exists()


@needs_root
@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777])
def test_another_users_folder_is_not_used(mode: int) -> None:
    with folder_for_all() as folder:
        place, precious = folder / "out", folder / "precious"
        precious.write_text("mine")
        with another_user():
            hidden(place).mkdir()
            (hidden(place) / "lock").write_text("nubbin 1\n")
            (hidden(place) / "new").symlink_to(precious)
            hidden(place).chmod(mode)
        with pytest.raises(NubbinError, match=r"is in the way: .* belongs to nobody, not to you"):
            Staging(place)
        assert precious.read_text() == "mine"


def test_only_what_nubbin_made_is_cleared_away(place: Path) -> None:
    hidden(place).mkdir()
    (hidden(place) / "lock").write_text("nubbin 1\n")
    (hidden(place) / "notes").write_text("mine")
    for name in ("new", "spare", f"gone-{'0' * 32}"):
        (hidden(place) / name).mkdir()
        (hidden(place) / name / "file").touch()
    for _ in range(2):
        Staging(place).close()
        assert {path.name for path in hidden(place).iterdir()} == {"lock", "notes"}
    (hidden(place) / "notes").unlink()
    Staging(place).close()
    assert not hidden(place).exists()


def test_a_folder_that_others_may_write_to_is_not_used(place: Path) -> None:
    hidden(place).mkdir()
    (hidden(place) / "lock").write_text("nubbin 1\n")
    hidden(place).chmod(0o777)
    with pytest.raises(NubbinError, match=r"is in the way: .* may be written to by others"):
        Staging(place)


def test_a_lock_of_another_kind_is_not_waited_for(place: Path) -> None:
    hidden(place).mkdir()
    os.mkfifo(hidden(place) / "lock")
    with pytest.raises(NubbinError, match="in the way"):
        Staging(place)


def test_without_the_folder_around_it_nothing_waits(tmp_path: Path) -> None:
    with pytest.raises(NubbinError, match=r"make the folder .*removed again"):
        Staging(tmp_path / "removed" / "result.txt")
