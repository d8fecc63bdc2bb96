"""Reduce what the rest of a file exists for, and remove what it no longer reaches.

The roots of a file are the short part that the rest exists for: the end of a program, or the text
around the definitions of a schema. While a root names a definition, it cannot be removed, and each
attempt costs a query. Smaller roots reach less, and one query removes what they no longer reach.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from itertools import chain, islice
from math import inf

from nubbin.documents.edits import Edit, Edits, File, gain
from nubbin.documents.outlines.lexis import element_around
from nubbin.documents.outside import Outside
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.recent import Recent
from nubbin.documents.spans import NO_AREAS, Areas, Replacement
from nubbin.passes.headers import DECLARED_IN
from nubbin.passes.nodes.bodies import declarations, emptied_bodies
from nubbin.passes.nodes.long_list import IN_NAMESPACE
from nubbin.passes.nodes.named_parts import NamedParts, own_size, words_in
from nubbin.passes.nodes.subtrees import by_kind, levels
from nubbin.passes.proposal import Offer, Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate, propose
from nubbin.passes.words.definition import cut_uses, is_declared, occurrences
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import EMPTY, Subset
from nubbin_core.minimizers.uses import by_name

#: A list of fewer parts besides the roots is left to other passes.
_MIN_USED = 32
#: How often, at most, the parts that the roots name become roots too.
_MAX_ROUNDS = 8
#: Kinds of functions that are a smaller share of the file are left to other passes.
_MIN_KIND = 1 / 32
#: All that the roots do not reach is proposed again when what they reach falls to this share.
_MAX_WEIGHT_FRACTION = 7 / 8
#: The kind of `static` and `inline`.
_STORAGE_CLASS = "storage_class_specifier"


def reached(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete what the roots do not need; in C++, then bodies, kind by kind.

    These are a few queries, so they come before headers, whose levels take many.
    """
    found = NamedParts.of(gate.structure, file.data)
    if found and (used := found.texts_used()):
        roots = _Roots(gate.structure, used)
        file = yield from roots.drop_unreached(file)
        if gate.structure.language in DECLARED_IN:
            own = own_size(gate.structure, file.data, found if file.data == found.data else None)
            find = partial(declarations, gate=gate, own=own)
            file = yield from by_kind(file, find, smallest=_MIN_KIND)
            yield from roots.drop_unreached(file)


def roots_first(file: File, gate: Gate) -> Proposals[File]:
    """Propose to shrink the roots and, after each success, to delete what they no longer reach.

    The pass deletes storage classes, then makes the cuts that leave the most bytes unreached, and
    goes through the roots level by level. If the roots name only a few parts at last, these become
    roots too. Lists that do not declare names do not show what is reached.
    """
    found = NamedParts.of(gate.structure, file.data)
    used = found.texts_used() if found else frozenset()
    for _ in range(_MAX_ROUNDS):
        if not (found and used):
            return
        roots = _Roots(gate.structure, used)
        file = yield from roots.drop_unreached(file)
        for each in (_storage_classes, roots.cut_by_reach, levels):
            file = yield from roots.inside(each, file)
        found = NamedParts.of(gate.structure, file.data)
        used = found.texts_still_used(used) if found else frozenset()


