"""In which order, till when? Passes, again and again, until none of them changes anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nubbin.documents.document import Document
from nubbin.passes.proposal import Pass, Proposal
from nubbin.reduction.turn import Turn

#: A pass is run again at once if it left less than this part of the document.
_PAYS = 0.9


@dataclass(frozen=True, slots=True)
class Step:
    """A list of edits on the way to a fixpoint, and all that decides what comes after it.

    A pass is run again at once as long as it pays: what one deletion unlocks is best deleted
    before finer passes look at it. A pass that changed nothing is not run again on the same
    document. The end is a round of all passes that changed nothing.
    """

    passes: Sequence[Pass]
    at: int  # which of the passes
    turn: Turn
    settled: Mapping[str, bytes]  # by pass: the key of a document that it did not change
    before: bytes  # the key of the document at the beginning of the round

    @property
    def name(self) -> str:
        """The pass, as a person calls it."""
        return self.turn.each.name

    @property
    def document(self) -> Document:
        """What the list is made of."""
        return self.turn.document

    @property
    def proposal(self) -> Proposal[Document]:
        """The list."""
        assert self.turn.proposal is not None
        return self.turn.proposal

    def after(self, document: Document) -> Step | None:
        """Return the next step, when this document has come out of this one; None at the end."""
        turn = self.turn.tell(document)
        if turn.proposal is not None:
            return replace(self, turn=turn)
        settled = self.settled
        if document.key == turn.begun.key:
            settled = {**settled, self.name: document.key}
        pays = document.extent < _PAYS * turn.begun.extent
        at = self.at if pays else self.at + 1
        return _next(self.passes, at, document, settled, self.before)


def first_step(passes: Sequence[Pass], document: Document) -> Step | None:
    """Return the first list that passes propose for a document; None where there is none."""
    return _next(passes, 0, document, {}, document.key)


def _next(
    passes: Sequence[Pass], at: int, document: Document, settled: Mapping[str, bytes], before: bytes
) -> Step | None:
    """Return the first list of the next pass that proposes one."""
    while True:
        if at == len(passes):
            if document.key == before:
                return None
            at, before = 0, document.key
        each = passes[at]
        if settled.get(each.name) != document.key:
            turn = Turn.begin(each, document)
            if turn.proposal is not None:
                return Step(passes, at, turn, settled, before)
            settled = {**settled, each.name: document.key}
        at += 1
