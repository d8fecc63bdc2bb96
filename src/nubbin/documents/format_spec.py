"""Formats that count their own bytes: what has to be repaired when some are deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nubbin.documents import dimacs
from nubbin.documents.outlines.pieces import Splitter


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """What a format needs.

    `split` splits a file into the parts that are counted, and `pieces` is what a person calls
    these. `repair` corrects the counts, of any bytes; bytes of other formats it returns as they
    are.
    """

    format: str
    pieces: str
    split: Splitter
    repair: Callable[[bytes], bytes]


_FORMATS = ((dimacs.HEADER, FormatSpec("DIMACS", "clauses", dimacs.clauses, dimacs.repair)),)
#: A format is found in the first bytes of a file.
_HEAD_BYTES = 64 << 10


def format_spec_of(data: bytes) -> FormatSpec | None:
    """Return what the format of some bytes needs; None if it is not known to count anything."""
    start = data[:_HEAD_BYTES]
    return next((format_spec for sign, format_spec in _FORMATS if sign.search(start)), None)
