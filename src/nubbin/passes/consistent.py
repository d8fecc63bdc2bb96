"""Find out which numbers of a file follow from the rest of it, and delete what they count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from nubbin.documents.consistency.hypotheses import Hypothesis, hypotheses
from nubbin.documents.consistency.numbers import Consistency, Span
from nubbin.documents.edits import Edit, Edits
from nubbin.documents.file import File, Replacement
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import FilePass, Proposal, Proposals, next_proposal, proposals_of
from nubbin.passes.syntactic import propose


def consistent(file: File) -> Proposals[File]:
    """Propose to take hypotheses for true, then to delete the items of each list that is counted.

    Asked first is whether anything has to be right: an item of each list goes, and nothing else.
    If that is refused, all numbers are made right in the next question, and if that is refused as
    well, the hypotheses are a list to choose from. So H of them cost two questions and this list,
    and nothing if there are none.
    """
    if file.consistency is None:
        found = hypotheses(file.data)
        for makes_right in (False, True):
            if found and file.consistency is None:
                before = file
                file = yield _hypotheses(file, [found], makes_right)
                if file.data != before.data and not makes_right:
                    return
        if len(found) > 1 and file.consistency is None:
            file = yield _hypotheses(file, [[each] for each in found])
    at = 0
    while file.consistency is not None and at < len(lists := file.consistency.parts()):
        if len(lists[at]) > 1:
            file = yield propose(file, None, [_deleted(span) for span in lists[at]])
        at += 1


def _hypotheses(
    file: File, found: Sequence[Sequence[Hypothesis]], makes_right: bool = True
) -> Proposal[File]:
    """Return the proposal to take each group of hypotheses for true, and delete what tests it."""

    def render(kept: Subset) -> File:
        chosen = [each for at in Subset.full(len(found)) - kept for each in found[at]]
        numbers = chain.from_iterable(each.numbers for each in chosen)
        known = Consistency.of(file.data, numbers) if makes_right and chosen else None
        edits = [_deleted(span) for each in chosen for span in each.probe]
        made = Edits(file.with_data(file.data, known), edits)
        return made.apply(np.ones(len(edits), dtype=np.bool_))

    return Proposal(len(found), render)


def _deleted(span: Span) -> Edit:
    return (Replacement(*span),)


def also_plain(each: FilePass) -> FilePass:
    """Return the pass that also proposes, last, what single edits leave if nothing is made right.

    It asks only for what differs then. If the test agrees, what seemed to follow from the rest does
    not, and nothing is taken to follow any more.
    """

    def propose(file: File) -> Proposals[File]:
        running = each(file)
        proposal = next_proposal(running)
        while proposal is not None:
            file = yield proposal
            proposal = next_proposal(running, file)
        if file.consistency is None:
            return
        both = (proposals_of(each, of) for of in (file, file.with_data(file.data)))
        for repaired, plain in zip(*both, strict=True):
            differ = Subset.of(_differing(repaired, plain))
            if not differ:
                continue
            came_out = yield plain.only(differ)
            if came_out.data != file.data:
                return

    return propose


def _differing(one: Proposal[File], other: Proposal[File]) -> Iterator[int]:
    everything = Subset.full(one.size)
    for at in range(one.size):
        kept = everything.without(at, at + 1)
        if one.render(kept).data != other.render(kept).data:
            yield at
