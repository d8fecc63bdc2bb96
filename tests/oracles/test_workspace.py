from __future__ import annotations

import errno
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults import names
from nubbin.disk import NotOurs
from nubbin.oracles.isolation import query_folders as module
from nubbin.oracles.isolation.query_folders import MARK, QueryFolders, Workspace, claimed
from strangers import NOBODY, another_user, folder_for_all, needs_root


@pytest.fixture
def common_user(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Become a user without privileges, because root can open every locked folder."""
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
    workspace = Workspace.create()
    folder = Path(workspace.new_folder())
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").touch(0o000)
    for locked in (deep, deep.parent, folder):
        locked.chmod(0o000)
    workspace.remove_folder(str(folder), None)
    assert names(Path(workspace.root)) == [MARK]
    Path(workspace.root).chmod(0o000)
    workspace.close()
    assert not Path(workspace.root).exists()


def test_the_paths_of_folders_are_equally_long() -> None:
    workspace = Workspace.create()
    assert len({len(workspace.new_folder()) for _ in range(11)}) == 1
    workspace.close()


def test_folders_are_never_used_twice() -> None:
    workspace = Workspace.create()
    seen = set()
    for _ in range(3):
        folder = workspace.new_folder()
        seen.add(folder)
        workspace.remove_folder(folder, None)
    workspace.close()
    assert len(seen) == 3


def test_what_a_test_makes_in_the_place_of_folders_is_passed_over() -> None:
    workspace = Workspace.create()
    first = Path(workspace.new_folder())
    for name in ("000001", "000003"):
        (first.parents[1] / name).mkdir()
    assert [workspace.new_folder().split("/")[-2] for _ in range(2)] == ["000002", "000004"]
    workspace.close()
    assert not Path(workspace.root).exists()


@pytest.mark.parametrize("folders", [0, 1, 100])
def test_a_thread_that_is_late_makes_nothing_again(tmp_path: Path, folders: int) -> None:
    workspace, made = Workspace.create(tmp_path), threading.Semaphore(0)

    def work() -> None:
        while True:
            workspace.new_folder()
            made.release()

    with ThreadPoolExecutor(2) as threads:
        late = [threads.submit(work) for _ in range(2)]
        for _ in range(folders):
            made.acquire()
        workspace.close()
        assert [type(each.exception()) for each in late] == [CancelledError] * 2
    assert not names(tmp_path)


def test_what_stays_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace.create(tmp_path)
    folder = workspace.new_folder()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted", "stubborn")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", refuse)
        workspace.remove_folder(folder, None)
        with pytest.warns(RuntimeWarning, match="not permitted: 'stubborn'"):
            workspace.close()
    for left in Workspace.abandoned(tmp_path):
        left.close()
    assert list(tmp_path.iterdir()) == []


def privileged(*command: str | Path) -> None:
    """Run a command that only root can run, on a system that can."""
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        pytest.skip(f"not possible here: {error}")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


def test_an_immutable_file_is_reported_and_removed_later(home: Path) -> None:
    workspace = Workspace.create(home)
    folder = Path(workspace.new_folder())
    for name in ("kept", "more"):
        (folder / name).touch()
    privileged("chattr", "+i", folder / "kept")
    try:
        workspace.remove_folder(str(folder), None)
        with pytest.warns(RuntimeWarning, match=f"{workspace.root} could not .*'kept'"):
            workspace.close()
        with pytest.warns(RuntimeWarning, match="'kept'"):  # nor does it keep the next from working
            QueryFolders(home).close()
    finally:
        (kept,) = home.glob("*/*/kept")
        privileged("chattr", "-i", kept)
    assert sorted(each.name for each in home.rglob("*") if each.is_file()) == [MARK, "kept"]
    QueryFolders(home).close()
    assert names(home) == []


def test_what_is_mounted_is_reported_and_not_touched(home: Path) -> None:
    precious = home.parent / "precious"
    precious.mkdir()
    (precious / "file").touch()
    precious.chmod(0o550)
    workspace = Workspace.create(home)
    place = Path(workspace.new_folder(), "place")
    place.mkdir()
    privileged("mount", "--bind", precious, place)
    try:
        workspace.remove_folder(str(place.parent), None)
        with pytest.warns(RuntimeWarning, match="could not be removed: .*busy: 'place'"):
            workspace.close()
    finally:
        (place,) = home.glob("*/*/place")
        privileged("umount", place)
    assert names(precious) == ["file"]
    assert precious.stat().st_mode & 0o777 == 0o550
    QueryFolders(home).close()
    assert names(home) == []


def after(patch: pytest.MonkeyPatch, call: str, rival: Callable[[], None]) -> None:
    """Call the rival just before each call of a function of `os`."""
    real = getattr(os, call)

    def late(*arguments: object, **options: object) -> object:
        patch.setattr(os, call, real)  # the rival calls it too
        rival()
        patch.setattr(os, call, late)
        return real(*arguments, **options)

    patch.setattr(os, call, late)


def test_a_folder_that_turns_into_a_link_is_not_followed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server in a sandbox can write in folders while they are removed."""
    precious = home.parent / "precious"
    query = precious / "query"
    inner = query / "inner"
    inner.mkdir(parents=True, mode=0o750)
    for file in (query / "small.c", inner / "more"):
        file.write_text("the user's")

    with closing(Workspace.create(home)) as workspace:
        root = Path(workspace.root)
        swapped: list[Path] = []

        def swap() -> None:
            """Replace all folders by links, as a quicker rival would."""
            for each in [*root.glob("*/query/inner"), *root.glob("*/query"), *root.glob("*")]:
                if each.is_dir() and each.resolve() == each:
                    each.rename(home.parent / f"away-{len(swapped)}")
                    each.symlink_to({"inner": inner, "query": query}.get(each.name, precious))
                    swapped.append(each)

        for call in ("open", "stat", "unlink", "rename", "rmdir", "chmod", "listdir"):
            folder = Path(workspace.new_folder())
            (folder / "inner").mkdir()
            (folder / "small.c").touch()
            with monkeypatch.context() as patch:
                after(patch, call, swap)
                workspace.remove_folder(str(folder), str(folder / "small.c"))
    assert names(query) == ["inner", "small.c"]
    assert names(inner) == ["more"]
    assert inner.stat().st_mode & 0o777 == 0o750
    assert names(home) == []


# -- whose it is ---------------------------------------------------------------------------------

KILLED = """
import os, pathlib, signal, sys
from nubbin.oracles.isolation.query_folders import Workspace
workspace = Workspace.create(pathlib.Path(sys.argv[1]))
workspace.new_folder()
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(home: Path) -> Path:
    """Leave what a killed run leaves; return its root."""
    before = set(home.iterdir())
    subprocess.run([sys.executable, "-c", KILLED, home], check=False)
    (root,) = set(home.iterdir()) - before
    return root


def test_what_a_killed_process_left_goes_at_once(home: Path) -> None:
    killed(home)
    with closing(QueryFolders(home)):
        assert len(names(home)) == 1
    assert names(home) == []


def test_a_killed_run_that_filled_the_memory_is_found_from_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, disk = tmp_path / "memory", tmp_path / "disk"
    for place in (memory, disk):
        place.mkdir()
        killed(place)
    monkeypatch.setattr(module, "_MEMORY", str(memory))
    monkeypatch.setattr("tempfile.tempdir", str(disk))
    monkeypatch.setattr(module, "_memory", lambda: None)
    with closing(QueryFolders()):
        assert names(memory) == []
        assert len(names(disk)) == 1


def test_what_is_in_use_is_left_alone(home: Path) -> None:
    with closing(Workspace.create(home)):
        assert not list(Workspace.abandoned(home))


def orphan(home: Path) -> Path:
    """Make a root whose owner is dead."""
    root = tempfile.mkdtemp(prefix="nubbin-", dir=home)
    os.close(claimed(root))
    return Path(root)


def mine(root: Path) -> Path:
    """Replace `root` by a folder of the user's that has the same name."""
    shutil.rmtree(root)
    root.mkdir()
    (root / "notes").write_text("months of work")
    return root


def forged(root: Path) -> Path:
    """Do the same, and keep the mark of the root."""
    words = (root / MARK).read_bytes()
    blocked = root.rename(root.parent.parent / "old")  # its inode is still taken
    root.mkdir()
    (root / "notes").write_text("months of work")
    (root / MARK).write_bytes(words)
    assert blocked.exists()
    return root


def copied(root: Path) -> Path:
    return Path(shutil.copytree(root, root.parent / "nubbin-copy"))


def renamed(root: Path) -> Path:
    return root.rename(root.parent / "nubbin-kept")


def linked(root: Path) -> Path:
    away = root.rename(root.parent.parent / "away")
    root.symlink_to(away)
    return root


def with_a_link_for_a_mark(root: Path) -> Path:
    (root / MARK).rename(root.parent.parent / "mark")
    (root / MARK).symlink_to(root.parent.parent / "mark")
    return root


def with_a_pipe_for_a_mark(root: Path) -> Path:
    words = (root / MARK).read_bytes()
    (root / MARK).unlink()
    os.mkfifo(root / MARK)
    os.write(os.open(root / MARK, os.O_RDWR), 2 * words)  # left open, so that they stay in it
    return root


def with_a_folder_for_a_mark(root: Path) -> Path:
    (root / MARK).unlink()
    (root / MARK).mkdir()
    return root


@pytest.mark.parametrize(
    "made",
    [
        mine,
        forged,
        copied,
        renamed,
        linked,
        with_a_link_for_a_mark,
        with_a_pipe_for_a_mark,
        with_a_folder_for_a_mark,
    ],
)
def test_what_proves_nothing_is_left_alone(home: Path, made: Callable[[Path], Path]) -> None:
    theirs = made(orphan(home))
    os.utime(theirs, (0, 0))
    (theirs / "0").mkdir(exist_ok=True)
    before = sorted(theirs.rglob("*"))
    with subprocess.Popen(["sleep", "600"], cwd=theirs / "0") as process:
        try:
            QueryFolders(home).close()
            assert sorted(theirs.rglob("*")) == before
            assert process.poll() is None
        finally:
            process.kill()


def test_a_root_of_another_user_is_left_alone(home: Path) -> None:
    root = orphan(home)
    assert heirs(home) == [str(root)]
    if os.geteuid() != 0:
        pytest.skip("takes the superuser")
    os.chown(root, NOBODY, NOBODY)
    assert heirs(home) == []


@needs_root
def test_what_another_user_has_prepared_is_neither_used_nor_removed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with folder_for_all() as home:
        with another_user():
            (home / "nubbin-link").symlink_to(tmp_path)
            for name in ("nubbin-folder", "nubbin-loose"):
                (home / name).mkdir()
                os.close(claimed(str(home / name)))
            (home / "nubbin-loose" / MARK).chmod(0o666)
            os.mkfifo(home / "nubbin-pipe")
        before = sorted(map(str, home.rglob("*")))
        assert heirs(home) == []
        with closing(Workspace.create(home)) as workspace:
            assert Path(workspace.root).stat().st_mode & 0o777 == 0o700
            Path(workspace.new_folder(), "candidate").touch()
            with another_user(), pytest.raises(PermissionError):
                names(Path(workspace.root))
            shutil.rmtree(workspace.root)
            with another_user():
                Path(workspace.root).mkdir()
            with pytest.raises(NotOurs, match="belongs to nobody"):
                workspace.new_folder()
            with another_user():
                Path(workspace.root).rmdir()
        assert sorted(map(str, home.rglob("*"))) == before
    assert (tmp_path / "precious").read_text() == "mine"


def heirs(home: Path) -> list[str]:
    """Return the roots that can be taken over, and leave them as they are."""
    return left_alone(list(Workspace.abandoned(home)))


def left_alone(found: list[Workspace]) -> list[str]:
    """Release the roots of some workspaces and return their paths."""
    for workspace in found:
        for descriptor in workspace._open:
            os.close(descriptor)
    return [workspace.root for workspace in found]


@given(
    st.builds(lambda tail: lambda mark: mark + tail, st.binary(min_size=1))
    | st.builds(lambda end: lambda mark: mark[: end % len(mark)], st.integers(min_value=0))
    | st.builds(
        lambda at, by: (
            lambda mark: bytes(
                byte ^ by if place == at % len(mark) else byte for place, byte in enumerate(mark)
            )
        ),
        st.integers(min_value=0),
        st.integers(1, 255),
    )
)
def test_no_other_mark_is_believed(change: Callable[[bytes], bytes]) -> None:
    with tempfile.TemporaryDirectory() as home:
        root = orphan(Path(home))
        assert heirs(Path(home)) == [str(root)]
        (root / MARK).write_bytes(change((root / MARK).read_bytes()))
        assert heirs(Path(home)) == []


def test_each_root_has_one_heir(home: Path) -> None:
    expected = sorted(str(orphan(home)) for _ in range(20))
    together = threading.Barrier(4)

    def inherit() -> list[Workspace]:
        together.wait()
        return list(Workspace.abandoned(home))

    with ThreadPoolExecutor(4) as threads:
        found = [each.result() for each in [threads.submit(inherit) for _ in range(4)]]
    assert sorted(root for share in found for root in left_alone(share)) == expected


def test_a_root_that_another_has_just_cleared_has_no_heir(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = orphan(home)

    def late(*arguments: int) -> None:
        shutil.rmtree(root)
        real(*arguments)

    real = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", late)
    assert heirs(home) == []


def test_a_root_that_a_test_removes_is_made_again_and_proves_itself(home: Path) -> None:
    with closing(Workspace.create(home)) as workspace:
        shutil.rmtree(workspace.root)
        folder = Path(workspace.new_folder())
        assert names(folder.parent.parent) == sorted([MARK, folder.parent.name])
        assert heirs(home) == []  # locked
        workspace.remove_folder(str(folder), None)
        assert names(folder.parent.parent) == [MARK]
    assert names(home) == []


def test_without_locks_nobody_else_clears_it_away(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on some network file systems."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", refuse)
        workspace = Workspace.create(home)
        QueryFolders(home).close()
    QueryFolders(home).close()
    assert Path(workspace.root).exists()
    workspace.close()
    assert names(home) == []


def test_where_the_user_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with closing(Workspace.create()) as workspace:
        assert Path(workspace.root).parent == tmp_path
