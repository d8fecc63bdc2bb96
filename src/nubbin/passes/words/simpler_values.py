"""Shorten values: numbers by their digits, expressions and names by plain values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

from nubbin.documents.edits import Edit, gain
from nubbin.documents.file import File
from nubbin.documents.outlines.outline import apart_from_words
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.spans import Replacement
from nubbin.passes.nodes.lists import is_list
from nubbin.passes.nodes.subtrees import Kinds, alike
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.passes.words.definition import occurrences
from nubbin.pattern import pattern

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
    file = yield propose(file, None, _values(file.data))
    found = _LONG.finditer(file.data)
    edits = [(Replacement(*each.span(), b"9" * (len(each[0]) - 1)),) for each in found]
    if edits:
        before = file
        file = yield propose(file, None, [tuple(span for edit in edits for span in edit)])
        if file == before and 1 < len(edits) <= _MAX_ALONE:
            yield propose(file, None, edits)


def fractions(file: File) -> Proposals[File]:
    """Propose to keep one digit after the point, of all numbers at once, then of halves."""
    yield from alike(file, _further_digits)


def _further_digits(data: bytes) -> Kinds:
    return {"digits": [Replacement(*each.span(1)) for each in _FRACTION.finditer(data)]}


def _values(data: bytes) -> Iterator[Edit]:
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
        edits = (edit for edit in _edits(gate, file.data, text) if gain(edit) > 0)
        file = yield propose(file, gate.structure, edits)


def _edits(gate: Gate, data: bytes, text: bytes) -> Iterator[Edit]:
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
