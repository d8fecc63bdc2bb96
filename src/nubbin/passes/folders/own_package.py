"""Delete the sources of a project for which the package that was released of it stands in."""

from __future__ import annotations

from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.trace import Trace
from nubbin.passes.folders.across import propose_across
from nubbin.passes.proposal import Proposals


@dataclass(frozen=True, slots=True)
class OwnPackage:
    """Proposes that all files go at once that a released package has as well.

    If the failure is the same with the release, it need not be part of the input: what is left is
    what somebody needs who has the release.
    """

    trace: Trace
    name: str = "released package"
    proves: bool = False

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield one proposal; none if there is no release, or if nothing else would be left."""
        own = [file.path for file in document.files if file.path in self.trace.released]
        if 0 < len(own) < len(document.files):
            yield propose_across(document, {}, [dict.fromkeys(own)])
