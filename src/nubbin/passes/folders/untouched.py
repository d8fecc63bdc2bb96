"""Delete the files that a run of the test did not use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

from nubbin.documents.document import Document
from nubbin.documents.trace import Trace
from nubbin.passes.folders.across import propose_across
from nubbin.passes.proposal import Proposals


def untouched(document: Document, trace: Trace) -> Proposals[Document]:
    """Propose to delete at once all files that a trace does not show as opened.

    If the test rejects that, the pass proposes all files that the trace does not show at all, then
    each of them. A container is one file. Most of a project is docs, other tests and sources that a
    single failure never reaches: one query removes them, where a list of files takes dozens.
    Nothing is proposed if the trace has all files or none.
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
    """Return the paths of each unused file, or of the members of each unused container."""
    containers = document.outermost
    held = set(chain(*containers.values()))
    alone = ((file.path, [file.path]) for file in document.files if file.path not in held)
    files = chain(containers.items(), alone)
    return [members for path, members in files if path not in used]
