"""Write the report of a recorded run as one page of HTML without other files."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np

from nubbin.access import Access
from nubbin.disk import beginning, write_whole
from nubbin.journal.run_facts import DifferentFailure
from nubbin.pattern import pattern
from nubbin.reduction.recorded.inspection import Proof
from nubbin.report.page.recording import Recording, outcome_of, titled
from nubbin.report.page.weave import Weave
from nubbin.report.runs_table import KIND_COLUMNS, PASS_COLUMNS, kind_rows, pass_rows
from nubbin.text.figures import count, counted, duration, is_text, printable, readable
from nubbin.user_paths import MAX_BYTES, check_place, write_named
from nubbin_core.errors import NubbinError
from nubbin_core.version import __version__

_SCRIPTS = ("text.js", "view.js", "steps.js", "proof.js", "page.js")

#: The most characters of a text that are shown without a script.
_MAX_CHARACTERS = 20_000
#: The most files of a result that are shown without a script.
_MAX_FILES = 100
#: The first line of each page: a comment in HTML and Markdown, with a digest of the other lines.
_MARK = pattern(rb"<!-- nubbin report ([0-9a-f]{32}) -->\n")


def html(recording: Recording) -> str:
    """Return the page of a recording; takes time linear in its texts."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - takes long

    environment = Environment(
        loader=PackageLoader("nubbin.report.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, code = _joined("page.css"), _joined(*_SCRIPTS)
    files = recording.result.files
    return environment.get_template("page.html.jinja").render(
        style=style,
        code=code,
        style_hash=_hash(style),
        script_hash=_hash(code),
        payload=payload(recording),
        version=__version__,
        recording=recording,
        tables=[
            (PASS_COLUMNS, list(pass_rows(recording.run))),
            (KIND_COLUMNS, kind_rows(recording.run.tally)),
        ],
        results=[_file(file.path, file.data) for file in files[:_MAX_FILES]],
        left_out=counted(len(files) - _MAX_FILES, "more file") if len(files) > _MAX_FILES else "",
        charts=_charts(recording),
        failures=[_shown(each) for each in recording.different_failures],
    )


def _charts(recording: Recording) -> list[Chart]:
    sizes = [step.bytes for step in recording.run.steps]
    queries = [step.queries for step in recording.run.steps]
    seconds = [step.seconds for step in recording.run.steps]
    return [
        chart("queries", queries, sizes, recording.run.queries),
        chart("seconds", seconds, sizes, recording.run.seconds),
    ]


def _file(path: str, data: bytes) -> tuple[str, str]:
    return titled(path, data), readable(data, _MAX_CHARACTERS)


def _shown(failure: DifferentFailure) -> dict[str, Any]:
    files = [_file(*each) for each in list(failure.files.items())[:_MAX_FILES]]
    title = f"{printable(failure.line)} ({counted(failure.size, 'byte')})"
    return {"title": title, "files": files, "output": readable(failure.output, _MAX_CHARACTERS)}


def _joined(*names: str) -> str:
    return "\n".join(Path(__file__).with_name(name).read_text("utf-8") for name in names)


def _hash(text: str) -> str:
    """Return the hash by which the page's policy allows a style or a script, and no other."""
    return base64.b64encode(sha256(text.encode()).digest()).decode()


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
        "files": [_packed_file(path, weave, alone=is_single) for path, weave in weaves.items()],
        "removals": _removals(recording.proof, {path: at for at, path in enumerate(weaves)}),
    }
    packed = zlib.compress(json.dumps(values, separators=(",", ":")).encode())
    return base64.b64encode(packed).decode()


def _packed_file(path: str, weave: Weave, *, alone: bool) -> dict[str, Any]:
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
        "rejected": [int(each.is_rejected) for each in removals],
        "milliseconds": [
            None if each.ran is None else round(1000 * each.ran.seconds) for each in removals
        ],
        "outcome": [number_of[outcome_of(each)] for each in removals],
        "outcomes": words,
    }


def with_mark(page: str) -> bytes:
    """Return the bytes of a page, with a mark that detects changes."""
    data = page.encode()
    return b"<!-- nubbin report %b -->\n%b" % (_digest(data), data)


