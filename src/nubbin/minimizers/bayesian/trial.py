"""A few questions of Lithium before the proof: perhaps chunks go that no run of the sweep hit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nubbin.minimizers.minimizer import Query
from nubbin.minimizers.published.lithium import Lithium
from nubbin.minimizers.subset import Subset

#: The trial begins with chunks of about this part of the list.
_PARTS = 8

#: The elements of the list for each question that the trial may ask.
_ELEMENTS_PER_QUESTION = 64


@dataclass(frozen=True, slots=True)
class Trial:
    """Lithium, as long as it pays.

    Runs of the sweep begin and end anywhere, so elements that go only with a neighbour all seem
    essential to it. Chunks of Lithium are aligned. The trial may ask n // 64 questions about n
    elements, and one more for each element that it deletes, because that saves a proof. So it costs
    at most 1/64 of the proof that follows.
    """

    running: Lithium
    questions: int  # that it may still ask

    @classmethod
    def start(cls, kept: Subset) -> Trial:
        """Return the state before the first query."""
        n = len(kept)
        size = 1 << max((n // _PARTS).bit_length() - 1, 0)
        return cls(Lithium(kept, size), n // _ELEMENTS_PER_QUESTION)

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return self.running.kept

    @property
    def is_proved(self) -> bool:
        """Whether Lithium came to its end, so that what is kept is 1-minimal."""
        return not self.running.ask()

    def ask(self) -> tuple[Query, ...]:
        """Ask what Lithium asks, unless all questions are spent."""
        return self.running.ask() if self.questions else ()

    def tell(self, answers: tuple[bool, ...]) -> Trial:
        """Tell Lithium; each element that is deleted allows one more question."""
        running = self.running.tell(answers)
        deleted = len(self.kept) - len(running.kept)
        return replace(self, running=running, questions=self.questions - 1 + deleted)
