"""Delete files, empty those that must exist, and delete files with what names them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.passes.across import FilesEdit, propose_across
from nubbin.passes.mentions import element_at, mentions
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, with_separator


@dataclass(frozen=True, slots=True)
class Files:
    """Proposes that files go, each in the way that is likeliest to succeed, then in the other.

    A file that others name must exist more often than it must say something, so it is emptied; one
    that nobody names is deleted. What is empty by then is deleted, all at once. What is left goes
    with what names it: its imports, includes and rows of manifests; or is emptied if nothing does.
    Files of one folder are neighbours in each list.
    """

    structures: Mapping[str, Structure]
    name: str = "files"
    proves: bool = False

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield up to three proposals; none for a single file."""
        if document.is_single:
            return
        named = mentions(document)
        several = len(document.files) > 1
        goes = {file.path: several and not named[file.path] for file in document.files}
        edits = [
            {file.path: None} if goes[file.path] else _emptied(file)
            for file in document.files
            if file.data or goes[file.path]
        ]
        if edits:
            document = yield propose_across(document, {}, edits)
        empty = [file.path for file in document.files if not file.data]
        if 0 < len(empty) < len(document.files):
            document = yield propose_across(document, {}, [dict.fromkeys(empty)])
        if len(document.files) > 1 and (edits := list(self._others(document))):
            yield propose_across(document, self.structures, edits)

    def _others(self, document: Document) -> Iterator[FilesEdit]:
        """Yield an edit for each file that is left: it does what was not asked yet."""
        contents = document.data
        gates = {path: Gate(self.structures[path]) for path in contents}
        named = mentions(document)
        for file in document.files:
            spans: defaultdict[str, list[Replacement]] = defaultdict(list)
            for mention in named[file.path]:
                node = element_at(gates[mention.path], contents[mention.path], mention)
                if node is not None:
                    spans[mention.path].append(with_separator(node))
            if spans:
                yield {**{path: tuple(cuts) for path, cuts in spans.items()}, file.path: None}
            elif file.data and not named[file.path]:
                yield _emptied(file)


def _emptied(file: File) -> FilesEdit:
    return {file.path: (Replacement(0, len(file.data)),)}
