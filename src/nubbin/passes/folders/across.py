"""Edits of several files that belong together, as one list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, Edits, Mask, all_but
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Structure
from nubbin.passes.proposal import Proposal, Spans
from nubbin.passes.syntactic import no_new_errors
from nubbin_core.minimizers.subset import Subset

#: What is done to files, by path, all of it or nothing; None deletes a file.
FilesEdit = Mapping[str, Edit | None]


class _Share:
    """What a list does to one file: the edits of it, and the elements that they belong to."""

    def __init__(self, file: File, owners: Sequence[int], edits: Sequence[Edit]):
        self.owners = np.array(owners)
        self.edits = Edits(file, edits)
        self._last = np.zeros(len(owners), dtype=bool), file

    def file(self, applied: Mask) -> File:
        """Return the edited file; the last answer is kept, as most files do not change."""
        own = applied[self.owners]
        if not np.array_equal(self._last[0], own):
            self._last = own, self.edits.apply(own)
        return self._last[1]


def propose_across(
    document: Document, structures: Mapping[str, Structure], edits: Sequence[FilesEdit]
) -> Proposal[Document]:
    """Return a proposal of edits, each of several files of a document.

    Candidates in which a file has new errors cost no query. Deleted files go whatever else is done
    to them.
    """
    deleting: defaultdict[str, list[int]] = defaultdict(list)
    changing: defaultdict[str, dict[int, Edit]] = defaultdict(dict)
    for owner, each in enumerate(edits):
        for path, edit in each.items():
            if edit is None:
                deleting[path].append(owner)
            else:
                changing[path][owner] = edit
    shares = {
        file.path: _Share(file, list(own), list(own.values()))
        for file in document.files
        if (own := changing.get(file.path))
    }

    def stays(applied: Mask, path: str) -> bool:
        return path not in deleting or not applied[deleting[path]].any()

    def render(kept: Subset) -> Document:
        applied = all_but(kept, len(edits))
        left = document.only(lambda file: stays(applied, file.path))
        return left.each(
            lambda file: shares[file.path].file(applied) if file.path in shares else file
        )

    def is_plausible(kept: Subset, candidate: Document) -> bool:
        applied = all_but(kept, len(edits))
        return all(
            no_new_errors(structures[path], share.edits, own, share.file(applied))
            for path, share in shares.items()
            if path in structures and stays(applied, path)
            if (own := applied[share.owners]).any()
        )

    def spans() -> list[Spans]:
        found = [
            Spans(path, share.owners[share.edits.owners], share.edits.starts, share.edits.stops)
            for path, share in shares.items()
        ]
        for file in document.files:
            owners = np.array(deleting.get(file.path, ()), dtype=np.int64)
            found.append(Spans(file.path, owners, 0 * owners, 0 * owners + len(file.data)))
        return found

    weights = _weights(document, edits, shares)
    return Proposal(len(edits), render, weights, is_plausible, spans=spans)


def _weights(
    document: Document, edits: Sequence[FilesEdit], shares: Mapping[str, _Share]
) -> list[float]:
    """Return by how many bytes each edit alone shortens the document, but at least one."""
    worth = np.zeros(len(edits))
    for share in shares.values():
        worth[share.owners] += share.edits.bytes_gained
    extents = {file.path: len(file.data) + 1 for file in document.files}
    for owner, each in enumerate(edits):
        worth[owner] += sum(extents[path] for path, edit in each.items() if edit is None)
    weights: list[float] = np.maximum(worth, 1).tolist()
    return weights
