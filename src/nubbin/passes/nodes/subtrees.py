"""Delete nodes of syntax trees, the largest first, then level by level; join those alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice, pairwise
from operator import itemgetter

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, File, all_but, gain, subset_of
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement
from nubbin.passes.each_file import joint
from nubbin.passes.proposal import Offer, Proposal, Proposals, groups_of
from nubbin.passes.syntactic import Gate, Structures, is_separator, propose
from nubbin_core.minimizers.subset import Subset

#: Smaller nodes, as a share of the document, are left to other passes.
_MIN_SUBTREE_FRACTION = 1 / 32
#: Lists of fewer elements are left to levels.
_MIN_ELEMENTS = 16


def subtrees(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete nodes, size by size: those over half the document, over a quarter, ...

    The heaviest nodes come first, wherever they are (Pardis, Gharachorlu and Sumner, 2019), so the
    nodes of a list have about the same weight. The lists have only large nodes that the grammar
    allows to delete. They cost few queries, which often remove most of the document.
    """
    whole = largest = len(file.data)
    while largest > whole * _MIN_SUBTREE_FRACTION:
        file = yield node_deletions(file, gate.structure, _large_nodes(file, gate, largest))
        largest //= 2


def _large_nodes(file: File, gate: Gate, largest: int) -> list[Node]:
    """Return the nodes that can be deleted and are larger than half of `largest`, but no larger."""
    # This asks for the same nodes at every size, so that they are made once.
    smallest = min(int(_MIN_SUBTREE_FRACTION * len(file.data)), largest) // 2 + 1
    return [
        node
        for node in gate.structure.nodes(file.data, smallest=smallest)
        if node.named and largest // 2 < len(node) <= largest and node.parent
        if gate.may_delete(file.data, node)
    ]


def node_deletions(file: File, structure: Structure, items: Sequence[Node]) -> Proposal[File]:
    """Return a proposal to delete nodes, with the separators that the lists around them lose.

    An element is deleted with the separator before it. The separator after it is deleted if all
    elements before it are: an edit of its own, which follows from the subset that is kept.
    """
    edits: list[Edit] = []
    openings: list[Edit] = []  # each deletes the separator after one of the `leading` items
    leading: list[int] = []  # items at the start of their lists, list by list
    first: list[int] = []  # for each of these, where its list begins in `leading`
    numbers = {id(node): number for number, node in enumerate(items)}
    for node in items:
        span, before = Replacement(node.start, node.stop), node.sibling(-1)
        if is_separator(before):
            edits.append((Replacement(before.start, before.stop), span))
            continue
        edits.append((span,))
        begin = len(leading)
        for number, mark in _followed(node, numbers):
            openings.append((Replacement(mark.start, mark.stop),))
            leading.append(number)
            first.append(begin)
    in_order, begins = (np.array(each, dtype=np.int64) for each in (leading, first))

    def kept_of(kept: Subset) -> Subset:
        keeps = ~all_but(kept, len(items))
        keeps_before = np.concatenate(([0], np.cumsum(keeps[in_order])))
        return subset_of(np.concatenate((keeps, keeps_before[begins] < keeps_before[1:])))

    def texts() -> list[bytes]:
        return [file.data[node.start : node.stop] for node in items]

    every = propose(file, structure, [*edits, *openings])
    owners = np.concatenate((np.arange(len(items)), np.full(len(openings), -1)))
    return replace(
        every.owned(owners, len(items)),
        render=lambda kept: every.render(kept_of(kept)),
        is_plausible=lambda kept: every.is_plausible(kept_of(kept)),
        texts=texts,
    )


def _followed(node: Node | None, numbers: Mapping[int, int]) -> Iterator[tuple[int, Node]]:
    """Yield the numbers of consecutive elements, from a node on, with the separator after each."""
    while node is not None and (number := numbers.get(id(node))) is not None:
        mark = node.sibling(1)
        if not is_separator(mark):
            return
        yield number, mark
        node = node.sibling(2)


