"""DIMACS formulas: the header has the number of clauses."""

from __future__ import annotations

import re

import numpy as np

from nubbin.documents.outlines.pieces import Pieces, split_at

HEADER = re.compile(rb"^p[ \t]+w?cnf[ \t]+\d+[ \t]+(\d+)[^\n]*\n", re.MULTILINE)
_ENDS = re.compile(rb"^c[^\n]*\n|(?<!\S)0(?!\S)\s*", re.MULTILINE)


def clauses(data: bytes) -> Pieces:
    """Split after the header and after every clause, with the white space after its 0."""
    header = HEADER.search(data)
    if header is None:
        return split_at(data, np.empty(0, dtype=np.int64))
    ends = [end.end() for end in _ENDS.finditer(data, header.end())]
    return split_at(data, np.array([header.end(), *ends], dtype=np.int64))


def repair(data: bytes) -> bytes:
    """Return a formula whose header has the number of its clauses."""
    header = HEADER.search(data)
    if header is None:
        return data
    ends = (end[0] for end in _ENDS.finditer(data, header.end()))
    count = sum(1 for end in ends if end.startswith(b"0"))
    return data[: header.start(1)] + str(count).encode() + data[header.end(1) :]
