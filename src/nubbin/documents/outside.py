"""Views of a structure: outside of protected parts, or as whole lines only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import inf
from typing import Final

from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import NO_AREAS, Areas, Protected, Replacement
from nubbin.documents.splice import line_around
from nubbin.pattern import pattern


@dataclass(frozen=True)
class Outside:
    """A structure without the insides of nodes that lie in `protected` areas: a `Structure`.

    There may be a thousand times as many nodes in these parts as outside of them.
    """

    whole: Structure
    protected: Protected

    @property
    def language(self) -> str:
        return self.whole.language

    def parses(self, data: bytes) -> bool:
        return self.whole.parses(data)

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS
    ) -> list[Node]:
        return self.whole.nodes(data, depth, smallest, closed.joined(self.protected(data)))

    def functions(self, data: bytes, closed: Areas = NO_AREAS) -> list[Node]:
        return self.whole.functions(data, closed.joined(self.protected(data)))

    def allows_edit(self, data: bytes, spans: Sequence[Replacement]) -> bool:
        return self.whole.allows_edit(data, spans)


# -- whole lines: a result that reads as its author wrote it ---------------------------------

#: Nobody reads a longer line, so parts of it can be removed as well.
_MAX_READ_BYTES: Final = 160
#: What can come before a statement or an element on its line: also the comma after the element on
#: the line above.
_BEFORE: Final = b" \t\f,"
#: What can follow it: marks, and a comment.
_AFTER: Final = pattern(rb"[ \t\f,;]*(?:(?:#|//|/\*).*)?\r?$", re.MULTILINE)
#: The kind of a line before a definition that changes how the definition is called.
_DECORATOR: Final = "decorator"


def _read_lines(data: bytes) -> Areas:
    """Return the lines that are short enough to be read."""
    stops = list(accumulate(map(len, data.splitlines(keepends=True)), initial=0))
    return Areas.covering(line for line in pairwise(stops) if line[1] - line[0] <= _MAX_READ_BYTES)


@dataclass(frozen=True)
class WholeLines(Outside):
    """A structure in which only nodes that fill whole lines are named: a `Structure`.

    Passes remove named nodes: statements, definitions, and elements on lines of their own. A
    definition keeps its parameters and decorators, because without one of them it may fail by
    itself. The nodes inside of a single line are left out.
    """

    protected: Protected = _read_lines

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS
    ) -> list[Node]:
        own = dict[int, Node]()  # the nodes of the whole structure are shared
        for node in super().nodes(data, depth, smallest, closed):
            named, parent = node.named and _fills_lines(data, node), own.get(id(node.parent))
            own[id(node)] = replace(node, named=named, parent=parent)
        return [*own.values()]


def _fills_lines(data: bytes, node: Node) -> bool:
    """Tell whether a node fills whole lines, or lies in a line that nobody reads."""
    if any(each.kind == _DECORATOR for each in (node.parent.children if node.parent else [])):
        return False
    begin, end = line_around(data, (node.start, node.stop))
    if b"\n" not in data[node.start : node.stop] and end - begin > _MAX_READ_BYTES:
        return True
    return not data[begin : node.start].strip(_BEFORE) and _AFTER.match(data, node.stop) is not None
