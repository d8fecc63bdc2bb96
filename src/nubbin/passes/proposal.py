"""What a pass is: a generator of lists of edits for a minimizer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from nubbin.documents.document import Document
from nubbin.minimizers.subset import Subset


@dataclass(frozen=True, slots=True)
class Proposal:
    """A list of `size` edits of one document, to be minimized.

    `render` makes the document in which the edits of a subset are left out and all others
    are applied: what is kept is kept as it was. `weights` says what each edit is worth, in
    bytes; empty when all are worth the same. A subset whose document is not `plausible`, such as
    one that does not parse, is not worth a query.
    """

    size: int
    render: Callable[[Subset], Document]
    weights: Sequence[float] = ()
    plausible: Callable[[Subset, Document], bool] = lambda kept, document: True


class Pass(Protocol):
    """Looks at a document and proposes edits; knows no oracle."""

    @property
    def name(self) -> str:
        """What a person calls this pass."""
        ...

    def propose(self, document: Document) -> Generator[Proposal, Document, None]:
        """Yield proposals; each is answered with the document that came out of it."""
        ...
