"""Delete a parameter together with its argument in every call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nubbin.documents.edits import Edit, gain
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.lists import List, elements, is_list, lists_of
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, try_edits, with_separator
from nubbin.passes.words.names import occurrences


def arguments(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name and position, to delete the elements there in each of its lists.

    Equal texts are taken for the same name, in every language. Positions count from the front and,
    if lists differ in length, also from the back (some languages write the receiver as a
    parameter). Where a deleted parameter is used after its list, the shortest argument replaces it.
    """
    names = occurrences(gate.structure, file.data)
    edits: dict[Edit, None] = {}
    for nodes in names.values():
        for lists in lists_of(nodes):
            edits.update(dict.fromkeys(_edits(gate, file.data, lists, names)))
    yield from try_edits(file, gate.structure, edits)


def _edits(
    gate: Gate, data: bytes, lists: Sequence[List], names: dict[bytes, list[Node]]
) -> Iterator[Edit]:
    """Yield an edit for each position at which several lists have an element."""
    lengths = {len(each.elements) for each in lists}
    longest = max(lengths)
    for at in (*range(longest), *(range(-1, -longest - 1, -1) if len(lengths) > 1 else ())):
        here = [
            (each.elements[at], each.is_call)
            for each in lists
            if -len(each.elements) <= at < len(each.elements)
        ]
        if len(here) > 1:
            yield _without(gate, data, here, names)


def _without(
    gate: Gate, data: bytes, here: Sequence[tuple[Node, bool]], names: dict[bytes, list[Node]]
) -> Edit:
    """Return the edit that deletes elements, and replaces uses of the parameters among them.

    Uses are not replaced if that would make the document longer.
    """
    uses = [[] if is_call else _uses(gate, data, element, names) for element, is_call in here]
    texts = [data[element.start : element.stop] for element, _ in here]
    parameters = {data[use.start : use.stop] for used in uses for use in used}
    given = [text for text, used in zip(texts, uses, strict=True) if not used]
    text = min((text for text in given if text not in parameters), key=len, default=b"")
    deletions = [
        span
        for element, is_call in here
        for span in _deletions(element, is_call and not gate.structure.language)
    ]
    replacements = [Replacement(use.start, use.stop, text) for used in uses for use in used if text]
    both = (*deletions, *replacements)
    return both if gain(both) >= 0 else tuple(deletions)


def _uses(gate: Gate, data: bytes, element: Node, names: dict[bytes, list[Node]]) -> list[Node]:
    """Return the uses of a parameter after its list, in the construct of the list."""
    brackets = element.parent
    if brackets is None or element.kind == "word":  # A word alone is a type in such lists.
        return []
    end = brackets.stop
    for around in brackets.outward():
        if around.stop > end and gate.may_delete(data, around):
            found = names.get(_name_in(data, element), ())
            return [use for use in found if end <= use.start and use.stop <= around.stop]
    return []


def _name_in(data: bytes, parameter: Node) -> bytes:
    """Return a parameter's own name: the last identifier before its type or default value."""
    names: list[Node] = []
    for leaf in (node for node in parameter.walk() if not node.children):
        if leaf.kind in (":", "="):
            break
        if leaf.named:
            names.append(leaf)
    names = [leaf for leaf in names if leaf.kind == "identifier"] or names
    if not names:
        return b""
    own = names[0 if is_list(parameter) else -1]
    return data[own.start : own.stop]


def _deletions(element: Node, is_call: bool) -> tuple[Replacement, ...]:
    """Return the deletion of an element with its separator, or else with the brackets around it.

    The brackets are deleted if `<...>` would become empty, and if only the head of a call `(f 1)`
    would remain: without a grammar, `f` is a constant.
    """
    around = element.parent
    assert around is not None
    if is_call and len(elements(around)) == 2:
        head = around.children[1]
        return Replacement(around.start, head.start, b" "), Replacement(head.stop, around.stop)
    if around.children[0].kind != "<" or len(elements(around)) > 1:
        return (with_separator(element),)
    # A template without parameters is not a template: the word before the list is deleted too.
    word = around.sibling(-1)
    return (Replacement(word.start if word and not word.named else around.start, around.stop),)
