"""Rename across files: give a name that several files have the shortest that is free in all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.outlines.lexis import words_of
from nubbin.documents.splice import Span
from nubbin.passes.folders.across import FilesEdit, try_across
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Structures
from nubbin.passes.words.names import Occurrences, find_in_tree, find_words, shorter, written

#: Where names stand, by name and path.
_Places = dict[bytes, Mapping[str, Sequence[Span]]]


def names_across(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose, for each name that several files have, what `names` proposes in one file.

    The first list has the names that trees show, the second those that stand elsewhere too.
    """

    def in_tree(file: File) -> Occurrences:
        return find_in_tree(structures[file.path], file.data)

    shown = _shared(document, in_tree)
    document = yield from try_across(document, structures, _renamed(document, shown))
    shown, found = _shared(document, in_tree), _shared(document, lambda file: find_words(file.data))
    named = {text for file in document.texts for text in in_tree(file)}
    hidden = {
        text: places
        for text, places in found.items()
        if text in named and _times(shown.get(text, {})) < _times(places)
    }
    yield from try_across(document, structures, _renamed(document, hidden))


def _shared(document: Document, find: Callable[[File], Occurrences]) -> _Places:
    """Return where the names stand that several files have."""
    found: defaultdict[bytes, dict[str, list[Span]]] = defaultdict(dict)
    for file in document.texts:
        for text, spans in find(file).items():
            found[text][file.path] = spans
    return {text: places for text, places in found.items() if len(places) > 1}


def _times(places: Mapping[str, Sequence[Span]]) -> int:
    return sum(map(len, places.values()))


def _renamed(document: Document, found: _Places) -> Iterator[FilesEdit]:
    """Yield an edit for each name that can be shorter."""
    taken = set[bytes]().union(*(words_of(file.data) for file in document.texts))
    for text, new in shorter(taken, {text: _times(places) for text, places in found.items()}):
        yield {path: written(spans, new) for path, spans in found[text].items()}
