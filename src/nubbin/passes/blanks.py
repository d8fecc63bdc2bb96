"""Delete white space, but for blanks that keep words apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.indents import blocks, column_of, dedented
from nubbin.documents.replacement import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose

# All white space but a single blank between two words, which cannot be less. Each alternative
# begins with white space, so that the search skips all else.
BLANK = re.compile(rb"\s(?:\s+|(?![\w\x80-\xff])|(?<![\w\x80-\xff]\s))")
# Matches from the start of white space alone: from each of a million blanks, it would take hours.
LINE_END = re.compile(rb"(?<!\s)\s*\n\s*")


def blanks(file: File) -> Proposals[File]:
    """Propose to delete each run of white space; between words, one blank is left.

    Then propose a bare line end for each run that holds one, without indentation and empty lines;
    then an indent of one column for each block that is indented by more.
    """
    edits: list[Edit] = [
        (Replacement(run.start(), run.end()),) for run in BLANK.finditer(file.data)
    ]
    if edits:
        file = yield propose(file, None, edits)
    ends = [run.span() for run in LINE_END.finditer(file.data) if len(run[0]) > 1]
    if ends:
        file = yield propose(file, None, [(Replacement(*end, b"\n"),) for end in ends])
    if edits := list(_indents(file.data)):
        yield propose(file, None, edits)


def _indents(data: bytes) -> Iterator[Edit]:
    """Yield an edit for each block that is indented by more than one column."""
    for block, above in blocks(data):
        lines = dedented(data, block, above + 1)
        if lines is not None:
            column = column_of(data, block.start)
            yield (Replacement(block.start - column + above + 1, block.start), *lines)
