"""A list of edits as the search minimizes it, and the single removals that prove a result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from nubbin.documents.document import Document
from nubbin.passes.folders.files import SINGLE_FILES
from nubbin.passes.guard import Guard
from nubbin.passes.proposal import Pass, next_proposal, uses_by_words
from nubbin.reduction.schedule import Schedule
from nubbin_core.algorithms import ALGORITHMS
from nubbin_core.minimizers import Belief, Minimizer, Query, Settings, Start, Subset, learned
from nubbin_core.minimizers.minimizer import Turn
from nubbin_core.search.problem import Problem


class _EachAlone(NamedTuple):
    """Removes each element of the list alone, in one wave, and keeps the best candidate."""

    kept: Subset
    gained: Sequence[float]
    answers: tuple[bool, ...] = ()

    def ask(self) -> tuple[Query, ...]:
        """Ask for the removal of each element, once."""
        alone = range(0 if self.answers else len(self.kept))
        return tuple(Query(self.kept.without(at, at + 1), "other reducer") for at in alone)

    def tell(self, answers: tuple[bool, ...]) -> _EachAlone:
        """Remove the element whose removal gains the most, if any was accepted."""
        gains = [gain if yes else 0.0 for gain, yes in zip(self.gained, answers, strict=True)]
        at = gains.index(max(gains))
        kept = self.kept.without(at, at + 1) if gains[at] > 0 else self.kept
        return self._replace(kept=kept, answers=answers)


@dataclass(frozen=True, slots=True)
class PassProblem(Problem[Document]):
    """A list of the schedule, and how it is minimized.

    `start_on` starts the minimizer, and `allowed` tells whether a document may be a result. If the
    search `may_look_ahead`, it asks passes about documents that are only likely to come. `beliefs`
    are what earlier lists have taught, by pass, because the lists of a pass are alike; the settings
    may have one for the first list.
    """

    schedule: Schedule
    start_on: Start = ALGORITHMS["auto"]
    settings: Settings = field(default_factory=Settings)
    allowed: Callable[[Document], bool] = lambda document: document.can_be_packed
    may_look_ahead: bool = True
    beliefs: Mapping[str, Belief | None] = field(default_factory=dict)

    def start(self) -> Turn:
        """Begin the list, or continue it where its last turn ended."""
        return self.schedule.turn(self._begin)

    def _begin(self) -> Minimizer:
        proposal = self.schedule.proposal
        if proposal.on_answers is not None:
            return _EachAlone(Subset.full(proposal.size), proposal.weights)
        proves = bool(self.schedule.pass_.piece)
        belief = self.beliefs.get(self.schedule.pass_.name, self.settings.belief)
        settings = self.settings._replace(
            weights=proposal.weights,
            belief=belief,
            proves=proves,
            alone=False,
            uses=None if proves else uses_by_words(proposal.texts()),
        )
        return self.start_on(Subset.full(proposal.size), settings)

    def render(self, kept: Subset) -> Document:
        """Return the document in which all edits but these are applied."""
        return self.schedule.proposal.render(kept)

    def key(self, candidate: Document) -> bytes:
        """Return the key of the document."""
        return candidate.key

    def is_allowed(self, candidate: Document) -> bool:
        """Tell whether a document may be a result."""
        return self.allowed(candidate)

    def is_plausible(self, kept: Subset, candidate: Document) -> bool:
        """Tell whether a document is smaller, and the pass finds it plausible.

        Without this rule, a reduction could return to an earlier document. Exempt are the
        candidates of another reducer, which needs each answer, and passes that keep the size.
        """
        proposal = self.schedule.proposal
        is_wanted = (
            proposal.on_answers is not None
            or self._is_smaller(candidate)
            or (proposal.keeps_size and candidate.extent == self.schedule.document.extent)
        )
        return is_wanted and proposal.is_plausible(kept)

    def is_ill_formed(self, kept: Subset, candidate: Document) -> bool:
        """Tell whether syntax errors are why a document is not plausible.

        If it is smaller, they are, so it is not parsed again.
        """
        return self._is_smaller(candidate) or not self.schedule.proposal.is_plausible(kept)

    def _is_smaller(self, candidate: Document) -> bool:
        return candidate.extent < self.schedule.document.extent

    def after(self, end: Minimizer) -> Self | None:
        """Return the next list of the schedule."""
        turn = end if isinstance(end, Turn) else Turn(end, 0)
        on_answers = self.schedule.proposal.on_answers
        if on_answers is not None and isinstance(turn.minimizer, _EachAlone):
            on_answers(turn.minimizer.answers)
        changed = len(end.kept) < self.schedule.proposal.size
        document = self.render(end.kept) if changed else self.schedule.document
        schedule = self.schedule.after(document, turn)
        beliefs = {**self.beliefs, self.schedule.pass_.name: learned(turn.minimizer)}
        return None if schedule is None else replace(self, schedule=schedule, beliefs=beliefs)

    def skip(self, document: Document) -> Self | None:
        """Return the next list of another pass, when this document is the outcome."""
        schedule = self.schedule.skip(document)
        return None if schedule is None else replace(self, schedule=schedule)


@dataclass(frozen=True, slots=True)
class Plan:
    """The passes of a reduction; `begin` starts the minimization of a list.

    `read_again` returns a result as it would be read from disk, and the plan for that; None if
    there is no other plan. The passes `at_the_end` run when the others change nothing any more.
    `guard` has the errors that passes raised.
    """

    passes: tuple[Pass, ...]
    begin: Callable[[Schedule], PassProblem] = PassProblem
    read_again: Callable[[Document], tuple[Document, Plan] | None] = lambda document: None
    guard: Guard = field(default_factory=Guard)
    at_the_end: tuple[Pass, ...] = ()

    def first(self, document: Document, settled: Collection[int] = ()) -> PassProblem | None:
        """Return the first list that the passes propose for a document; see `Schedule.begin`."""
        schedule = Schedule.begin(self.passes, document, settled)
        return None if schedule is None else self.begin(schedule)


def single_removals(passes: Sequence[Pass], document: Document) -> Iterator[Document]:
    """Yield a document without each single piece that the passes of the proof find in it.

    Empty files are also removed all at once, and then one by one. A part of a tree is not a piece
    if its removal causes syntax errors; a part of a member is none if the container is packed as
    before.
    """
    schedule = Schedule.begin([each for each in passes if each.piece], document)
    while schedule is not None:
        proposal = schedule.proposal
        everything = Subset.full(proposal.size)
        for at in range(len(everything)):
            kept = everything.without(at, at + 1)
            candidate = proposal.render(kept)
            if proposal.is_plausible(kept) and candidate.key != document.key:
                yield candidate
        schedule = schedule.after(document)


def pieces_of(passes: Sequence[Pass], document: Document) -> tuple[str, ...]:
    """Return the pieces that single removals remove, such as `a file` and `a character`."""
    pieces: list[str] = []
    for each in passes:
        if each.piece == SINGLE_FILES.piece:
            pieces += _files_of(document)
        # In a folder, a pass may apply to none of the files.
        elif each.piece and (document.is_single or next_proposal(each.propose(document))):
            pieces.append(each.piece)
    return tuple(dict.fromkeys(pieces))


def _files_of(document: Document) -> list[str]:
    if not document.containers:
        return ["a file"]
    is_container = document.packed.is_single
    return ["a member of the container"] if is_container else ["a file", "a member of a container"]
