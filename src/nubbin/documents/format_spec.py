"""Formats that count their own bytes: what has to be put right when some are deleted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from nubbin.documents import dimacs, pdf, png
from nubbin.documents.pieces import Cut


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """What a format needs: `cut` makes its largest pieces, `repair` puts its counts right.

    `inner` cuts inside those pieces where what is counted begins and ends.

    `repair` takes any bytes, and returns those of other formats as they are.
    """

    format: str
    pieces: str
    cut: Cut
    inner: Cut
    repair: Callable[[bytes], bytes]


_FORMATS = (
    (re.compile(rb"%PDF-"), FormatSpec("PDF", "objects", pdf.objects, pdf.streams, pdf.repair)),
    (
        re.compile(rb"\x89PNG\r\n"),
        FormatSpec("PNG", "chunks", png.chunks, png.contents, png.repair),
    ),
    (dimacs.HEADER, FormatSpec("DIMACS", "clauses", dimacs.clauses, dimacs.clauses, dimacs.repair)),
)


def format_spec_of(data: bytes) -> FormatSpec | None:
    """Return what the format of some bytes needs, None where nothing is known to be counted."""
    start = data[: 64 << 10]
    return next((format_spec for sign, format_spec in _FORMATS if sign.search(start)), None)
