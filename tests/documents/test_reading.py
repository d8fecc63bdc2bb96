"""Files and folders as they are found on disk, odd ones too."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.reading import Inputs, read


def paths(found: Inputs) -> list[str]:
    return [file.path for file in found.document.files]


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be somebody who may not read everything."""
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)


def test_version_control_is_left_out_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    write(folder, ".git/HEAD", "a.c", "sub/.git", "sub/.hg/x", "node_modules/x.js", ".gitignore")
    write(folder, ".nubbin/run/journal.sqlite", "sub/.svn/y", "git/b.c")
    found = read([folder])
    assert paths(found) == [
        "project/.gitignore",
        "project/a.c",
        "project/git/b.c",
        "project/node_modules/x.js",
    ]
    assert found.left_out == (
        "project/.git",
        "project/.nubbin",
        "project/sub/.git",
        "project/sub/.hg",
        "project/sub/.svn",
    )
    assert paths(read([folder / ".git"])) == [".git/HEAD"]  # asked for by name


def test_links(tmp_path: Path) -> None:
    folder, outside = tmp_path / "project", tmp_path / "outside"
    write(folder, "real.c", "deep/more.c")
    write(outside, "lib.c")
    (folder / "alias.c").symlink_to("real.c")
    (folder / "lib.c").symlink_to(outside / "lib.c")
    (folder / "libs").symlink_to(outside)
    (folder / "deep/up").symlink_to("..")
    (folder / "gone").symlink_to("nowhere")
    (folder / "round").symlink_to("round")
    found = read([folder])
    assert found.document.contents == {
        "project/alias.c": b"real.c",
        "project/deep/more.c": b"deep/more.c",
        "project/lib.c": b"lib.c",
        "project/real.c": b"real.c",
    }
    assert found.left_out == (
        "project/deep/up (a link to a folder)",
        "project/gone (a link to no file)",
        "project/libs (a link to a folder)",
        "project/round (a link to no file)",
    )
    assert paths(read([folder / "libs"])) == ["libs/lib.c"]  # asked for by name


def test_what_holds_no_bytes_is_left_out_and_waited_for_by_nobody(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    write(folder, "a.c")
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(folder)  # the name of a socket has to be short
        try:
            listening.bind("sock")
        finally:
            os.chdir(here)
        found = read([folder])
    assert paths(found) == ["project/a.c"]
    assert found.left_out == (
        "project/empty (an empty folder)",
        "project/pipe (a pipe, socket or device)",
        "project/sock (a pipe, socket or device)",
    )


@pytest.mark.parametrize("name", ["pipe", "sock", "device"])
def test_what_is_no_file_is_no_input(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to(os.devnull)
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(tmp_path)
        try:
            listening.bind("sock")
        finally:
            os.chdir(here)
        with pytest.raises(OSError) as told:
            read([tmp_path / name])
    assert told.value.errno in {errno.EINVAL, errno.ENXIO}
    assert told.value.filename == str(tmp_path / name)


@contextmanager
def nested(folder: Path, name: str, depth: int) -> Iterator[None]:
    """Have folders in folders, with a file at the bottom: too deep for some to remove."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        for _ in range(depth):
            Path(name).mkdir()
            os.chdir(name)
        Path("file").write_bytes(b"down here")
        os.chdir(here)
        yield
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-rf", folder / name], check=True)


def test_a_folder_a_thousand_deep(tmp_path: Path) -> None:
    with nested(tmp_path, "d", 1200):
        (file,) = read([tmp_path / "d"]).document.files
    assert file.data == b"down here"
    assert file.path.count("/") == 1200


def test_a_path_too_long_for_the_system_is_told(tmp_path: Path) -> None:
    with nested(tmp_path, "d" * 200, 30), pytest.raises(OSError) as told:
        read([tmp_path])
    assert told.value.errno == errno.ENAMETOOLONG


@pytest.mark.parametrize("sealed", ["secret", "locked"])
def test_what_may_not_be_read_is_told_by_name(sealed: str) -> None:
    with tempfile.TemporaryDirectory() as made:  # where others may go
        top = Path(made)
        top.chmod(0o755)
        write(top, "project/open.c", "project/secret", "project/locked/in.c")
        (top / "project" / sealed).chmod(0)
        with unprivileged(), pytest.raises(PermissionError) as told:
            read([top / "project"])
        assert told.value.filename == str(top / "project" / sealed)
        (top / "project" / sealed).chmod(0o700)


def test_a_file_that_fails_while_it_is_read_is_told_by_name(tmp_path: Path) -> None:
    (tmp_path / "memory").symlink_to("/proc/self/mem")
    with pytest.raises(OSError) as told:
        read([tmp_path / "memory"])
    assert told.value.filename == str(tmp_path / "memory")


def test_files_that_claim_to_be_empty_are_read() -> None:
    (file,) = read([Path("/proc/self/status")]).document.files
    assert file.data.startswith(b"Name:")


def test_those_that_may_be_run(tmp_path: Path) -> None:
    write(tmp_path, "run", "data")
    (tmp_path / "run").chmod(0o700)
    found = read([tmp_path / "run", tmp_path / "data"])
    assert (paths(found), found.executables) == (["data", "run"], frozenset({"run"}))


names = st.text(st.characters(codec="latin-1", exclude_characters="/\0"), min_size=1, max_size=2)


@given(st.lists(names.filter(lambda name: name not in {".", ".."}), unique=True, max_size=6))
def test_any_name_and_any_bytes(found: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        contents = {name.encode("latin-1"): name.encode() for name in found}
        for name, data in contents.items():
            (Path(folder) / os.fsdecode(name)).write_bytes(data)
        read_back = {
            os.fsencode(Path(file.path).name): file.data
            for file in read([Path(folder)]).document.files
        }
    assert read_back == contents


def test_files_are_ordered_by_the_parts_of_their_paths(tmp_path: Path) -> None:
    write(tmp_path, "a/z", "a-b/a", "a.c", "b")
    assert [path.partition("/")[2] for path in paths(read([tmp_path]))] == [
        "a/z",
        "a-b/a",
        "a.c",
        "b",
    ]
