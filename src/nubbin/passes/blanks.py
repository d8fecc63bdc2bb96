"""Delete white space: all in one query, run by run, and in the end each single blank."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nubbin.documents.edits import Edit, gain, members
from nubbin.documents.file import File
from nubbin.documents.outlines.indents import blocks, column_of, dedented
from nubbin.documents.outlines.lexis import NAME_LETTER
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Cuts, Offsets, glued
from nubbin.passes.proposal import Proposal, Proposals, Spans
from nubbin.passes.syntactic import propose
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import Subset

# All white space except a single blank between two words, which must be kept. Each alternative
# begins with white space, so the search skips everything else.
BLANK = pattern(rb"\s(?:\s+|(?!%b)|(?<!%b\s))" % (NAME_LETTER, NAME_LETTER))
# Matches only at the start of white space: from each of a million blanks, it would take hours.
LINE_END = pattern(rb"(?<!\s)\s*\n\s*")

# A digit or underscore that is not a word by itself.
_DIGIT = pattern(rb"(?<=\w)[\d_]|[\d_](?=\w)")

_BLANKS = tuple(b" \t\n\v\f\r")

#: More runs than this are left to the pass over tokens, unless they are a large share of the file.
_MAX_RUNS = 64
_MIN_SHARE = 1 / 8


def blanks(file: File) -> Proposals[File]:
    """Propose to delete all white space in one query, except one blank between two words.

    Then propose all except bare line ends, in one query as well, and then each run. Then propose to
    replace each run that has a line end with that line end, which removes indents and empty lines.
    Last, propose an indent of one column for each block that is indented by more.
    """
    before, runs = file, _runs(file.data)
    if runs:
        file = yield propose(file, None, [tuple(runs)])
    if lines := _line_ends_of_runs(file.data):
        file = yield propose(file, None, [tuple(lines)])
    if file != before:
        runs = _runs(file.data)
    if runs and (len(runs) <= _MAX_RUNS or gain(runs) >= _MIN_SHARE * len(file.data)):
        file = yield propose(file, None, [(run,) for run in runs])
    ends = (run.span() for run in LINE_END.finditer(file.data) if len(run[0]) > 1)
    file = yield propose(file, None, ((Replacement(*end, b"\n"),) for end in ends))
    yield propose(file, None, _indents(file.data))


def single_blanks(file: File) -> Proposals[File]:
    """Propose to delete each single blank and line end, also between words.

    Then propose each digit and underscore of a longer word. The proof tries them too, but must try
    all characters again whenever it removes one. Among the characters of words, these are removed
    most often.
    """
    values = np.frombuffer(file.data, dtype=np.uint8)
    blank = np.flatnonzero(np.isin(values, _BLANKS))
    file = yield _single_bytes(file, blank)
    if b"\0" not in file.data:
        digits = np.array([each.start() for each in _DIGIT.finditer(file.data)], dtype=np.int64)
        yield _single_bytes(file, digits)


def _single_bytes(file: File, at: Offsets) -> Proposal[File]:
    def render(kept: Subset) -> File:
        gone = np.delete(at, members(kept))
        return file.cut(Cuts(gone, gone + 1, {}))

    spans = Spans(file.path, np.arange(len(at)), at, at + 1)
    return Proposal(len(at), render, spans=lambda: [spans])


def _runs(data: bytes) -> list[Replacement]:
    return [
        Replacement(*run.span()) for run in BLANK.finditer(data) if not _is_glue(data, *run.span())
    ]


def _is_glue(data: bytes, start: int, stop: int) -> bool:
    """Tell whether white space is a single blank without which two marks would be another."""
    inside = stop - start == 1 and start > 0 and stop < len(data)
    return inside and glued(data[start - 1], data[stop])


def _line_ends_of_runs(data: bytes) -> list[Replacement]:
    """Return the edits that leave only the line end of a run that has one, and no other runs."""
    return [
        Replacement(run.start, run.stop, b"\n" if b"\n" in data[run.start : run.stop] else b"")
        for run in _runs(data)
        if data[run.start : run.stop] != b"\n"
    ]


def _indents(data: bytes) -> Iterator[Edit]:
    """Yield an edit for each block that is indented by more than one column."""
    for block, above in blocks(data):
        lines = dedented(data, block, above + 1)
        if lines is not None:
            column = column_of(data, block.start)
            yield (Replacement(block.start - column + above + 1, block.start), *lines)
