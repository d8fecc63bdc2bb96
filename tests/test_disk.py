"""What is ours on disk, and what is written whole."""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.access import Access
from nubbin.disk import Folder, NotOurs, followed, write_whole
from nubbin.user_paths import check_place, write_named
from nubbin_core.errors import NubbinError
from strangers import another_user, folder_for_all, needs_root


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o500])
def test_a_folder_of_the_user_is_opened(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").mkdir(mode=mode)
    with Folder(tmp_path / "a") as folder:
        assert folder.names() == set()
        assert folder.is_at_its_path()
    (tmp_path / "a").chmod(0o700)


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777, 0o1777])
def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/theirs").touch()
    (tmp_path / "a").chmod(mode)
    with pytest.raises(NotOurs, match="chmod go-w"):
        Folder(tmp_path / "a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o775, 0o777])
def test_an_empty_folder_of_the_user_is_closed_to_others(tmp_path: Path, mode: int) -> None:
    """As an umask of 002 makes it."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(mode)
    Folder(tmp_path / "a").close()
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_not_if_somebody_is_quicker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o777)
    fchmod = os.fchmod

    def late(descriptor: int, mode: int) -> None:
        (tmp_path / "a/theirs").touch()
        fchmod(descriptor, mode)

    monkeypatch.setattr(os, "fchmod", late)
    with pytest.raises(NotOurs, match="chmod go-w"):
        Folder(tmp_path / "a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o777


def test_where_the_system_keeps_no_modes_nobody_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fstat = os.fstat

    def all_for_all(descriptor: int) -> os.stat_result:
        seen = fstat(descriptor)
        return os.stat_result((seen.st_mode | 0o777, *seen[1:]))

    monkeypatch.setattr(os, "fstat", all_for_all)
    with Folder.made(tmp_path / "a") as folder:
        folder.write("file", b"text")
        assert folder.read("file", 9) == b"text"
        assert folder.names() == {"file"}


@needs_root
def test_a_folder_of_another_user_is_refused() -> None:
    with folder_for_all() as folder:
        with another_user():
            (folder / "a").mkdir(mode=0o700)
        with pytest.raises(NotOurs, match="belongs to nobody, not to you"):
            Folder.made(folder / "a")


@pytest.mark.parametrize("put", [Path.touch, os.mkfifo, lambda place: place.symlink_to("b")])
def test_what_is_no_folder_is_refused(tmp_path: Path, put: Callable[[Path], None]) -> None:
    (tmp_path / "b").mkdir()
    put(tmp_path / "a")
    with pytest.raises(NotADirectoryError):
        Folder.made(tmp_path / "a")


def test_what_is_made_is_for_the_user_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        with Folder.made(tmp_path / "a") as folder, folder.folder("inner") as inner:
            inner.write("file", b"text")
            inner.write("new", b"text", is_new=True)
            os.close(inner.open("opened", os.O_RDWR | os.O_CREAT))
    finally:
        os.umask(umask)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"a": 0o700, "inner": 0o700} | dict.fromkeys(("file", "new", "opened"), 0o600)


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    with Folder.made(tmp_path / "a") as folder:
        (tmp_path / "a/link").symlink_to(precious)
        with pytest.raises(OSError, match="link"):
            folder.read("link", 10)
        with pytest.raises(FileExistsError):
            folder.write("link", b"theirs", is_new=True)
        folder.write("link", b"theirs")
        assert (folder.read("link", 10), precious.read_bytes()) == (b"theirs", b"mine")
        assert folder.names() == {"link"}


def test_a_folder_that_was_moved_is_still_the_one(tmp_path: Path) -> None:
    with Folder.made(tmp_path / "a") as folder:
        (tmp_path / "a").rename(tmp_path / "b")
        (tmp_path / "a").mkdir()
        folder.write("file", b"text")
        assert not folder.is_at_its_path()
        with pytest.raises(NotOurs, match="in the place of"):
            folder.check_path()
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["file"]
    assert not list((tmp_path / "a").iterdir())


@needs_root
def test_a_link_is_followed_if_it_is_ours(tmp_path: Path) -> None:
    with folder_for_all() as folder:
        (folder / "mine").symlink_to(tmp_path)
        with another_user():
            (folder / "theirs").symlink_to(tmp_path)
        assert followed(folder / "mine") == tmp_path.resolve()
        assert followed(folder / "theirs") == folder / "theirs"


def test_one_process_has_the_lock(tmp_path: Path) -> None:
    with Folder.made(tmp_path / "a") as folder:
        held = folder.lock("lock")
        assert held is not None
        assert folder.lock("lock") is None
        os.close(held)
        again = folder.lock("lock")
        assert again is not None
        os.close(again)


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / ("x" * 255)
    write_whole(place, b"first")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
        patch.setattr(os, "replace", full)
        write_whole(place, b"second")
    assert place.read_bytes() == b"first"
    write_whole(place, b"third")
    assert place.read_bytes() == b"third"
    assert [path.name for path in tmp_path.iterdir()] == [place.name]


def test_a_link_is_replaced_and_a_pipe_is_written_to_if_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    write_named(tmp_path / "link", b"text")
    assert (tmp_path / "precious").read_bytes() == b"mine"
    assert (tmp_path / "link").read_bytes() == b"text"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(NubbinError, match="No process reads"):
        write_named(pipe, b"text")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_named(pipe, b"text")
    assert os.read(reader, 9) == b"text"
    os.close(reader)


def test_an_open_file_of_the_process_is_written_to(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as opened:
        place = Path(f"/dev/fd/{opened.fileno()}")
        check_place(place, takes_devices=True)
        write_named(place, b"text")
    assert (tmp_path / "file").read_bytes() == b"text"


@needs_root
def test_nothing_is_written_to_a_pipe_of_another_user() -> None:
    with folder_for_all() as folder:
        pipe = folder / "pipe"
        with another_user():
            os.mkfifo(pipe, 0o666)
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        for write in (partial(check_place, takes_devices=True), partial(write_named, data=b"text")):
            with pytest.raises(NotOurs, match="belongs to nobody, who could read"):
                write(pipe)
        assert os.read(reader, 9) == b""
        os.close(reader)


_MODES = st.integers(0, 0o777)
_GROUPS = st.sampled_from([0, 1, 2])


def _may(person: set[int], mode: int, group: int) -> int:
    return mode >> 3 & 7 if group in person else mode & 7


@needs_root
@given(files=st.lists(st.tuples(_MODES, _GROUPS), min_size=1, max_size=3), given=st.booleans())
def test_nobody_may_do_more_with_what_shows_files_than_with_each(
    files: list[tuple[int, int]], given: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("shown")
    for number, (mode, group) in enumerate(files):
        (folder / str(number)).touch()
        os.chown(folder / str(number), 0, group)
        (folder / str(number)).chmod(mode)
    place = folder / "place"
    access = Access.to_all(sorted(folder.iterdir()), place)
    if not given:  # as if the user were not in the group
        access = Access(access.for_group(0), 0)
    write_whole(place, b"text", access=access)
    about = place.stat()
    for person in ({1}, {2}, {1, 2}, {0}, {0, 1, 2}, set[int]()):
        may = _may(person, about.st_mode, about.st_gid)
        assert all(may & _may(person, *file) == may for file in files)


def _list_for(user: int) -> bytes:
    """Return an access list by which a user may read a file, besides its owner."""
    rows = ((1, 6, -1), (2, 4, user), (4, 0, -1), (16, 4, -1), (32, 0, -1))
    packed = (struct.pack("<HHI", tag, may, who & 0xFFFF_FFFF) for tag, may, who in rows)
    return struct.pack("<I", 2) + b"".join(packed)


@pytest.mark.skipif(sys.platform != "linux", reason="these lists are of Linux")
def test_with_an_access_list_the_file_is_for_the_user_alone(tmp_path: Path) -> None:
    source, place = tmp_path / "source", tmp_path / "all/place"
    place.parent.mkdir()
    source.touch(mode=0o600)
    try:
        os.setxattr(source, "system.posix_acl_access", _list_for(1700))
        os.setxattr(place.parent, "system.posix_acl_default", _list_for(1700))
    except OSError as error:
        pytest.skip(f"no access lists here: {error}")
    assert source.stat().st_mode & 0o777 == 0o640  # as it seems to be
    write_whole(place, b"text", access=Access.to_all([source], place))
    assert place.stat().st_mode & 0o777 == 0o600
    os.removexattr(source, "system.posix_acl_access")
    source.chmod(0o640)
    write_whole(place, b"text", access=Access.to_all([source], place))
    assert place.stat().st_mode & 0o777 == 0o640
    assert "system.posix_acl_access" not in os.listxattr(place)
    with Folder.made(place.parent / "ours"):
        assert "system.posix_acl_default" not in os.listxattr(place.parent / "ours")


def test_a_folder_on_the_way_keeps_others_out_unless_the_place_is_in_it(tmp_path: Path) -> None:
    source = tmp_path / "home/source"
    source.parent.mkdir(mode=0o700)
    source.touch(mode=0o644)
    for place, mode in ((tmp_path / "place", 0o600), (source.with_name("place"), 0o644)):
        write_whole(place, b"text", access=Access.to_all([source], place))
        assert place.stat().st_mode & 0o777 == mode


def test_each_mistake_has_a_paragraph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("link").symlink_to("nowhere")
    Path("file").touch()
    for place, said in {
        "nodir/x": "there is no folder nodir. Make it",
        "file/x": "there is no folder file. Make it",
        "link": "it is a link, to ",
        "/proc": "it is a mount point",
        ".": "it is a folder. Name a file.",
        "pipe": "it is a device or a pipe",
        "x" * 256: "cannot look up the path .*: File name too long",
    }.items():
        with pytest.raises(NubbinError, match=said):
            check_place(Path(place))
    for place in ("file", "new"):
        check_place(Path(place))
    check_place(Path("pipe"), takes_devices=True)
    with pytest.raises(NubbinError, match="it is a link, to "):
        check_place(Path("link"), takes_devices=True)
    check_place(tmp_path, is_folder=True)