class _Roots:
    """The parts of a long list except those with the texts `used`, which no edit changes."""

    def __init__(self, structure: Structure, used: frozenset[bytes]):
        self._structure, self._used = structure, used
        self._lists = Recent[NamedParts | None](0)
        #: How many parts the roots named when they were last proposed alone, and how many bytes
        #: they reached when they were last proposed with these.
        self._named: float = inf
        self._weight: float = inf

    def inside(self, each: Callable[[File, Gate], Proposals[File]], file: File) -> Offer[File]:
        """Run a pass on the roots; after each success, propose to delete what they do not reach."""
        running = each(file, Gate(_RootsOnly(self._structure, self._spans_used)))
        came_out: File | None = None
        while self._is_long(file.data) and (proposal := next_proposal(running, came_out)):
            came_out = yield proposal
            if came_out.data != file.data:
                came_out = yield from self.drop_unreached(came_out)
            file = came_out
        return file

    def drop_unreached(self, file: File) -> Offer[File]:
        """Propose to keep only the roots, if they name fewer parts than at the last attempt.

        If that is rejected, or not due, propose to keep also what they reach, if that has become
        much smaller. Costs two queries at most.
        """
        found = self._list(file.data)
        if found is None:
            return file
        roots = self._roots(found)
        named = len(found.named_by(roots) - roots)
        if named < self._named:
            self._named = named
            alone = yield propose(file, None, [found.all_but(roots)])
            if alone.data != file.data:
                return alone
        reached = found.reach(roots)
        weight = found.weight(reached)
        if weight <= _MAX_WEIGHT_FRACTION * min(self._weight, len(file.data)):
            self._weight = weight
            in_headers = self._structure.language in DECLARED_IN
            rest = found.all_but(reached, borders=in_headers)
            file = yield propose(file, None, [rest])
        return file

    def cut_by_reach(self, file: File, gate: Gate) -> Proposals[File]:
        """Propose the cuts of the roots that free much, each with what it frees; while that pays.

        Those that free the most are last. No parser judges them: where a grammar misreads a text,
        what is freed adds errors.
        """
        before = None
        while file != before and (found := self._list(file.data)):
            before = file
            cuts = {*self._cuts(file.data, gate), *emptied_bodies(file.data, gate)}
            edits = found.freed(cuts, self._roots(found))
            file = yield propose(file, None, edits)

    def _cuts(self, data: bytes, gate: Gate) -> list[Edit]:
        """Return for each name what deletes its declarations or, of a used part, all its uses."""
        targets = []
        for name, nodes in occurrences(gate.structure, data).items():
            declared = [node for node in nodes if is_declared(node) or node.role == "name"]
            targets += [declared] if declared else []
            if name in self._names_used and not any(map(is_declared, nodes)):
                targets.append(nodes)
        return cut_uses(gate, data, targets, self._names_used)

    def _is_long(self, data: bytes) -> bool:
        found = self._list(data)
        return found is not None and len(found.parts) - len(self._roots(found)) >= _MIN_USED

    def _list(self, data: bytes) -> NamedParts | None:
        return self._lists.of(data, lambda data: NamedParts.of(self._structure, data, _MIN_USED))

    def _roots(self, found: NamedParts) -> set[int]:
        return {at for at, text in enumerate(found.texts) if text not in self._used}

    @cached_property
    def _names_used(self) -> frozenset[bytes]:
        language = self._structure.language
        return frozenset().union(*(words_in(text, language) for text in self._used))

    def _spans_used(self, data: bytes) -> Areas:
        """Return the spans that are not roots, with the namespaces around them."""
        found = self._list(data)
        return Areas.covering(found.between(self._roots(found))) if found else NO_AREAS


def _storage_classes(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete `static`, and each other such keyword, wherever it stands.

    A static function needs others that call it: without these, compilers drop it.
    """
    spans: dict[bytes, list[Replacement]] = {}
    for node in gate.structure.nodes(file.data):
        if node.kind == _STORAGE_CLASS and _is_global(node) and gate.may_delete(file.data, node):
            span = Replacement(node.start, node.stop)
            spans.setdefault(file.data[node.start : node.stop], []).append(span)
    yield propose(file, gate.structure, map(tuple, spans.values()))


def _is_global(node: Node) -> bool:
    """Tell whether the declaration around a node is in no function and no class."""
    around = node.parent and node.parent.parent
    return around is not None and (around.parent is None or around.kind == IN_NAMESPACE)


class _RootsOnly(Outside):
    """A structure without protected nodes, and without what is inside of them."""

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS
    ) -> list[Node]:
        """Return the nodes of a tree that are not in protected parts."""
        parts = self.protected(data)
        nodes = super().nodes(data, depth, smallest, closed)
        return [node for node in nodes if not parts.hold(node.start, node.stop)]


# -- bodies, each with what it alone reaches -------------------------------------------------

#: A list of fewer parts, or with fewer bodies, is left to other passes.
_MIN_PARTS, _MIN_BODIES = 16, 2
#: The number of groups that come first, of neighbouring functions.
_FEW = 8
#: The most parts whose references are removed: those nearest to what nothing uses. A part with more
#: references than the second is left to other passes.
_MAX_PARTS, _MAX_REFERENCES = 256, 64
#: What says where a program begins, as `<?php`; without it, the grammar shows no program.
_BEGINS_PROGRAM = b"<"
#: The beginning of a part, up to the number of a name.
_FIRST_WORD = pattern(rb"\A[^\s\d]*")


def kept_bodies(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty bodies of functions, each time without all parts that nothing reaches then.

    The failure mostly needs a few functions, with the types and variables that they name. The pass
    looks for these, in a few groups and then one by one, and a candidate has nothing else: a
    function that they call is there without its body. Unused parts are elements, too: one for all
    that begin with the same word. After that, references to parts that reach much are removed, with
    all that only they reach.
    """
    for groups in (_FEW, 0):
        found = NamedParts.of(gate.structure, file.data, _MIN_PARTS)
        if not found or not found.is_mostly_declarations or gate.structure.language in DECLARED_IN:
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
