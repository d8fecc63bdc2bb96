"""Write the report of a recorded run: one page of HTML without other files, or Markdown."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from nubbin.access import Access
from nubbin.disk import beginning, check_place, write_whole
from nubbin.documents.stream import MAX_BYTES
from nubbin.journal.run_facts import DifferentFailure
from nubbin.pattern import pattern
from nubbin.report.page import chart as svg
from nubbin.report.page import facts
from nubbin.report.page.chart import Chart, chart
from nubbin.report.page.markdown import markdown as as_markdown
from nubbin.report.page.payload import payload
from nubbin.report.page.recording import Recording
from nubbin.report.runs_table import KIND_COLUMNS, PASS_COLUMNS, kind_rows, pass_rows
from nubbin.text.figures import counted, printable
from nubbin.text.readable import readable, titled
from nubbin_core.errors import NubbinError
from nubbin_core.version import __version__

_SCRIPTS = ("text.js", "view.js", "steps.js", "proof.js", "page.js")

#: The most characters of a text that are shown without a script.
_MAX_CHARACTERS = 20_000
#: The most files of a result that are shown without a script.
_MAX_FILES = 100


def report(run: Path, *, markdown: bool = False, full: bool = False) -> str:
    """Return the report of a recorded run, which may be under way; costs no query.

    Takes time linear in the bytes of all accepted candidates. Raises NubbinError if the run cannot
    be read, or never began.
    """
    recording = Recording.of(run)
    return as_markdown(recording, full=full) if markdown else html(recording)


def html(recording: Recording) -> str:
    """Return the page of a recording; takes time linear in its texts."""
    environment = Environment(
        loader=PackageLoader("nubbin.report.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, code = _together("page.css"), _together(*_SCRIPTS)
    files = recording.result.files
    return environment.get_template("page.html.jinja").render(
        style=style,
        code=code,
        style_hash=_hash(style),
        script_hash=_hash(code),
        payload=payload(recording),
        version=__version__,
        facts=facts,
        recording=recording,
        tables=[
            (PASS_COLUMNS, list(pass_rows(recording.run))),
            (KIND_COLUMNS, kind_rows(recording.run.tally)),
        ],
        results=[_file(file.path, file.data) for file in files[:_MAX_FILES]],
        left_out=counted(len(files) - _MAX_FILES, "more file") if len(files) > _MAX_FILES else "",
        charts=_charts(recording),
        svg=svg,
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


def _together(*names: str) -> str:
    folder = resources.files("nubbin.report.page")
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def _hash(text: str) -> str:
    """Return the hash by which the page's policy allows a style or a script, and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


#: The first line of each page: a comment in HTML and Markdown, with a digest of the other lines.
_MARK = pattern(rb"<!-- nubbin report ([0-9a-f]{32}) -->\n")


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
    write_whole(place, with_mark(page), access=access, takes_devices=named)


def _is_ours(data: bytes) -> bool:
    mark = _MARK.match(data)
    return mark is not None and mark[1] == _digest(data[mark.end() :])


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).hexdigest().encode()
