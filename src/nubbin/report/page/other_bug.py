"""The other bugs that a run has met, as its folder has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nubbin.journal.other_bugs import INPUT, OTHER_BUGS, OUTPUT
from nubbin.oracles.failures.failure import line_of
from nubbin.reduction.contents import contents_at


@dataclass(frozen=True, slots=True)
class ShownBug:
    """Another bug: the line that tells most of it, an input that shows it, what was printed."""

    line: str
    files: dict[str, bytes]
    output: bytes


def other_bugs(run: Path) -> Iterator[ShownBug]:
    """Yield the other bugs of a run, the smallest input first; those that cannot be read are not.

    The folder may change meanwhile.
    """
    parts = defaultdict[str, dict[str, bytes]](dict)
    with suppress(OSError):
        for path, data in (contents_at(run / OTHER_BUGS) or {}).items():
            name, _, inside = path.partition("/")
            if data is not None and not name.startswith("."):
                parts[name][inside] = data
    bugs = [_bug(files) for files in parts.values() if OUTPUT in files]
    yield from sorted(bugs, key=lambda bug: (sum(map(len, bug.files.values())), bug.line))


def _bug(files: dict[str, bytes]) -> ShownBug:
    inputs = {
        path.removeprefix(f"{INPUT}/"): data
        for path, data in sorted(files.items())
        if path.startswith(f"{INPUT}/")
    }
    # Of the first one of a run, it is not kept.
    line = line_of(files[OUTPUT]) or "it is not known what the test printed"
    return ShownBug(line, inputs, files[OUTPUT])
