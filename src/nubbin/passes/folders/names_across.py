"""Give names one letter in all files at once."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import accumulate

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.folders.across import FilesEdit, try_across
from nubbin.passes.proposal import Proposals
from nubbin.passes.words.names import Occurrences, find_in_tree, find_words, shorter

#: Between two files, so that no word goes from one into the other.
_BETWEEN = b"\n"


def names_across(document: Document, structures: Mapping[str, Structure]) -> Proposals[Document]:
    """Propose, for each name that several files have, what `names` proposes in one file.

    The first list has the names that trees show, the second those that stand elsewhere too.
    """

    def in_tree(file: File) -> Occurrences:
        return find_in_tree(structures[file.path], file.data)

    edits = _shorter(document, _shared(document, in_tree))
    document = yield from try_across(document, structures, edits)
    shown = _shared(document, in_tree)
    found = _shared(document, lambda file: find_words(file.data))
    named = {text for file in document.texts for text in in_tree(file)}
    hidden = {
        text: spans
        for text, spans in found.items()
        if text in named and len(shown.get(text, ())) < len(spans)
    }
    yield from try_across(document, structures, _shorter(document, hidden))


def _shared(document: Document, find: Callable[[File], Occurrences]) -> Occurrences:
    """Return the names that several files have, and where they are if all files are one text."""
    found: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
    files: Counter[bytes] = Counter()
    begin = 0
    for file in document.texts:
        for text, spans in find(file).items():
            found[text] += [(begin + start, begin + stop) for start, stop in spans]
            files[text] += 1
        begin += len(file.data) + len(_BETWEEN)
    return {text: spans for text, spans in found.items() if files[text] > 1}


def _shorter(document: Document, found: Occurrences) -> list[FilesEdit]:
    """Return what `shorter` says of the text that all files are, by file."""
    text = _BETWEEN.join(file.data for file in document.texts)
    begins = list(
        accumulate((len(file.data) + len(_BETWEEN) for file in document.texts), initial=0)
    )
    return [_by_file(document, begins, edit) for edit in shorter(text, found)]


def _by_file(document: Document, begins: list[int], edit: Edit) -> FilesEdit:
    parts: defaultdict[str, list[Replacement]] = defaultdict(list)
    for start, stop, new in edit:
        at = bisect(begins, start) - 1
        span = Replacement(start - begins[at], stop - begins[at], new)
        parts[document.texts[at].path].append(span)
    return {path: tuple(spans) for path, spans in parts.items()}
