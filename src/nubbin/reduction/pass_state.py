"""A pass at work on a document, list after list, whatever becomes of each."""

from __future__ import annotations

from nubbin.documents.document import Document
from nubbin.passes.proposal import Pass, Proposal, Proposals, next_proposal


class PassState:
    """A pass's generator, suspended at one proposal; immutable to whoever uses it.

    A generator goes one way only. Whoever is first to tell a state what became of its list resumes
    the generator; for another outcome, the pass is run again, and told again all that it was told.
    `proposal` is None when the pass has nothing more to propose.
    """

    def __init__(self, each: Pass, documents: tuple[Document, ...]):
        self.each = each
        self._documents = documents
        self._suspended: Proposals[Document] | None = None
        self.proposal: Proposal[Document] | None = None

    @classmethod
    def begin(cls, each: Pass, document: Document) -> PassState:
        """Return the state of a pass at its first list."""
        state = cls(each, (document,))
        state._suspended = each.propose(document)
        state.proposal = next_proposal(state._suspended)
        return state

    @property
    def first(self) -> Document:
        """The document that the pass looked at first."""
        return self._documents[0]

    @property
    def document(self) -> Document:
        """The document that the list is made of."""
        return self._documents[-1]

    def tell(self, document: Document) -> PassState:
        """Return the state at the next list, when this document has come out of this one."""
        suspended, self._suspended = self._suspended, None
        if suspended is None:
            suspended = self._replayed()
        after = PassState(self.each, (*self._documents, document))
        after._suspended = suspended
        after.proposal = next_proposal(suspended, document)
        return after

    def _replayed(self) -> Proposals[Document]:
        first, *came_out = self._documents
        generator = self.each.propose(first)
        next(generator)
        for document in came_out:
            generator.send(document)
        return generator
