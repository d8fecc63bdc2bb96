"""Tokens: a document cut, without a gap, into the smallest pieces that mean something."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nubbin.documents import lexicon
from nubbin.documents.lexicon import COMMENT, NUMBER, SIGN, SPACE, STRING, WORD
from nubbin.documents.tree import Tree

Offsets = npt.NDArray[np.int32]
Classes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of `data`: token i is the bytes bounds[i]..bounds[i+1]-1, and none is empty.

    `bounds` has shape (tokens + 1,), from 0 to the length of the data, so the tokens joined are
    the data exactly; white space and comments are tokens as well. `classes`, of shape (tokens,),
    says what each is: SPACE, COMMENT, STRING, NUMBER, WORD or SIGN (see `lexicon`).
    """

    data: bytes
    bounds: Offsets
    classes: Classes

    def __len__(self) -> int:
        return self.classes.size

    @property
    def starts(self) -> Offsets:
        """Where each token begins."""
        return self.bounds[:-1]

    @property
    def stops(self) -> Offsets:
        """Where each token ends."""
        return self.bounds[1:]

    def text(self, token: int) -> bytes:
        """Return the bytes of a token."""
        return self.data[self.bounds[token] : self.bounds[token + 1]]

    def where(self, *classes: int) -> npt.NDArray[np.intp]:
        """Return the tokens of these classes, in order."""
        return np.flatnonzero(np.isin(self.classes, classes))

    @property
    def meaningful(self) -> npt.NDArray[np.intp]:
        """The tokens that are neither white space nor comment, in order."""
        return np.flatnonzero(self.classes > COMMENT)


def scan(data: bytes, language: str | None = None) -> Tokens:
    """Cut any bytes into tokens by the look of them: linear in their number, no tree needed."""
    bounds, classes = array("i", [0]), array("B")
    add_bound, add_class = bounds.append, classes.append
    for match in lexicon.lexicon(language).finditer(data):
        add_bound(match.end())
        add_class(match.lastindex or SIGN)
    return Tokens(
        data, np.frombuffer(bounds, dtype=np.int32), np.frombuffer(classes, dtype=np.uint8)
    )


def tokens_of(tree: Tree) -> Tokens:
    """Cut a document into the leaves of its tree, and what lies between leaves.

    A string that the tree divides only into quotes and contents stays whole. A leaf, or a gap,
    of several words (a paragraph, character data) is cut further by the look of them, but
    strings and comments are not: their insides are nobody's tokens.
    """
    leaves = tree.is_leaf & (tree.stops > tree.starts)
    looks = scan(tree.data, tree.parsed.language)
    ends = (tree.starts[leaves], tree.stops[leaves], [0, len(tree.data)])
    cuts = np.unique(np.concatenate(ends))
    cuts = cuts[~_inside_strings(tree, looks, cuts)]
    # A cut by look counts only inside a piece that holds white space and something else.
    piece = np.searchsorted(cuts, looks.bounds, side="right") - 1
    holds_space = np.zeros(cuts.size, dtype=np.bool_)
    holds_space[piece[:-1][looks.classes == SPACE]] = True
    bounds = np.union1d(cuts, looks.bounds[holds_space[piece]]).astype(np.int32)
    classes = looks.classes[np.searchsorted(looks.bounds, bounds[:-1], side="right") - 1]
    names = [tree.table.node_kind_for_id(kind) or "" for kind in range(tree.table.node_kind_count)]
    comments = leaves & tree.of_kinds(["comment" in name for name in names])
    is_comment = _covered(bounds[:-1], tree.starts[comments], tree.stops[comments])
    return Tokens(tree.data, bounds, np.where(is_comment, np.uint8(COMMENT), classes))


def _inside_strings(tree: Tree, looks: Tokens, cuts: Offsets) -> npt.NDArray[np.bool_]:
    """Return which cuts fall inside a node that looks like a string and has but leaves in it."""
    if not len(looks):
        return np.zeros(cuts.shape, dtype=np.bool_)
    flat = ~tree.is_leaf
    flat[tree.parents[1:][~tree.is_leaf[1:]]] = False
    nodes = np.flatnonzero(flat)
    look = np.searchsorted(looks.starts, tree.starts[nodes], side="right") - 1
    same = (looks.starts[look] == tree.starts[nodes]) & (looks.stops[look] == tree.stops[nodes])
    strings = nodes[same & (looks.classes[look] == STRING)]
    return _covered(cuts, tree.starts[strings] + 1, tree.stops[strings])


def _covered(places: Offsets, starts: Offsets, stops: Offsets) -> npt.NDArray[np.bool_]:
    """Return which of the places, which are in order, lie in one of the ranges start..stop-1."""
    depth = np.zeros(places.size + 1, dtype=np.int32)
    np.add.at(depth, np.searchsorted(places, starts), 1)
    np.add.at(depth, np.searchsorted(places, stops), -1)
    covered: npt.NDArray[np.bool_] = np.cumsum(depth[:-1]) > 0
    return covered


def count_tokens(data: bytes, language: str | None = None) -> int:
    """Return how many tokens a document has, white space and comments not counted.

    They are counted by their look, so that broken text is counted like any other: a string is
    one token, an operator too.
    """
    return len(scan(data, language).meaningful)


def canonical(data: bytes, language: str | None = None) -> bytes:
    """Return a key equal for documents that differ only in layout and comments.

    It is the tokens, each followed by a NUL; of the white space, what may carry meaning in the
    language stays. Without a language all lines and their indentation do.
    """
    pieces = lexicon.essentials(language).findall(data)
    return _BLANK_LINES.sub(b"", b"\0".join(filter(None, pieces)) + b"\0").removeprefix(b"\n\0")


_BLANK_LINES = re.compile(rb"(?:\n[ \t]*\0)+(?=\n|\Z)")

__all__ = [
    "COMMENT",
    "NUMBER",
    "SIGN",
    "SPACE",
    "STRING",
    "WORD",
    "Tokens",
    "canonical",
    "count_tokens",
    "scan",
    "tokens_of",
]
