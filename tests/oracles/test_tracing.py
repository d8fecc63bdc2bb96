"""What a traced run notes, and what follows of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.isolation.candidate_files import Candidate
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.tracing.packages import node_packages, requirements, tools
from nubbin.oracles.tracing.traced_test import (
    _STRACE,
    ANYWHERE,
    STARTUP,
    Tracer,
    Used,
    has_strace,
    used,
)


@given(path=st.binary(min_size=1, max_size=30).filter(lambda path: not set(path) & set(b"/.\\\0")))
def test_strace_writes_any_path(path: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("query")
    escaped = "".join(f"\\{byte:03o}" for byte in path)
    lines = (
        f'12 openat(AT_FDCWD<{folder}>, "a/{escaped}", O_RDONLY) = 3</x>',
        f'12 newfstatat(3<{folder}/b>, "{escaped}", {{st_mode=S_IFREG}}, 0) = 0',
        f'12 access("{escaped}", R_OK) = 0',
        "12 +++ exited with 0 +++",
    )
    (folder / "strace").write_text("\n".join(lines))
    name = os.fsdecode(path)
    assert used(folder, str(folder)) == Used(
        frozenset({"a", f"a/{name}"}), frozenset({"b", f"b/{name}", ANYWHERE + name}), frozenset()
    )


def test_a_real_strace_is_read(tmp_path: Path) -> None:
    if not has_strace():
        pytest.skip("no strace here")
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "\t").write_text("text")
    (tmp_path / "link").symlink_to("a b")
    notes = tmp_path / "notes"
    notes.mkdir()
    command = ["cat", "link/\t"]
    subprocess.run([*_STRACE, "-o", notes / "strace", *command], cwd=tmp_path, check=True)
    assert {"link", "link/\t", "a b/\t"} <= used(notes, str(tmp_path)).opened


def test_what_traces_is_not_used_by_the_run(tmp_path: Path) -> None:
    (tmp_path / "1.notes").write_text(f"open {STARTUP}/sitecustomize.py\nopen /a.py\n")
    assert used(tmp_path, str(tmp_path)).opened == {"/a.py"}


def test_packages_are_known_by_their_files(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    for name, files in {
        "a": ["a/__init__.py", "a/b.py"],
        "c": ["c.py"],
        "d": ["space/d.py"],
        "e": ["space/e.so", "e.pth"],
        "hack": ["_distutils_hack/__init__.py"],
    }.items():
        about = site / f"{name}-1.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "RECORD").write_text("".join(f"{file},,\n" for file in files))
        for file in files:  # Python knows no files of a package that are not there, from 3.12 on
            (site / file).parent.mkdir(exist_ok=True)
            (site / file).touch()
    opened = (
        *("a/__pycache__/b.cpython-311.pyc", "space/e.so", "c-1.dist-info/METADATA"),
        *("_distutils_hack/__init__.py", "e.pth"),
    )
    assert requirements([f"{site}/{each}" for each in opened]) == ("a==1.0", "e==1.0")
    assert requirements(["/usr/lib/python3/os.py", "relative.py"]) == ()


def test_packages_of_node_are_those_at_the_top(tmp_path: Path) -> None:
    for name in ("a", "@b/c", "a/node_modules/d"):
        folder = tmp_path / "node_modules" / name
        folder.mkdir(parents=True)
        short = name.removeprefix("a/node_modules/")
        (folder / "package.json").write_text(json.dumps({"name": short, "version": "2.0.0"}))
    opened = ("a/index.js", "@b/c/lib/x.js", "a/node_modules/d/index.js", "none/x.js", ".bin/a")
    paths = [f"{tmp_path}/node_modules/{each}" for each in opened]
    assert node_packages(paths) == ("@b/c@2.0.0", "a@2.0.0")


def test_compilers_that_ran_say_their_versions(tmp_path: Path) -> None:
    project, stranger = tmp_path / "project", tmp_path / "all"
    paths = []
    for folder in (tmp_path, project, stranger):
        folder.mkdir(exist_ok=True)
        for name in ("gcc", "tool"):
            (folder / name).touch(mode=0o755)
            paths.append(f"{folder}/{name}")
    (tmp_path / "ruby").symlink_to(project / "gcc")
    stranger.chmod(0o777)
    asked: list[str] = []

    def ask(command: Sequence[str]) -> bytes:
        asked.append(" ".join(command))
        return b"\ngcc 99\nmore"

    paths += [f"{tmp_path}/ruby", f"{tmp_path}/make", "gcc"]
    assert tools(paths, str(project), ask) == {"gcc 99"}
    assert asked == [f"{tmp_path}/gcc --version"]


class _Box(Sandbox):
    """A sandbox that says so."""

    def __init__(self) -> None:
        pass

    def around(self, command: Sequence[str], writable: str) -> list[str]:
        return ["/usr/bin/env", "BOXED=in the box", *command]


def test_versions_are_asked_in_the_sandbox_of_the_run(tmp_path: Path) -> None:
    tool = tmp_path / "make"
    tool.write_text('#!/bin/sh\necho "make 1 $BOXED"\n')
    tool.chmod(0o755)
    found: list[Used] = []
    line = f'echo "exec {tool}" >"$NUBBIN_TRACE"/own.notes'
    test = ProjectTest((line,), str(tmp_path / "p"))
    with closing(QueryFolders()) as folders:
        folders.sandbox = _Box()
        folder = folders.workspace.new_folder()
        Path(folder, "p").mkdir()
        tracer = Tracer(test, found.append, folders)
        tracer.run(Candidate(folder, f"{folder}/p", False), 60, explain=True)
    assert "make 1 in the box" in found[0].programs


def test_what_a_run_writes_into_its_notes_is_data(tmp_path: Path) -> None:
    """None of it is taken for a program that ran, nor waited for."""
    notes = tmp_path / "notes"
    (notes / "v8").mkdir(parents=True)
    os.mkfifo(notes / "v8/1.json")
    os.mkfifo(notes / "2.notes")
    (notes / "1.notes").write_text(
        "open /bin/gcc\nruns Python 3.11.2\nruns node 20; rm -r /\nruns `ls`\nexec /bin/cc\n"
    )
    (notes / "strace").write_text(
        '1 execve("/no/gcc", ["gcc"], 0x1 /* 9 vars */) = -1 ENOENT (No such file)\n'
        '1 execve("/opt/gcc", ["gcc"], 0x1 /* 9 vars */ <unfinished ...>\n'
    )
    seen = used(notes, str(tmp_path))
    assert seen.executed == {os.path.realpath("/bin/cc"), "/bin/cc", "/opt/gcc"}
    assert seen.programs == {"Python 3.11.2"}


_HOSTILE = (
    *(
        "--script-shell=/tmp/x",
        "-r",
        "a b",
        "a;b",
        "$(x)",
        "../a",
        "@a/b/c",
        "a@file:x",
        "",
        "a\nb",
    ),
    *("*", "http://a/b", "a" * 300),
)


@pytest.mark.parametrize("hostile", _HOSTILE)
def test_what_is_no_name_of_a_package_is_no_pin(tmp_path: Path, hostile: str) -> None:
    module, site = tmp_path / "node_modules/x", tmp_path / "site-packages"
    about = site / "x-1.dist-info"
    for folder in (module, about):
        folder.mkdir(parents=True)
    (site / "x.py").touch()
    (about / "RECORD").write_text("x.py,,\n")
    for name, version in ((hostile, "1.0.0"), ("x", hostile), ("x", f"1.0.0 {hostile}")):
        (module / "package.json").write_text(json.dumps({"name": name, "version": version}))
        assert node_packages([str(module / "i.js")]) == ()
        folded = name.replace("\n", "\n ")
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {folded}\nVersion: {version}\n"
        )
        assert requirements([str(site / "x.py")]) == () or hostile.startswith("a" * 9)


def test_what_is_no_description_of_a_package_is_passed_over(tmp_path: Path) -> None:
    places = [tmp_path / "node_modules" / name / "package.json" for name in "abc"]
    for place in places:
        place.parent.mkdir(parents=True)
    os.mkfifo(places[0])
    places[1].mkdir()
    places[2].write_text("[" * 99_999)
    assert node_packages(str(place.with_name("i.js")) for place in places) == ()
