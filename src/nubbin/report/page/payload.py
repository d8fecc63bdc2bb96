"""Pack the data for the script of a page: the texts of all steps, and the proof."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from nubbin.oracles.processes.process import exit_in_words
from nubbin.reduction.recorded.proof import Proof, Removal
from nubbin.report.page.recording import Recording
from nubbin.report.page.weave import Weave
from nubbin.text.figures import printable
from nubbin.text.readable import is_text


def payload(recording: Recording) -> str:
    """Return the data of a page as compressed JSON in base64, which needs no escapes.

    Numbers are in columns, and bytes are characters up to U+00FF. Steps and times are those of
    `nubbin log`. Takes linear time.
    """
    names = sorted({step.pass_name for step in recording.run.steps})
    weaves, is_single = recording.texts.weaves, recording.original.is_single
    values = {
        "first": recording.texts.first,
        "steps": {
            "queries": [step.queries for step in recording.run.steps],
            "milliseconds": [round(1000 * step.seconds) for step in recording.run.steps],
            "bytes": [step.bytes for step in recording.run.steps],
            "pass": [names.index(step.pass_name) for step in recording.run.steps],
        },
        "passes": list(map(printable, names)),
        "files": [_file(path, weave, alone=is_single) for path, weave in weaves.items()],
        "removals": _removals(recording.proof, {path: at for at, path in enumerate(weaves)}),
    }
    packed = zlib.compress(json.dumps(values, separators=(",", ":")).encode())
    return base64.b64encode(packed).decode()


def _file(path: str, weave: Weave, *, alone: bool) -> dict[str, Any]:
    text = weave.text()
    lengths, born, died = (np.asarray(row).tolist() for row in weave.segments())
    return {
        "path": printable(path),
        "alone": alone,
        "binary": not is_text(text),
        "text": text.decode("latin-1"),
        "born": weave.first,
        "died": weave.last,
        "segments": {"length": lengths, "born": born, "died": died},
    }


def _removals(proof: Proof | None, numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return the removals of the proof in columns, for files whose text is in the page."""
    removals = [] if proof is None else [r for r in proof.removals if r.path in numbers]
    words = list(dict.fromkeys(map(outcome_of, removals)))
    number_of = {text: at for at, text in enumerate(words)}
    return {
        "file": [numbers[each.path] for each in removals],
        "start": [each.part.start for each in removals],
        "stop": [each.part.stop for each in removals],
        "text": [each.part.text.decode("latin-1") for each in removals],
        "whole": [int(each.is_whole) for each in removals],
        "refused": [int(each.is_refused) for each in removals],
        "milliseconds": [
            None if each.ran is None else round(1000 * each.ran.seconds) for each in removals
        ],
        "outcome": [number_of[outcome_of(each)] for each in removals],
        "outcomes": words,
    }


def outcome_of(removal: Removal) -> str:
    """Return the answer of the test to a removal in words, without the time."""
    ran = removal.ran
    if ran is None:
        return "not asked" if removal.needs_run else "not allowed, or cannot be packed"
    if ran.timed_out:
        return f"{ran.verdict.value}: stopped by a time limit"
    end = "" if ran.exit_code is None else f", the test {exit_in_words(ran.exit_code)}"
    several = f", {ran.yes} of {ran.runs} runs accepted" if ran.runs > 1 else ""
    return printable(f"{ran.verdict.value}{end}{several}")
