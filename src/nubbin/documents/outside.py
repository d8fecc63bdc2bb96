"""Outside: the nodes of a structure that edits may change, outside of protected parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.parts import NO_PARTS, Parts, Protected
from nubbin.documents.replacement import Replacement


@dataclass(frozen=True)
class Outside:
    """A structure without the insides of nodes that lie in `protected` parts: a `Structure`.

    There may be a thousand times as many nodes in these parts as outside of them.
    """

    whole: Structure
    protected: Protected

    @property
    def language(self) -> str:
        """The language of the grammar; empty if there is none."""
        return self.whole.language

    def parses(self, data: bytes) -> bool:
        """Tell whether a document has a tree that passes can use."""
        return self.whole.parses(data)

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Parts = NO_PARTS
    ) -> list[Node]:
        """Return the nodes that are not inside of protected nodes: see `Structure`."""
        return self.whole.nodes(data, depth, smallest, closed.joined(self.protected(data)))

    def functions(self, data: bytes, closed: Parts = NO_PARTS) -> list[Node]:
        """Return the functions that are not inside of protected nodes: see `Structure`."""
        return self.whole.functions(data, closed.joined(self.protected(data)))

    def allows_edit(self, data: bytes, edited: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced is as well formed as it was."""
        return self.whole.allows_edit(data, edited, spans)
