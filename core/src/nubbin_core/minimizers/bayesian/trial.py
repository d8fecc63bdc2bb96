"""Questions of Lithium beside the sweep: perhaps chunks go that no run of it hits."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query
from nubbin_core.minimizers.published.lithium import Lithium
from nubbin_core.minimizers.subset import Subset

#: The trial begins with chunks of about this part of the list.
_PARTS = 8

#: After the lap, the elements of the list for each question that the trial may have been granted.
_ELEMENTS_PER_QUESTION = 64

#: How much likelier than even the sweep's refusals have to be, summed over them (1/2 each at most),
#: for the trial's first question; for its second one twice as much, and so on.
_FORESEEN_PER_QUESTION = 4.0

#: The most questions that a success earns.
_MAX_EARNED = 4


class Trial(NamedTuple):
    """Lithium, as long as it pays.

    Runs of the sweep end anywhere, so of elements that go only together all seem essential to it.
    Chunks of Lithium are aligned. A question whose refusal is foreseen is worth little, so the
    sweep pays for them: the trial is granted its k-th question after refusals that were, in all,
    4 k likelier than even chances since the grant before. Beside a lap of F questions that makes
    at most sqrt(F) / 2. At the end of the lap, with n elements left, it is granted what is missing
    to n // 64. A success earns a question for each element that it deletes, four at most.
    """

    running: Lithium
    questions: int = 0  # that it may ask now
    granted: int = 0  # in all
    foreseen: float = 0.0  # how much likelier than even the refusals since the last grant were

    @classmethod
    def start(cls, kept: Subset) -> Trial:
        """Return the state before the first query."""
        return cls(_by_eighths(kept))

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return self.running.kept

    @property
    def is_proved(self) -> bool:
        """Whether Lithium came to its end, so that what is kept is 1-minimal."""
        return not self.running.ask()

    def beside(self, kept: Subset, foreseen: float) -> Trial:
        """Return the trial after a question of the sweep that left `kept`.

        Its refusal was so much likelier than that of a fair toss.
        """
        if len(kept) < len(self.kept):
            return self._replace(running=_by_eighths(kept))
        return self._replace(foreseen=self.foreseen + foreseen)

    def where_only(self, kept: Subset) -> Trial:
        """Return the trial at its place, after others have deleted all but `kept`.

        Its chunks are at most an eighth of what is left.
        """
        if len(kept) == len(self.kept):
            return self
        at, size = len(self.kept[: self.running.at] & kept), _by_eighths(kept).size
        return self._replace(running=Lithium(kept, min(self.running.size, size), at).settled())

    @property
    def is_due(self) -> bool:
        """Whether the sweep has foreseen enough refusals for the next question."""
        return self.foreseen >= _FORESEEN_PER_QUESTION * (self.granted + 1)

    def allowed(self, questions: int) -> Trial:
        """Return the trial with so many questions more."""
        return self._replace(questions=questions, granted=self.granted + questions, foreseen=0.0)

    def allowed_at_the_end(self) -> Trial:
        """Return the trial with the questions that it is granted after the lap."""
        return self.allowed(max(len(self.kept) // _ELEMENTS_PER_QUESTION - self.granted, 0))

    def ask(self) -> tuple[Query, ...]:
        """Ask what Lithium asks, unless all questions are spent."""
        return self.running.ask() if self.questions else ()

    def tell(self, answers: tuple[bool, ...]) -> Trial:
        """Tell Lithium; what is deleted earns more questions."""
        running = self.running.tell(answers)
        earned = min(len(self.kept) - len(running.kept), _MAX_EARNED)
        return self._replace(running=running, questions=self.questions - 1 + earned)


def _by_eighths(kept: Subset) -> Lithium:
    return Lithium(kept, 1 << max((len(kept) // _PARTS).bit_length() - 1, 0))
