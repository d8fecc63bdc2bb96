"""Replace nodes with a part, the shortest text of their kind or a plain value; shorten numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

from nubbin.documents.edits import Edit, File, gain
from nubbin.documents.outlines.lexis import lexed
from nubbin.documents.outlines.line_outline import column_of, dedented
from nubbin.documents.outlines.outline import apart_from_words, is_of_expressions
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.spans import Replacement, replaced
from nubbin.passes.nodes.lists import is_head, is_list
from nubbin.passes.nodes.subtrees import MAX_DEPTH, by_kind
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.passes.words.definition import occurrences
from nubbin.pattern import pattern

#: The most parts of a node that are tried as replacements.
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
        choices = [_parts_kept(gate, file.data, node, of_expressions) for node in level]
        before = file
        for choice in range(_MAX_CHOICES):
            if file == before:
                edits = (parts[choice] for parts in choices if choice < len(parts))
                file = yield propose(file, gate.structure, edits)
        if file == before:
            depth += 1


def _parts_kept(gate: Gate, data: bytes, node: Node, of_expressions: bool) -> list[Edit]:
    """Return the edits that leave one of the outer parts of a node, the largest part first."""
    found: list[tuple[int, Edit]] = []
    layer = [node]
    while layer and len(found) < _MAX_CHOICES:
        found += [
            (part.stop - part.start, edit)
            for whole in layer
            for kind, part in _parts(whole, node, of_expressions)
            if (edit := _leaving(gate, data, node, kind, part))
        ]
        layer = [child for whole in layer for child in whole.children]
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


# Not a part of a name, a fraction, a date, a time or a path.
_ALONE = rb"(?<![\w.:/])(?<!\d-)%b(?![\w.:/]|-\d)"
_OPERATION = pattern(_ALONE % rb"(\d+)[ \t]*([-+*])[ \t]*(\d+)")
_VALUE_OF: dict[bytes, Callable[[int, int], int]] = {
    b"+": operator.add,
    b"-": operator.sub,
    b"*": operator.mul,
}
#: Longer integers are not amounts, and take quadratic time in Python.
_MAX_DIGITS = 40
_LONG = pattern(_ALONE % rb"[1-9]\d{1,%d}" % (_MAX_DIGITS - 1))
#: The digits after a point, without the first, are rarely needed exactly.
_FRACTION = pattern(rb"(?<![\w.])\d+\.\d(\d{2,})(?![\w.])")
#: Only so few integers are tried one by one: each costs a query for a byte.
_MAX_ALONE = 4


def numbers(file: File) -> Proposals[File]:
    """Propose the value for each `10+10`; then, for each integer, the largest with a digit less.

    If an amount must be at least 73, no digit of 100 can be removed, but 99 is enough. All integers
    are first tried in one query; if that fails and they are few, each is tried.
    """
    file = yield propose(file, None, _computed(file.data))
    found = _LONG.finditer(file.data)
    edits = [(Replacement(*each.span(), b"9" * (len(each[0]) - 1)),) for each in found]
    if edits:
        before = file
        file = yield propose(file, None, [tuple(span for edit in edits for span in edit)])
        if file == before and 1 < len(edits) <= _MAX_ALONE:
            yield propose(file, None, edits)


def fractions(file: File) -> Proposals[File]:
    """Propose to keep one digit after the point, of all numbers at once, then of halves."""
    yield from by_kind(
        file, lambda data: {"": [Replacement(*each.span(1)) for each in _FRACTION.finditer(data)]}
    )


def _computed(data: bytes) -> Iterator[Edit]:
    for each in _OPERATION.finditer(data):
        if max(map(len, each.group(1, 3))) <= _MAX_DIGITS:
            value = _VALUE_OF[each[2]](int(each[1]), int(each[3]))
            text = b"%d" % value
            if value >= 0 and len(text) < len(each[0]):
                yield (Replacement(*each.span(), text),)


#: The replacement of types in declarations; most languages have it.
_TYPE = b"Bool"
#: The replacements of other expressions, and of names.
_VALUES = (b"true", b"0", b'""')


def plain_values(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace types in declarations with a plain type, then expressions with values.

    Equal expressions are replaced together. A declared name is replaced with a value where it is
    used, and its declaration is deleted. Each value is a list of its own. For texts of expressions
    in parentheses, such as `(f x (g y))`.
    """
    for text in (_TYPE, *_VALUES):
        edits = (edit for edit in _with_plain_text(gate, file.data, text) if gain(edit) > 0)
        file = yield propose(file, gate.structure, edits)


def _with_plain_text(gate: Gate, data: bytes, text: bytes) -> Iterator[Edit]:
    declared = dict[bytes, tuple[Node, list[Node]]]()
    for name, (first, *uses) in occurrences(gate.structure, data).items():
        command = _command(first)
        if first.index == 2 and first.parent is command and uses and uses[-1].start > command.stop:
            declared[name] = command, uses
    commands = {id(command) for command, _ in declared.values()}
    copies: dict[bytes, list[Node]] = {}
    for node in gate.structure.nodes(data):
        is_declared = id(command := _command(node)) in commands
        if is_list(node) and node is not command and is_declared == (text == _TYPE):
            copies.setdefault(data[node.start : node.stop], []).append(node)
    for nodes in copies.values():
        yield tuple(_written(data, node, text) for node in nodes)
    for command, uses in declared.values() if text != _TYPE else ():
        gone = Replacement(command.start, command.stop)
        yield (gone, *(_written(data, use, text) for use in uses))


def _command(node: Node) -> Node:
    """Return the outermost brackets around a node, or the node if there are none."""
    return [node, *filter(is_list, node.outward())][-1]


def _written(data: bytes, node: Node, text: bytes) -> Replacement:
    return Replacement(node.start, node.stop, apart_from_words(data, node, text))
