"""Gate: which deletions and replacements the grammar allows, as far as its parse tables tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nubbin.documents.parse import Parse
from nubbin.documents.tables import Tables, tables
from nubbin.documents.tree import NO_STATE, Mask, Tree

# What goes on from another state for so many siblings will go on.
_SIBLINGS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """Predictions about edits of one tree; none costs a parse.

    Where a node is gone, its successor meets the parser in the state before the node: the
    tables say whether it is taken in there, and the next few after it, until the state is the
    one it was with the node. A prediction can be wrong both ways: what is below the top of the
    parser's stack is not looked at, nor what layout does to tokens. So it says what to try
    first, and a re-parse (`new_errors`) is the second gate. Where a state is unknown, because
    of errors or of several readings at once, everything is allowed.
    """

    tree: Tree
    tables: Tables

    @classmethod
    def of(cls, tree: Tree) -> Gate:
        """Return the gate of a tree."""
        return cls(tree, tables(tree.table))

    def deletable(self) -> Mask:
        """Return which nodes can go alone, shape (nodes,): some two microseconds a node."""
        return np.array([node > 0 and self.can_go(node) for node in range(len(self.tree))])

    def can_go(self, first: int, last: int | None = None) -> bool:
        """Tell whether a node, or all siblings from `first` to `last`, can be deleted."""
        tree, last = self.tree, first if last is None else last
        if first == last and tree.extra[first]:
            return True
        return self._goes_on(int(tree.states[first]), int(tree.ends[last]), first)

    def with_separator(self, node: int) -> tuple[int, int] | None:
        """Return the siblings, first and last, that can go so that a node does; None: cannot.

        That is the node alone, or with the sign or word after it, or with the one before it.
        """
        if self.can_go(node):
            return node, node
        after, before = int(self.tree.ends[node]), self._previous(node)
        if self._separates(after, node) and self.can_go(node, after):
            return node, after
        if self._separates(before, node) and self.can_go(before, node):
            return before, node
        return None

    def can_stand(self, part: int, whole: int) -> bool:
        """Tell whether a text like that of node `part` can stand where node `whole` is."""
        tree, found = self.tree, self.tables
        state = int(tree.states[whole])
        one, other = int(tree.symbols[part]), int(tree.symbols[whole])
        if one == other or state == NO_STATE:
            return True
        after = found.next(state, one)
        if not after or after == found.next(state, other):
            return bool(after)
        return self._goes_on(after, int(tree.ends[whole]), whole)

    # -- looking at the tables -----------------------------------------------------------

    def _goes_on(self, state: int, node: int, sibling: int) -> bool:
        """Tell whether a parser in a state takes in `node`, or what follows the last sibling."""
        tree, found = self.tree, self.tables
        end = int(tree.ends[tree.parents[sibling]])
        for _ in range(_SIBLINGS):
            while node < end and tree.extra[node]:
                node = int(tree.ends[node])
            if node >= end:
                break
            old = int(tree.states[node])
            if NO_STATE in (old, state) or old == state:
                return True
            symbol = int(tree.symbols[node])
            after = found.next(state, symbol)
            if not after:
                # It may first have to finish something: then its first token is expected.
                return self._first_token(node) in found.expected(state)
            if after == found.next(old, symbol):
                return True
            state, node = after, int(tree.ends[node])
        else:
            return True
        return self._first_token(end) in found.expected(state) or found.expects_unseen(state)

    def _first_token(self, node: int) -> int:
        """Return the symbol of the first token from a node on; 0 is the end of the text."""
        tree = self.tree
        while node < len(tree) and (tree.extra[node] or tree.ends[node] > node + 1):
            node = int(tree.ends[node]) if tree.extra[node] else node + 1
        return int(tree.symbols[node]) if node < len(tree) else 0

    def _previous(self, node: int) -> int:
        """Return the sibling before a node, or -1."""
        siblings = self.tree.children(int(self.tree.parents[node]))
        at = int(np.searchsorted(siblings, node))
        return int(siblings[at - 1]) if at else -1

    def _separates(self, mark: int, node: int) -> bool:
        tree = self.tree
        inside = 0 <= mark < len(tree) and tree.parents[mark] == tree.parents[node]
        return bool(inside and tree.is_leaf[mark] and not tree.named[mark])


def new_errors(old: Parse, new: Parse | None) -> bool:
    """Tell whether a candidate's parse has more errors than its document's: the second gate.

    A candidate that the parser gave up on (None) counts as one with errors.
    """
    return new is None or (new.has_errors and new.errors > old.errors)
