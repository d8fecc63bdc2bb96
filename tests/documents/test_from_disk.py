"""Files and folders as they are found on disk, odd ones too."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.document import Document
from nubbin.documents.edits import File, Link
from nubbin.documents.reading.from_disk import Inputs, read
from nubbin.documents.reading.ignored import MatchesNothing, compiled


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


def test_what_no_test_is_about_is_left_out_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    write(folder, ".git/HEAD", "a.c", "sub/.git", "sub/.hg/x", ".nubbin/run/journal.sqlite")
    write(folder, "node_modules/x/a.js", "node_modules/b.js", "env/pyvenv.cfg", "env/bin/python")
    write(folder, "sub/.svn/y", "git/b.c", "cache/CACHEDIR.TAG", "tagged/big", "sub/.tox/z")
    write(folder, *(f"{at}/__pycache__/{name}" for at in "abcd" for name in ("x.pyc", "y.pyc")))
    write(folder, "venv/no_mark.py", "vendor/__pycache__.py", "file/node_modules")
    mark = "Signature: 8a477f597d28d172789f06886806bc55\n# more"
    (folder / "tagged/CACHEDIR.TAG").write_text(mark)
    found = read([folder])
    assert paths(found) == [
        "project/a.c",
        "project/cache/CACHEDIR.TAG",
        "project/file/node_modules",
        "project/git/b.c",
        "project/vendor/__pycache__.py",
        "project/venv/no_mark.py",
    ]
    assert found.left_out == (
        "__pycache__ (8 files)",
        "project/.git",
        "project/.nubbin",
        "project/env (2 files, linked for the test)",
        "project/node_modules (2 files, linked for the test)",
        "project/sub/.git",
        "project/sub/.hg",
        "project/sub/.svn",
        "project/sub/.tox (1 file)",
        "project/tagged (2 files)",
    )
    assert found.reachable == {"project/env", "project/node_modules"}
    assert paths(read([folder / ".git"])) == [".git/HEAD"]  # asked for by name
    assert paths(read([folder / "env"])) == ["env/bin/python", "env/pyvenv.cfg"]
    everything = read([folder], all_files=True)
    assert (everything.left_out, everything.reachable) == (("project/.nubbin",), frozenset())
    assert len(everything.document.files) == sum(
        len(names) for at, _, names in os.walk(folder) if ".nubbin" not in at
    )


def test_what_gitignore_names_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    write(folder, "a.c", "a.o", "keep.o", "build/x", "src/build/y", "src/top", "top", "src/b.log")
    write(folder, "src/deep/c.log", "src/deep/d.log", "docs/build", "odd/e.log")
    (folder / ".gitignore").write_text("*.o\n!keep.o\nbuild/\n/top\n\n# words\n!\n*.log\n")
    (folder / "src/deep/.gitignore").write_text("!c.log\n")
    (folder / "odd/.gitignore").symlink_to("../src/deep/.gitignore")  # git does not follow it
    found = read([folder])
    assert paths(found) == [
        "project/.gitignore",
        "project/a.c",
        "project/docs/build",
        "project/keep.o",
        "project/odd/.gitignore",
        "project/src/deep/.gitignore",
        "project/src/deep/c.log",
        "project/src/top",
    ]
    assert found.left_out == ("what .gitignore names (7 files)",)
    assert len(read([folder], all_files=True).document.files) == 8 + 7
    # The one of a folder above is not looked for: who names a folder wants it.
    assert paths(read([folder / "build"])) == ["build/x"]
    assert paths(read([folder / "a.o"])) == ["a.o"]


def test_a_few_ignored_files_are_named(tmp_path: Path) -> None:
    write(tmp_path, "p/a.c", "p/a.o", "p/out/x", "p/out/y")
    (tmp_path / "p/.gitignore").write_text("*.o\nout\n")
    found = read([tmp_path / "p"])
    assert found.left_out == ("p/a.o (1 file, in .gitignore)", "p/out (2 files, in .gitignore)")


pieces = [
    *"ab/*!?.#[] \\-^Aé\t\r\x0b\x85",
    "**",
    "**/",
    "/**",
    "[!a]",
    "[^b]",
    "[a-c]",
    "[[:upper:]]",
]
patterns = st.lists(st.sampled_from(pieces), max_size=5).map("".join)
names_below = [
    "a",
    "b",
    "ab",
    "a.b",
    "b.a",
    "A",
    "a ",
    " b",
    "é",
    "#a",
    "!a",
    "a\\b",
    "[a]",
    "a*",
    "-",
]
below = st.lists(st.sampled_from(names_below), min_size=1, max_size=3)
files = st.tuples(st.lists(patterns, max_size=4), st.sampled_from(["\n", "\r\n"])).map(
    lambda made: made[1].join(made[0]).encode()
)


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
@given(files, st.lists(below.map("/".join), max_size=5), files)
@example(b"[[]", ["a"], b"")
@example(b"\xef\xbb\xbfa**/b\n*.\0c\n\\", ["ax/y/b", "a/b", "x.", "\\"], b"!b")
@example(b"a\\  \n/*/\n!/[[:lower:]]/", ["a ", "b/a", "A/a", "b/b/c"], b"*\n!a\t")
@examples(30)
def test_the_rules_are_those_of_git(rules: bytes, names: list[str], more: bytes) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in names:
            with suppress(OSError):  # a file is in the way of a folder
                write(folder, name)
        (folder / ".gitignore").write_bytes(rules)
        for each in folder.iterdir():
            if each.is_dir():
                (each / ".gitignore").write_bytes(more)
        git = ["git", "-c", "core.excludesFile=", "-C", made]
        subprocess.run([*git, "init", "-q"], check=True)
        listed = subprocess.run(
            [*git, "ls-files", "-zco", "--exclude-standard"], check=True, capture_output=True
        )
        ours = {path.partition("/")[2] for path in paths(read([folder]))}
    assert ours == {os.fsdecode(name) for name in listed.stdout.split(b"\0") if name}


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    assert not compiled(b"*a" * 100 + b"b").fullmatch(b"a" * 250)
    with pytest.raises(MatchesNothing):
        compiled(b"/**/a" * 9)


def test_links_stay_links(tmp_path: Path) -> None:
    folder, outside = tmp_path / "project", tmp_path / "outside"
    write(folder, "real.c", "deep/more.c")
    write(outside, "lib.c")
    targets = {
        "alias.c": "real.c",
        "lib.c": str(outside / "lib.c"),
        "libs": str(outside),
        "deep/up": "..",
        "gone": "nowhere",
        "round": "round",
    }
    for name, target in targets.items():
        (folder / name).symlink_to(target)
    found = read([folder])
    assert found.document.contents == {
        **{f"project/{name}": Link(target.encode()) for name, target in targets.items()},
        "project/deep/more.c": b"deep/more.c",
        "project/real.c": b"real.c",
    }
    assert [file.path for file in found.document.texts] == ["project/deep/more.c", "project/real.c"]
    assert found.left_out == ()
    # An input that is a link is what it leads to.
    assert paths(read([folder / "libs"])) == ["libs/lib.c"]
    assert read([folder / "alias.c"]).document == Document.single("alias.c", b"real.c")


def test_a_link_is_another_thing_than_a_file_with_its_target() -> None:
    link, file = (Document("p", (File("p/a", data),)) for data in (Link(b"x"), b"x"))
    assert link != file
    assert link.key != file.key
    assert pickle.loads(pickle.dumps(link)) == link
    assert len({Link(b"x"), b"x", Link(b"x")}) == 2


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