def large_parts(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose what `subtrees` does, with sizes measured by the whole document.

    Most nodes that are large in their file are small in the folder. Lists of a few such nodes leave
    no room for long runs, so they are left to levels, whose lists have the nodes of all files.
    """
    whole = largest = document.extent
    while largest > whole * _MIN_SUBTREE_FRACTION:
        found = {
            file.path: _large_nodes(file, Gate(structures[file.path]), largest)
            for file in document.texts
            if len(file.data) > largest // 2
        }
        document = yield _in_all(document, structures, found)
        largest //= 2


def long_lists(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose to delete the elements of nodes with many elements and a large share of the document.

    Long runs can be removed from a long list, before the levels above it are finished. The elements
    of all such nodes in all files are one list.
    """
    smallest = int(document.extent * _MIN_SUBTREE_FRACTION)
    found = {
        file.path: list(_elements(structures[file.path], file, smallest)) for file in document.texts
    }
    yield _in_all(document, structures, found)


def _in_all(
    document: Document, structures: Structures, found: Mapping[str, Sequence[Node]]
) -> Proposal[Document]:
    """Return one proposal to delete nodes of files."""
    proposals = {
        file.path: node_deletions(file, structures[file.path], nodes)
        for file in document.texts
        if (nodes := found.get(file.path))
    }
    return joint(document, proposals)


def _elements(structure: Structure, file: File, smallest: int) -> Iterator[Node]:
    for node in structure.nodes(file.data):
        elements = [child for child in node.children if child.named]
        if node.parent and len(node) >= smallest and len(elements) >= _MIN_ELEMENTS:
            yield from elements


#: Passes over levels leave deeper nodes to other passes: each level costs a parse.
MAX_DEPTH = 200


def commands(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete the nodes right below the root."""
    items = [node for node in gate.structure.nodes(file.data, 1) if node.parent and node.named]
    yield node_deletions(file, gate.structure, items)


def levels(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete the nodes of one depth, from the top of the tree down.

    Hierarchical delta debugging (Misherghi and Su, 2006), with each level as one list: whole
    functions come before statements, and statements before expressions. A list is in the order of
    the document, so that references can be removed before what they refer to. If an edit deletes
    the ends of an element without its contents, these rise by one level. They are then a list of
    their own, before the nodes inside of them.
    """
    depth = 1
    risen: set[bytes] | None = None  # texts that rose to this depth; None before its first list
    while depth < MAX_DEPTH:
        level = [node for node in gate.structure.nodes(file.data, depth + 1) if node.depth == depth]
        if not level:
            return
        named = [node for node in level if node.named]
        if items := [node for node in named if risen is None or _text(file, node) in risen]:
            below = {_text(file, child) for node in level for child in node.children}
            risen = below - {_text(file, node) for node in level}
            file = yield node_deletions(file, gate.structure, items)
        else:
            depth, risen = depth + 1, None


def _text(file: File, node: Node) -> bytes:
    return file.data[node.start : node.stop]


#: A group that removes a smaller share of the file is not worth a query.
MIN_SHARE = 1 / 512
#: The edits are given up after this number of rejected groups, if none was accepted.
_MAX_REJECTED = 12

#: The edits of one part each, by kind, in the order of the text.
Kinds = Mapping[Hashable, Sequence[Replacement]]


def by_kind(file: File, find: Callable[[bytes], Kinds], smallest: float = MIN_SHARE) -> Offer[File]:
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
        edits = [part for kind in chosen for part in _divided(kinds[kind], groups[kind])]
        before, file = file, (yield propose(file, None, sorted(edits, key=gain)))
        rejected, accepted = rejected + len(edits), accepted or file != before
        left = find(file.data)
        for kind in chosen:
            kept = left.get(kind, ())
            share = gain(kept) / gain(kinds[kind])
            is_single = len(kept) <= share * groups[kind]
            groups[kind] = len(file.data) if is_single else 2 * max(1, round(share * groups[kind]))
    return file


def _divided(spans: Sequence[Replacement], count: int) -> list[Edit]:
    """Divide spans into `count` groups of about the same weight; fewer if there are fewer spans."""
    groups = zip(groups_of([gain([span]) for span in spans], count), spans, strict=True)
    return [tuple(span for _, span in part) for _, part in groupby(groups, itemgetter(0))]


#: What can separate the parts in which two neighbours differ.
_MARKS = (b",", b" ")


def joining(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for neighbours of one kind that begin alike, to write their common parts once.

    `int a;int b;` becomes `int a,b;`, and `insert into t values (1);insert into t values (2);`
    becomes `insert into t values (1),(2);`. The end of the first and the start of the second are
    replaced with a comma or a blank, whichever the grammar allows.
    """
    edits = (
        (seam,)
        for node in gate.structure.nodes(file.data)
        for first, second in pairwise(each for each in node.children if not is_separator(each))
        if first.named and first.kind == second.kind
        for seam in islice(_seams(gate, file.data, first, second), 1)
    )
    yield propose(file, gate.structure, edits)


def _seams(gate: Gate, data: bytes, first: Node, second: Node) -> Iterator[Replacement]:
    """Yield the replacements that join two nodes, if they are shorter and the grammar allows them.

    The nodes have equal children at the start and at the end in common. If they have none at the
    start, their first children are compared instead.
    """
    ours, theirs = (
        [data[part.start : part.stop] for part in each.children] for each in (first, second)
    )
    shortest = min(len(ours), len(theirs))
    head = next((at for at in range(shortest) if ours[at] != theirs[at]), shortest)
    rest = shortest - head
    tail = next((at for at in range(rest) if ours[-1 - at] != theirs[-1 - at]), rest)
    if not rest or tail == rest:
        return
    if head:
        start, stop = first.children[-1 - tail].stop, second.children[head].start
        for mark in _MARKS:
            seam = Replacement(start, stop, mark)
            if len(mark) < stop - start and gate.may_join(data, first, seam):
                yield seam
    elif rest == tail + 1:
        yield from _seams(gate, data, first.children[0], second.children[0])
