"""Order the lists of the passes: passes take turns, until the proof finds nothing to delete."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from nubbin.documents.document import Document
from nubbin.documents.outlines.lexis import WORD
from nubbin.passes.proposal import Pass, Proposal, Proposals, next_proposal
from nubbin_core.minimizers import Minimizer
from nubbin_core.minimizers.minimizer import Turn

#: A pass is run again at once if less than this fraction of the bytes and of the tokens is kept.
_PAYING_FRACTION = 0.75
_FIRST_TURN = 32  # queries
#: The share of the document that a query of a pass is expected to remove, until its first turn.
_EXPECTED = 1 / 1024
_EXPECTED_OF_FINER = _EXPECTED / 16
#: The same for another reducer: it begins when nubbin's own passes remove less. Its first turn is
#: short, because it may be of no use.
_EXPECTED_OF_OTHER, _FIRST_TURN_OF_OTHER = 1 / 64, 8


class PassState:
    """The generator of a pass, suspended at one proposal; immutable to its callers.

    A generator cannot be copied. The first call of `tell` resumes it; for another outcome of the
    same list, the pass is run again from its beginning. `proposal` is None when the pass has
    nothing more to propose.
    """

    def __init__(self, pass_: Pass, documents: tuple[Document, ...]):
        self.pass_ = pass_
        self._documents = documents
        self._suspended: Proposals[Document] | None = None
        self.proposal: Proposal[Document] | None = None

    @classmethod
    def begin(cls, pass_: Pass, document: Document) -> PassState:
        """Return the state of a pass at its first list."""
        state = cls(pass_, (document,))
        state._suspended = pass_.propose(document)
        state.proposal = next_proposal(state._suspended)
        return state

    @property
    def first(self) -> Document:
        """The document that the pass began with."""
        return self._documents[0]

    @property
    def document(self) -> Document:
        """The document that the list edits."""
        return self._documents[-1]

    def tell(self, document: Document) -> PassState:
        """Return the state at the next list, when this document is the outcome of this one."""
        suspended, self._suspended = self._suspended, None
        if suspended is None:
            suspended = self._replayed()
        after = PassState(self.pass_, (*self._documents, document))
        after._suspended = suspended
        after.proposal = next_proposal(suspended, document)
        return after

    def _replayed(self) -> Proposals[Document]:
        first, *outcomes = self._documents
        generator = self.pass_.propose(first)
        next_proposal(generator)
        for document in outcomes:
            next_proposal(generator, document)
        return generator


@dataclass(frozen=True, slots=True)
class RunningPass:
    """A pass at one of its lists, and what its turn has asked and removed.

    While a pass waits, it keeps the state of that list: `minimizer`, None if the list has ended,
    and `outcome`, the key of the document after its last query.
    """

    at: int  # the index of the pass
    state: PassState
    length: int = _FIRST_TURN  # of the turn, in queries
    asked: int = 0
    total: int = 0  # the queries of all turns
    removed: float = 0.0  # in the turn: the sum of the shares of the document
    expected: float = 0.0  # until the first turn: the share that a query will remove
    kept: float = 1.0  # of the document, by all lists of the pass
    minimizer: Minimizer | None = None
    outcome: bytes = b""

    @property
    def pass_(self) -> Pass:
        """The pass."""
        return self.state.pass_

    @property
    def left(self) -> int:
        """The rest of the turn, in queries; a proof is never interrupted."""
        return sys.maxsize if self.pass_.piece else self.length - self.asked

    @property
    def per_query(self) -> float:
        """The share of the document that a query of the turn has removed, or is expected to."""
        return self.removed / self.asked if self.asked else self.expected

    @property
    def pays(self) -> bool:
        """Whether the pass has removed much, and not only white space and parts of words."""
        if self.kept >= _PAYING_FRACTION:
            return False
        before, after = self.state.first.sizes.tokens, self.state.document.sizes.tokens
        return after < _PAYING_FRACTION * before

    def after(self, turn: Turn, document: Document) -> RunningPass:
        """Return the pass after some queries of the list, with this document as the outcome."""
        kept = document.extent / max(self.state.document.extent, 1)
        return replace(
            self,
            asked=self.asked + turn.asked,
            total=self.total + turn.asked,
            removed=self.removed + 1 - kept,
            kept=self.kept * kept,
            minimizer=turn.paused,
            outcome=document.key,
        )

    @classmethod
    def not_begun(cls, at: int, pass_: Pass, document: Document) -> RunningPass:
        """Return another reducer that has not begun."""
        state = PassState(pass_, (document,))
        return cls(at, state, _FIRST_TURN_OF_OTHER, expected=_EXPECTED_OF_OTHER)

    def expecting(self, document: Document) -> RunningPass:
        """Update what is expected of a reducer that has ended by itself.

        It should remove as large a share as other passes have removed since, in as many queries as
        it took. If that is less than was expected before its first turn, nothing is expected, and
        it does not begin again.
        """
        if self.asked or not self.total:
            return self
        share = 1 - document.extent / max(self.state.first.extent, 1)
        begins = share >= _EXPECTED_OF_OTHER * self.total
        return replace(self, expected=_EXPECTED_OF_OTHER if begins else 0.0)

    def continued(self, document: Document) -> RunningPass:
        """Return the pass at the beginning of its next turn: twice as long if the last was vain.

        If another pass has changed the document, it is told that its list has ended.
        """
        if not self.asked:
            state = PassState.begin(self.pass_, document)
            return replace(self, state=state, total=0)
        length = self.length if self.per_query >= _EXPECTED else 2 * self.length
        after = replace(self, length=length, asked=0, removed=0.0)
        is_same = self.minimizer is not None and self.outcome == document.key
        return after if is_same else after.told(document)

    def told(self, document: Document) -> RunningPass:
        """Return the pass at its next list, when this document is the outcome of this one."""
        return replace(self, state=self.state.tell(document), minimizer=None)


@dataclass(frozen=True, slots=True)
class Round:
    """One round of passes: of all of them, or only of those that prove.

    If a proof deletes more than parts of words, other passes may find something again, so a round
    of all passes follows. Otherwise a round of the proofs alone follows, until it changes nothing.
    """

    passes: Sequence[Pass]
    before: bytes  # the key of the document at the beginning
    settled: Mapping[int, bytes]  # by pass: the key of a document that it did not change
    whole: bool = True
    waiting: tuple[RunningPass, ...] = ()
    begun: int = 0  # passes that have begun, or were left out
    proof_cuts: bool = False

    def ended(self, now: RunningPass, document: Document) -> Round:
        """Return the round when a pass has ended with this document as the outcome."""
        first, pass_ = now.state.first, now.pass_
        if document.key == first.key:
            return replace(self, settled={**self.settled, now.at: document.key})
        cuts = bool(pass_.piece) and _shape(document) != _shape(first)
        return replace(self, proof_cuts=True) if cuts else self

    def may_begin_again(self, other: RunningPass, document: Document) -> Round:
        """Return the round when another reducer came to its own end with this document."""
        waits = replace(RunningPass.not_begun(other.at, other.pass_, document), total=other.total)
        waiting = self.waiting if document.key == other.state.first.key else (*self.waiting, waits)
        return replace(self, settled={**self.settled, other.at: document.key}, waiting=waiting)

    def next(self, document: Document) -> Schedule | None:
        """Return the schedule at the list of the pass that is expected to remove the most.

        None if no pass can change the document any more.
        """
        round_ = replace(self, waiting=tuple(each.expecting(document) for each in self.waiting))
        while True:
            now: RunningPass | None = None
            if (best := round_._most_promising()) is not None:
                waiting = tuple(each for each in round_.waiting if each is not best)
                now, round_ = best.continued(document), replace(round_, waiting=waiting)
            elif round_.begun < len(self.passes):
                now, round_ = round_._begin_next(document)
            elif document.key == round_.before:
                return None
            else:
                round_ = Round(self.passes, document.key, round_.settled, round_.proof_cuts)
            if now is not None:
                if now.state.proposal is not None:
                    return Schedule(round_, now)
                round_ = round_.ended(now, document)

    def _most_promising(self) -> RunningPass | None:
        """Return the pass that continues now; None if it is time for one that has not begun."""
        promising = (each for each in self.waiting if each.asked or each.expected)
        best = max(promising, key=lambda each: (each.per_query, -each.at), default=None)
        return None if best is None or self._is_time_for_another(best) else best

    def _begin_next(self, document: Document) -> tuple[RunningPass | None, Round]:
        """Begin the next pass, unless it is left out or has to wait; return it and the round."""
        at = self.begun
        pass_, round_ = self.passes[at], replace(self, begun=at + 1)
        if self.settled.get(at) == document.key or not (self.whole or pass_.piece):
            return None, round_
        if pass_.waits:
            other = RunningPass.not_begun(at, pass_, document)
            return None, replace(round_, waiting=(*self.waiting, other))
        return RunningPass(at, PassState.begin(pass_, document)), round_

    def _is_time_for_another(self, best: RunningPass) -> bool:
        """Tell whether a pass that has not begun comes before the best that waits."""
        if self.begun == len(self.passes):
            return False
        own = [each for each in self.waiting if each.asked and not each.pass_.waits]
        if self.passes[self.begun].piece:  # a vain reducer tries again after the proofs
            return not own and best.asked > 0 and best.per_query == 0
        if not (own or best.total):
            return True
        if not any(each.closes for each in self.passes[: self.begun]):
            return best.per_query < _EXPECTED
        had_two_turns = all(each.length > _FIRST_TURN for each in own)
        return had_two_turns and best.per_query < _EXPECTED_OF_FINER


@dataclass(frozen=True, slots=True)
class Schedule:
    """A list of edits, and all that decides which list comes next.

    Passes take turns. When a turn ends, the pass continues that is expected to remove the largest
    share of the document per query. The last turn of a pass tells how much that is; until its first
    turn, it is a small constant. Passes that are finer than the levels of a tree wait until all
    others have had two turns, and proofs until the others have ended. Turns double, so each pass
    comes to its end.

    A pass runs again at once as long as it pays: it is best to delete what its deletions unlock
    before finer passes see it. A pass that changed nothing does not run again on that document.
    """

    round: Round
    now: RunningPass

    @classmethod
    def begin(
        cls, passes: Sequence[Pass], document: Document, settled: Collection[int] = ()
    ) -> Schedule | None:
        """Return the schedule at the first list that passes propose; None if there is none.

        The passes with the indices `settled` are known to change nothing in the document.
        """
        known = dict.fromkeys(settled, document.key)
        return Round(passes, document.key, known).next(document)

    @property
    def pass_(self) -> Pass:
        """The pass. If it has a `piece`, its minimizers prove that no element can be removed."""
        return self.now.pass_

    @property
    def document(self) -> Document:
        """The document that the list edits."""
        return self.now.state.document

    @property
    def proposal(self) -> Proposal[Document]:
        """The list."""
        assert self.now.state.proposal is not None
        return self.now.state.proposal

    def turn(self, start: Callable[[], Minimizer]) -> Turn:
        """Return the minimizer of the list for the rest of the turn: a paused one, or a new one."""
        return Turn(self.now.minimizer or start(), self.now.left)

    def after(self, document: Document, turn: Turn | None = None) -> Schedule | None:
        """Return the schedule at the next list, when this document is the outcome of a turn.

        None at the end. Without a `turn`, the list ended and took no query.
        """
        now = self.now if turn is None else self.now.after(turn, document)
        if now.left <= 0:
            return replace(self.round, waiting=(*self.round.waiting, now)).next(document)
        now = now.told(document)
        if now.state.proposal is not None:
            return replace(self, now=now)
        round_ = self.round.ended(now, document)
        if self.proposal.on_answers is not None:  # another reducer has come to its own end
            round_ = round_.may_begin_again(now, document)
        elif now.pays:
            again = RunningPass(now.at, PassState.begin(now.pass_, document))
            if again.state.proposal is not None:
                return Schedule(round_, again)
        return round_.next(document)

    def skip(self, document: Document) -> Schedule | None:
        """Return the schedule at the next list of another pass; None at the end."""
        round_ = self.round.ended(self.now, document)
        # A pass that was skipped could still have changed the document.
        return replace(round_, settled=self.round.settled).next(document)


def _shape(document: Document) -> list[bytes]:
    """Return the files that are not empty, with each word replaced by the same letter."""
    return [WORD.sub(b"a", file.data) for file in document.files if file.data]
