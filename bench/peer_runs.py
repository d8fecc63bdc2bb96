"""One reducer on one case: started, counted, stopped, and its result put through the test again.

Every reducer is given the same wrapper of the real test. The wrapper logs the time and the size of
every candidate and the answer of the test, and keeps the smallest interesting candidate. So
queries, curves and the best result within the time are measured alike.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.sizes import measure
from nubbin_bench.cases import Case
from peer_tools import arguments, version, write_wrapper
from supervise import supervise


@dataclass(frozen=True, slots=True)
class Row:
    """What a run gave; `seconds` is wall clock, `cpu` that of the reducer and all its tests.

    `ninety` is the number of queries after which nine tenths of the bytes that the run deleted
    were gone. `end` is "done", "time" or "status N"; `checked` tells whether the result passed the
    real test in an empty folder.
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
    case: Case, tool: str, program: list[str], limit: float
) -> tuple[Row, list[tuple[int, int]]]:
    """Run `tool` on `case` for at most `limit` seconds; also return its (query, bytes) curve.

    `program` is the command that starts the tool, as `find` returns it.
    """
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        folder = Path(name)
        log, best, wrapper = folder / "log", folder / "best", folder / "test.sh"
        work, temporary = folder / "work", folder / "tmp"
        work.mkdir()
        temporary.mkdir()
        log.touch()
        best.write_bytes(case.input.read_bytes())
        copy = work / case.input.name
        copy.write_bytes(case.input.read_bytes())
        write_wrapper(wrapper, copy.name, case.test.path, log, best)
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
            case=case.name,
            format=case.format,
            tool=tool,
            version=version(tool, program),
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


def accepted(log: Path) -> list[tuple[int, int]]:
    """Return the (query, bytes) of every interesting candidate smaller than all before."""
    curve: list[tuple[int, int]] = []
    query, size = 0, 0
    for line in log.read_text().splitlines():
        if line.startswith("?"):
            query, size = query + 1, int(line.split()[2])
        elif line == "= 0" and (not curve or size < curve[-1][1]):
            curve.append((query, size))
    return curve


def passes(case: Case, data: bytes) -> bool:
    """Tell whether the real test, in an empty folder, finds `data` interesting."""
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        copy = Path(folder, case.input.name)
        copy.write_bytes(data)
        ended = subprocess.run(
            [case.test.path], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        return ended.returncode == 0
