"""The file on disk is whole at every moment."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.oracles.candidate_files import remove
from nubbin.reduction.best import Best
from nubbin.reduction.contents import contents_at, contents_of


def test_a_failed_write_leaves_the_old_best_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in"
    source.write_bytes(b"input")

    def fail(self: Path, target: Path) -> None:
        raise OSError("disk full")

    with Best(tmp_path, tmp_path / "out") as best:
        best.write(Document.single("in", b"first"))
        monkeypatch.setattr(Path, "replace", fail)
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
        with Best(tmp_path, target, original=original if in_place else None) as best:
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
            assert contents_at(kept) == contents_of(original)
            assert contents_at(input) == contents_of(smaller)
            remove(input)
            kept.rename(input)
        assert not list(tmp_path.glob(".*"))


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
    replace = Path.replace

    def fail(self: Path, place: Path) -> Path:
        if self.name == "new":
            raise error
        return replace(self, place)

    with Best(tmp_path, target, original=original if in_place else None) as best:
        if not in_place:
            best.write(original)
        with monkeypatch.context() as patch, pytest.raises(error):
            patch.setattr(Path, "replace", fail)
            best.write(smaller)
        assert contents_at(target) == contents_of(original)
        assert not (tmp_path / "in.orig").exists()
        best.write(smaller)
        assert contents_at(target) == contents_of(smaller)
        assert contents_at(tmp_path / "in.orig") == (contents_of(original) if in_place else None)
    left = {"in", "in.orig"} if in_place else {"in", "out"}
    assert {path.name for path in tmp_path.iterdir()} == left
