"""Replace expressions in parentheses, and declared names, with plain values."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.documents.edits import Edit, gain
from nubbin.documents.file import File
from nubbin.documents.outlines.outline import apart_from_words
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.lists import is_list
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, try_edits
from nubbin.passes.words.names import occurrences

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
        file = yield from try_edits(file, gate.structure, edits)


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
