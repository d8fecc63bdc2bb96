"""Edit definitions with their uses: delete them, make two names one, inline a name."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice

from nubbin.documents.edits import Edit, File, gain
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.spans import Replacement
from nubbin.passes.nodes.lists import elements, is_head, is_list
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, is_separator, propose, with_separator
from nubbin.passes.words.definition import occurrences

#: The most deletable nodes around a name, and parts of its definition, that are tried.
_MAX_CHOICES = 2


def def_use(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name, to delete the smallest deletable node around each occurrence.

    A definition often cannot be deleted before its uses, nor a use before the code that needs it.
    A second list has the next larger nodes, such as the statement around a name.
    """
    for choice in range(_MAX_CHOICES):
        edits = dict.fromkeys(_deletions_of_names(gate, file.data, choice))
        file = yield propose(file, gate.structure, edits)


def _deletions_of_names(gate: Gate, data: bytes, choice: int) -> Iterator[Edit]:
    for nodes in occurrences(gate.structure, data).values():
        around = [_deletable(gate, data, node) for node in nodes]
        if choice >= max(map(len, around)):
            continue
        spans = sorted({parts[min(choice, len(parts) - 1)] for parts in around if parts})
        if all(around) and gain(spans) < len(data):
            yield tuple(spans)


def _deletable(gate: Gate, data: bytes, node: Node) -> list[Replacement]:
    found = (
        with_separator(each)
        for each in node.outward()
        # A node that fills its parent is deleted with the parent's separator.
        if each.parent and len(each) < len(each.parent) and gate.may_delete(data, each)
    )
    return list(islice(found, _MAX_CHOICES))


def fuse(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace each name with the first that is declared in the same words.

    This can make further declarations alike, so it is proposed until nothing changes.
    """
    before = None
    while file != before:
        before = file
        file = yield propose(file, gate.structure, _fusions(gate, file.data))


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
            if gain(edit := (gone, *uses)) > 0:
                yield edit


#: The most nodes around a use that can be replaced: the name, the call, its statement.
_MAX_LEVELS = 3
#: The marks and words around the only value of a body.
_AROUND_VALUE = {"{", "}", "return", ";"}
_BRACKETS = set("()[]{}<>")


def inline(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name, to delete its definition and to replace its uses with a part of it.

    The definition is at the first occurrence of the name. The part is the type of an alias, the
    value of a variable, and, for a call, the body of a function or the value that it returns. Edits
    that would make the document longer are not proposed. Nor are two edits that delete the same
    definition, because together they could make it longer.
    """
    for choice in range(_MAX_CHOICES):
        names = occurrences(gate.structure, file.data)
        edits: dict[Replacement, Edit] = {}
        for nodes in names.values():
            for edit in islice(_inlinings(gate, file.data, nodes), choice, choice + 1):
                edits.setdefault(edit[0], edit)
        file = yield propose(file, gate.structure, edits.values())


def _inlinings(gate: Gate, data: bytes, nodes: Sequence[Node]) -> Iterator[Edit]:
    """Yield the edits that inline a name, the largest part of its definition first."""
    first, *uses = nodes
    definition = definition_of(gate, data, first)
    if definition is None or not uses or uses[0].start < definition.stop:
        return
    if is_list(first.sibling(1)):
        uses = [_call_of(use) for use in uses]
    gone = _deletions_of_definition(definition)
    for part in _values_of_definition(definition, first):
        found = (
            _replacements(gate, data, uses, value, definition.stop) for value in _alone_in(part)
        )
        nearest = min(filter(None, found), key=_size, default=[])
        if nearest and gain(edit := (*gone, *nearest)) > 0:
            yield edit


def _replacements(
    gate: Gate, data: bytes, uses: Sequence[Node], value: Node, after: int
) -> list[Replacement]:
    """Return the replacements of all uses after an offset with a value.

    [] if one of them cannot be replaced, or if the replaced spans overlap in part.
    """
    text = data[value.start : value.stop]
    nodes = [_replaceable(gate, data, use, value.kind, text) for use in uses]
    found = [_with_sigil(data, node)._replace(text=text) for node in nodes if node]
    parts = sorted(set(found))
    ends = [after, *(part.stop for part in parts)]
    is_apart = all(end <= part.start for end, part in zip(ends, parts, strict=False))
    return parts if len(found) == len(uses) and is_apart else []


def _size(spans: Sequence[Replacement]) -> int:
    return sum(stop - start for start, stop, _ in spans)


def definition_of(gate: Gate, data: bytes, first: Node) -> Node | None:
    """Return the smallest deletable node around a name that is more than the name itself."""
    for node in first.outward():
        is_more = node is not first or _is_between_marks(node)
        if node.parent and is_more and gate.may_delete(data, node):
            return node
    return None


def _call_of(use: Node) -> Node:
    """Return the call of a name with the list after it, or the name if it is not called."""
    arguments, around = use.sibling(1), use.parent
    is_call = is_list(arguments) and around is not None and len(around.children) == 2
    return around if is_call and around is not None else use


def _deletions_of_definition(definition: Node) -> tuple[Replacement, ...]:
    """Return the deletion of a definition, or of all but the body in `(let ((x 1)) body)`."""
    bindings = definition.parent
    binder = bindings.parent if is_list(bindings) and len(elements(bindings)) == 1 else None
    if bindings and is_list(binder) and is_head(binder.children[1]) and bindings.index == 2:
        body = binder.children[-2]
        if body is not bindings:
            return Replacement(binder.start, body.start), Replacement(body.stop, binder.stop)
    return (with_separator(definition),)


def _replaceable(gate: Gate, data: bytes, use: Node, kind: str, text: bytes) -> Node | None:
    """Return the smallest node around a use that a text of some kind can replace."""
    for node in islice(use.outward(), _MAX_LEVELS):
        if node.kind == kind or gate.may_replace(data, node, kind, text):
            return node
    return None


def _with_sigil(data: bytes, part: Node) -> Replacement:
    """Return the span of a use with the marks that take its value: `$x`, `${x}`, `$(x)`."""
    start, stop = part.start, part.stop
    if data[start - 2 : start] in (b"${", b"$(") and data[stop : stop + 1] in (b"}", b")"):
        return Replacement(start - 2, stop + 1)
    return Replacement(start - (data[start - 1 : start] == b"$"), stop)


def _is_between_marks(node: Node) -> bool:
    """Tell whether a node is an element of a list, between marks."""
    near = (node.sibling(-1), node.sibling(1))
    return all(each is None or is_separator(each) or each.kind in _BRACKETS for each in near)


def _values_of_definition(definition: Node, name: Node) -> list[Node]:
    """Return the outermost parts of a definition without its name in them.

    The last one comes first, unless the name comes after it, and then the largest.
    """
    found: list[Node] = []
    below = deque(definition.children)
    while below:
        part = below.popleft()
        if part.start <= name.start and name.stop <= part.stop:
            below += part.children
        elif part.named:
            found.append(part)
    end = max((part.stop for part in found), default=0)
    found.sort(key=lambda part: (part.stop < end or part.start < name.start, -len(part)))
    return found


def _alone_in(part: Node) -> list[Node]:
    """Return a part after the only values in it: `1`, `return 1;` and `{return 1;}`."""
    named = [child for child in part.children if child.named]
    marks = {child.kind for child in part.children if not child.named}
    return [*(_alone_in(named[0]) if len(named) == 1 and marks <= _AROUND_VALUE else ()), part]
