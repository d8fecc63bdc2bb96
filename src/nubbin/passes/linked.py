"""Delete a name everywhere: a definition together with its uses."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.spans import Span
from nubbin.documents.syntax import Node
from nubbin.passes.names import occurrences
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, propose, with_separator


@dataclass(frozen=True, slots=True)
class Linked:
    """Proposes, for each name, to delete the smallest deletable thing round each occurrence.

    A definition often cannot go before its uses, nor a use before what needs it; the same
    name is a link in every language.
    """

    gate: Gate
    name: str = "linked names"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal with an edit for each name."""
        data = file.data
        edits: list[Edit] = []
        for nodes in occurrences(self.gate.syntax, data).values():
            spans = [self._around(data, node) for node in nodes]
            edit = tuple({span for span in spans if span is not None})
            if None not in spans and sum(span.stop - span.start for span in edit) < len(data):
                edits.append(edit)
        if edits:
            yield propose(file, self.gate.syntax, edits)

    def _around(self, data: bytes, node: Node) -> Span | None:
        """Return the smallest part of the document round a node that the grammar lets go."""
        inner: Node | None = node
        while inner is not None and inner.parent is not None:
            if self.gate.deletes(data, inner):
                return with_separator(inner)
            inner = inner.parent
        return None
