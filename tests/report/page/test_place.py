from __future__ import annotations

import os
from pathlib import Path

import pytest

from nubbin.errors import NubbinError
from nubbin.report.page.place import write_page


def test_an_earlier_page_is_replaced_unless_somebody_changed_it(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    source = tmp_path / "input"
    source.touch()
    write_page("one", place, [source])
    write_page("two", place, [source])
    assert place.read_text().endswith("\ntwo")
    assert place.stat().st_mode & 0o077 == 0o077 & 0o666 & ~_umask()
    place.write_text(place.read_text() + " by hand")
    with pytest.raises(NubbinError, match="was changed since"):
        write_page("three", place, [source])
    assert place.read_text().endswith("two by hand")
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "input"}


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_nothing_else_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write_page("page", tmp_path / "page.html", [tmp_path])
    (tmp_path / "link").symlink_to("page.html")
    (tmp_path / "dangling").symlink_to("nowhere")
    before = {path: path.lstat() for path in tmp_path.iterdir()}
    for name in ("notes.txt", "link", "dangling", ".", "no/where.html"):
        with pytest.raises(NubbinError):
            write_page("page", tmp_path / name, [tmp_path])
    assert {path: path.lstat() for path in tmp_path.iterdir()} == before


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_page("page", pipe, [tmp_path])
        assert os.read(reader, 1000).endswith(b"\npage")
    finally:
        os.close(reader)


def test_a_page_of_a_private_input_is_private(tmp_path: Path) -> None:
    source, place = tmp_path / "input", tmp_path / "page.html"
    source.touch()
    for mode, of_page in ((0o600, 0o600), (0o640, 0o640), (0o700, 0o600), (None, 0o600)):
        source.unlink() if mode is None else source.chmod(mode)
        write_page("page", place, [source])
        assert place.stat().st_mode & 0o777 == of_page & ~_umask()
