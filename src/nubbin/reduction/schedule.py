"""In which order, till when? Passes, again and again, until none of them changes anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nubbin.documents.document import Document
from nubbin.passes.proposal import Pass, Proposal

#: Minimizes one proposal of a pass; returns the document that came out, and whether it is
#: proven that no single edit of the proposal can still be applied to it.
Minimize = Callable[[Pass, Proposal[Document]], tuple[Document, bool]]

#: A pass is run again at once if it left less than this part of the document.
_PAYS = 0.9


def to_fixpoint(passes: Sequence[Pass], document: Document, minimize: Minimize) -> bool:
    """Run passes in turn until none changes the document.

    A pass is run again at once as long as it pays: what one deletion unlocks is best deleted
    before finer passes look at it. A pass that changed nothing is not run again on the same
    document. Returns whether the last pass, the finest, proved its last result 1-minimal.
    """
    settled: dict[str, tuple[bytes, bool]] = {}
    while True:
        before = document
        for each in passes:
            pays = settled.get(each.name, (None,))[0] != document.key
            while pays:
                last = document
                document, proven = _run(each, last, minimize)
                if document.key == last.key:
                    settled[each.name] = last.key, proven
                pays = document.extent < _PAYS * last.extent
        if document.key == before.key:
            return settled[passes[-1].name][1]


def _run(each: Pass, document: Document, minimize: Minimize) -> tuple[Document, bool]:
    """Run one pass over a document; return what came out, and whether all of it is proven."""
    proven = True
    proposals = each.propose(document)
    proposal = next(proposals, None)
    while proposal is not None:
        document, minimal = minimize(each, proposal)
        proven = proven and minimal
        try:
            proposal = proposals.send(document)
        except StopIteration:
            proposal = None
    return document, proven
