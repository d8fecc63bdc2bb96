"""Join two neighbours: `import a` and `import b` become `import a,b`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, is_separator, propose

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
