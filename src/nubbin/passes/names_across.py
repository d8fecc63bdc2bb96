"""Give names one letter in all files at once."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.passes.across import FilesEdit, propose_across
from nubbin.passes.names import Occurrences, find_in_tree, find_words, shorter
from nubbin.passes.proposal import Proposals

#: Between two files, so that no word goes from one into the other.
_BETWEEN = b"\n"


@dataclass(frozen=True, slots=True)
class NamesAcross:
    """Proposes, for each name that several files have, what `names` proposes in one file."""

    structures: Mapping[str, Structure]
    name: str = "names across files"
    proves: bool = False

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield a list of the names that trees show, and one of those that stand elsewhere too."""
        if document.is_single:
            return
        shown = self._joined(document, self._in_tree)
        if edits := _shorter(document, shown):
            document = yield propose_across(document, self.structures, edits)
        shown = self._joined(document, self._in_tree)
        found = self._joined(document, lambda path, data: find_words(data))
        hidden = {
            text: found[text] for text in found if len(shown.get(text, ())) < len(found[text])
        }
        named = {text for file in document.files for text in self._in_tree(file.path, file.data)}
        if edits := _shorter(document, {text: hidden[text] for text in hidden if text in named}):
            yield propose_across(document, self.structures, edits)

    def _in_tree(self, path: str, data: bytes) -> Occurrences:
        return find_in_tree(self.structures[path], data) if path in self.structures else {}

    def _joined(self, document: Document, find: Callable[[str, bytes], Occurrences]) -> Occurrences:
        """Return the names of several files, and where they are if all files are one text."""
        found: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
        files: defaultdict[bytes, int] = defaultdict(int)
        begin = 0
        for file in document.files:
            for text, spans in find(file.path, file.data).items():
                found[text] += [(begin + start, begin + stop) for start, stop in spans]
                files[text] += 1
            begin += len(file.data) + len(_BETWEEN)
        return {text: spans for text, spans in found.items() if files[text] > 1}


def _shorter(document: Document, found: Occurrences) -> list[FilesEdit]:
    """Return what `shorter` says of the text that all files are, by file."""
    text = _BETWEEN.join(file.data for file in document.files)
    begins = list(accumulate((len(file.data) + 1 for file in document.files), initial=0))
    return [_by_file(document, begins, edit) for edit in shorter(text, found)]


def _by_file(document: Document, begins: list[int], edit: Edit) -> FilesEdit:
    parts: defaultdict[str, list[Replacement]] = defaultdict(list)
    for start, stop, new in edit:
        at = bisect(begins, start) - 1
        span = Replacement(start - begins[at], stop - begins[at], new)
        parts[document.files[at].path].append(span)
    return {path: tuple(spans) for path, spans in parts.items()}
