"""In which order, till when? Passes, and again, as long as the proof finds something to delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nubbin.documents.document import Document
from nubbin.documents.outlines.lexis import WORD
from nubbin.passes.proposal import Pass, Proposal, Proposals, next_proposal

#: A pass is run again at once if it left less than this fraction of the bytes and of the tokens.
_PAYING_FRACTION = 0.75


class PassState:
    """A pass's generator, suspended at one proposal; immutable to its users.

    A generator goes one way only. The first to tell a state what became of its list resumes
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


@dataclass(frozen=True, slots=True)
class Round:
    """One round of passes: of all of them, or only of those that prove.

    A proof that deletes more than parts of words has cut across what the other passes see: a round
    of all passes follows. Else a round of the proofs alone follows, until it changes nothing.
    """

    whole: bool
    before: bytes  # the key of the document at the beginning
    proof_cuts: bool = False

    def next(self, document: Document) -> Round | None:
        """Return the round that follows; None at the end."""
        if document.key == self.before:
            return None
        return Round(self.proof_cuts, document.key)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A list of edits, and all that decides what comes after it.

    A pass is run again at once as long as it pays: what one deletion unlocks is best deleted
    before finer passes look at it. A pass that changed nothing is not run again on the same
    document.
    """

    passes: Sequence[Pass]
    at: int  # which of the passes
    state: PassState
    settled: Mapping[int, bytes]  # by pass: the key of a document that it did not change
    round: Round

    @classmethod
    def begin(cls, passes: Sequence[Pass], document: Document) -> Schedule | None:
        """Return the schedule at the first list that passes propose; None if there is none."""
        return _next(passes, 0, document, {}, Round(True, document.key))

    @property
    def name(self) -> str:
        """The pass, as a person calls it."""
        return self.state.each.name

    @property
    def proves(self) -> bool:
        """Whether the pass has to prove that no single element of the list can go."""
        return bool(self.state.each.piece)

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
        at = self.at if _pays(state.first, document) else self.at + 1
        return _next(self.passes, at, document, settled, self._round_at(document))

    def skip(self, document: Document) -> Schedule | None:
        """Return the schedule at the first list of the passes after this one; None at the end."""
        return _next(self.passes, self.at + 1, document, self.settled, self._round_at(document))

    def _round_at(self, document: Document) -> Round:
        """Return the round when this document has come out of the pass."""
        first = self.state.first
        if not self.proves or document.key == first.key or _shape(document) == _shape(first):
            return self.round
        return replace(self.round, proof_cuts=True)


def _next(
    passes: Sequence[Pass],
    at: int,
    document: Document,
    settled: Mapping[int, bytes],
    round_: Round,
) -> Schedule | None:
    """Return the schedule at the first list of the next pass that proposes one."""
    while True:
        if at == len(passes):
            following = round_.next(document)
            if following is None:
                return None
            at, round_ = 0, following
        each = passes[at]
        if settled.get(at) != document.key and (round_.whole or each.piece):
            state = PassState.begin(each, document)
            if state.proposal is not None:
                return Schedule(passes, at, state, settled, round_)
            settled = {**settled, at: document.key}
        at += 1


def _pays(before: Document, after: Document) -> bool:
    """Tell whether much has gone, and not only white space and parts of words."""
    much_less = after.extent < _PAYING_FRACTION * before.extent
    return much_less and after.sizes.tokens < _PAYING_FRACTION * before.sizes.tokens


def _shape(document: Document) -> list[bytes]:
    """Return what the files that are not empty look like when all words look alike."""
    return [WORD.sub(b"a", file.data) for file in document.files if file.data]
