"""ddmin as two programs run it: Picire as released, and as the paper's artifact changed it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset


@dataclass(frozen=True, slots=True)
class DdminProgram:
    """ddmin on a list of parts, as Picire 21.8 has it: another one than `Ddmin`, from the text.

    The list is split into parts of nearly equal length (Zeller's split). A round asks about each
    part alone, then about the list without each part. A part that will do becomes the list, and is
    split in two. If a part can go, the others stay as they are, and the next round begins: with the
    part after it in Picire (`complement_offset`), and with the first part in the artifact. After a
    round without success the list is split into twice as many parts, until they are single
    elements.

    Most questions of a round were asked in the one before. Picire looks their answers up; the
    artifact has lost the look-up, so there each repeated question costs a run of the test. Here
    both ask again: questions with their repeats are what the artifact's program pays, questions
    without them what Picire pays. Picire also runs the test on each new list, as an assertion;
    those runs are left out.

    The result is 1-minimal if the empty list, which is never asked about, is uninteresting. Costs
    O(log N) questions at best, O(N^2) at worst; the artifact's is O(N^2) wherever half of the list
    goes element by element.
    """

    kept: Subset
    parts: tuple[Subset, ...]
    """What the list is split into; none at the end."""
    from_the_start: bool
    """Whether a round begins with the first part, as in the artifact."""
    offset: float = 0
    """The part that is the first to be removed; Picire scales it when parts are split."""
    asked: int = 0
    """The questions of this round about parts alone or, after those, about removals."""
    removing: bool = False

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> DdminProgram:
        """Return Picire's state before the first question."""
        return cls(kept, (kept,), from_the_start=False)._next_round()

    @classmethod
    def start_in_artifact(cls, kept: Subset, settings: Settings) -> DdminProgram:
        """Return the artifact's state before the first question."""
        return cls(kept, (kept,), from_the_start=True)._next_round()

    def ask(self) -> tuple[Query, ...]:
        """Ask about a part alone, or about the list without it."""
        if not self.parts:
            return ()
        if self.removing:
            return (Query(self.kept.less(self.parts[self._removed]), "complement"),)
        return (Query(self.parts[self.asked], "subset" if len(self.parts) > 2 else "half"),)

    def tell(self, answers: tuple[bool, ...]) -> DdminProgram:
        """Go on with what will do, or with the next question; split after the last."""
        (interesting,) = answers
        parts = self.parts
        if interesting and self.removing:
            at = self._removed
            others = parts[:at] + parts[at + 1 :]
            kept = self.kept.less(parts[at])
            offset = 0 if self.from_the_start else at
            return replace(self, kept=kept, parts=others, offset=offset)._next_round()
        if interesting:
            alone = parts[self.asked]
            return replace(self, kept=alone, parts=(alone,), offset=0)._next_round()
        after = replace(self, asked=self.asked + 1)
        if after.asked < len(parts):
            return after
        if not self.removing:
            return replace(self, asked=0, removing=True)
        if len(parts) == len(self.kept):
            return replace(self, parts=())
        finer = split(self.kept, 2 * len(parts))
        return replace(
            self, parts=finer, offset=self.offset * len(finer) / len(parts)
        )._next_round()

    @property
    def _removed(self) -> int:
        """The part that is to go next."""
        return int((self.asked + self.offset) % len(self.parts))

    def _next_round(self) -> DdminProgram:
        """Begin a round; end it all if a single element is left."""
        if len(self.kept) < 2:
            return replace(self, parts=())
        parts = split(self.kept, 2) if len(self.parts) == 1 else self.parts
        return replace(self, parts=parts, asked=0, removing=False)


def split(kept: Subset, number: int) -> tuple[Subset, ...]:
    """Return a list in `number` parts, or in single elements: each a share of what is left."""
    number, parts, start = min(number, len(kept)), [], 0
    for left in range(number, 0, -1):
        stop = start + (len(kept) - start) // left
        parts.append(kept[start:stop])
        start = stop
    return tuple(parts)
