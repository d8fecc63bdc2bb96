"""Delete pieces of a flat list: lines, tokens, characters, bytes, commits, changes of a patch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import numpy as np

from nubbin.documents.edits import Edit, File
from nubbin.documents.outlines import pieces
from nubbin.documents.outlines.line_outline import MAX_SPLITS, ended_blocks, splits
from nubbin.documents.patch import Patch, PatchPart
from nubbin.documents.spans import Replacement
from nubbin.passes.proposal import FilePass, Proposal, Proposals, Spans
from nubbin.passes.syntactic import propose
from nubbin_core.minimizers.subset import Subset


def flat(split: pieces.Splitter) -> FilePass:
    """Return the pass that proposes, once, to delete each piece that `split` makes of a file."""

    def propose(file: File) -> Proposals[File]:
        yield piece_deletions(file, split(file.data))

    return propose


def piece_deletions(file: File, found: pieces.Pieces) -> Proposal[File]:
    """Return the proposal to delete each piece of a file."""

    def render(kept: Subset) -> File:
        return file.cut(found.cuts(kept))

    def spans() -> list[Spans]:
        starts, stops = found.offsets[:-1], found.offsets[1:]
        return [Spans(file.path, np.arange(len(found)), starts, stops)]

    return Proposal(len(found), render, found.weights.tolist(), spans=spans)


def records(file: File) -> Proposals[File]:
    """Propose the blocks as a list, then each way to split the file into records, coarse to fine.

    For files without a grammar. If a record has many lines, the test rejects the deletion of any
    single one, so a list of lines never gets to deletions of whole records.
    """
    file = yield propose(file, None, ((block,) for block in ended_blocks(file.data)))
    for at in range(MAX_SPLITS):
        found = splits(file.data)
        if at >= len(found):
            return
        file = yield piece_deletions(file, found[at])


def unwrapping(file: File) -> Proposals[File]:
    """Propose to delete the first and the last line of each block, and keep what is between."""
    edits = (_unwrapped(file.data, block) for block in ended_blocks(file.data))
    yield propose(file, None, edits)


def _unwrapped(data: bytes, block: Replacement) -> Edit:
    first = data.index(b"\n", block.start) + 1
    last = data.rindex(b"\n", first - 1, block.stop - 1) + 1
    return Replacement(block.start, first), Replacement(last, block.stop)


# -- lists that are not files ---------------------------------------------------------------


def commits(file: File) -> Proposals[File]:
    """Propose, once, the newest of the commits that the lines of a file name.

    A commit contains all before it, so lists with the same newest commit are the same.
    """
    each = piece_deletions(file, pieces.lines(file.data))
    newest = each.chosen_by(lambda kept: kept if len(kept) == each.size else kept[:1])
    yield replace(newest, weights=())


def of_patch(split: Callable[[Patch], list[list[PatchPart]]]) -> FilePass:
    """Return the pass that proposes, once, to leave out each part that `split` finds in a patch."""

    def propose(file: File) -> Proposals[File]:
        patch = Patch.of(file.data)
        parts = split(patch)

        def render(kept: Subset) -> File:
            if len(kept) == len(parts):
                return file
            return file.with_data(patch.only(chain(*(parts[each] for each in kept))).written())

        def texts() -> list[bytes]:
            return [b"".join(chain(*(part.lines for part in group))) for group in parts]

        yield Proposal(len(parts), render, list(map(len, texts())), texts=texts)

    return propose


patched_files, hunks, changed_lines = map(of_patch, (Patch.files, Patch.hunks, Patch.changes))
