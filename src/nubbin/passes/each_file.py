"""Run a pass on every file at once: edits of different files go into one candidate."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import FilePass, Proposal


@dataclass(frozen=True, slots=True)
class EachFile:
    """A pass over documents made of a pass over files, one for each path.

    The first proposals of all files are one list, then the second ones, and so on.
    """

    name: str
    passes: Mapping[str, FilePass]

    def propose(self, document: Document) -> Generator[Proposal[Document], Document, None]:
        """Yield joint proposals until no file has any more."""
        running = {
            file.path: self.passes[file.path].propose(file)
            for file in document.files
            if file.path in self.passes
        }
        proposals = {path: next(each, None) for path, each in running.items()}
        while parts := {path: part for path, part in proposals.items() if part is not None}:
            document = yield _joined(document, parts)
            came_out = {file.path: file for file in document.files}
            proposals = {path: _next(running[path], came_out[path]) for path in parts}


def _next(each: Generator[Proposal[File], File, None], file: File) -> Proposal[File] | None:
    try:
        return each.send(file)
    except StopIteration:
        return None


class _Part:
    """One file's proposal, as the elements lo..hi-1 of a joint one."""

    def __init__(self, file: File, proposal: Proposal[File], hi: int):
        self.proposal = proposal
        self._lo, self._hi = hi - proposal.size, hi
        self._last = Subset.full(proposal.size), file

    def kept(self, all_kept: Subset) -> Subset:
        """Return which of the file's own edits are kept out."""
        inside = all_kept[all_kept.rank(self._lo) : all_kept.rank(self._hi)]
        return Subset(inside.bounds - self._lo)

    def file(self, kept: Subset) -> File:
        """Return what becomes of the file; the last answer is kept, as most files do not change."""
        if self._last[0] != kept:
            self._last = kept, self.proposal.render(kept)
        return self._last[1]


def _joined(document: Document, proposals: Mapping[str, Proposal[File]]) -> Proposal[Document]:
    ends = accumulate(proposal.size for proposal in proposals.values())
    files = {file.path: file for file in document.files}
    parts = {
        path: _Part(files[path], proposal, hi)
        for (path, proposal), hi in zip(proposals.items(), ends, strict=True)
    }

    def render(kept: Subset) -> Document:
        return document.each(
            lambda file: part.file(part.kept(kept)) if (part := parts.get(file.path)) else file
        )

    def is_plausible(kept: Subset, candidate: Document) -> bool:
        return all(
            part.proposal.is_plausible(own, part.file(own))
            for part in parts.values()
            if len(own := part.kept(kept)) < part.proposal.size
        )

    weights = [
        weight
        for proposal in proposals.values()
        for weight in proposal.weights or [1.0] * proposal.size
    ]
    return Proposal(len(weights), render, weights, is_plausible)
