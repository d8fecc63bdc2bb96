"""Delete clauses of a DIMACS formula, and count those that are left."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from nubbin.documents.file import File
from nubbin.documents.pieces import Pieces
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import Proposal

_HEADER = re.compile(rb"^p[ \t]+w?cnf[ \t]+\d+[ \t]+(\d+)[^\n]*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Clauses:
    """Proposes to delete each clause; the header's number of clauses follows.

    Solvers that compare the header with the clauses refuse a formula from which a line is
    deleted and nothing else.
    """

    name: str = "clauses"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal with an edit for each clause."""
        data = file.data
        header = _HEADER.search(data)
        if header is None:
            return
        cuts = _ends_of_clauses(data, header.end())
        clauses = Pieces(data, np.array([header.end(), *cuts], dtype=np.int64))

        def render(kept: Subset) -> File:
            count = str(len(kept)).encode()
            top = data[: header.start(1)] + count + data[header.end(1) : header.end()]
            return file.with_data(top + clauses.join(kept) + data[clauses.cuts[-1] :])

        # Where the header counts otherwise, it is no longer this document's header.
        if len(clauses) and int(header[1]) == len(clauses):
            yield Proposal(len(clauses), render, clauses.weights.tolist())


def _ends_of_clauses(data: bytes, start: int) -> list[int]:
    """Return where each clause ends: behind the white space after its 0."""
    ends = []
    for token in re.finditer(rb"^c[^\n]*\n|(\S+)\s*", data[start:], re.MULTILINE):
        if token[1] == b"0":
            ends.append(start + token.end())
    return ends
