"""One reducer on one case: started, counted, stopped, and its result put through the test again.

Every reducer is given the same wrapper of the real test. The wrapper logs the time and the size of
every candidate and the answer of the test, and keeps the smallest interesting candidate. So
queries, curves and the best result within the time are measured alike.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from math import inf
from pathlib import Path

from harness.processes import supervise
from nubbin.documents.document import Sizes, measure
from nubbin_bench.cases import Case
from peers.tools import arguments, version, write_wrapper

#: The (query, bytes) of every interesting candidate smaller than all before.
Curve = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Row:
    """What a run gave; `seconds` is wall clock, `cpu` that of the reducer and all its tests.

    `ninety` is the number of queries after which nine tenths of the bytes that the run deleted
    were gone. `end` is "done", "time" or "status N"; `checked` tells whether the result passed the
    real test in an empty folder. A folder has the bytes and tokens of its files.
    """

    case: str
    format: str
    tool: str
    version: str
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
    case: Case, tool: str, program: list[str], limit: float, queries: float = inf
) -> tuple[Row, Curve]:
    """Run `tool` on `case` for at most `limit` seconds; also return its (query, bytes) curve.

    It is also stopped soon after more than `queries`. `program` is the command that starts the
    tool, as `find` returns it.
    """
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        folder = Path(name)
        log, best, wrapper = folder / "log", folder / "best", folder / "test.sh"
        work, temporary = folder / "work", folder / "tmp"
        work.mkdir()
        temporary.mkdir()
        log.touch()
        copy = work / case.input.name
        put(case.input, best)
        put(case.input, copy)
        write_wrapper(wrapper, copy.name, case.test.path, log, best)
        end, seconds, cpu = supervise(
            [*program, *arguments(tool, wrapper, copy, reducer=case.reducer)],
            work,
            {**os.environ, "TMPDIR": str(temporary)},
            limit,
            lambda: asked(log) > queries,
        )
        sizes = accepted(log)
        small, original = sizes_of(best), sizes_of(case.input)
        goal = original.bytes - 0.9 * (original.bytes - small.bytes)
        row = Row(
            case=case.name,
            format=case.format,
            tool=tool,
            version=version(tool, program),
            limit=limit,
            bytes_before=original.bytes,
            tokens_before=original.tokens,
            bytes=small.bytes,
            tokens=small.tokens,
            queries=asked(log),
            ninety=next((query for query, size in sizes if size <= goal), 0),
            seconds=round(seconds, 1),
            cpu=round(cpu, 1),
            end=end,
            checked=passes(case, best),
        )
    return row, sizes


def put(source: Path, target: Path) -> None:
    """Copy a file or a folder."""
    (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)


def sizes_of(path: Path) -> Sizes:
    """Return how large a file is, or all files of a folder are."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return sum((measure(each.read_bytes()) for each in files if each.is_file()), Sizes(0, 0, 0))


def asked(log: Path) -> int:
    """Return how many queries were begun."""
    return log.read_text().count("?")


def accepted(log: Path) -> Curve:
    """Return what a log says of the candidates that were accepted."""
    curve: Curve = []
    query, size = 0, 0
    for line in log.read_text().splitlines():
        if line.startswith("?"):
            query, size = query + 1, int(line.split()[2])
        elif line == "= 0" and (not curve or size < curve[-1][1]):
            curve.append((query, size))
    return curve


def passes(case: Case, result: Path) -> bool:
    """Tell whether the real test, in an empty folder, finds a result interesting."""
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        put(result, Path(folder, case.input.name))
        ended = subprocess.run(
            [case.test.path], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        return ended.returncode == 0
