"""Keep the bodies of some functions, and of all other parts only those that these reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain, islice

from nubbin.documents.consistency.stand_ins import element_around
from nubbin.documents.edits import Edit, Edits, gain
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.passes.headers import DECLARED_IN, is_border
from nubbin.passes.nodes.bodies import emptied_bodies
from nubbin.passes.nodes.long_list import LongList
from nubbin.passes.proposal import Proposal, Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import EMPTY, Subset

#: A list of fewer parts, or with fewer bodies, is left to other passes.
_MIN_PARTS, _MIN_BODIES = 16, 2
#: So many groups come first, of functions that stand together.
_FEW = 8
#: References to so many parts are removed, those nearest to what nothing uses; a part with more
#: references is left to other passes.
_MAX_PARTS, _MAX_REFERENCES = 256, 64
#: What says where a program begins, as `<?php`; without it, the grammar shows no program.
_BEGINS_PROGRAM = b"<"
#: What a part begins with, up to the number of a name.
_FIRST_WORD = pattern(rb"\A[^\s\d]*")


def kept_bodies(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty bodies of functions, each time without all parts that nothing reaches then.

    What has to stay are mostly a few functions, with the types and variables that they name. So
    these are looked for, in a few groups and then one by one, and a candidate has nothing else: a
    function that they call is there without its body. Parts that nothing uses are elements of the
    list too; those that begin with the same word are one. After that, references to parts that
    reach much are removed, with all that only they reach.
    """
    for groups in (_FEW, len(file.data)):
        found = LongList.of(gate.structure, file.data, _MIN_PARTS)
        if not found or not found.declares or gate.structure.language in DECLARED_IN:
            return
        stubs = dict(found.holding(tuple(chain(*emptied_bodies(file.data, gate)))))
        elements = _elements(found, stubs)
        if elements and (len(stubs) >= _MIN_BODIES or found.has_sigils):
            file = yield _kept(file, found, stubs, elements).in_groups(groups)
    found = LongList.of(gate.structure, file.data, _MIN_PARTS)
    if found and found.has_sigils and (edits := _freed(found)):
        yield propose(file, None, edits)


def _elements(found: LongList, stubs: Mapping[int, Edit]) -> list[list[int]]:
    """Return the parts with bodies, each alone, and those that nothing uses, by their beginning."""
    unused = found.unused
    alike: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at, text in enumerate(found.texts):
        if at in stubs:
            alike[at].append(at)
        elif at in unused and not (is_border(text) or text.startswith(_BEGINS_PROGRAM)):
            alike[_FIRST_WORD.findall(text)[0]].append(at)
    return [*alike.values()]


def _kept(
    file: File, found: LongList, stubs: Mapping[int, Edit], elements: Sequence[Sequence[int]]
) -> Proposal[File]:
    """Return the proposal to keep some elements, with what they reach."""
    always = found.unused.difference(*elements)

    def render(kept: Subset) -> File:
        if len(kept) == len(elements):
            return file
        users = always.union(*(elements[at] for at in kept))
        cut = tuple(chain(*(spans for at, spans in stubs.items() if at not in users)))
        return Edits(file, [found.without(cut, users)]).render(EMPTY)

    weights = [
        float(gain(stubs[some[0]]) if some[0] in stubs else found.weight(some)) for some in elements
    ]
    return Proposal(len(elements), render, weights)


def _freed(found: LongList) -> list[Edit]:
    """Return what deletes all references to a part, with what only that reaches; the most last."""
    users = found.unused
    _, *layers = found.uses.layers(users)
    cuts = (_unreferenced(found, at) for at in islice(chain(*layers), _MAX_PARTS))
    return found.freed(filter(None, cuts), users)


def _unreferenced(found: LongList, at: int) -> Edit:
    """Return what deletes the references to a part; () if some cannot be deleted."""
    references = found.references(at)
    around = [element_around(found.data, span) for span in references[:_MAX_REFERENCES]]
    cut = tuple(Replacement(*span) for span in around if span)
    return cut if len(cut) == len(references) else ()
