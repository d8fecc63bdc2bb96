"""Repair the candidates of a pass with the user's own program: checksums, counts and the like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.passes.proposal import Pass, Proposal, changed
from nubbin_core.minimizers.subset import Subset


def repaired(each: Pass, repair: Callable[[File], File | None]) -> Pass:
    """Return a pass that calls `repair` with each file that its edits have changed.

    `repair` returns the corrected file, or None if it cannot be corrected: then the edits change
    nothing, which costs no query.
    """

    def change(document: Document, whole: Proposal[Document]) -> Proposal[Document]:
        before = document.data

        def render(kept: Subset) -> Document:
            edited = whole.render(kept)
            texts = [file for file in edited.texts if file.data != before.get(file.path)]
            found = {file.path: repair(file) for file in texts}
            if None in found.values():
                return document
            return edited.each(lambda file: found.get(file.path) or file)

        def is_plausible(kept: Subset, candidate: Document) -> bool:
            edited = whole.render(kept)
            # A piece that the repair restores cannot be removed.
            is_back = edited.extent < document.extent <= candidate.extent and whole.hear is None
            return not is_back and whole.is_plausible(kept, edited)

        return replace(whole, render=render, is_plausible=is_plausible)

    return changed(each, change)
