"""Delete parts of a file by their weight, if most of the file has to stay."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.bodies import emptied_bodies
from nubbin.passes.nodes.subtrees import MAX_DEPTH, deletions
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose

#: Levels of fewer nodes are asked about as they are.
_MIN_NODES = 512
#: So many nodes at the end of a long level are a sample of it.
_SAMPLE = 64
#: Smaller parts, in bytes of the file, are left to the levels.
_SMALLEST_FRACTION = 1 / 4096


def heavy_parts(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete the last nodes of a long level; if most stay, all parts by weight.

    Uses stand there, after what they use, so that nothing else keeps them. If they have to stay,
    so has much of the level; each of its nodes costs a question, and a question is worth the most
    on what is heavy, wherever it stands. So there is a list for the parts over half of the largest,
    one for those over a quarter, and so on: the bodies of functions, which are emptied, then other
    nodes.
    """
    level = _first_long_level(gate.structure, file.data)
    if not level:
        return
    file = yield deletions(file, gate.structure, level[-_SAMPLE:])
    left = _named(gate.structure, file.data, level[0].depth)
    if len(left) <= len(level) - _SAMPLE // 2:
        return
    whole = largest = len(file.data)
    while largest > whole * _SMALLEST_FRACTION:
        bodies = emptied_bodies(file.data, gate)
        if edits := [each for each in bodies if _in(each, largest)]:
            file = yield propose(file, gate.structure, edits)
            bodies = emptied_bodies(file.data, gate)
        if nodes := list(_outermost(file.data, gate, largest, [body for (body,) in bodies])):
            file = yield deletions(file, gate.structure, nodes)
        largest //= 2


def _first_long_level(structure: Structure, data: bytes) -> list[Node]:
    """Return the first long level, if there are only a few nodes above it; else nothing."""
    above = 0
    for depth in range(1, MAX_DEPTH):
        level = _named(structure, data, depth)
        if len(level) >= _MIN_NODES:
            return level
        above += len(level)
        if not level or above > _SAMPLE:
            break
    return []


def _named(structure: Structure, data: bytes, depth: int) -> list[Node]:
    return [node for node in structure.nodes(data, depth) if node.depth == depth and node.named]


def _in(edit: Edit, largest: int) -> bool:
    return largest // 2 < edit[0].stop - edit[0].start <= largest


def _outermost(
    data: bytes, gate: Gate, largest: int, bodies: Sequence[Replacement]
) -> Iterator[Node]:
    """Yield the nodes of a weight that may be deleted, and none inside another of them.

    What is mostly a body is left out: the body is asked about in its own list, and if it has to
    stay, so has what holds it.
    """
    starts = [body.start for body in bodies]
    done = 0
    for node in gate.structure.nodes(data, smallest=largest // 2 + 1):
        if node.start < done or not largest // 2 < len(node) <= largest or node.parent is None:
            continue
        inside = bodies[bisect_left(starts, node.start) : bisect_left(starts, node.stop)]
        mostly_body = any(2 * (body.stop - body.start) > len(node) for body in inside)
        if node.named and not mostly_body and gate.may_delete(data, node):
            yield node
            done = node.stop
