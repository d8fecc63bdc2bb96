"""What proves a result 1-minimal: every single removal from it, at the finest grain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nubbin.documents.document import Document
from nubbin.minimizers import Subset
from nubbin.passes.proposal import Pass
from nubbin.reduction.schedule import Schedule


def single_removals(passes: Sequence[Pass], document: Document) -> Iterator[Document]:
    """Yield the document without each one of the pieces that the passes which prove find in it."""
    schedule = Schedule.begin([each for each in passes if each.proves], document)
    while schedule is not None:
        everything = Subset.full(schedule.proposal.size)
        for at in range(len(everything)):
            yield schedule.proposal.render(everything.without(at, at + 1))
        schedule = schedule.after(document)
