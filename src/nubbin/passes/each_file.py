"""Edit several files at once: with a pass over each file, or with edits of several files."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, File, FilesEdit, all_but, subset_of
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


def joint(document: Document, proposals: Mapping[str, Proposal[File]]) -> Proposal[Document]:
    """Return one proposal with the edits of all files, by path, file after file."""
    starts = [*accumulate((each.size for each in proposals.values()), initial=0)]
    # The edited files, and the edits that each lacks: most files do not change.
    last: dict[str, tuple[Subset, File]] = {}

    def shares(kept: Subset) -> Iterator[tuple[str, Proposal[File], Subset]]:
        """Yield the proposals of which edits are made, and the edits that are not."""
        for (path, proposal), lo in zip(proposals.items(), starts, strict=False):
            inside = kept[kept.rank(lo) : kept.rank(lo + proposal.size)]
            if len(inside) < proposal.size:
                bounds = array("q", [bound - lo for bound in inside.bounds])
                yield path, proposal, Subset(bounds, len(inside))

    def render(kept: Subset) -> Document:
        edited: dict[str, File] = {}
        for path, proposal, own in shares(kept):
            if path not in last or last[path][0] != own:
                last.pop(path, None)  # before the next is made, which may be as large
                last[path] = own, proposal.render(own)
            edited[path] = last[path][1]
        return document.each(lambda file: edited.get(file.path, file))

    def is_plausible(kept: Subset) -> bool:
        return all(proposal.is_plausible(own) for _, proposal, own in shares(kept))

    def texts() -> list[bytes]:
        return [*chain(*(each.texts() or [b""] * each.size for each in proposals.values()))]

    def spans() -> list[Spans]:
        return [
            each._replace(owners=each.owners + lo)
            for proposal, lo in zip(proposals.values(), starts, strict=False)
            for each in proposal.spans()
        ]

    weights = [*chain(*(each.weights or [1.0] * each.size for each in proposals.values()))]
    only = next(iter(proposals.values())) if len(proposals) == 1 else None
    on_answers = only.on_answers if only else None
    return Proposal(len(weights), render, weights, is_plausible, texts, spans, on_answers)


def propose_across(
    document: Document, structures: Structures, edits: Iterable[FilesEdit], *, tidy: bool = True
) -> Proposal[Document]:
    """Return a proposal of edits, each of several files of a document.

    Candidates in which a file has new syntax errors cost no query. A file is deleted even if other
    edits change it. See `Edits` for `tidy`.
    """
    found = [*edits]
    changing, deleting = _by_path(found)
    proposals = {
        file.path: propose(file, structures.get(file.path), own.values(), tidy=tidy)
        for file in document.files
        if (own := changing.get(file.path))
    }
    changes = joint(document, proposals)
    # The number of the edit that each change belongs to, and of its file.
    owners = np.array([*chain(*(changing[path] for path in proposals))], dtype=np.int64)
    files = np.repeat(range(len(proposals)), [each.size for each in proposals.values()])

    def kept_changes(kept: Subset) -> Subset:
        """Return the changes that are not made: of a deleted file, all."""
        applied = all_but(kept, len(found))
        deleted = [n for n, path in enumerate(proposals) if applied[deleting[path]].any()]
        return subset_of(~applied[owners] | np.isin(files, deleted))

    owned, changed = changes.owned(owners, len(found)), changes.chosen_by(kept_changes)

    def render(kept: Subset) -> Document:
        applied = all_but(kept, len(found))
        return changed.render(kept).only(lambda file: not applied[deleting[file.path]].any())

    def spans() -> list[Spans]:
        own = ((file, np.array(deleting[file.path], dtype=np.int64)) for file in document.files)
        return [
            *owned.spans(),
            *(Spans(file.path, by, 0 * by, 0 * by + len(file.data)) for file, by in own),
        ]

    weights = np.array(owned.weights)
    for file in document.files:
        weights[deleting[file.path]] += len(file.data) + 1
    worth = np.maximum(weights, 1).tolist()
    return replace(changed, size=len(found), render=render, weights=worth, spans=spans)


def _by_path(
    edits: Sequence[FilesEdit],
) -> tuple[Mapping[str, Mapping[int, Edit]], defaultdict[str, list[int]]]:
    """Return, by path, the edits that change a file, by number, and those that delete it."""
    changing: defaultdict[str, dict[int, Edit]] = defaultdict(dict)
    deleting: defaultdict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(edits):
        for path, edit in each.items():
            if edit is None:
                deleting[path].append(number)
            else:
                changing[path][number] = edit
    return changing, deleting


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
