"""Delete a name everywhere: a definition together with its uses."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.names import occurrences
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, propose, with_separator

#: How many of the deletable things round a name are tried, from the smallest up.
_CHOICES = 2


@dataclass(frozen=True, slots=True)
class DefUse:
    """Proposes, for each name, to delete the smallest deletable thing round each occurrence.

    A definition often cannot go before its uses, nor a use before what needs it; the same
    name is a link in every language. Then the next larger ones: a statement for a name in it,
    an import for what it quotes.
    """

    gate: Gate
    name: str = "linked names"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield a proposal for each of a few choices, with an edit for each name."""
        for choice in range(_CHOICES):
            edits = list(dict.fromkeys(self._edits(file.data, choice)))
            if edits:
                file = yield propose(file, self.gate.syntax, edits)

    def _edits(self, data: bytes, choice: int) -> Iterator[Edit]:
        for nodes in occurrences(self.gate.syntax, data).values():
            around = [self._around(data, node) for node in nodes]
            if choice >= max(map(len, around)):
                continue
            spans = sorted({parts[min(choice, len(parts) - 1)] for parts in around if parts})
            if all(around) and sum(span.stop - span.start for span in spans) < len(data):
                yield tuple(spans)

    def _around(self, data: bytes, node: Node) -> list[Replacement]:
        """Return the smallest parts of the document round a node that the grammar lets go."""
        found: list[Replacement] = []
        inner: Node | None = node
        while inner is not None and inner.parent is not None and len(found) < _CHOICES:
            # What is all of its parent goes with the separator that the parent has.
            if len(inner) < len(inner.parent) and self.gate.may_delete(data, inner):
                found.append(with_separator(inner))
            inner = inner.parent
        return found
