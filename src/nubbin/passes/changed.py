"""Change what a pass proposes: leave protected parts alone, repair candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.spans import Parts, Protected
from nubbin.passes.proposal import Pass, Proposal, Proposals, Spans, next_proposal
from nubbin_core.minimizers.subset import Subset


def unprotected(each: Pass, protected: Protected) -> Pass:
    """Return a pass without the edits that change any of a protected part.

    `protected` finds these parts in a file. A list without other edits is not proposed.
    """

    def change(document: Document, proposal: Proposal[Document]) -> Proposal[Document] | None:
        free = np.ones(proposal.size, dtype=np.bool_)
        files = {file.path: file for file in document.files}
        for spans in proposal.spans():
            free[spans.owners[_overlap(spans, protected(files[spans.path].data))]] = False
        if free.all():
            return proposal
        return proposal.only(Subset.of(np.flatnonzero(free))) if free.any() else None

    return _changed(each, change)


def _overlap(spans: Spans, parts: Parts) -> npt.NDArray[np.bool_]:
    """Return which spans have a byte of a part, or lie inside one: flags of shape (S,)."""
    following = np.searchsorted(parts.stops, spans.starts, "right")
    overlap: npt.NDArray[np.bool_] = np.append(parts.starts, np.iinfo(np.int64).max)[following] < (
        spans.stops
    )
    return overlap


def repaired(each: Pass, repair: Callable[[File], File | None]) -> Pass:
    """Return a pass that calls `repair` with each file that its edits have changed.

    `repair` returns the corrected file, or None if it cannot be corrected. Edits that it undoes are
    not plausible, which costs no query: a piece that the repair restores cannot be removed.
    """

    def change(document: Document, whole: Proposal[Document]) -> Proposal[Document]:
        before = document.data

        def corrected(edited: Document) -> Document | None:
            texts = [file for file in edited.texts if file.data != before.get(file.path)]
            found = {file.path: repair(file) for file in texts}
            if None in found.values():
                return None
            whole_again = edited.each(lambda file: found.get(file.path) or file)
            is_back = edited.extent < document.extent <= whole_again.extent
            return None if is_back and whole.hear is None else whole_again

        def render(kept: Subset) -> Document:
            # Not the restored document: it may be one that was accepted before.
            edited = whole.render(kept)
            return corrected(edited) or edited

        def is_plausible(kept: Subset, candidate: Document) -> bool:
            edited = whole.render(kept)
            return corrected(edited) is not None and whole.is_plausible(kept, edited)

        return replace(whole, render=render, is_plausible=is_plausible)

    return _changed(each, change)


def _changed(
    whole: Pass, change: Callable[[Document, Proposal[Document]], Proposal[Document] | None]
) -> Pass:
    """Return a pass whose proposals `change` replaces; if it returns None, there is none."""

    def propose(document: Document) -> Proposals[Document]:
        running, came_out = whole.propose(document), None
        while proposal := next_proposal(running, came_out):
            changed = change(document, proposal)
            document = came_out = document if changed is None else (yield changed)

    return replace(whole, propose=propose)
