"""What a structure shows of a text of which only whole lines may go."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import Final

from nubbin.documents.narrowed import Narrowed
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.parts import Parts
from nubbin.pattern import pattern

#: Nobody reads a longer line: parts of it may go as well.
_MAX_READ_BYTES: Final = 160
#: What may stand before a statement or an element of a list: also the comma between it and the
#: element on the line above.
_BEFORE: Final = b" \t\f,"
#: What may stand behind it: marks, and a comment.
_AFTER: Final = pattern(rb"[ \t\f,;]*(?:(?:#|//|/\*).*)?\r?$", re.MULTILINE)
#: A line before a definition on which depends how it is called.
_DECORATOR: Final = "decorator"


@dataclass(frozen=True, slots=True)
class WholeLines(Narrowed):
    """A structure in which all nodes but those of whole lines are as marks are: a `Structure`.

    So statements go, definitions, and elements on lines of their own, and what is left of a text is
    as its author wrote it. A definition keeps its parameters and decorators, because without one of
    them it may fail by itself. Of what stands within one line, nothing is shown.
    """

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Parts | None = None
    ) -> list[Node]:
        """Return the nodes of a tree; those that are no whole lines are not named."""
        own = dict[int, Node]()  # the others are shared
        for node in self.whole.nodes(data, depth, smallest, _with_lines(data, closed)):
            parent = own.get(id(node.parent))
            siblings = parent.children if parent is not None else []
            own[id(node)] = replace(
                node,
                named=node.named and _may_go(data, node),
                parent=parent,
                index=len(siblings),
                children=[],
            )
            siblings.append(own[id(node)])
        return [*own.values()]

    def functions(self, data: bytes, closed: Parts | None = None) -> list[Node]:
        """Return the functions outside of single lines: see `Structure`."""
        return self.whole.functions(data, _with_lines(data, closed))


def _with_lines(data: bytes, closed: Parts | None) -> Parts:
    """Return where lines are that a person reads, and parts that are closed; in order, disjoint."""
    stop = 0
    lines = []
    for line in data.splitlines(keepends=True):
        stop += len(line)
        if len(line) <= _MAX_READ_BYTES:
            lines.append((stop - len(line), stop))
    return Parts.covering(chain(lines, zip(*closed, strict=True) if closed else ()))


def _may_go(data: bytes, node: Node) -> bool:
    """Tell whether a node is whole lines, or lies in a line that nobody reads."""
    if any(each.kind == _DECORATOR for each in (node.parent.children if node.parent else [])):
        return False
    begin = data.rfind(b"\n", 0, node.start) + 1
    end = data.find(b"\n", node.stop)
    end = len(data) if end < 0 else end
    if b"\n" not in data[node.start : node.stop] and end - begin > _MAX_READ_BYTES:
        return True
    return not data[begin : node.start].strip(_BEFORE) and _AFTER.match(data, node.stop) is not None
