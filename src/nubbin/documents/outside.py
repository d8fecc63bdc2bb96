"""What a structure shows outside of the parts that must stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.parts import Parts, Protected
from nubbin.documents.replacement import Replacement


@dataclass(frozen=True, slots=True)
class Outside:
    """A structure without the nodes inside of nodes that must stay: a `Structure`.

    There may be a thousand times as many nodes in what must stay as outside of it.
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
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Parts | None = None
    ) -> list[Node]:
        """Return the nodes of a tree but those inside of nodes that must stay."""
        return self.whole.nodes(data, depth, smallest, closed or self.protected(data))

    def functions(self, data: bytes, closed: Parts | None = None) -> list[Node]:
        """Return the functions but those inside of nodes that must stay: see `Structure`."""
        return self.whole.functions(data, closed or self.protected(data))

    def allows_edit(self, data: bytes, edited: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced is as well formed as it was."""
        return self.whole.allows_edit(data, edited, spans)
