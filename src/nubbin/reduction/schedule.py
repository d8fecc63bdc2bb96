"""In which order, till when? Passes, and again, as long as the proof finds something to delete."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from nubbin.documents.document import Document
from nubbin.documents.outlines.lexis import WORD
from nubbin.passes.proposal import Pass, Proposal, Proposals, next_proposal
from nubbin_core.minimizers import Minimizer
from nubbin_core.minimizers.turn import Turn

#: A pass is run again at once if it left less than this fraction of the bytes and of the tokens.
_PAYING_FRACTION = 0.75
#: The first turn of a pass has so many queries, and each later one twice as many.
_FIRST_TURN = 32
#: The share of the document that a query of a pass is expected to remove before its first turn.
_EXPECTED = 1 / 1024
#: The same for a finer pass.
_EXPECTED_OF_FINER = _EXPECTED / 16


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
class Account:
    """A pass at one of its lists, with the account of its turn.

    While a pass waits, it keeps the state of that list: `algorithm`, None if the list has ended,
    and `came_out`, the key of the document that had come out of it.
    """

    at: int  # which of the passes
    state: PassState
    length: int = _FIRST_TURN  # of the turn, in queries
    asked: int = 0
    removed: float = 0.0  # in the turn: the sum of the shares of the document
    kept: float = 1.0  # of the document, by all lists of the pass
    algorithm: Minimizer | None = None
    came_out: bytes = b""

    @property
    def left(self) -> int:
        """How many queries the turn still has; a proof is never interrupted."""
        return sys.maxsize if self.state.each.piece else self.length - self.asked

    @property
    def per_query(self) -> float:
        """The share of the document that a query of the turn has removed."""
        return self.removed / max(self.asked, 1)

    def after(self, turn: Turn, document: Document) -> Account:
        """Return the account when this document has come out of some queries of the list."""
        kept = document.extent / max(self.state.document.extent, 1)
        return replace(
            self,
            asked=self.asked + turn.asked,
            removed=self.removed + 1 - kept,
            kept=self.kept * kept,
            algorithm=turn.paused,
            came_out=document.key,
        )

    def continued(self, document: Document) -> Account:
        """Return the pass at the beginning of its next turn: twice as long if the last was vain.

        If another pass has changed the document, the next list is of that.
        """
        length = self.length if self.per_query >= _EXPECTED else 2 * self.length
        after = replace(self, length=length, asked=0, removed=0.0)
        is_same = self.algorithm is not None and self.came_out == document.key
        return after if is_same else after.told(document)

    def told(self, document: Document) -> Account:
        """Return the pass at its next list, when this document has come out of this one."""
        return replace(self, state=self.state.tell(document), algorithm=None)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A list of edits, and all that decides what comes after it.

    Passes take turns. When the turn of one is over, the pass follows that is expected to remove
    the largest share of the document with a query: by its last turn or, before its first one, by a
    small constant. What is finer than the levels of a tree waits until all others have had two
    turns, and a proof until they are over. Turns double, so each pass comes to its end.

    A pass is run again at once as long as it pays: what one deletion unlocks is best deleted
    before finer passes look at it. A pass that changed nothing is not run again on the same
    document.
    """

    passes: Sequence[Pass]
    now: Account
    waiting: tuple[Account, ...]
    begun: int  # how many passes have begun in this round, or were left out
    settled: Mapping[int, bytes]  # by pass: the key of a document that it did not change
    round: Round

    @classmethod
    def begin(
        cls, passes: Sequence[Pass], document: Document, settled: Collection[int] = ()
    ) -> Schedule | None:
        """Return the schedule at the first list that passes propose; None if there is none.

        The passes with the indices `settled` are known to change nothing in the document.
        """
        known = dict.fromkeys(settled, document.key)
        return _next(passes, document, (), 0, settled=known, round_=Round(True, document.key))

    @property
    def name(self) -> str:
        """The pass, as a person calls it."""
        return self.state.each.name

    @property
    def proves(self) -> bool:
        """Whether the pass has to prove that no single element of the list can go."""
        return bool(self.state.each.piece)

    @property
    def state(self) -> PassState:
        """The pass, at this list."""
        return self.now.state

    @property
    def document(self) -> Document:
        """The document that the list is made of."""
        return self.state.document

    @property
    def proposal(self) -> Proposal[Document]:
        """The list."""
        assert self.state.proposal is not None
        return self.state.proposal

    def turn(self, start: Callable[[], Minimizer]) -> Turn:
        """Return the minimizer of the list for the rest of the turn: a paused one, or a new one."""
        return Turn(self.now.algorithm or start(), self.now.left)

    def after(self, document: Document, turn: Turn | None = None) -> Schedule | None:
        """Return the schedule at the next list, when this document has come out of a turn.

        None at the end. Without a `turn`, the list ended and took no query.
        """
        now = self.now if turn is None else self.now.after(turn, document)
        if now.left <= 0:
            return self._then(document, (*self.waiting, now))
        now = now.told(document)
        if now.state.proposal is not None:
            return replace(self, now=now)
        settled, round_ = _ended(now, document, self.settled, self.round)
        if self.proposal.hear is not None:  # another reducer has come to its own end
            settled = {**settled, now.at: document.key}
        elif _pays(now, document):
            again = Account(now.at, PassState.begin(now.state.each, document))
            if again.state.proposal is not None:
                return replace(self, now=again, settled=settled, round=round_)
        waiting = self.waiting
        return _next(self.passes, document, waiting, self.begun, settled=settled, round_=round_)

    def skip(self, document: Document) -> Schedule | None:
        """Return the schedule at the next list of another pass; None at the end."""
        return self._then(document, self.waiting)

    def _then(self, document: Document, waiting: tuple[Account, ...]) -> Schedule | None:
        """Return the schedule at the next list, when some passes wait and this one is left."""
        _, round_ = _ended(self.now, document, self.settled, self.round)
        settled = self.settled
        return _next(self.passes, document, waiting, self.begun, settled=settled, round_=round_)


