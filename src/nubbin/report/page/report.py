"""The report of a recorded run, as HTML or as Markdown."""

from __future__ import annotations

from pathlib import Path

from nubbin.oracles.errors import NubbinError
from nubbin.report.page.html import html
from nubbin.report.page.markdown import markdown as as_markdown
from nubbin.report.page.recording import Recording
from nubbin.report.visible import printable


def report(run: Path, *, markdown: bool = False) -> str:
    """Return the report of a recorded run, which may be under way; costs no query.

    Linear in the bytes of all accepted candidates. Raises NubbinError if the run cannot be read,
    never began, or if its journal has values that no run writes.
    """
    try:
        recording = Recording.of(run)
        return as_markdown(recording) if markdown else html(recording)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as error:
        raise NubbinError(
            f"The journal in {run} has values that no run writes, so it cannot be reported: "
            f"{printable(repr(error))}."
        ) from error
