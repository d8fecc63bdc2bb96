"""What a structure shows outside of the parts that must stay."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from nubbin.documents.narrowed import Narrowed
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.parts import Parts, Protected


@dataclass(frozen=True, slots=True)
class Outside(Narrowed):
    """A structure without the nodes inside of nodes that must stay: a `Structure`.

    There may be a thousand times as many nodes in what must stay as outside of it.
    """

    protected: Protected

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Parts | None = None
    ) -> list[Node]:
        """Return the nodes of a tree but those inside of nodes that must stay."""
        return self.whole.nodes(data, depth, smallest, closed or self.protected(data))

    def functions(self, data: bytes, closed: Parts | None = None) -> list[Node]:
        """Return the functions but those inside of nodes that must stay: see `Structure`."""
        return self.whole.functions(data, closed or self.protected(data))
