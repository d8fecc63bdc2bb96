"""Delete the files that a run of the test did not use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

from nubbin.documents.document import Document
from nubbin.documents.trace import Trace
from nubbin.passes.folders.across import propose_across
from nubbin.passes.proposal import Proposals


def untouched(document: Document, trace: Trace) -> Proposals[Document]:
    """Propose to delete all files that a trace does not show to be opened, at once.

    If that fails, those go that it does not show at all, at once, or else each of them. A container
    is one file. Most of a project is docs, other tests and sources that one failure never comes to:
    a query takes what a list of files needs dozens for. Nothing is proposed if the trace has all
    files or none.
    """
    touched = trace.opened | trace.looked_up
    asked = 0
    for used in dict.fromkeys((trace.opened, touched)):
        paths = list(chain(*_others(document, used)))
        if 0 < len(paths) < len(document.files):
            asked = len(paths)
            document = yield propose_across(document, {}, [dict.fromkeys(paths)])
    left = _others(document, touched)
    if asked and len(left) > 1:
        yield propose_across(document, {}, [dict.fromkeys(held) for held in left])


def _others(document: Document, used: Collection[str]) -> list[Sequence[str]]:
    """Return the paths of each file, or of each container's members, that is not used."""
    containers = document.outermost
    held = set(chain(*containers.values()))
    alone = ((file.path, [file.path]) for file in document.files if file.path not in held)
    files = chain(containers.items(), alone)
    return [members for path, members in files if path not in used]
