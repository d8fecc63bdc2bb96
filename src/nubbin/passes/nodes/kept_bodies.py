"""Keep the bodies of a few functions, and what they reach; remove everything else at once."""

from __future__ import annotations

from itertools import chain, islice

from nubbin.documents.consistency.stand_ins import element_around
from nubbin.documents.edits import Edit, Edits, gain
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.passes.headers import DECLARED_IN
from nubbin.passes.nodes.bodies import emptied_bodies
from nubbin.passes.nodes.named_parts import NamedParts
from nubbin.passes.proposal import Proposal, Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import EMPTY, Subset
from nubbin_core.minimizers.uses import by_name

#: A list of fewer parts, or with fewer bodies, is left to other passes.
_MIN_PARTS, _MIN_BODIES = 16, 2
#: So many groups come first, of functions that stand together.
_FEW = 8
#: References to so many parts are removed, those nearest to what nothing uses; a part with more
#: references is left to other passes.
_MAX_PARTS, _MAX_REFERENCES = 256, 64
#: What says where a program begins, as `<?php`; without it, the grammar shows no program.
_BEGINS_PROGRAM = b"<"
#: The beginning of a part, up to the number of a name.
_FIRST_WORD = pattern(rb"\A[^\s\d]*")


def kept_bodies(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty bodies of functions, each time without all parts that nothing reaches then.

    The failure mostly needs a few functions, with the types and variables that they name. The pass
    looks for these, in a few groups and then one by one, and a candidate has nothing else: a
    function that they call is there without its body. Parts that nothing uses are elements of the
    list too; those that begin with the same word are one. After that, references to parts that
    reach much are removed, with all that only they reach.
    """
    for groups in (_FEW, 0):
        found = NamedParts.of(gate.structure, file.data, _MIN_PARTS)
        if not found or not found.declares or gate.structure.language in DECLARED_IN:
            return
        if proposal := _kept(file, found, gate):
            file = yield proposal.in_groups(groups) if groups else proposal
    found = NamedParts.of(gate.structure, file.data, _MIN_PARTS)
    if found and found.has_sigils:
        yield propose(file, None, _freed(found))


def _kept(file: File, found: NamedParts, gate: Gate) -> Proposal[File] | None:
    """Return the proposal to keep some elements, with what they reach; None if they are few.

    An element is a part with a body, all parts that nothing uses and that begin alike, or all uses
    of a kind, which do not count for what is reached if they are deleted.
    """
    stubs = dict(found.by_part(tuple(chain(*emptied_bodies(file.data, gate)))))
    unused, starts = found.unused, list[list[object]]()
    for at, text in enumerate(found.texts):
        is_one = at in unused and not text.startswith(_BEGINS_PROGRAM)
        starts.append([at] if at in stubs else _FIRST_WORD.findall(text) if is_one else [])
    groups = [*by_name(starts).values()]
    if not groups or not (len(stubs) >= _MIN_BODIES or found.has_sigils):
        return None
    always = unused.difference(*groups)
    elements = [(parts, stubs.get(parts[0], ())) for parts in groups]
    elements += [([], spans) for spans in found.removable()]

    def render(kept: Subset) -> File:
        if len(kept) == len(elements):
            return file
        roots = always.union(*(elements[at][0] for at in kept))
        cut = chain(*(spans for at, (_, spans) in enumerate(elements) if at not in kept))
        return Edits(file, [found.without(tuple(cut), roots)]).render(EMPTY)

    weights = [float(gain(spans) or found.weight(parts)) for parts, spans in elements]
    texts = [b"\n".join(found.texts[at] for at in parts) for parts, _ in elements]
    return Proposal(len(elements), render, weights, texts=lambda: texts)


def _freed(found: NamedParts) -> list[Edit]:
    """Return what deletes all references to a part, with what only that reaches; the most last."""
    used = chain(*islice(found.uses.layers(found.unused), 1, None))
    cuts = (_unreferenced(found, at) for at in islice(used, _MAX_PARTS))
    return found.freed(filter(None, cuts), found.unused)


def _unreferenced(found: NamedParts, at: int) -> Edit:
    """Return what deletes the references to a part; () if some cannot be deleted."""
    references = found.references(at)
    around = [element_around(found.data, span) for span in references[:_MAX_REFERENCES]]
    cut = tuple(Replacement(*span) for span in around if span)
    return cut if len(cut) == len(references) else ()
