"""Replace the uses of a name by what it stands for, and delete its definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.lists import elements, is_head, is_list
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, is_separator, propose, with_separator
from nubbin.passes.words.names import occurrences

#: How many parts of a definition are tried in the place of the name.
_MAX_CHOICES = 2
#: How many nodes around a use may be replaced with it: the name, the call, its statement.
_MAX_LEVELS = 3
_BRACKETS = set("()[]{}<>")


def inline(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name, to delete its definition and to replace its uses by a part of it.

    The definition is at the first occurrence of the name. The part is the type of an alias, the
    value of a variable, the body of a function for a call of it. Edits that would make the
    document longer are not proposed.
    """
    for choice in range(_MAX_CHOICES):
        names = occurrences(gate.structure, file.data)
        edits = [
            edit
            for nodes in names.values()
            for edit in islice(_choices(gate, file.data, nodes), choice, choice + 1)
        ]
        if edits:
            file = yield propose(file, gate.structure, edits)


def _choices(gate: Gate, data: bytes, nodes: Sequence[Node]) -> Iterator[Edit]:
    """Yield the edits that inline a name, the largest part of its definition first."""
    first, *uses = nodes
    definition = definition_of(gate, data, first)
    if definition is None or not uses or uses[0].start < definition.stop:
        return
    for kind, text in _values(data, definition, first):
        found = [_replaceable(gate, data, use, kind, text) for use in uses]
        parts = [
            _with_sigil(data, part) for part in found if part and definition.stop <= part.start
        ]
        gone = _deletions(definition)
        gain = sum(stop - start for start, stop, _ in (*gone, *parts)) - len(text) * len(parts)
        if len(parts) == len(uses) and gain > 0:
            yield (*gone, *(part._replace(text=text) for part in parts))


def definition_of(gate: Gate, data: bytes, first: Node) -> Node | None:
    """Return the smallest deletable node around a name, which is more than the name itself."""
    for node in first.outward():
        is_more = node is not first or _is_element(node)
        if node.parent and is_more and gate.may_delete(data, node):
            return node
    return None


def _deletions(definition: Node) -> tuple[Replacement, ...]:
    """Return the deletion of a definition, or of all but the body in `(let ((x 1)) body)`."""
    bindings = definition.parent
    binder = bindings.parent if is_list(bindings) and len(elements(bindings)) == 1 else None
    if bindings and is_list(binder) and is_head(binder.children[1]) and bindings.index == 2:
        body = binder.children[-2]
        if body is not bindings:
            return Replacement(binder.start, body.start), Replacement(body.stop, binder.stop)
    return (with_separator(definition),)


def _replaceable(gate: Gate, data: bytes, use: Node, kind: str, text: bytes) -> Node | None:
    """Return the smallest node around a use in whose place a text of some kind can stand."""
    for node in islice(use.outward(), _MAX_LEVELS):
        if node.kind == kind or gate.may_replace(data, node, kind, text):
            return node
    return None


def _with_sigil(data: bytes, part: Node) -> Replacement:
    """Return the span of a use with the mark that makes a value of a name: `$x`, `${x}`, `$(x)`."""
    start, stop = part.start, part.stop
    if data[start - 2 : start] in (b"${", b"$(") and data[stop : stop + 1] in (b"}", b")"):
        return Replacement(start - 2, stop + 1)
    return Replacement(start - (data[start - 1 : start] == b"$"), stop)


def _is_element(node: Node) -> bool:
    """Tell whether a node stands in a list, between marks."""
    near = (node.sibling(-1), node.sibling(1))
    return all(each is None or is_separator(each) or each.kind in _BRACKETS for each in near)


def _values(data: bytes, definition: Node, name: Node) -> Iterator[tuple[str, bytes]]:
    """Yield the outermost parts of a definition without its name in them.

    The last one comes first, unless the name comes after it, and then the largest.
    """
    found: list[Node] = []
    layer = definition.children
    while layer:
        below: list[Node] = []
        for part in layer:
            if part.start <= name.start and name.stop <= part.stop:
                below += part.children
            elif part.named:
                found.append(part)
        layer = below
    end = max((part.stop for part in found), default=0)
    found.sort(key=lambda part: (part.stop < end or part.start < name.start, -len(part)))
    for part in found:
        yield part.kind, data[part.start : part.stop]
