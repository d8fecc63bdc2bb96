"""Delete a name everywhere: a definition together with its uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, try_edits, with_separator
from nubbin.passes.words.inline import definition_of
from nubbin.passes.words.names import occurrences

#: How many of the deletable nodes around a name are tried, from the smallest up.
_MAX_CHOICES = 2


def def_use(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name, to delete the smallest deletable node around each occurrence.

    A definition often cannot be deleted before its uses, nor a use before the code that needs it.
    In every language, the same name links them. A second list has the next larger nodes: the
    statement around a name, the import around a quoted name.
    """
    for choice in range(_MAX_CHOICES):
        edits = dict.fromkeys(_edits(gate, file.data, choice))
        file = yield from try_edits(file, gate.structure, edits)


def _edits(gate: Gate, data: bytes, choice: int) -> Iterator[Edit]:
    for nodes in occurrences(gate.structure, data).values():
        around = [_deletable(gate, data, node) for node in nodes]
        if choice >= max(map(len, around)):
            continue
        spans = sorted({parts[min(choice, len(parts) - 1)] for parts in around if parts})
        if all(around) and sum(span.stop - span.start for span in spans) < len(data):
            yield tuple(spans)


def _deletable(gate: Gate, data: bytes, node: Node) -> list[Replacement]:
    """Return the smallest spans around a node that the grammar allows to delete."""
    found = (
        with_separator(each)
        for each in node.outward()
        # A node that fills its parent is deleted with the parent's separator.
        if each.parent and len(each) < len(each.parent) and gate.may_delete(data, each)
    )
    return list(islice(found, _MAX_CHOICES))


def fuse(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace each name with the first that is declared in the same words.

    Two variables of one type become one, and so do two opaque types. This can make further
    declarations alike, so it is proposed until nothing changes.
    """
    before = None
    while file != before:
        before = file
        file = yield from try_edits(file, gate.structure, _fusions(gate, file.data))


def _fusions(gate: Gate, data: bytes) -> Iterator[Edit]:
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
