"""Write a name as another one that was declared alike, and delete its own declaration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.inline import definition_of
from nubbin.passes.names import occurrences
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose, with_separator


def fuse(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name, to write it as the first that was declared with the same words.

    Two variables of one type become one, and so do two types that are declared as opaque. This can
    make further declarations alike, so it is proposed until nothing changes.
    """
    before = None
    while file != before and (edits := list(_edits(gate, file.data))):
        before = file
        file = yield propose(file, gate.structure, edits)


def _edits(gate: Gate, data: bytes) -> Iterator[Edit]:
    alike: defaultdict[tuple[bytes, bytes], list[tuple[Node, list[Node]]]] = defaultdict(list)
    for nodes in occurrences(gate.structure, data).values():
        first, last = nodes[0], nodes[-1]
        declared = definition_of(gate, data, first)
        if declared is not None and last.start >= declared.stop:
            around = data[declared.start : first.start], data[first.stop : declared.stop]
            alike[around].append((declared, nodes))
    for (_, (kept, *_)), *others in alike.values():
        text = data[kept.start : kept.stop]
        for declared, nodes in others:
            gone = with_separator(declared)
            uses = [Replacement(use.start, use.stop, text) for use in nodes[1:]]
            if sum(len(text) - use.stop + use.start for use in uses) < gone.stop - gone.start:
                yield (gone, *uses)
