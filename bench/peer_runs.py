"""One reducer on one case: started, counted, stopped, and its result run through the test again.

Whatever the reducer, the test it is given is the same wrapper round the real one. The wrapper
logs the time and the size of every candidate and the test's answer, and keeps the smallest
interesting one; so queries, curves and the best result within the time come from one place.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.sizes import measure

WRAPPER = """#!/bin/bash
size=$(stat -c %s {name} 2>/dev/null || echo 0)
echo "? $EPOCHREALTIME $size" >>{log}
{test} "$@"
status=$?
echo "= $status" >>{log}
if [ $status = 0 ] && [ "$size" -lt "$(stat -c %s {best})" ]; then
  cp {name} {best}.part && mv {best}.part {best}
fi
exit $status
"""

CONDITION = """import subprocess


def interesting(args, prefix):
    return subprocess.run([{wrapper!r}], check=False).returncode == 0
"""

C_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".i", ".ii"}
TOOLS = ("nubbin", "shrinkray", "cvise", "creduce", "picire", "lithium")
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Case:
    """An input of `folder`, and the test that finds it interesting."""

    folder: Path
    input: Path
    test: Path
    format: str

    @classmethod
    def load(cls, folder: Path) -> Case:
        about = json.loads((folder / "case.json").read_text())
        folder = folder.resolve()
        return cls(folder, folder / about["input"], folder / about["test"], about["format"])


@dataclass(frozen=True, slots=True)
class Row:
    """What a run gave; `seconds` is wall clock, `cpu` that of the reducer and all its tests.

    `ninety` is the number of queries after which nine tenths of the bytes that went in the end
    were gone. `end` is "done", "time" or "status N"; `checked` is whether the result passed the
    real test in a fresh folder.
    """

    case: str
    format: str
    tool: str
    limit: float
    bytes_before: int
    tokens_before: int
    bytes: int
    tokens: int
    queries: int
    ninety: int
    seconds: float
    cpu: float
    end: str
    checked: bool


def run(
    case: Case, tool: str, program: list[str], limit: float
) -> tuple[Row, list[tuple[int, int]]]:
    """Run `tool` on `case` for at most `limit` seconds; also return its (query, bytes) curve.

    `program` is how the tool is started, as `find` returns it.
    """
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        place = Path(name)
        log, best, wrapper = place / "log", place / "best", place / "test.sh"
        work, temporary = place / "work", place / "tmp"
        work.mkdir()
        temporary.mkdir()
        log.touch()
        best.write_bytes(case.input.read_bytes())
        copy = work / case.input.name
        copy.write_bytes(case.input.read_bytes())
        parts = {"name": copy.name, "log": log, "test": case.test, "best": best}
        wrapper.write_text(
            WRAPPER.format(**{key: shlex.quote(str(value)) for key, value in parts.items()})
        )
        wrapper.chmod(0o755)

        end, seconds, cpu = supervise(
            [*program, *arguments(tool, wrapper, copy)],
            work,
            {**os.environ, "TMPDIR": str(temporary)},
            limit,
        )
        sizes = accepted(log)
        before, left = case.input.read_bytes(), best.read_bytes()
        small, original = measure(left), measure(before)
        goal = len(before) - 0.9 * (len(before) - len(left))
        row = Row(
            case=case.folder.name,
            format=case.format,
            tool=tool,
            limit=limit,
            bytes_before=original.bytes,
            tokens_before=original.tokens,
            bytes=small.bytes,
            tokens=small.tokens,
            queries=log.read_text().count("?"),
            ninety=next((query for query, size in sizes if size <= goal), 0),
            seconds=round(seconds, 1),
            cpu=round(cpu, 1),
            end=end,
            checked=passes(case, left),
        )
    return row, sizes


def find(tool: str, folders: list[str]) -> list[str] | None:
    """How to start a reducer: from `folders`, else from PATH; None where it is not installed.

    PATH itself stays as it is, for the tests may need another Python than a reducer does.
    """
    if tool == "nubbin":
        return [sys.executable, "-m", "nubbin"]
    found = shutil.which(tool, path=os.pathsep.join([*folders, os.environ["PATH"]]))
    return [str(Path(found).absolute())] if found else None


def arguments(tool: str, wrapper: Path, copy: Path) -> list[str]:
    """What follows a reducer's name: one job, no terminal, its defaults otherwise."""
    test, name = str(wrapper), copy.name
    not_c = [] if copy.suffix.lower() in C_SUFFIXES else ["--not-c"]
    if tool == "nubbin":
        return ["reduce", "--quiet", "--jobs", "1", test, name]
    if tool == "shrinkray":
        return ["--parallelism", "1", "--ui", "basic", test, name]
    if tool in {"cvise", "creduce"}:
        return ["--n", "1", "--skip-key-off", *not_c, test, name]
    if tool == "picire":
        return ["--input", name, "--test", test]
    condition = wrapper.with_name("condition.py")
    condition.write_text(CONDITION.format(wrapper=test))
    return [str(condition), name]


def supervise(
    line: list[str], work: Path, environment: dict[str, str], limit: float
) -> tuple[str, float, float]:
    """Run a command line for at most `limit` seconds and leave no process of it behind.

    Returns how it ended, wall-clock seconds, and CPU seconds of all its processes.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans become our children
    spent = cpu_of_children()
    started = time.monotonic()
    with subprocess.Popen(
        line,
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            status = process.wait(limit)
            end = "done" if status == 0 else f"status {status}"
        except subprocess.TimeoutExpired:
            end = "time"
        seconds = time.monotonic() - started
        while left := descendants(os.getpid()):
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
            with suppress(ChildProcessError):
                while os.waitpid(-1, 0):
                    pass
    return end, seconds, cpu_of_children() - spent


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def descendants(root: int) -> list[int]:
    """The processes that come from `root`, as the process table shows them now."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                after_name = (entry / "stat").read_text().rpartition(")")[2]
                parents[int(entry.name)] = int(after_name.split()[1])
    found, fresh = [], [root]
    while fresh:
        fresh = [pid for pid, parent in parents.items() if parent in fresh]
        found += fresh
    return found


def accepted(log: Path) -> list[tuple[int, int]]:
    """The (query, bytes) at which a new smallest interesting candidate was found."""
    curve: list[tuple[int, int]] = []
    query, size = 0, 0
    for line in log.read_text().splitlines():
        if line.startswith("?"):
            query, size = query + 1, int(line.split()[2])
        elif line == "= 0" and (not curve or size < curve[-1][1]):
            curve.append((query, size))
    return curve


def passes(case: Case, data: bytes) -> bool:
    """Whether the real test, in a fresh folder, finds `data` interesting."""
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        copy = Path(folder, case.input.name)
        copy.write_bytes(data)
        ended = subprocess.run(
            [case.test], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        return ended.returncode == 0
