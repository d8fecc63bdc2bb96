"""What more jobs bring: real runs whose test sleeps, simulated ones, Shrink Ray and C-Vise.

    bench/run.py scale/width [INPUT ...] [--tool NAME ...] [--jobs N ...] [--seconds S ...]
                             [--limit S] [--path DIR ...] [--page]

INPUT is `log` (20 KB of lines) or `C` (30 KB of functions): the test accepts a candidate with ten
words of it, and sleeps, which takes no processor. Each reducer runs for at most --limit seconds,
with --jobs tests of --seconds each at once. Beside nubbin's real run is one on a virtual clock,
which adds up the seconds of the tests and the processor time of nubbin. *Nine tenths* is when no
more than a tenth of the bytes was left. Makes a table of record/scale.md.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.experiment import Table
from harness.processes import supervise
from harness.reductions import executable
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.reduction.pass_problem import Plan
from nubbin.reduction.pipeline import passes_for
from nubbin_core.verdict import Verdict
from peers.tools import NAMES, arguments, find
from scale.inputs import fill, functions, lines
from scale.workers import simulated

_INPUTS = {"log": ("input.log", lines, 20_000), "C": ("input.c", functions, 30_000)}
_WORDS = 10
_SHARE = 0.1

_TEST = """#!/bin/bash
echo run >>{log}
sleep {seconds}
for word in {words}; do grep -qF "$word" {name} || exit 1; done
echo "$EPOCHREALTIME $(stat -c %s {name})" >>{log}
"""
_COLUMNS = (
    "run | nine tenths, s | end, s | bytes | runs | load | simulated: nine tenths, s | end, s"
)


def experiment(
    inputs: Sequence[str] = tuple(_INPUTS),
    *,
    tool: Sequence[str] = ("nubbin", "shrinkray", "cvise"),
    jobs: Sequence[int] = (1, 4, 8, 16),
    seconds: Sequence[float] = (0.2, 2),
    limit: float = 600,
    path: Sequence[str] = (),
) -> Iterator[Table]:
    def rows() -> Iterator[list[object]]:
        for each in itertools.starmap(Run, itertools.product(inputs, seconds, tool, jobs)):
            virtual = each.virtually() if each.tool == "nubbin" else []
            yield [str(each), *each.really(limit, path), *(virtual or [""] * 6)]

    columns = f"{_COLUMNS} | of W | asked | needed | own, ms a run"
    yield Table(columns, rows(), "lrrrrrrrrrrr", page="scale.md", of="scale/width")


class Run(NamedTuple):
    """A reduction of an input by a reducer, with some jobs; a test takes so many seconds."""

    input: str
    seconds: float
    tool: str
    jobs: int

    def __str__(self) -> str:
        plural = "s" * (self.jobs > 1)
        return f"{self.input}, {self.seconds:g} s, {NAMES[self.tool]}, {self.jobs} job{plural}"

    def really(self, limit: float, path: Sequence[str]) -> list[str]:
        """Run the reducer, for at most `limit` seconds; return the cells of that."""
        program = find(self.tool, path)
        if program is None:
            return ["not installed", "", "", "", ""]
        file, words = made(self.input)
        with tempfile.TemporaryDirectory() as folder:
            work, log = Path(folder, "work"), Path(folder, "log")
            work.mkdir()
            log.touch()
            copy = work / file.path
            copy.write_bytes(file.data)
            told = {"log": log, "seconds": self.seconds, "name": file.path}
            quoted = " ".join(word.decode() for word in words)
            test = executable(Path(folder, "test.sh"), _TEST.format(**told, words=quoted))
            line = [*program, *arguments(self.tool, test, copy, self.jobs)]
            begun = time.time()
            end, took, _ = supervise(line, work, {**os.environ}, limit)
            said = [line.split() for line in log.read_text().splitlines()]
        whole = len(file.data)
        # A test that was stopped may have written half a line.
        kept = [(float(row[0]) - begun, int(row[1])) for row in said if len(row) == 2]
        tenth = next((f"{at:.0f}" for at, size in kept if size <= _SHARE * whole), "")
        ended = {"done": f"{took:.0f}", "time": f"over {limit:.0f}"}.get(end, end)
        left = min((size for _, size in kept), default=whole)
        load = f"{os.getloadavg()[1]:.0f}"
        return [tenth, ended, f"{left:,}", f"{said.count(['run']):,}", load]

    def virtually(self) -> list[str]:
        """Reduce on a virtual clock; return the cells of that."""
        file, words = made(self.input)

        def answer(document: Document) -> tuple[Verdict, float]:
            (only,) = document.files
            holds = all(word in only.data for word in words)
            return Verdict.INTERESTING if holds else Verdict.UNINTERESTING, 1.0

        plan = Plan(passes_for(document := Document(file.path, (file,)), "token"))
        ran = simulated(document, plan, answer, self.jobs, self.seconds, share=_SHARE)
        of_width = ran.needed * self.seconds / ran.seconds / self.jobs
        return [
            *(f"{ran.reached:.0f}", f"{ran.seconds:.0f}", f"{of_width:.2f}"),
            *(f"{ran.asked:,}", f"{ran.needed:,}", f"{1e3 * ran.driver / ran.asked:.1f}"),
        ]


def made(input: str) -> tuple[File, list[bytes]]:
    """Return an input and the words of it that the test needs."""
    name, parts, size = _INPUTS[input]
    with tempfile.TemporaryDirectory() as folder:
        fill(path := Path(folder, name), parts(), size)
        data = path.read_bytes()
    words = sorted({*re.findall(rb"[a-z0-9]{4,}", data)})
    return File(name, data), random.Random(7).sample(words, _WORDS)
