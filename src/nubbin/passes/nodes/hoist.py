"""Replace a node with a part of it, or with the shortest text of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.outlines.indents import column_of, dedented
from nubbin.documents.outlines.lexis import lexed
from nubbin.documents.outlines.outline import apart_from_words, is_of_expressions
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.spans import Replacement, replaced
from nubbin.passes.nodes.lists import is_head
from nubbin.passes.nodes.subtrees import MAX_DEPTH
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.pattern import pattern

#: So many parts of a node are tried as replacements.
_MAX_CHOICES = 6
#: In texts of expressions, the outermost ones are commands, and parts of commands rarely are.
_MAX_CHOICES_OF_COMMANDS = 1


def hoist(file: File, gate: Gate, *, of_expressions: bool = False) -> Proposals[File]:
    """Propose to replace a node with one of its descendants, level by level.

    The contents of a descendant between its first and last child, such as brackets, are another
    possible part. An edit deletes what is around the part in the node, so that edits of a node and
    of nodes in it can be applied together. For each node, the pass tries a few of the parts that
    the grammar allows as replacements, the largest first: the first of each node in one list, then
    the second, and so on. Lines are dedented if the grammar allows it. In a text `of_expressions`,
    such as `(f x (g y))`, the part is an argument: not a head, and not the contents of brackets.

    A level is proposed again as long as it shrinks.
    """
    depth = 1 if of_expressions else 0
    while depth < MAX_DEPTH:
        nodes = gate.structure.nodes(file.data)
        level = [node for node in nodes if node.depth == depth and node.named]
        if not level:
            return
        choices = [_choices(gate, file.data, node, of_expressions) for node in level]
        before = file
        for choice in range(_MAX_CHOICES):
            if file == before:
                edits = (parts[choice] for parts in choices if choice < len(parts))
                file = yield propose(file, gate.structure, edits)
        if file == before:
            depth += 1


def _choices(gate: Gate, data: bytes, node: Node, of_expressions: bool) -> list[Edit]:
    """Return the edits that leave one of the outer parts of a node, the largest part first."""
    found: list[tuple[int, Edit]] = []
    layer = [node]
    while layer and len(found) < _MAX_CHOICES:
        below: list[Node] = []
        for whole in layer:
            fitting = [
                (part.stop - part.start, edit)
                for kind, part in _parts(whole, node, of_expressions)
                if (edit := _leaving(gate, data, node, kind, part))
            ]
            found += fitting
            below += whole.children
        layer = below
    is_command = of_expressions and node.depth == 1
    limit = _MAX_CHOICES_OF_COMMANDS if is_command else _MAX_CHOICES
    return [edit for _, edit in sorted(found, key=lambda each: -each[0])][:limit]


def _leaving(gate: Gate, data: bytes, node: Node, kind: str, part: Replacement) -> Edit | None:
    """Return the edit that leaves a part of a node, or None if the grammar does not allow it."""
    around = Replacement(node.start, part.start), Replacement(part.stop, node.stop)
    dedents = dedented(data, part, column_of(data, node.start))
    if dedents:
        text = replaced(data, part, dedents)
        if gate.may_replace(data, node, f"{kind} dedented", text):
            return (*around, *dedents)
    text = data[part.start : part.stop]
    if not gate.may_replace(data, node, kind, text):
        return None
    if kind == "word":
        return (Replacement(node.start, node.stop, apart_from_words(data, node, text)),)
    return around


def _parts(whole: Node, within: Node, of_expressions: bool) -> Iterator[tuple[str, Replacement]]:
    """Yield the spans of a node and of its contents, if they are smaller than `within`.

    In a text of expressions, yields only nodes that are not heads.
    """
    if whole.named and len(whole) < len(within) and not (of_expressions and is_head(whole)):
        yield whole.kind, Replacement(whole.start, whole.stop)
    inside = whole.children[1:-1]
    if len(inside) > 1 and not of_expressions:
        yield f"in {whole.kind}", Replacement(inside[0].start, inside[-1].stop)


def brackets(file: File, gate: Gate | None = None) -> Proposals[File]:
    """Propose to delete each pair of brackets and keep what is between them.

    Without a gate, proposes nothing in a text of expressions, which hoisting reduces.
    """
    if gate is None and is_of_expressions(file.data):
        return
    edits = (
        (Replacement(start, start + 1), Replacement(stop, stop + 1))
        for start, stop in lexed(file.data).partners.items()
        if start < stop
    )
    yield propose(file, gate.structure if gate else None, edits)


#: Texts that many grammars accept as an expression, a block, a statement, a string or a list.
SHORT_TEXTS = (b"0", b"a", b";", b"{}", b"()", b"[]", b'""', b"''", b"pass")


def minimal_replacements(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace nodes, level by level, with the shortest text that the grammar allows.

    That is the shortest text of the same kind in the file. If the node already is that text, it is
    one of a few texts that are empty or nearly so in many languages.
    """
    for depth in range(1, MAX_DEPTH):
        data = file.data
        nodes = [node for node in gate.structure.nodes(data) if node.named]
        if not any(node.depth >= depth for node in nodes):
            return
        shortest: dict[str, bytes] = {}
        for node in sorted(nodes, key=len, reverse=True):
            shortest[node.kind] = data[node.start : node.stop]
        edits = (
            (Replacement(node.start, node.stop, text),)
            for node in nodes
            if node.depth == depth
            if (text := _shorter(gate, data, node, shortest[node.kind])) is not None
        )
        file = yield propose(file, gate.structure, edits)


def _shorter(gate: Gate, data: bytes, node: Node, of_its_kind: bytes) -> bytes | None:
    """Return the shortest text that the grammar allows as a replacement; None if there is none."""
    if len(of_its_kind) < len(node):
        return of_its_kind
    return gate.shorter(data, node, SHORT_TEXTS)


_EMPTY = pattern(rb"<([^\s<>/&'\"=!?]+)(?:\s[^<>]*)?(></\1\s*>)")


def empty_elements(file: File, gate: Gate) -> Proposals[File]:
    """Propose `<a/>` for each `<a></a>`, in XML, HTML and the languages that contain them."""
    edits = ((Replacement(*each.span(2), b"/>"),) for each in _EMPTY.finditer(file.data))
    yield propose(file, gate.structure, edits)
