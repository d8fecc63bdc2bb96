"""Delete records: nested blocks, stanzas, and the lines from one that begins alike to the next."""

from __future__ import annotations

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.records import MAX_SPLITS, blocks, splits
from nubbin.documents.replacement import Replacement
from nubbin.passes.flat import deletions
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose


def records(file: File) -> Proposals[File]:
    """Propose the blocks as a list, then each way to split the file into records, coarse to fine.

    For files whose structure no grammar shows: in a list of thousands of lines, no deletion of a
    single one leaves a record whole, so that none ever grows to a deletion of many.
    """
    edits: list[Edit] = [(block,) for block in blocks(file.data)]
    if edits:
        file = yield propose(file, None, edits)
    for at in range(MAX_SPLITS):
        found = splits(file.data)
        if at >= len(found):
            return
        file = yield deletions(file, found[at])


def unwrapping(file: File) -> Proposals[File]:
    """Propose to delete the first and the last line of each block, and leave what is between."""
    if edits := [_unwrapped(file.data, block) for block in blocks(file.data)]:
        yield propose(file, None, edits)


def _unwrapped(data: bytes, block: Replacement) -> Edit:
    """Return the deletion of a block's first line and its last."""
    first = data.index(b"\n", block.start) + 1
    last = data.rindex(b"\n", first - 1, block.stop - 1) + 1
    return Replacement(block.start, first), Replacement(last, block.stop)
