"""What proves a result 1-minimal: every single removal from it, at the finest grain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nubbin.documents.document import Document
from nubbin.minimizers import Subset
from nubbin.passes.files import SingleFiles
from nubbin.passes.proposal import Pass
from nubbin.reduction.schedule import Schedule

#: What a pass that proves removes, by its name; any other removes parts of the tree.
_PIECES = {
    "lines": "a line",
    "nested lines": "a line",
    "tokens": "a token",
    "chars": "a character",
    "bytes": "a byte",
}


def single_removals(passes: Sequence[Pass], document: Document) -> Iterator[Document]:
    """Yield the document without each one of the pieces that the passes which prove find in it.

    Files that are empty go all at once as well, and then one by one.
    """
    schedule = Schedule.begin([each for each in passes if each.proves], document)
    while schedule is not None:
        everything = Subset.full(schedule.proposal.size)
        for at in range(len(everything)):
            yield schedule.proposal.render(everything.without(at, at + 1))
        schedule = schedule.after(document)


def pieces_of(passes: Sequence[Pass], document: Document) -> tuple[str, ...]:
    """Return what the single removals from a document are of: `a file`, `a character`."""
    pieces: list[str] = []
    for each in passes:
        if isinstance(each, SingleFiles):
            pieces += _files_of(document)
        elif each.proves:
            pieces.append(_PIECES.get(each.name, "a part of the tree"))
    return tuple(dict.fromkeys(pieces))


def _files_of(document: Document) -> list[str]:
    if not document.containers:
        return ["a file"]
    is_container = document.packed.is_single
    return ["a member of the container"] if is_container else ["a file", "a member of a container"]
