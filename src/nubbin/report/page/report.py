"""The report of a recorded run, as HTML or as Markdown."""

from __future__ import annotations

from pathlib import Path

from nubbin.report.page.html import html
from nubbin.report.page.markdown import markdown as as_markdown
from nubbin.report.page.recording import Recording


def report(run: Path, *, markdown: bool = False) -> str:
    """Return the report of a recorded run, which may be under way; costs no query.

    Linear in the bytes of all accepted candidates. Raises NubbinError if the run cannot be read, or
    never began.
    """
    recording = Recording.of(run)
    return as_markdown(recording) if markdown else html(recording)
