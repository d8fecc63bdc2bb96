"""Delete whole folders and files, and the contents of files that must exist."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from nubbin.documents.document import Document
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import Proposal, Proposals


@dataclass(frozen=True, slots=True)
class Files:
    """Proposes to delete the folders and files of each depth, from the top; then contents."""

    name: str = "files"
    proves: bool = False

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield a proposal for each depth and one to empty every file; none for a single file."""
        if document.is_single:
            return
        for depth in count(1):
            entries = _entries(document, depth)
            if not any(entry.count("/") == depth - 1 for entry in entries):
                break
            if len(entries) > 1:
                document = yield _deletions(document, entries, depth)
        full = [file.path for file in document.files if file.data]
        if full:
            yield _emptyings(document, full)


def _entries(document: Document, depth: int) -> dict[str, int]:
    """Return the folders and files at a depth, and files above it, each with its extent."""
    extents: dict[str, int] = {}
    for file in document.files:
        entry = _entry(file.path, depth)
        extents[entry] = extents.get(entry, 0) + len(file.data) + 1
    return extents


def _entry(path: str, depth: int) -> str:
    return "/".join(path.split("/", depth)[:depth])


def _deletions(document: Document, extents: dict[str, int], depth: int) -> Proposal[Document]:
    entries = list(extents)
    entry_of = {file.path: _entry(file.path, depth) for file in document.files}

    def render(kept: Subset) -> Document:
        stays = {entries[index] for index in kept}
        return document.only(lambda file: entry_of[file.path] in stays)

    return Proposal(len(entries), render, [float(extent) for extent in extents.values()])


def _emptyings(document: Document, paths: list[str]) -> Proposal[Document]:
    def render(kept: Subset) -> Document:
        emptied = set(paths) - {paths[index] for index in kept}
        return document.each(lambda file: file.with_data(b"") if file.path in emptied else file)

    sizes = document.contents
    return Proposal(len(paths), render, [float(len(sizes[path])) for path in paths])
