"""The scripts of the page, run without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from nubbin.journal.reading import candidate
from nubbin.report.page.html import payload
from nubbin.report.page.recording import Recording
from report.page.conftest import Runs

NODE = shutil.which("node")

#: Prints, for each step, the texts before and after it, as the view of the step has them.
PRINT_STEPS = """
const data = await unpacked(BASE64);
const files = data.files.map(opened);
const texts = (step, ...kinds) => Object.fromEntries(files.map((file) => [file.path,
  runsOf(file, kindAt(step)).filter(({ kind }) => kinds.includes(kind))
    .map((run) => Buffer.from(bytesOf(file, run, 0, run.size)).toString("latin1")).join("")]));
const steps = data.steps.bytes.map((_, at) => at + 1).slice(1);
const both = (step) => [texts(step, "same", "gone"), texts(step, "same", "written")];
console.log(JSON.stringify(steps.map(both)));
"""


def scripts(*names: str) -> str:
    folder = resources.files("nubbin.report.page")
    return "\n".join((folder / name).read_text("utf-8") for name in names)


@pytest.mark.skipif(NODE is None, reason="needs node")
@pytest.mark.parametrize("kind", ["text", "folder", "archive"])
def test_a_step_has_what_was_and_what_is(runs: Runs, kind: str, tmp_path: Path) -> None:
    recording = Recording.of(runs[kind])
    program = tmp_path / "steps.mjs"
    given = f"const BASE64 = {json.dumps(payload(recording))};\n"
    program.write_text(given + scripts("text.js", "view.js", "steps.js") + PRINT_STEPS)
    told = subprocess.run([str(NODE), program], capture_output=True, check=True, text=True)
    steps = json.loads(told.stdout)
    job = recording.job
    texts = [
        {
            path.replace("\x1b", r"\x1b"): data.decode("latin-1")
            for path, data in job.document(candidate(runs[kind], number))
            .unpacked(job.depth)
            .data.items()
            if data
        }
        for number in range(1, len(recording.run.steps) + 1)
    ]
    assert len(steps) == len(texts) - 1
    for (before, after), old, new in zip(steps, texts, texts[1:], strict=False):
        assert {path: text for path, text in before.items() if text} == old
        assert {path: text for path, text in after.items() if text} == new
