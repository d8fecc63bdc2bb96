"""Syntax trees: the nodes that a grammar finds in the bytes of a document."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from nubbin.documents.parsing.node_rows import NO_ROWS, Rows
from nubbin.documents.parsing.trees import Tree, tree_of
from nubbin.documents.recent import Recent
from nubbin.documents.spans import NO_AREAS, Areas, Replacement
from nubbin.documents.splice import BLANKS, LINE_ENDS, Offsets
from nubbin.pattern import pattern

Column = npt.NDArray[np.int32]


@contextmanager
def no_collection() -> Iterator[None]:
    """Turn the garbage collector off in the block, which makes many objects, as nodes of a tree.

    Otherwise it looks at all of them again and again while their number grows: half of the time of
    reading brackets, and two thirds of that of making a tree.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


#: The trees of the documents parsed last are kept, up to this size of the documents in all, and so
#: are the nodes of fewer of them: 35 to 60 bytes for each byte of a document, and some 200.
_MAX_BYTES_WITH_TREES = 1 << 20
MAX_BYTES_WITH_NODES = 1 << 18
#: Of a larger document, the nodes that were asked for last are kept, unless they are more: one pass
#: after the other asks for those of the top level.
_MAX_NODES_KEPT = 1 << 16

#: If more of the bytes are part of no construct, a text may be in another language: up to 0.025 in
#: those of the right one, 0.05 to 1 in Prolog as Perl, 0.1 in Forth as F#.
_MAX_STRAY_FRACTION = 0.03
#: If a tree shows fewer of the words, the text may as well be read as lines: 0.8 to 1 in programs,
#: 0.4 in a template of HTML, 0.2 in prose, 0 in a list of packages as YAML.
_MIN_SHOWN_FRACTION = 0.5

_IS_IN_WORD = bytes(byte not in BLANKS + LINE_ENDS for byte in range(256))
#: Leaves of these kinds are long in programs too.
_QUOTED = pattern("comment|string|pod")


class Leaves(NamedTuple):
    """The nodes without children: three columns, and what the numbers in the last one mean."""

    starts: Column
    stops: Column
    kinds: Column
    names: Sequence[str]


