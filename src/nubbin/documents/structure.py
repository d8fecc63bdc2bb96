"""Structure: the tree that passes climb, whoever reads it out of the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Protocol

from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node


class Structure(Protocol):
    """Reads documents as trees: a `Syntax` by a grammar, an `Outline` by the layout alone."""

    @property
    def language(self) -> str:
        """The language that the grammar is of; empty where there is none."""
        ...

    def parses(self, data: bytes) -> bool:
        """Tell whether a document has a tree that passes can climb."""
        ...

    def nodes(self, data: bytes, depth: float = inf, smallest: int = 0) -> list[Node]:
        """Return the nodes of a tree, parents first, down to a depth; the root has depth 0."""
        ...

    def allows_edit(self, data: bytes, edited: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced is as well formed as it was."""
        ...
