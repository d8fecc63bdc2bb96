from __future__ import annotations

import os
from pathlib import Path

import pytest

from nubbin.oracles.errors import NubbinError
from nubbin.report.page.place import write_page


def test_an_earlier_page_is_replaced_unless_somebody_changed_it(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    write_page("one", place)
    write_page("two", place)
    assert place.read_text().endswith("\ntwo")
    assert place.stat().st_mode & 0o077 == 0o077 & 0o666 & ~_umask()
    place.write_text(place.read_text() + " by hand")
    with pytest.raises(NubbinError, match="was changed since"):
        write_page("three", place)
    assert place.read_text().endswith("two by hand")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_nothing_else_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write_page("page", tmp_path / "page.html")
    (tmp_path / "link").symlink_to("page.html")
    (tmp_path / "dangling").symlink_to("nowhere")
    before = {path: path.lstat() for path in tmp_path.iterdir()}
    for name in ("notes.txt", "link", "dangling", ".", "no/where.html"):
        with pytest.raises(NubbinError):
            write_page("page", tmp_path / name)
    assert {path: path.lstat() for path in tmp_path.iterdir()} == before


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_page("page", pipe)
        assert os.read(reader, 1000).endswith(b"\npage")
    finally:
        os.close(reader)
