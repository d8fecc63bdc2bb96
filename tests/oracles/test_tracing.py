"""What a traced run notes, and what follows of it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.tracing.notes import ANYWHERE, STARTUP, Used, used
from nubbin.oracles.tracing.packages import node_packages, requirements, tools
from nubbin.oracles.tracing.traced_test import _STRACE, has_strace


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
        (folder / "package.json").write_text(json.dumps({"name": short, "version": "2.0"}))
    opened = ("a/index.js", "@b/c/lib/x.js", "a/node_modules/d/index.js", "none/x.js", ".bin/a")
    paths = [f"{tmp_path}/node_modules/{each}" for each in opened]
    assert node_packages(paths) == ("@b/c@2.0", "a@2.0")


def test_compilers_say_their_versions(tmp_path: Path) -> None:
    for name in ("gcc", "tool"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho\necho {name} 99 $1\necho more\n")
        (tmp_path / name).chmod(0o755)
    opened = [str(tmp_path / name) for name in ("gcc", "tool", "make")]
    assert tools([*opened, "gcc"]) == ("gcc 99 --version",)
