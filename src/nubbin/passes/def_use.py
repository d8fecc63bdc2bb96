"""Delete a name everywhere: a definition together with its uses."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.names import occurrences
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose, with_separator

#: How many of the deletable nodes around a name are tried, from the smallest up.
_MAX_CHOICES = 2


def def_use(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name, to delete the smallest deletable node around each occurrence.

    A definition often cannot go before its uses, nor a use before what needs it; in every
    language, the same name links them. A second list has the next larger nodes: the statement
    around a name, the import around a quoted one.
    """
    for choice in range(_MAX_CHOICES):
        edits = list(dict.fromkeys(_edits(gate, file.data, choice)))
        if edits:
            file = yield propose(file, gate.structure, edits)


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
    found: list[Replacement] = []
    inner: Node | None = node
    while inner is not None and inner.parent is not None and len(found) < _MAX_CHOICES:
        # A node that fills its parent goes with the parent's separator.
        if len(inner) < len(inner.parent) and gate.may_delete(data, inner):
            found.append(with_separator(inner))
        inner = inner.parent
    return found
