"""Empty the bodies of functions, as LLVM's bugpoint does first of all."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, propose

#: Where a body is a smaller part of the document on average, they are left to other passes.
_SHARE = 400

_EMPTY = (b"{}", b"")
#: Where a body has to return something, one that never comes back will do.
_ENDLESS: Final = {
    "csharp": b"{throw null;}",
    "go": b"{panic(0)}",
    "java": b"{throw null;}",
    "rust": b"{panic!()}",
    "typescript": b"{throw 0}",
}


@dataclass(frozen=True, slots=True)
class Bodies:
    """Proposes to empty the body of each function, where bodies are large.

    Most of what the parts of a program need of one another is needed by bodies: a function that
    does nothing can still be called, and calls nothing. So definitions go by runs afterwards
    that otherwise wait each for its users. A body is what the grammar calls so, next to
    parameters.
    """

    gate: Gate
    name: str = "bodies"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal with an edit for each body, none where they are small."""
        edits: list[Edit] = []
        whole = 0
        for node in self.gate.syntax.nodes(file.data):
            if node.role == "body" and _is_function(node.parent):
                text = self._empty(file.data, node)
                if text is not None:
                    edits.append((Replacement(node.start, node.stop, text),))
                    whole += len(node)
        if whole * _SHARE > len(edits) * len(file.data):
            yield propose(file, self.gate.syntax, edits)

    def _empty(self, data: bytes, body: Node) -> bytes | None:
        """Return what can stand for a body, if the grammar has anything shorter."""
        endless = _ENDLESS.get(self.gate.syntax.language)
        for text in (endless,) if endless else _EMPTY:
            if len(text) < len(body) and self.gate.may_replace(data, body, text.decode(), text):
                return text
        return None


def _is_function(node: Node | None) -> bool:
    if node is None:
        return False
    before = (child for child in node.children if child.role != "body")
    return any(part.role == "parameters" for child in before for part in child.walk())
