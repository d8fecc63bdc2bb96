"""The file on disk is whole at every moment."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from faults import interrupted, remove
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.reduction.result.output_path import contents_at, contents_of, is_replaceable
from nubbin.reduction.result.place import OutputChanged, ResultPlace


def test_a_failed_write_leaves_the_old_best_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in"
    source.write_bytes(b"input")

    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    with ResultPlace(tmp_path, tmp_path / "out") as best:
        best.write(Document.single("in", b"first"))
        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            best.write(Document.single("in", b"second"))
    assert (tmp_path / "out").read_bytes() == b"first"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def documents(tmp_path: Path, *, folder: bool) -> list[Document]:
    """Return the input, which lies in `tmp_path`, and a smaller candidate."""
    if folder:
        (tmp_path / "in").mkdir()
        (tmp_path / "in/x").write_bytes(b"input")
        return [Document("in", (File("in/x", data),)) for data in (b"input", b"inp")]
    (tmp_path / "in").write_bytes(b"input")
    return [Document.single("in", data) for data in (b"input", b"inp")]


class Interrupted(BaseException):
    """Comes at any instant."""


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("in_place", [False, True])
def test_interrupted_at_any_change_of_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool, in_place: bool
) -> None:
    original, smaller = documents(tmp_path, folder=folder)
    input, left = tmp_path / "in", 0

    def interrupted(change: Callable[..., object]) -> Callable[..., object]:
        def changed(*arguments: object, **options: object) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                raise Interrupted
            done = change(*arguments, **options)
            left -= 1
            if left == 0:
                raise Interrupted
            return done

        return changed

    for name in ("link", "rename", "replace"):
        monkeypatch.setattr(os, name, interrupted(getattr(os, name)))
    for at in range(1, 13):
        target = input if in_place else tmp_path / f"out{at}"
        with ResultPlace(tmp_path, target, original=original if in_place else None) as best:
            if not in_place:
                best.write(original)
                best.write(original)  # so that there is a spare folder
            left = at
            with suppress(Interrupted):
                best.write(smaller)
            left = 0
            best.confirm(smaller)
        if in_place:
            kept = tmp_path / "in.orig"
            assert contents_at(kept) == contents_of(original, tmp_path / "in", tmp_path)
            assert contents_at(input) == contents_of(smaller, tmp_path / "in", tmp_path)
            remove(input)
            kept.rename(input)
        assert not list(tmp_path.glob(".*"))


# A descriptor that was opened at that instant, and that no name holds yet, is closed by Python.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("folder", [False, True])
def test_interrupted_at_any_instant_either_result_can_be_confirmed(
    tmp_path: Path, folder: bool
) -> None:
    original, smaller = documents(tmp_path, folder=folder)
    for instant in count():
        with ResultPlace(tmp_path, tmp_path / "out") as best:
            best.write(original)
            if not interrupted(partial(best.write, smaller), instant, "nubbin/reduction/result"):
                break
            there = original if instant % 2 else smaller
            best.confirm(there)
        assert contents_at(tmp_path / "out") == contents_of(there, tmp_path / "in", tmp_path)
        assert not list(tmp_path.glob(".*"))
    assert instant > 20


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("folder", [False, True])
def test_what_made_way_comes_back_if_nothing_takes_its_place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    folder: bool,
    in_place: bool,
    error: type[BaseException],
) -> None:
    original, smaller = documents(tmp_path, folder=folder)
    target = tmp_path / ("in" if in_place else "out")
    replace = os.replace

    def fail(name: str, place: str, **folders: int) -> None:
        if name == "new":
            raise error
        replace(name, place, **folders)

    with ResultPlace(tmp_path, target, original=original if in_place else None) as best:
        if not in_place:
            best.write(original)
        with monkeypatch.context() as patch, pytest.raises(error):
            patch.setattr(os, "replace", fail)
            best.write(smaller)
        assert contents_at(target) == contents_of(original, tmp_path / "in", tmp_path)
        assert not (tmp_path / "in.orig").exists()
        best.write(smaller)
        assert contents_at(target) == contents_of(smaller, tmp_path / "in", tmp_path)
        assert contents_at(tmp_path / "in.orig") == (
            contents_of(original, tmp_path / "in", tmp_path) if in_place else None
        )
    left = {"in", "in.orig"} if in_place else {"in", "out"}
    assert {path.name for path in tmp_path.iterdir()} == left


@pytest.mark.parametrize("folder", [False, True])
def test_a_folder_put_in_the_place_of_ours_is_never_written_to(
    tmp_path: Path, folder: bool
) -> None:
    original, smaller = documents(tmp_path, folder=folder)
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / "else").mkdir()
    with ResultPlace(tmp_path, tmp_path / "out") as best:
        best.write(original)
        # Whoever may write to the folder of the result can do so, at any moment.
        (tmp_path / ".out.nubbin").rename(tmp_path / "ours")
        (tmp_path / ".out.nubbin").mkdir()
        for name, target in (("new", "precious"), ("spare", "else"), ("aside", "else")):
            (tmp_path / ".out.nubbin" / name).symlink_to(tmp_path / target)
        best.write(smaller)
        assert contents_at(tmp_path / "out") == contents_of(smaller, tmp_path / "in", tmp_path)
    assert (tmp_path / "precious").read_bytes() == b"mine"
    assert not list((tmp_path / "else").iterdir())
    assert len(list((tmp_path / ".out.nubbin").iterdir())) == 3


def test_a_result_is_no_more_open_than_the_input(tmp_path: Path) -> None:
    (tmp_path / "in/dir").mkdir(parents=True)
    (tmp_path / "in/dir/x").write_bytes(b"input")
    (tmp_path / "in/dir/x").chmod(0o640)
    (tmp_path / "in/dir").chmod(0o750)
    (tmp_path / "in").chmod(0o510)
    with ResultPlace(tmp_path, tmp_path / "out") as best:
        for data in (b"input", b"inp"):
            best.write(Document("in", (File("in/dir/x", data),)))
            modes = [
                (tmp_path / "out" / each).stat().st_mode & 0o777 for each in (".", "dir", "dir/x")
            ]
            assert modes == [0o710, 0o750, 0o640]


def test_the_result_of_an_input_that_is_gone_is_for_the_user_alone(tmp_path: Path) -> None:
    with ResultPlace(tmp_path, tmp_path / "out") as best:
        best.write(Document.single("in", b"inp"))
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file any group")
def test_a_result_has_the_group_of_its_input(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"input")
    os.chown(tmp_path / "in", -1, 1600)
    (tmp_path / "in").chmod(0o640)
    with ResultPlace(tmp_path, tmp_path / "out") as best:
        best.write(Document.single("in", b"inp"))
    about = (tmp_path / "out").stat()
    assert (about.st_mode & 0o777, about.st_gid) == (0o640, 1600)


@pytest.mark.parametrize("name", ["in", "in/a"])
def test_a_huge_file_in_the_place_of_a_result_is_not_read(tmp_path: Path, name: str) -> None:
    document = Document(name[:2], (File(name, b"input"),))
    with ResultPlace(tmp_path, tmp_path / "out") as best:
        best.write(document)
        with (tmp_path / f"out{name[2:]}").open("wb") as file:
            file.truncate(1 << 41)
        with pytest.raises(OutputChanged):
            best.write(document)
    assert not is_replaceable(tmp_path / "out", contents_at(tmp_path / "out"))


def test_a_result_does_not_act_as_its_owner(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"input")
    (tmp_path / "in").chmod(0o6755)
    with ResultPlace(tmp_path, tmp_path / "out") as best:
        best.write(Document.single("in", b"inp"))
    assert (tmp_path / "out").stat().st_mode & 0o7777 == 0o755