@dataclass(eq=False, slots=True)
class Node:
    """A node of a syntax tree: bytes `start` to `stop` - 1, of a kind that the grammar names.

    `named` is False for keywords and marks, which stand in the grammar as they are. A new node is
    the last child of its parent. Nodes know their neighbours, and compare by identity.
    """

    start: int
    stop: int
    kind: str
    named: bool
    parent: Node | None = field(repr=False)
    role: str | None = None  # the grammar's field in the parent: "body", "condition", ...
    depth: int = field(init=False, default=0)
    index: int = field(init=False, default=0)  # among the parent's children
    children: list[Node] = field(init=False, default_factory=list, repr=False)

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.depth, self.index = self.parent.depth + 1, len(self.parent.children)
            self.parent.children.append(self)

    def sibling(self, step: int) -> Node | None:
        """Return the sibling that is `step` children further on; None if there is none."""
        if self.parent is None or not 0 <= self.index + step < len(self.parent.children):
            return None
        return self.parent.children[self.index + step]

    def walk(self) -> Iterator[Node]:
        """Yield the node and all that is inside it, in the order of the text, parents first."""
        below = [self]
        while below:
            node = below.pop()
            yield node
            below += reversed(node.children)

    def outward(self) -> Iterator[Node]:
        """Yield the node and all that it is inside of, the smallest first."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def __len__(self) -> int:
        return self.stop - self.start


class Syntax:
    """Parses the documents of one language. Costs no query.

    A document has no nodes and no errors if it is too long to parse, takes too long, or has a tree
    that is too deep. Of a tree that is too large, it has the nodes near the root. The trees of the
    last documents are kept: passes ask many questions about one document and its edits, and look
    ahead to documents that may come of it.
    """

    def __init__(self, language: str):
        self.language = language
        self._parsed = Recent[Tree | None](_MAX_BYTES_WITH_TREES)
        self._listed = Recent[list[Node]](MAX_BYTES_WITH_NODES)
        # The last arguments, and the answer.
        self._last: tuple[object, list[Node]] = None, []

    def tree(self, data: bytes) -> Tree | None:
        """Return the tree of a document, complete or not; None if it has none."""
        return self._parsed.of(data, lambda data: tree_of(data, self.language))

    def parses(self, data: bytes) -> bool:
        """Tell whether a document has a tree that passes can use."""
        parsed = self.tree(data)
        return parsed is not None and parsed.is_complete

    def is_reliable(self, data: bytes) -> bool:
        """Tell whether a document has a tree, and seems to be in this language."""
        parsed = self.tree(data)
        return parsed is not None and parsed.is_reliable

    def is_doubtful(self, data: bytes) -> bool:
        """Tell whether a tree leaves much of a text, or of its words, without a node. Linear."""
        parsed = self.tree(data)
        if parsed is None or parsed.facts.stray_bytes > _MAX_STRAY_FRACTION * len(data):
            return True
        is_in_word = np.frombuffer(data.translate(_IS_IN_WORD), dtype=np.int8)
        words = (np.diff(is_in_word, prepend=0) > 0).nonzero()[0]
        return _shown(self.leaves(data), words) < _MIN_SHOWN_FRACTION * len(words)

    def allows_edit(self, data: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced has at most the errors it had.

        Areas that stay as they are are not parsed again, and the answer depends on the arguments
        alone. Edits on which the parser gives up are allowed.
        """
        before = self.tree(data)
        return before is None or before.allows_edit(spans)

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS
    ) -> list[Node]:
        """Return the nodes, without empty ones, or none if they are too many: see `Structure`.

        Linear in their number.
        """
        asked = data, depth, smallest, closed
        if asked == (data, inf, 0, NO_AREAS):
            return self._listed.of(data, self._nodes)
        last, found = self._last
        if asked != last:
            self._last = None, (found := [])  # before the next are made, which may be as many
            found = self._nodes(*asked)
            if len(found) <= _MAX_NODES_KEPT:
                self._last = asked, found
        return found

    def functions(self, data: bytes, closed: Areas = NO_AREAS) -> list[Node]:
        """Return the functions, and their children: see `Structure`."""
        parsed = self.tree(data)
        return [] if parsed is None else _nodes(parsed.functions(closed))

    def leaves(self, data: bytes) -> Leaves:
        """Return the nodes of a tree that have no children, without an object for each; linear."""
        parsed = self.tree(data)
        rows = NO_ROWS if parsed is None else parsed.rows()
        starts, stops, depths, kinds = np.frombuffer(rows.numbers, dtype=np.int32).reshape(-1, 4).T
        is_leaf = np.diff(depths, append=0) <= 0
        names = [kind for kind, _, _ in rows.kinds]
        return Leaves(starts[is_leaf], stops[is_leaf], kinds[is_leaf], names)

    def _nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS
    ) -> list[Node]:
        parsed = self.tree(data)
        return [] if parsed is None else _nodes(parsed.rows(depth, smallest, closed))


def _shown(leaves: Leaves, words: Offsets) -> int:
    """Return how many words, given by their starts, have a leaf that begins in them.

    All words of a comment and of a string count as shown.
    """
    quoted = np.array([bool(_QUOTED.search(name)) for name in leaves.names], dtype=np.bool_)
    ends = np.where(quoted[leaves.kinds], leaves.stops, leaves.starts + 1)
    first = np.searchsorted(words, leaves.starts, "right")
    after = np.maximum(first, np.searchsorted(words, ends)) + 1
    change = np.zeros(len(words) + 2, dtype=np.int64)
    np.add.at(change, first, 1)
    np.add.at(change, after, -1)
    return int(np.count_nonzero(np.cumsum(change)[1:]))


@no_collection()
def _nodes(rows: Rows) -> list[Node]:
    nodes: list[Node] = []
    above: list[Node] = []
    numbers = iter(rows.numbers)
    for start, stop, depth, kind in zip(numbers, numbers, numbers, numbers, strict=True):
        del above[depth:]
        what, named, role = rows.kinds[kind]
        node = Node(start, stop, what, named, above[-1] if above else None, role)
        nodes.append(node)
        above.append(node)
    return nodes


class Structure(Protocol):
    """Reads documents as trees: a `Syntax` by a grammar, an `Outline` by brackets and lines."""

    @property
    def language(self) -> str:
        """The language of the grammar; empty if there is none."""
        ...

    def parses(self, data: bytes) -> bool:
        """Tell whether a document has a tree that passes can use."""
        ...

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS
    ) -> list[Node]:
        """Return the nodes of a tree, parents first, down to a depth; the root has depth 0.

        Nodes inside nodes of fewer than `smallest` bytes may be left out. Those inside nodes that
        lie in one of the `closed` parts are.
        """
        ...

    def functions(self, data: bytes, closed: Areas = NO_AREAS) -> list[Node]:
        """Return the nodes that have a body after parameters, and their children, without parents.

        Those in one of the `closed` parts are left out.
        """
        ...

    def allows_edit(self, data: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced is as well formed as it was."""
        ...
