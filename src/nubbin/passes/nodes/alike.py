"""Make equal edits at once: all edits of a kind, then half of them, quarters, single ones.

A program of many parts has few kinds of parts. What is rejected for one part that is needed is
mostly rejected for a kind, and what is accepted removes hundreds of parts with one query.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import accumulate, pairwise

from nubbin.documents.edits import Edit, gain
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.passes.proposal import Offer
from nubbin.passes.syntactic import propose

#: A group that removes a smaller share of the file is not worth a query.
MIN_SHARE = 1 / 512
#: So many groups are rejected, and none accepted, before the edits are given up.
_MAX_REJECTED = 12

#: The edits of one part each, by kind, in the order of the text.
Kinds = Mapping[Hashable, Sequence[Replacement]]


def alike(file: File, find: Callable[[bytes], Kinds], smallest: float = MIN_SHARE) -> Offer[File]:
    """Propose the edits of a kind at once, then those of half a kind; return what came out.

    The kinds that remove the most come first, and those together that remove at least half as
    much. What remains of a kind is divided into twice as many groups as were rejected, as long as
    a group removes the `smallest` share of the file. No parser judges the groups: where a grammar
    misreads a text, hundreds of edits add errors that single ones do not.
    """
    groups: defaultdict[Hashable, int] = defaultdict(lambda: 1)
    rejected, accepted = 0, False
    while accepted or rejected < _MAX_REJECTED:
        kinds = find(file.data)
        worth = {kind: gain(spans) / groups[kind] for kind, spans in kinds.items()}
        most = max(worth.values(), default=0)
        if most <= smallest * len(file.data):
            break
        chosen = [kind for kind in kinds if 2 * worth[kind] >= most]
        edits = [part for kind in chosen for part in _parts(kinds[kind], groups[kind])]
        before, file = file, (yield propose(file, None, sorted(edits, key=gain)))
        rejected, accepted = rejected + len(edits), accepted or file != before
        left = find(file.data)
        for kind in chosen:
            kept = left.get(kind, ())
            share = gain(kept) / gain(kinds[kind])
            is_single = len(kept) <= share * groups[kind]
            groups[kind] = len(file.data) if is_single else 2 * max(1, round(share * groups[kind]))
    return file


def _parts(spans: Sequence[Replacement], count: int) -> list[Edit]:
    """Divide spans into so many groups of about the same weight; fewer if there are fewer spans."""
    until = list(accumulate(gain([span]) for span in spans))
    bounds = {
        bisect_left(until, until[-1] * at / count) + 1 for at in range(1, min(count, len(until)))
    }
    return [tuple(spans[a:b]) for a, b in pairwise(sorted({0, len(spans)} | bounds)) if a < b]