def write_page(page: str, place: Path, shown: Sequence[Path], *, named: bool = True) -> None:
    """Write a page to a place, completely or not at all.

    The page is as private as the most private of the `shown` files, or readable only by the user if
    one of them is missing. Writes to a device or a pipe if the user has `named` it. Raises
    NubbinError if there is anything but a page of nubbin, and OSError if it cannot be written.
    """
    check_place(place, takes_devices=named)
    if place.is_file() and not _is_ours(beginning(place, MAX_BYTES) or b""):
        raise NubbinError(
            f"There is something at {place} already that is not a report by nubbin, or was changed "
            "since. nubbin does not replace it. Move it away, or name another file."
        )
    access = Access.to_all(shown, place)
    write = write_named if named else write_whole
    write(place, with_mark(page), access=access)


def _is_ours(data: bytes) -> bool:
    mark = _MARK.match(data)
    return mark is not None and mark[1] == _digest(data[mark.end() :])


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).hexdigest().encode()


_MAX_TICKS = 5
#: A shorter axis is drawn up to 1, because its labels would be equal.
_MIN_END = 1e-3
#: The distances of ticks on an axis of time.
_SPANS_S = tuple(
    unit * number
    for unit, numbers in (
        (1, (1, 2, 5, 10, 20, 30)),
        (60, (1, 2, 5, 10, 20, 30)),
        (3600, (1, 2, 5, 10)),
    )
    for number in numbers
)


@dataclass(frozen=True, slots=True)
class Chart:
    """A line of steps on a logarithmic y axis, so that each halving looks the same.

    `line` is a path of the SVG, and `end` the last value on the x axis. Ticks are places in the
    units of the SVG, with labels.
    """

    #: The plot in the units of the SVG, and the room around it for labels.
    WIDTH, HEIGHT = 440, 180
    LEFT, RIGHT, ABOVE, BELOW = 72, 28, 8, 28

    unit: str
    line: str
    end: float
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]


def chart(unit: str, past: Sequence[float], sizes: Sequence[int], end: float) -> Chart:
    """Return the chart of sizes in bytes over `queries` or `seconds`, up to an end; linear."""
    end = max(end, past[-1])
    end = end if end >= _MIN_END else 1
    low = math.floor(math.log10(max(min(sizes), 1)))  # 10**low to 10**high encloses all sizes
    high = max(math.ceil(math.log10(max(*sizes, 1))), low + 1)

    def x(value: float) -> float:
        return Chart.LEFT + Chart.WIDTH * value / end

    def y(size: int) -> float:
        part = (math.log10(max(size, 1)) - low) / (high - low)
        return Chart.HEIGHT * (1 - part) + Chart.ABOVE

    points = _visible([(x(value), y(size)) for value, size in zip(past, sizes, strict=True)])
    path = "".join(f"H{at:.1f}V{height:.1f}" for at, height in points)
    decades = range(low, high + 1, math.ceil((high - low) / _MAX_TICKS))
    values = _marks(unit, end)
    return Chart(
        unit,
        f"M{Chart.LEFT} {y(sizes[0]):.1f}{path}H{x(end):.1f}",
        end,
        [(x(value), _label(unit, value)) for value in values],
        [(y(10**decade), count(10**decade)) for decade in decades],
    )


def _visible(points: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    last = (-math.inf, -math.inf)
    for point in points:
        if point[0] - last[0] >= 0.5 or abs(point[1] - last[1]) >= 0.5:
            yield point
            last = point
    if points and last != points[-1]:
        yield points[-1]


def _marks(unit: str, end: float) -> list[float]:
    if unit == "seconds" and _SPANS_S[0] * _MAX_TICKS <= end <= _SPANS_S[-1] * _MAX_TICKS:
        distance = float(next(span for span in _SPANS_S if span * _MAX_TICKS >= end))
    else:
        power = 10 ** math.floor(math.log10(end / _MAX_TICKS))
        distance = next(n * power for n in (1, 2, 5, 10) if n * power * _MAX_TICKS >= end * 0.999)
        distance = distance if unit == "seconds" else max(1, distance)
    return [number * distance for number in range(int(end / distance) + 1)]


def _label(unit: str, value: float) -> str:
    if unit == "queries":
        return count(round(value))
    text = duration(value) if value else "0"
    return text.removesuffix(" 0 s").removesuffix(" 0 min").replace(".0 s", " s")
