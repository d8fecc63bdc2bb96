"""The responses of the parser's process about a tree: its facts, and its nodes as rows."""

from __future__ import annotations

from array import array
from typing import NamedTuple

#: A node's type, whether the grammar names it, and its field in the parent, if any.
Kind = tuple[str, bool, str | None]

#: More nodes are never listed: they take some 300 bytes each in the process that runs the passes.
MAX_NODES = 1_000_000


class Facts(NamedTuple):
    """The size and the errors of a tree."""

    size: int  #: nodes
    errors: int  #: ERROR and MISSING nodes, and missing tokens without a name
    stray_bytes: int  #: bytes that are part of no construct; a missing token counts as one


class Rows(NamedTuple):
    """The nodes of a tree: four numbers for each, its start, stop, depth and index of its kind."""

    numbers: array[int]  #: of 32 bits
    kinds: list[Kind]


#: The nodes of a document without a tree.
NO_ROWS = Rows(array("i"), [])
