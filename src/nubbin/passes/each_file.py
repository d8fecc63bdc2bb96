"""Edit several files at once: with a pass over each file, or with edits of several files."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, all_but
from nubbin.documents.file import File
from nubbin.passes.proposal import FilePass, Offer, Pass, Proposal, Proposals, Spans, next_proposal
from nubbin.passes.syntactic import Structures, propose
from nubbin_core.minimizers.subset import Subset


def each_file(name: str, passes: Mapping[str, FilePass], piece: str = "") -> Pass:
    """Return a pass over documents made of passes over files, by path.

    The first proposals of all files form one list, then the second ones, and so on.
    """
    return Pass(name, partial(jointly, passes=passes), piece, paths=passes)


def jointly(document: Document, passes: Mapping[str, FilePass]) -> Proposals[Document]:
    """Yield the joint proposals of passes over files until no file has any more."""
    running = {
        file.path: each(file)
        for file in document.files
        if (each := passes.get(file.path)) is not None
    }
    found = {path: next_proposal(each) for path, each in running.items()}
    while proposals := {path: each for path, each in found.items() if each is not None}:
        document = yield joint(document, proposals)
        came_out = {file.path: file for file in document.files}
        found = {
            path: next_proposal(running[path], came_out[path])
            for path in proposals
            if path in came_out
        }


def new_passes(after: Sequence[Pass], before: Sequence[Pass], document: Document) -> frozenset[int]:
    """Return the indices of the passes that now apply to a file to which they did not before."""
    known = {(each.row, path) for each in before for path in each.paths}
    here = {file.path for file in document.files}
    return frozenset(
        at
        for at, each in enumerate(after)
        if any((each.row, path) not in known for path in each.paths if path in here)
    )


class _FileShare:
    """The proposal of one file, as the elements lo..hi-1 of a joint one."""

    def __init__(self, file: File, proposal: Proposal[File], hi: int):
        self.proposal = proposal
        self.lo, self._hi = hi - proposal.size, hi
        self._last: tuple[Subset, File] | None = Subset.full(proposal.size), file

    def kept(self, all_kept: Subset) -> Subset:
        inside = all_kept[all_kept.rank(self.lo) : all_kept.rank(self._hi)]
        return Subset(array("q", [bound - self.lo for bound in inside.bounds]), len(inside))

    def file(self, kept: Subset) -> File:
        """Return the edited file; cached, because most files do not change."""
        if self._last is None or self._last[0] != kept:
            self._last = None  # before the next is made, which may be as large
            self._last = kept, self.proposal.render(kept)
        return self._last[1]


def joint(document: Document, proposals: Mapping[str, Proposal[File]]) -> Proposal[Document]:
    """Return one proposal with the edits of all files, file after file."""
    ends = accumulate(proposal.size for proposal in proposals.values())
    files = {file.path: file for file in document.files}
    shares = {
        path: _FileShare(files[path], proposal, hi)
        for (path, proposal), hi in zip(proposals.items(), ends, strict=True)
    }

    def render(kept: Subset) -> Document:
        return document.each(
            lambda file: share.file(share.kept(kept)) if (share := shares.get(file.path)) else file
        )

    def is_plausible(kept: Subset, candidate: Document) -> bool:
        left = {file.path for file in candidate.files}
        return all(
            share.proposal.is_plausible(own, share.file(own))
            for path, share in shares.items()
            if path in left and len(own := share.kept(kept)) < share.proposal.size
        )

    def texts() -> list[bytes]:
        return [*chain(*(each.texts() or [b""] * each.size for each in proposals.values()))]

    def spans() -> list[Spans]:
        return [
            each._replace(owners=each.owners + share.lo)
            for share in shares.values()
            for each in share.proposal.spans()
        ]

    weights = [*chain(*(each.weights or [1.0] * each.size for each in proposals.values()))]
    hear = next((each.hear for each in proposals.values()), None) if len(proposals) == 1 else None
    return Proposal(len(weights), render, weights, is_plausible, texts, spans, hear)


#: Edits of files, by path, that are made together; None deletes the file.
FilesEdit = Mapping[str, Edit | None]


def propose_across(
    document: Document, structures: Structures, edits: Iterable[FilesEdit], *, tidy: bool = True
) -> Proposal[Document]:
    """Return a proposal of edits, each of several files of a document.

    Candidates in which a file has new syntax errors cost no query. A file is deleted even if other
    edits change it. See `Edits` for `tidy`.
    """
    found = [*edits]
    deleting: defaultdict[str, list[int]] = defaultdict(list)
    changing: defaultdict[str, dict[int, Edit]] = defaultdict(dict)
    for owner, each in enumerate(found):
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
    changes = joint(document, proposals).grouped(owners, len(found))

    def render(kept: Subset) -> Document:
        applied = all_but(kept, len(found))
        return changes.render(kept).only(lambda file: not applied[deleting[file.path]].any())

    def spans() -> list[Spans]:
        each = [*changes.spans()]
        for file in document.files:
            gone = np.array(deleting[file.path], dtype=np.int64)
            each.append(Spans(file.path, gone, 0 * gone, 0 * gone + len(file.data)))
        return each

    extents = {file.path: len(file.data) + 1 for file in document.files}
    weights = [
        max(worth + sum(extents[path] for path, edit in each.items() if edit is None), 1)
        for worth, each in zip(changes.weights, found, strict=True)
    ]
    return replace(changes, render=render, weights=weights, spans=spans)


def deleted(paths: Iterable[str]) -> FilesEdit:
    """Return the edit that deletes files."""
    return dict.fromkeys(paths)


def tried(
    document: Document, structures: Structures, edit: FilesEdit
) -> Generator[Proposal[Document], Document, Document | None]:
    """Propose one edit; return the document that came out, or None if the test rejected it."""
    came_out = yield propose_across(document, structures, [edit])
    return None if came_out.key == document.key else came_out


def at_once_or_each(
    document: Document, structures: Structures, edits: Sequence[FilesEdit]
) -> Offer[Document]:
    """Propose edits `together` and, if the test rejects that, each; return what came out."""
    if len(edits) > 1 and (fewer := (yield from tried(document, structures, together(edits)))):
        return fewer
    return (yield propose_across(document, structures, edits))


def together(edits: Iterable[FilesEdit]) -> FilesEdit:
    """Return all edits as one; none of them deletes a file that another one changes."""
    found: defaultdict[str, Edit] = defaultdict(tuple)
    for path, edit in chain(*(each.items() for each in edits)):
        found[path] = (*found[path], *(edit or ()))
    return found
