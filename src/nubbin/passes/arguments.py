"""Delete a parameter together with the argument at its position in every call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.names import occurrences
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, is_separator, propose, with_separator

_CLOSING = {"(": ")", "[": "]", "<": ">"}
#: How many levels above a name its list may be: after a qualified name, before a declaration.
_MAX_LEVELS = 6


def arguments(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name and position, to delete the elements there in each of its lists.

    The lists of a name are those right after it, of parameters and of arguments alike, or, between
    angle brackets, before the declaration of the name. In every language, the same text is taken
    for the same name. Positions count from the front and, if lists differ in length, also from the
    back (some languages write the receiver as a parameter). If a deleted parameter is used after
    its list, the shortest argument takes its place there.
    """
    names = occurrences(gate.structure, file.data)
    edits: dict[Edit, None] = {}
    for nodes in names.values():
        found: defaultdict[str, list[Node]] = defaultdict(list)
        for node in nodes:
            for each in _lists(node):
                found[each.children[0].kind].append(each)
        for lists in found.values():
            if len(lists) > 1:
                edits.update(dict.fromkeys(_edits(gate, file.data, lists, names)))
    if edits:
        yield propose(file, gate.structure, list(edits))


def _edits(
    gate: Gate, data: bytes, lists: Sequence[Node], names: dict[bytes, list[Node]]
) -> Iterator[Edit]:
    """Yield an edit for each position at which several lists have an element."""
    elements = [_elements(each) for each in lists]
    longest, same = max(map(len, elements)), len(set(map(len, elements))) == 1
    for at in (*range(longest), *(() if same else range(-1, -longest - 1, -1))):
        here = [each[at] for each in elements if -len(each) <= at < len(each)]
        if len(here) > 1:
            yield _without(gate, data, here, names)


def _without(
    gate: Gate, data: bytes, elements: Sequence[Node], names: dict[bytes, list[Node]]
) -> Edit:
    """Return the edit that deletes elements, and replaces uses of the parameters among them.

    Uses stay as they are if the document would grow.
    """
    uses = [_uses(gate, data, element, names) for element in elements]
    texts = [data[element.start : element.stop] for element in elements]
    parameters = {data[use.start : use.stop] for used in uses for use in used}
    given = [text for text, used in zip(texts, uses, strict=True) if not used]
    text = min((text for text in given if text not in parameters), key=len, default=b"")
    deletions = [span for element in elements for span in _deletions(element)]
    replacements = [Replacement(use.start, use.stop, text) for used in uses for use in used if text]
    grows = sum(len(new) - stop + start for start, stop, new in (*deletions, *replacements)) > 0
    return tuple(deletions if grows else [*deletions, *replacements])


def _uses(gate: Gate, data: bytes, element: Node, names: dict[bytes, list[Node]]) -> list[Node]:
    """Return the uses of a parameter after its list, in the construct that the list belongs to."""
    around = brackets = element.parent
    end = brackets.stop if brackets else 0
    while around is not None and not (around.stop > end and gate.may_delete(data, around)):
        around = around.parent
    if around is None:
        return []
    text = _name_in(data, element)
    return [use for use in names.get(text, ()) if end <= use.start and use.stop <= around.stop]


def _name_in(data: bytes, parameter: Node) -> bytes:
    """Return a parameter's own name: the last identifier before its type or default value."""
    names: list[Node] = []
    for leaf in (node for node in parameter.walk() if not node.children):
        if leaf.kind in (":", "="):
            break
        if leaf.named:
            names.append(leaf)
    names = [leaf for leaf in names if leaf.kind == "identifier"] or names
    return data[names[-1].start : names[-1].stop] if names else b""


def _lists(name: Node) -> Iterator[Node]:
    """Yield the lists of a name: the nearest after it, or before it, with each kind of bracket."""
    kinds: set[str] = set()
    node, end = name, name.stop
    for _ in range(_MAX_LEVELS):
        after = node.sibling(1)
        if node.stop == end and _is_list(after) and after.children[0].kind not in kinds:
            kinds.add(after.children[0].kind)
            end = after.stop
            yield after
        if node.parent is None or _is_list(node.parent):
            return
        before = [each for each in node.parent.children[: node.index] if _is_list(each)]
        if before and before[0].children[0].kind == "<" and "<" not in kinds:
            yield before[0]
            return
        node = node.parent


def _is_list(node: Node | None) -> TypeGuard[Node]:
    ends = node.children if node else []
    return len(ends) > 2 and _CLOSING.get(ends[0].kind) == ends[-1].kind


def _elements(brackets: Node) -> list[Node]:
    return [node for node in brackets.children[1:-1] if not is_separator(node)]


def _deletions(element: Node) -> tuple[Replacement, ...]:
    """Return the deletion of an element with its separator, or with a list `<...>` of it alone."""
    around = element.parent
    assert around is not None
    if around.children[0].kind != "<" or len(_elements(around)) > 1:
        return (with_separator(element),)
    # A template without parameters is none: the word before the list goes too.
    word = around.sibling(-1)
    return (Replacement(word.start if word and not word.named else around.start, around.stop),)
