"""A pass at work on a document, list after list, whatever becomes of each."""

from __future__ import annotations

from collections.abc import Generator

from nubbin.documents.document import Document
from nubbin.passes.proposal import Pass, Proposal


class Turn:
    """A run of a pass over a document, at one of the lists it proposes; immutable to all others.

    A pass is a generator, which goes one way only. Whoever is first to tell a turn what became of
    its list has it go on; for another outcome, the pass is run again, and told again all that it
    was told. `proposal` is None where the pass has nothing more to propose.
    """

    def __init__(self, each: Pass, documents: tuple[Document, ...]):
        self.each = each
        self._documents = documents
        self._running: Generator[Proposal[Document], Document, None] | None = None
        self.proposal: Proposal[Document] | None = None

    @classmethod
    def begin(cls, each: Pass, document: Document) -> Turn:
        """Return a pass's turn at a document, at its first list."""
        turn = cls(each, (document,))
        turn._running = each.propose(document)
        turn.proposal = next(turn._running, None)
        return turn

    @property
    def begun(self) -> Document:
        """What the pass looked at first."""
        return self._documents[0]

    @property
    def document(self) -> Document:
        """What the list is made of."""
        return self._documents[-1]

    def tell(self, document: Document) -> Turn:
        """Return the turn at the next list, when this document has come out of this one."""
        running, self._running = self._running, None
        if running is None:
            running = self._again()
        after = Turn(self.each, (*self._documents, document))
        after._running = running
        try:
            after.proposal = running.send(document)
        except StopIteration:
            after.proposal = None
        return after

    def _again(self) -> Generator[Proposal[Document], Document, None]:
        first, *came_out = self._documents
        running = self.each.propose(first)
        next(running)
        for document in came_out:
            running.send(document)
        return running
