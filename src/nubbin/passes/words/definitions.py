"""Delete definitions that refer to labels, and blocks with a label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nubbin.documents.consistency import defining_lines
from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.items import Kind
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.splice import Span
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose


def definitions(file: File) -> Proposals[File]:
    """Propose to delete the definitions that refer to labels; then labels with what follows them.

    A definition that refers to labels chooses by where control comes from, so no block can be
    removed before it. A reference to a removed label takes the next one. Costs nothing where
    nothing has a label that follows from the rest.
    """
    known = file.consistency
    if known is not None and (spans := list(_choices(file.data, known))):
        file = yield propose(file, None, [(Replacement(*span),) for span in spans])
    known = file.consistency
    if known is not None and (places := known.places.of_kind(Kind.LABEL)):
        yield propose(file, None, [(Replacement(*span),) for _, span in places])


def _choices(data: bytes, known: Consistency) -> Iterator[Span]:
    """Yield the lines of definitions that refer to labels."""
    references = known.references(Kind.LABEL)
    for _, (start, stop) in defining_lines.definitions(data, known):
        if np.diff(np.searchsorted(references, (start, stop)))[0]:
            yield start, stop
