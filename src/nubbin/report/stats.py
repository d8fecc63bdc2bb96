"""Write the figures of a reduction as JSON, for `--stats`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nubbin.disk import write_whole
from nubbin.reduction.reduction import Reduction
from nubbin.report.progress import Progress
from nubbin.text.visible import utf8
from nubbin_core.version import __version__

#: Incremented when a reader of the old layout would misread the new one.
SCHEMA = 1


def stats(progress: Progress, result: Reduction) -> dict[str, Any]:
    """Return a finished reduction as JSON values; docs/agents.md explains every key."""
    started = progress.started
    if started is None:
        raise ValueError("this progress has not observed a reduction")
    return {
        "schema": SCHEMA,
        "version": __version__,
        "input": utf8(started.name),
        "output": utf8(result.output),
        "algorithm": started.algorithm,
        "jobs": started.jobs,
        "seed": started.seed,
        "reason": result.reason,
        "minimal": result.minimal,
        "flaky": result.flaky,
        "reproduced": result.reproduced and result.reproduced._asdict(),
        "others": result.others,
        "words": result.words and utf8(result.words),
        "seconds": round(progress.seconds, 3),
        "test_seconds": round(progress.test_seconds, 3),
        "queries": result.queries,
        "runs": result.runs,
        "verdicts": {verdict.value: number for verdict, number in progress.so_far.by_verdict()},
        "by_kind": {
            kind: {"asked": count.asked, "succeeded": count.succeeded}
            for kind, count in sorted(result.by_kind.items())
        },
        "before": asdict(result.before),
        "after": asdict(result.after),
        "history": [
            {"seconds": round(point.seconds, 3), "queries": point.queries, **asdict(point.sizes)}
            for point in progress.history
        ],
    }


def as_text(values: dict[str, Any]) -> str:
    """Return figures as the text of a file."""
    return json.dumps(values, indent=2) + "\n"


def write_stats(path: Path, values: dict[str, Any]) -> None:
    """Write figures to a path as JSON, completely or not at all; raises OSError.

    Writes to a device or a pipe, such as /dev/stdout, and replaces a file.
    """
    write_whole(path, as_text(values).encode(), takes_devices=True)
