"""Delete the columns of tables."""

from __future__ import annotations

from nubbin.documents.columns import columns as columns_of
from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose


def columns(file: File) -> Proposals[File]:
    """Propose to delete each column of a table: a field of every row goes, or none.

    What reads a table refuses one whose rows have lost different fields.
    """
    edits: list[Edit] = [tuple(column) for column in columns_of(file.data)]
    if edits:
        yield propose(file, None, edits)
