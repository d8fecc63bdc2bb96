"""In which order, till when? Passes, again and again, until none of them changes anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nubbin.documents.document import Document
from nubbin.passes.proposal import Pass, Proposal
from nubbin.reduction.pass_state import PassState

#: A pass is run again at once if it left less than this fraction of the document.
_PAYING_FRACTION = 0.9


@dataclass(frozen=True, slots=True)
class Schedule:
    """A list of edits on the way to a fixpoint, and all that decides what comes after it.

    A pass is run again at once as long as it pays: what one deletion unlocks is best deleted
    before finer passes look at it. A pass that changed nothing is not run again on the same
    document. The end is a round of all passes that changed nothing.
    """

    passes: Sequence[Pass]
    at: int  # which of the passes
    state: PassState
    settled: Mapping[int, bytes]  # by pass: the key of a document that it did not change
    before: bytes  # the key of the document at the beginning of the round

    @classmethod
    def begin(cls, passes: Sequence[Pass], document: Document) -> Schedule | None:
        """Return the schedule at the first list that passes propose; None if there is none."""
        return _next(passes, 0, document, {}, document.key)

    @property
    def name(self) -> str:
        """The pass, as a person calls it."""
        return self.state.each.name

    @property
    def document(self) -> Document:
        """The document that the list is made of."""
        return self.state.document

    @property
    def proposal(self) -> Proposal[Document]:
        """The list."""
        assert self.state.proposal is not None
        return self.state.proposal

    def after(self, document: Document) -> Schedule | None:
        """Return the schedule at the next list, when this document has come out of this one.

        None at the end.
        """
        state = self.state.tell(document)
        if state.proposal is not None:
            return replace(self, state=state)
        settled = self.settled
        if document.key == state.first.key:
            settled = {**settled, self.at: document.key}
        pays = document.extent < _PAYING_FRACTION * state.first.extent
        at = self.at if pays else self.at + 1
        return _next(self.passes, at, document, settled, self.before)


def _next(
    passes: Sequence[Pass], at: int, document: Document, settled: Mapping[int, bytes], before: bytes
) -> Schedule | None:
    """Return the schedule at the first list of the next pass that proposes one."""
    while True:
        if at == len(passes):
            if document.key == before:
                return None
            at, before = 0, document.key
        each = passes[at]
        if settled.get(at) != document.key:
            state = PassState.begin(each, document)
            if state.proposal is not None:
                return Schedule(passes, at, state, settled, before)
            settled = {**settled, at: document.key}
        at += 1
