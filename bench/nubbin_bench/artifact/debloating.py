"""The debloating suite: ten programs, with the artifact's own tests as they are.

The tests expect the artifact at a fixed path, a compiler called clang-7, and the original programs
built. A copy of the folder is built under `work`. Each query runs in namespaces of its own, in
which the copy is bound to the fixed path, everything but the query's folder is read-only, and
clang-7 is today's clang. A program that is reduced does what it likes with files, so it must not be
otherwise.

The test of chown changes groups, so the user must be root; then only the capabilities that a test
needs are left. Some tests ask what a program prints on a terminal: `script` gives them one.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from nubbin.research import CommandTest
from nubbin_bench.cases import Case, Unavailable

_PLACE = "/home/coq/cdd/benchmarks/debloating"
_COMPILERS = ("clang-7", "clang-14", "clang")
_PROGRAMS = ("bwrap", "script", "make")
_CAPABILITIES = ("CAP_CHOWN", "CAP_FOWNER", "CAP_DAC_OVERRIDE")
_BUILD = "make -C lib CC=clang-7; make -k $(sed -n 's/^all: dep //p' Makefile)"
_TEST = """#!/bin/sh
# exit 0: the program still does what the artifact's test of {name} asks.
exec {sandbox} --bind "$PWD" "$PWD" --chdir "$PWD" \\
  script -qefc {test} /dev/null </dev/null >/dev/null 2>&1
"""


def debloating_cases(checkout: Path, work: Path) -> Iterator[Case | Unavailable]:
    """Yield the cases by name, after the programs have been built."""
    source, copy = checkout / "benchmarks/debloating", work / "debloating"
    names = sorted(path.parent.name for path in source.glob("*/test.sh"))
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    absent = [name for name in _PROGRAMS if shutil.which(name) is None]
    if compiler is None:
        absent.append("clang")
    if compiler is None or absent:
        yield from (Unavailable(name, f"it needs {', '.join(absent)}") for name in names)
        return
    if not copy.is_dir():
        _build(source, copy, compiler)
    for name in names:
        if (copy / name / f"{name}.origin").is_file():
            yield _case(copy, name, compiler)
        else:
            yield Unavailable(name, "the original program does not build here")


def _build(source: Path, copy: Path, compiler: str) -> None:
    """Make the copy, which gets its name when it is whole: an interrupted one is made again."""
    unfinished = copy.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(source, unfinished)
    shim = unfinished / "bin"
    shim.mkdir()
    (shim / "clang-7").symlink_to(compiler)
    line = [*_sandbox(unfinished, "--bind"), "--chdir", _PLACE, "sh", "-c", _BUILD]
    subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    unfinished.rename(copy)


def _case(copy: Path, name: str, compiler: str) -> Case:
    test = copy / f"{name}.sh"
    sandbox = shlex.join(_sandbox(copy, "--ro-bind"))
    theirs = shlex.quote(f"bash {_PLACE}/{name}/test.sh")
    test.write_text(_TEST.format(name=name, sandbox=sandbox, test=theirs))
    test.chmod(0o755)
    tools = (compiler, str(copy / "test-base.sh"), str(copy / name / "test.sh"))
    return Case(name, copy / name / f"{name}.c", CommandTest.of(test), "c", tools, name)


def _sandbox(copy: Path, bind: str) -> list[str]:
    """Return the start of a bwrap command that sees the copy, bound by `bind`, at its place."""
    privileges = ["--cap-drop", "ALL"]
    if os.geteuid() == 0:
        privileges += [word for name in _CAPABILITIES for word in ("--cap-add", name)]
    else:
        privileges.append("--unshare-user")
    return [
        *("bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--die-with-parent", *privileges, "--ro-bind", "/", "/"),
        *("--dev", "/dev", "--proc", "/proc"),
        *("--tmpfs", "/home", "--tmpfs", "/run", "--tmpfs", "/tmp", bind, str(copy), _PLACE),
        *("--setenv", "LC_ALL", "C", "--setenv", "PATH"),
        f"{_PLACE}/bin:{os.environ['PATH']}",
    ]
