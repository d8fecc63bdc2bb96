"""What a pass is: a generator of lists of edits for a minimizer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.minimizers.subset import Subset

Edited = TypeVar("Edited", File, Document)


@dataclass(frozen=True, slots=True)
class Proposal(Generic[Edited]):
    """A list of `size` edits of one file or document, to be minimized.

    `render` makes the one in which the edits of a subset are left out and all others
    are applied: what is kept is kept as it was. `weights` says what each edit is worth, in
    bytes; empty when all are worth the same. A subset whose outcome is not `is_plausible`, such as
    one that does not parse, is not worth a query.
    """

    size: int
    render: Callable[[Subset], Edited]
    weights: Sequence[float] = ()
    is_plausible: Callable[[Subset, Edited], bool] = lambda kept, edited: True


class Pass(Protocol):
    """Looks at a document and proposes edits; knows no oracle."""

    @property
    def name(self) -> str:
        """What a person calls this pass."""
        ...

    def propose(self, document: Document) -> Generator[Proposal[Document], Document, None]:
        """Yield proposals; each is answered with the document that came out of it."""
        ...


class FilePass(Protocol):
    """Looks at a single file and proposes edits of it: most passes are such."""

    @property
    def name(self) -> str:
        """What a person calls this pass."""
        ...

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield proposals; each is answered with the file that came out of it."""
        ...
