"""Tree: a syntax tree as columns of numbers, one row a node, in preorder."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import tree_sitter

from nubbin.documents.parse import Parse, parse
from nubbin.documents.spans import Span

Column = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

#: The kind of a node that holds what the parser could not place.
ERROR = 0xFFFF
#: The state of a node whose neighbourhood the parser read in several ways at once: unknown.
NO_STATE = 0xFFFF

_EXTRA, _MISSING = 1, 2


@dataclass(frozen=True, eq=False)
class Tree:
    """The syntax tree of `parsed.data`: node 0 is the root, and a parent precedes its children.

    Node i spans the bytes starts[i]..stops[i]; it and its descendants are the nodes
    i..ends[i]-1. `kinds` are the symbols a reader sees (`node_kind_for_id`), `symbols` those of
    the grammar's rules, which the parse tables know; they differ where a rule names an alias.
    `states` are the parser's states before each node. `fields` are the names of the nodes in
    their parents, 0 for none. `parents[0]` is -1. Every column has shape (nodes,).
    """

    parsed: Parse
    starts: Column
    stops: Column
    kinds: Column
    symbols: Column
    parents: Column
    ends: Column
    depths: Column
    fields: Column
    states: Column
    extra: Mask
    missing: Mask

    def __len__(self) -> int:
        return self.starts.size

    @property
    def data(self) -> bytes:
        """The document."""
        return self.parsed.data

    @property
    def table(self) -> tree_sitter.Language:
        """The grammar's parse tables."""
        return self.parsed.raw.language

    def text(self, node: int) -> bytes:
        """Return the bytes of a node."""
        return self.data[self.starts[node] : self.stops[node]]

    def kind(self, node: int) -> str:
        """Return the name of a node's kind."""
        return self.table.node_kind_for_id(int(self.kinds[node])) or "ERROR"

    def field(self, node: int) -> str | None:
        """Return the name a node has in its parent."""
        return self.table.field_name_for_id(int(self.fields[node])) if self.fields[node] else None

    # -- masks over the nodes ----------------------------------------------------------

    @cached_property
    def named(self) -> Mask:
        """Which nodes the grammar names; the others are its literal words and signs."""
        known = [self.table.node_kind_is_named(kind) for kind in range(self.table.node_kind_count)]
        return self.of_kinds(known, unknown=True)

    @cached_property
    def wrong(self) -> Mask:
        """Which nodes are ERROR or MISSING."""
        wrong: Mask = (self.kinds == ERROR) | self.missing
        return wrong

    @cached_property
    def is_leaf(self) -> Mask:
        """Which nodes have no children: the tokens."""
        leaves: Mask = self.ends == np.arange(1, len(self) + 1)
        return leaves

    def of_kinds(self, chosen: list[bool], unknown: bool = False) -> Mask:
        """Return which nodes are of the chosen kinds, one truth a kind; `unknown` is ERROR's."""
        lookup = np.full(ERROR + 1, unknown)
        lookup[: len(chosen)] = chosen
        return lookup[self.kinds]

    # -- the family of a node ----------------------------------------------------------

    def children(self, node: int) -> Column:
        """Return the children of a node, in order."""
        first, order = self._family
        return order[first[node] : first[node + 1]]

    @cached_property
    def _family(self) -> tuple[Column, Column]:
        """All nodes but the root, by parent, and where each parent's begin."""
        order = np.argsort(self.parents[1:], kind="stable").astype(np.int32) + 1
        counts = np.bincount(self.parents[1:], minlength=len(self))
        first = np.zeros(len(self) + 1, dtype=np.int32)
        np.cumsum(counts, out=first[1:])
        return first, order

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield the parent of a node, its parent, and so on up to the root."""
        while (node := int(self.parents[node])) >= 0:
            yield node

    def descendants(self, node: int) -> range:
        """Return the nodes below a node, in preorder."""
        return range(node + 1, int(self.ends[node]))

    def following(self, node: int) -> int:
        """Return the node after a node's subtree in preorder, or -1: there its successor begins."""
        after = int(self.ends[node])
        return after if after < len(self) else -1

    def edited(self, data: bytes, spans: list[Span]) -> Tree | None:
        """Return the tree of `data`, which is this document with the spans replaced.

        See `Parse.edited`: ask that for the errors alone, it is far cheaper than the columns.
        """
        parsed = self.parsed.edited(data, spans)
        return None if parsed is None else tree_of(parsed)


def grow(data: bytes, language: str | None) -> Tree | None:
    """Return the syntax tree of a document, or None where it has to do without (see `parse`)."""
    parsed = parse(data, language)
    return None if parsed is None else tree_of(parsed)


def tree_of(parsed: Parse) -> Tree:
    """Return the columns of a parse, by one walk of a cursor: a stack, so any depth will do."""
    starts, stops = array("i"), array("i")
    kinds, symbols, states, fields = array("H"), array("H"), array("H"), array("H")
    parents, depths, flags = array("i"), array("i"), array("B")
    add_start, add_stop, add_kind = starts.append, stops.append, kinds.append
    add_symbol, add_state, add_field = symbols.append, states.append, fields.append
    add_parent, add_depth, add_flag = parents.append, depths.append, flags.append
    cursor = parsed.raw.walk()
    down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    above: list[int] = []
    ends = array("i")
    parent, depth, index = -1, 0, -1
    while depth >= 0:
        node = cursor.node
        assert node is not None, "a cursor that has not left the tree stands on a node"
        index += 1
        start, stop = node.start_byte, node.end_byte
        add_start(start)
        add_stop(stop)
        add_kind(node.kind_id)
        add_symbol(node.grammar_id)
        add_state(node.parse_state)
        add_field(cursor.field_id or 0)
        add_parent(parent)
        add_depth(depth)
        # What is missing has no bytes, so most nodes need not be asked.
        add_flag(node.is_extra | (start == stop and node.is_missing) << 1)
        ends.append(index + 1)
        if down():
            above.append(parent)
            parent, depth = index, depth + 1
            continue
        while not along():
            if not up():
                depth = -1
                break
            ends[parent] = index + 1
            parent, depth = above.pop(), depth - 1
    marks = np.frombuffer(flags, dtype=np.uint8)
    return Tree(
        parsed=parsed,
        starts=_column(starts),
        stops=_column(stops),
        kinds=_column(kinds),
        symbols=_column(symbols),
        parents=_column(parents),
        ends=_column(ends),
        depths=_column(depths),
        fields=_column(fields),
        states=_column(states),
        extra=(marks & _EXTRA).astype(np.bool_),
        missing=(marks & _MISSING).astype(np.bool_),
    )


def _column(values: array[int]) -> Column:
    column = np.frombuffer(values, dtype=values.typecode).astype(np.int32, copy=False)
    column.flags.writeable = False
    return column
