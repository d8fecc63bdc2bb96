from __future__ import annotations

import os
from pathlib import Path

import pytest

from nubbin.report.page.html import write_page
from nubbin_core.errors import NubbinError


def test_an_earlier_page_is_replaced_unless_somebody_changed_it(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    source = tmp_path / "input"
    source.touch()
    write_page("one", place, [source])
    write_page("two", place, [source])
    assert place.read_text().endswith("\ntwo")
    assert place.stat().st_mode & 0o777 == source.stat().st_mode & 0o777
    place.write_text(place.read_text() + " by hand")
    with pytest.raises(NubbinError, match="was changed since"):
        write_page("three", place, [source])
    assert place.read_text().endswith("two by hand")
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "input"}


def _stamp(path: Path) -> tuple[int, ...]:
    """What a write changes; a read may change the time of the last access."""
    seen = path.lstat()
    return seen.st_ino, seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def test_nothing_else_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write_page("page", tmp_path / "page.html", [tmp_path])
    (tmp_path / "link").symlink_to("page.html")
    (tmp_path / "dangling").symlink_to("nowhere")
    before = {path: _stamp(path) for path in tmp_path.iterdir()}
    for name in ("notes.txt", "link", "dangling", ".", "no/where.html"):
        with pytest.raises(NubbinError):
            write_page("page", tmp_path / name, [tmp_path])
    assert {path: _stamp(path) for path in tmp_path.iterdir()} == before


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_page("page", pipe, [tmp_path])
        assert os.read(reader, 1000).endswith(b"\npage")
    finally:
        os.close(reader)


@pytest.mark.parametrize("put", ["pipe", "link to a pipe", "link to a device"])
def test_nothing_that_lies_at_the_default_place_is_written_to(tmp_path: Path, put: str) -> None:
    place, pipe = tmp_path / "n.txt.report.html", tmp_path / "pipe"
    os.mkfifo(place if put == "pipe" else pipe)
    if put != "pipe":
        place.symlink_to(pipe if "pipe" in put else os.devnull)
    with pytest.raises(NubbinError, match=r"it is a (link|device or a pipe)"):
        write_page("page", place, [tmp_path], named=False)


def test_a_huge_file_in_the_place_of_a_page_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "page.html").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(NubbinError, match="not a report by nubbin"):
        write_page("page", tmp_path / "page.html", [tmp_path])


def test_a_page_is_as_private_as_the_most_private_file_that_it_shows(tmp_path: Path) -> None:
    files, place = [tmp_path / "a", tmp_path / "b"], tmp_path / "page.html"
    for modes, of_page in (
        ((0o644, 0o600), 0o600),
        ((0o640, 0o644), 0o640),
        ((0o755, 0o700), 0o600),
        ((0o644, None), 0o600),
    ):
        for file, mode in zip(files, modes, strict=True):
            file.unlink(missing_ok=True)
            if mode is not None:
                file.touch()
                file.chmod(mode)
        write_page("page", place, files)
        assert place.stat().st_mode & 0o777 == of_page
