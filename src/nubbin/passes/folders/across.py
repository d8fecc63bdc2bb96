"""Propose edits that each change several files of a document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, all_but
from nubbin.passes.folders.each_file import joint
from nubbin.passes.proposal import Proposal, Spans
from nubbin.passes.syntactic import Structures, propose
from nubbin_core.minimizers.subset import Subset

#: Edits of files, by path, that are made together; None deletes the file.
FilesEdit = Mapping[str, Edit | None]


def propose_across(
    document: Document,
    structures: Structures,
    edits: Sequence[FilesEdit],
    *,
    tidy: bool = True,
) -> Proposal[Document]:
    """Return a proposal of edits, each of several files of a document.

    Candidates in which a file has new syntax errors cost no query. A file is deleted even if other
    edits change it. See `Edits` for `tidy`.
    """
    deleting: defaultdict[str, list[int]] = defaultdict(list)
    changing: defaultdict[str, dict[int, Edit]] = defaultdict(dict)
    for owner, each in enumerate(edits):
        for path, edit in each.items():
            if edit is None:
                deleting[path].append(owner)
            else:
                changing[path][owner] = edit
    proposals = {
        file.path: propose(file, structures.get(file.path), [*own.values()], tidy=tidy)
        for file in document.files
        if (own := changing.get(file.path))
    }
    owners = [*chain(*(changing[path] for path in proposals))]
    changes = joint(document, proposals).grouped(owners, len(edits))

    def render(kept: Subset) -> Document:
        applied = all_but(kept, len(edits))
        return changes.render(kept).only(lambda file: not applied[deleting[file.path]].any())

    def spans() -> list[Spans]:
        found = [*changes.spans()]
        for file in document.files:
            gone = np.array(deleting[file.path], dtype=np.int64)
            found.append(Spans(file.path, gone, 0 * gone, 0 * gone + len(file.data)))
        return found

    extents = {file.path: len(file.data) + 1 for file in document.files}
    weights = [
        max(worth + sum(extents[path] for path, edit in each.items() if edit is None), 1)
        for worth, each in zip(changes.weights, edits, strict=True)
    ]
    return replace(changes, render=render, weights=weights, spans=spans)


def try_across(
    document: Document, structures: Structures, edits: Iterable[FilesEdit]
) -> Generator[Proposal[Document], Document, Document]:
    """Propose edits as one list, if there are any; return the document that came out."""
    found = [*edits]
    return (yield propose_across(document, structures, found)) if found else document


def at_once_or_each(
    document: Document, structures: Structures, edits: Sequence[FilesEdit]
) -> Generator[Proposal[Document], Document, Document]:
    """Propose all edits as one and, if the test rejects that, each of them; return what came out.

    No edit deletes a file that another one changes.
    """
    if len(edits) > 1:
        together: defaultdict[str, Edit] = defaultdict(tuple)
        for path, edit in chain(*(each.items() for each in edits)):
            together[path] = (*together[path], *(edit or ()))
        came_out = yield propose_across(document, structures, [together])
        if came_out.key != document.key:
            return came_out
    return (yield from try_across(document, structures, edits))
