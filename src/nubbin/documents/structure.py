"""Structure: what reads the bytes of a document as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Protocol

from nubbin.documents.parts import NO_PARTS, Parts
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node


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
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Parts = NO_PARTS
    ) -> list[Node]:
        """Return the nodes of a tree, parents first, down to a depth; the root has depth 0.

        Nodes inside nodes of fewer than `smallest` bytes may be left out. Those inside nodes that
        lie in one of the `closed` parts are.
        """
        ...

    def allows_edit(self, data: bytes, edited: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced is as well formed as it was."""
        ...
