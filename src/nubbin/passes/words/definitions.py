"""Delete definitions that nothing leads to, or that refer to labels, and blocks with a label."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from nubbin.documents.consistency import defining_lines
from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.items import Kind
from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.splice import Span
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose
from nubbin_core.minimizers.uses import Uses

#: A smaller share of a text is left to other passes.
_MIN_SHARE = 1 / 32


def definitions(file: File) -> Proposals[File]:
    """Propose to delete the definitions that nothing leads to, or that refer to labels; then labels
    with what follows them.

    Nothing else leads to a metadata node of LLVM whose function was removed. Such definitions are
    one edit for each sigil, because single ones wait for those that use them. A definition that
    refers to labels chooses by where control comes from, so that no block can go
    before it. A reference to a label that is gone takes the next one. Costs nothing where nothing
    has a label that follows from the rest.
    """
    known = file.consistency
    if known is not None and (edits := _unreached(file.data, known)):
        file = yield propose(file, None, edits)
    known = file.consistency
    if known is not None and (spans := list(_choices(file.data, known))):
        file = yield propose(file, None, [(Replacement(*span),) for span in spans])
    known = file.consistency
    if known is not None and (places := known.places.of_kind(Kind.LABEL)):
        yield propose(file, None, [(Replacement(*span),) for _, span in places])


def _unreached(data: bytes, known: Consistency) -> list[Edit]:
    """Return what deletes the numbered definitions of each sigil to which nothing else leads.

    Names are the roots, because others may know them, and what is in no definition. [] if nothing
    leads to any definition, or if these are a small share of the text.
    """
    lines = sorted((line, item) for item, line in defining_lines.definitions(data, known))
    at = {item: number for number, (_, item) in enumerate(lines)}
    uses: list[set[int]] = [set() for _ in lines]
    named = known.numbers.counted[known.numbers.names]
    roots = {at[item] for item in named.tolist() if item in at}
    starts = [start for (start, _), _ in lines]
    referring = known.numbers.at(known.numbers.refers)
    for start, item in zip(referring.starts.tolist(), referring.counted.tolist(), strict=True):
        if item in at:
            around = bisect_right(starts, start) - 1
            is_inside = around >= 0 and start < lines[around][0][1]
            (uses[around] if is_inside else roots).add(at[item])
    unreached = {*range(len(lines))} - Uses.of_each(uses).reach(roots) if roots else ()
    by_mark: defaultdict[bytes, list[Replacement]] = defaultdict(list)
    for each in sorted(unreached):
        (start, stop), item = lines[each]
        by_mark[known.marks[int(known.places.items.lists[item])]].append(
            Replacement(start, min(stop + 1, len(data)))
        )
    weight = sum(span.stop - span.start for spans in by_mark.values() for span in spans)
    return [tuple(spans) for spans in by_mark.values()] if weight > _MIN_SHARE * len(data) else []


def _choices(data: bytes, known: Consistency) -> Iterator[Span]:
    """Yield the lines of definitions that refer to labels."""
    references = known.references(Kind.LABEL)
    for _, (start, stop) in defining_lines.definitions(data, known):
        if np.diff(np.searchsorted(references, (start, stop)))[0]:
            yield start, stop
