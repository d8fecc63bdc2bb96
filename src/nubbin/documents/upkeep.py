"""Formats that count their own bytes: what has to be put right when some are deleted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from nubbin.documents import dimacs, pdf, png
from nubbin.documents.pieces import Cut


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What a format needs: `cut` makes its largest pieces, `mended` puts its counts right.

    `inner` cuts inside those pieces where what is counted begins and ends.

    `mended` takes any bytes, and returns those of other formats as they are.
    """

    format: str
    pieces: str
    cut: Cut
    inner: Cut
    mended: Callable[[bytes], bytes]


_FORMATS = (
    (re.compile(rb"%PDF-"), Upkeep("PDF", "objects", pdf.objects, pdf.streams, pdf.mended)),
    (re.compile(rb"\x89PNG\r\n"), Upkeep("PNG", "chunks", png.chunks, png.contents, png.mended)),
    (dimacs.HEADER, Upkeep("DIMACS", "clauses", dimacs.clauses, dimacs.clauses, dimacs.mended)),
)


def upkeep_of(data: bytes) -> Upkeep | None:
    """Return what the format of some bytes needs, None where nothing is known to be counted."""
    start = data[: 64 << 10]
    return next((upkeep for sign, upkeep in _FORMATS if sign.search(start)), None)
