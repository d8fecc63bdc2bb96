"""The work of `nubbin reduce`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from nubbin.cli.display import Display
from nubbin.cli.work.run import place_in_run, run
from nubbin.documents.stream import STREAM_NAME, descriptor_of
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.events import Observer
from nubbin.reduction.reduce import reduce as reduced
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.result.output_path import backup_path


def reduce(
    test: Callable[[], UserTest],
    sources: Sequence[Path],
    display: Display,
    *,
    name: str | None,
    output: Path | None,
    in_place: bool,
    run_dir: Path | None,
    **options: Any,
) -> int:
    """Reduce the inputs, and return the exit code."""
    title = sources[0].resolve().name if len(sources) == 1 else f"{len(sources)} inputs"
    if descriptor_of(sources[0]) is not None:
        title = name or STREAM_NAME

    def work(observers: Sequence[Observer]) -> Reduction:
        with ExitStack() as stack:
            record, place = run_dir or True, output
            if display.writes_result:
                record, place = stack.enter_context(place_in_run(run_dir, title))
            return reduced(
                test(),
                sources,
                name=name,
                output=place,
                in_place=in_place,
                record=record,
                observers=observers,
                **options,
            )

    return run(work, title, display, original=backup_path(sources[0]) if in_place else None)