def _next(
    passes: Sequence[Pass],
    document: Document,
    waiting: tuple[Account, ...],
    begun: int,
    *,
    settled: Mapping[int, bytes],
    round_: Round,
) -> Schedule | None:
    """Return the schedule at the list of the pass that is expected to remove the most."""
    while True:
        best = max(waiting, key=lambda each: (each.per_query, -each.at), default=None)
        if best is not None and not _is_time_for_another(passes, begun, waiting, best):
            waiting = tuple(each for each in waiting if each is not best)
            now = best.continued(document)
        else:
            if begun == len(passes):
                following = round_.next(document)
                if following is None:
                    return None
                begun, round_ = 0, following
            at, begun = begun, begun + 1
            if settled.get(at) == document.key or not (round_.whole or passes[at].piece):
                continue
            now = Account(at, PassState.begin(passes[at], document))
        if now.state.proposal is not None:
            return Schedule(passes, now, waiting, begun, settled, round_)
        settled, round_ = _ended(now, document, settled, round_)


def _is_time_for_another(
    passes: Sequence[Pass], begun: int, waiting: Sequence[Account], best: Account
) -> bool:
    """Tell whether a pass that has not begun comes before those that wait."""
    if begun == len(passes) or passes[begun].piece:
        return False
    if not any(each.closes for each in passes[:begun]):
        return best.per_query < _EXPECTED
    had_two_turns = all(each.length > _FIRST_TURN for each in waiting)
    return had_two_turns and best.per_query < _EXPECTED_OF_FINER


def _ended(
    now: Account, document: Document, settled: Mapping[int, bytes], round_: Round
) -> tuple[Mapping[int, bytes], Round]:
    """Return what is settled, and the round, when this document has come out of a pass."""
    first, each = now.state.first, now.state.each
    if document.key == first.key:
        return {**settled, now.at: document.key}, round_
    cuts = bool(each.piece) and _shape(document) != _shape(first)
    return settled, replace(round_, proof_cuts=True) if cuts else round_


def _pays(now: Account, document: Document) -> bool:
    """Tell whether a pass has removed much, and not only white space and parts of words."""
    much_less = now.kept < _PAYING_FRACTION
    return much_less and document.sizes.tokens < _PAYING_FRACTION * now.state.first.sizes.tokens


def _shape(document: Document) -> list[bytes]:
    """Return what the files that are not empty look like when all words look alike."""
    return [WORD.sub(b"a", file.data) for file in document.files if file.data]
