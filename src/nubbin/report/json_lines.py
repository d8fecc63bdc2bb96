"""Write events and figures as JSON for other programs; see docs/agents.md."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from nubbin.journal.recorded_run import Step
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.events import Event, Finished, Improved, RolledBack
from nubbin.reduction.run_job import Reduction
from nubbin.report.progress import Progress
from nubbin.text.figures import utf8
from nubbin.user_paths import write_named
from nubbin_core.search.problem import Answered, Count
from nubbin_core.version import __version__

#: Incremented when a reader of the old layout would misread the new one.
SCHEMA = 1


class JsonLines:
    """An observer that writes a line for each event; for queries only if `verbose`.

    `progress` observes the same events before.
    """

    def __init__(
        self, write: Callable[[str], object], progress: Progress, *, verbose: bool = False
    ) -> None:
        self._write = write
        self._progress = progress
        self._verbose = verbose
        self._say("begin", {"schema": SCHEMA, "version": __version__})

    def __call__(self, event: Event) -> None:
        """Write the line of an event; `result` writes the line of the end."""
        if isinstance(event, Finished) or (isinstance(event, Answered) and not self._verbose):
            return
        self._say(event_name(type(event)), {"queries": self._progress.queries, **_plain(event)})

    def result(self, result: Reduction, exit_code: int) -> None:
        """Write the last line: the outcome of the reduction."""
        figures = stats(self._progress, result)
        for name in ("schema", "version", "history"):  # other lines have these
            del figures[name]
        run = None if result.run is None else utf8(result.run)
        self._say("result", {"exit_code": exit_code, "run": run, **figures})

    def _say(self, name: str, values: dict[str, Any]) -> None:
        self._write(line(name, {"seconds": round(self._progress.seconds, 3), **values}))


def stats(progress: Progress, result: Reduction) -> dict[str, Any]:
    """Return a finished reduction as JSON values; docs/agents.md explains every key."""
    started = progress.started
    if started is None:
        raise ValueError("this progress has not observed a reduction")
    return {
        "schema": SCHEMA,
        "version": __version__,
        "input": utf8(started.name),
        "jobs": started.jobs,
        "seed": started.seed,
        **_plain(result),
        "seconds": round(progress.seconds, 3),
        "test_seconds": round(progress.test_seconds, 3),
        "verdicts": {verdict.value: number for verdict, number in progress.so_far.by_verdict()},
        "history": [
            {"seconds": round(point.seconds, 3), "queries": point.queries, **asdict(point.sizes)}
            for point in progress.history
        ],
    }


def as_json(values: dict[str, Any]) -> str:
    """Return figures as the text of a file."""
    return json.dumps(values, indent=2) + "\n"


def write_stats(path: Path, values: dict[str, Any]) -> None:
    """Write figures as JSON, completely or not at all, also to a device; raises OSError."""
    write_named(path, as_json(values).encode())


def line(name: str, values: dict[str, Any]) -> str:
    """Return the line of an event."""
    return json.dumps({"event": name, **values}) + "\n"


def json_lines(name: str, shown: Iterable[Any]) -> str:
    """Return a line for each data class or dictionary."""
    return "".join(line(name, _plain(each)) for each in shown)


def event_name(event: type[Event]) -> str:
    """Return the name of a kind of event: `left-out` for `LeftOut`."""
    return re.sub("(?<!^)(?=[A-Z])", "-", event.__name__).lower()


def keys_of(shown: type[Any]) -> tuple[str, ...]:
    """Return the keys that are written for an event, or for a part of one."""
    named = _KEYS.get(shown) or getattr(shown, "_fields", ())
    return named or tuple(each.name for each in fields(shown))


#: The fields that are written, for classes with more fields.
_KEYS: dict[type[Any], tuple[str, ...]] = {
    Answered: ("kind", "size", "verdict", "seconds"),
    Improved: ("sizes",),
    RolledBack: ("sizes",),
    Step: ("number", "seconds", "queries", "bytes", "pass_name"),
    Count: ("asked", "succeeded"),
    Reduction: (
        *("output", "algorithm", "reason", "minimal", "flaky", "reproduced", "others", "words"),
        *("queries", "runs", "by_kind", "before", "after"),
    ),
}


def _plain(value: Any) -> Any:
    match value:
        case str() | Path():
            plain: Any = utf8(value)
        case Enum():
            plain = value.value
        case Conditions():
            plain = _plain(value.to_json())
        case bytes():
            plain = utf8(value.decode(errors="surrogateescape"))
        case _ if is_dataclass(value) or hasattr(value, "_fields"):
            plain = {name: _plain(getattr(value, name)) for name in keys_of(type(value))}
        case tuple():
            plain = [*map(_plain, value)]
        case dict():
            plain = {name: _plain(each) for name, each in value.items()}
        case _:
            plain = value
    return plain
