"""The page of a run of very many steps: how long it takes to make, how large it is, how it opens.

    bench/run.py scale/many_steps 100000

Each step deletes a random byte of a random text. The journal is written directly, for a reduction
would wait for the disk at each step. If Chromium is there, the page is opened, and an empty one for
comparison; the times are those of the whole process, and what its processors worked, which other
work on the machine changes less.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from harness.processes import cpu_of_children
from harness.reductions import executable
from nubbin.disk import Folder
from nubbin.documents.deltas import delta
from nubbin.documents.document import Document
from nubbin.journal import schema
from nubbin.reduction.reduce import reduce
from nubbin.report.page.html import report
from nubbin.report.page.place import write_page

_ALPHABET = b"abcdefghijklmnopqrstuvwxyz     \n;(){}"
_NAME, _KEPT = "in.txt", b"keep\n"
_RUNS = 3  # of the browser


def experiment(steps: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        run, page = record(folder, steps), folder / "page.html"
        begun, worked = time.perf_counter(), time.process_time()
        write_page(report(run), page, [run])
        seconds, worked = time.perf_counter() - begun, time.process_time() - worked
        size = page.stat().st_size
        told = f"made in {seconds:.1f} s, {worked:.1f} s of processor time, {size:,} bytes"
        yield f"{steps:,} steps: {told}"
        browser = shutil.which("chromium")
        if browser is not None:
            (folder / "empty.html").write_text("<!DOCTYPE html><title>empty</title>")
            for name in ("empty.html", "page.html"):
                seconds, worked = opened(browser, folder / name)
                yield f"{name}: opened in {seconds:.2f} s, {worked:.2f} s of processor time"


def record(folder: Path, steps: int) -> Path:
    """Return the folder of a run that accepted a number of candidates."""
    test = executable(folder / "test.sh", f"#!/bin/sh\ngrep -q keep {_NAME}\n")
    source, run = folder / _NAME, folder / "run"
    source.write_bytes(_KEPT * 9)
    reduce(test, source, jobs=1, record=run)
    (run / "accepted").unlink()
    chance = random.Random(0)
    data = bytearray(chance.choices(_ALPHABET, k=steps)) + _KEPT
    before: dict[str, bytes] = {}
    with Folder(run) as ours, closing(schema.opened_for_writing(ours)) as store:
        store.execute("BEGIN")
        store.execute("DELETE FROM accepted")
        for number in range(1, steps + 1):
            files = {_NAME: bytes(data)}
            key = Document.single(_NAME, files[_NAME]).key
            name = "chars" if number > 1 else ""
            values = (number, key, number / 20, number, name, len(data), delta(files, before))
            row = schema.sealed("accepted", *values)
            store.execute("INSERT INTO accepted VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            del data[chance.randrange(len(data) - len(_KEPT))]
            before = files
        store.execute("COMMIT")
    return run


def opened(browser: str, page: Path) -> tuple[float, float]:
    """Return the shortest seconds in which a browser shows a page and ends, by clock and worked."""
    times, worked = [], []
    for _ in range(_RUNS):
        begun, before = time.perf_counter(), cpu_of_children()
        options = ["--headless", "--no-sandbox", "--virtual-time-budget=60000", "--dump-dom"]
        line = [browser, *options, page.as_uri()]
        shown = subprocess.run(line, capture_output=True, check=True, text=True).stdout
        times.append(time.perf_counter() - begun)
        worked.append(cpu_of_children() - before)
        assert page.name == "empty.html" or "Candidate 2 of" in shown
    return min(times), min(worked)
