"""Rename: give each name the shortest that is free, in one file or in all."""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.outlines.lexis import words_of
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Span
from nubbin.passes.each_file import propose_across
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, Structures, propose
from nubbin.passes.words.definition import SIGIL, Occurrences, find_words, occurrences

#: The same of several files, by name and path.
_Places = Mapping[bytes, Mapping[str, Sequence[Span]]]


def names(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace each name with a letter that is not in use.

    When all letters are in use, a letter and a digit replace it. The first list has the names
    that the tree shows. The second has those that occur elsewhere too (in macros, strings, and
    what the grammar could not read), each with all words that are the same.
    """
    for find in (_shown, _hidden):
        edits = _renamed_in([file], find([file], {file.path: gate.structure}))
        file = yield propose(file, gate.structure, (edit[file.path] for edit in edits))


def names_across(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose, for each name that several files have, what `names` proposes in one file."""
    for find in (_shown, _hidden):
        found = find(document.texts, structures)
        shared = {text: places for text, places in found.items() if len(places) > 1}
        document = yield propose_across(document, structures, _renamed_in(document.texts, shared))


def words(file: File) -> Proposals[File]:
    """Propose the same as `names` for every word that could be a name."""
    edits = _renamed_in([file], _places([file], _words_in))
    yield propose(file, None, (edit[file.path] for edit in edits))


def _shown(files: Iterable[File], structures: Structures) -> _Places:
    """Return the places of the names that trees show."""

    def in_tree(file: File) -> Occurrences:
        found = occurrences(structures[file.path], file.data)
        return {text: [(node.start, node.stop) for node in found[text]] for text in found}

    return _places(files, in_tree)


def _hidden(files: Iterable[File], structures: Structures) -> _Places:
    """Return the places of the names that trees show in fewer places than there are."""
    shown, found = _shown(files, structures), _places(files, _words_in)
    return {
        text: found[text] for text in shown if _times(shown[text]) < _times(found.get(text, {}))
    }


def _words_in(file: File) -> Occurrences:
    return find_words(file.data)


def _places(files: Iterable[File], find: Callable[[File], Occurrences]) -> _Places:
    found: defaultdict[bytes, dict[str, Sequence[Span]]] = defaultdict(dict)
    for file in files:
        for text, spans in find(file).items():
            found[text][file.path] = spans
    return found


def _renamed_in(files: Iterable[File], found: _Places) -> Iterator[dict[str, Edit]]:
    """Yield an edit for each name that can be shorter: of its spans in each file, by path."""
    taken = set[bytes]().union(*(words_of(file.data) for file in files))
    for text, new in _shorter(taken, {text: _times(places) for text, places in found.items()}):
        yield {
            path: tuple(Replacement(start + new.start, stop, new.text) for start, stop in spans)
            for path, spans in found[text].items()
        }


def _times(places: Mapping[str, Sequence[Span]]) -> int:
    return sum(map(len, places.values()))


def _shorter(taken: set[bytes], times: Mapping[bytes, int]) -> Iterator[tuple[bytes, Replacement]]:
    """Yield the names that can be shorter, and what to replace in each: all but its sigil.

    `times` is how often each name occurs: those that gain most get letters first. The words that
    are `taken` are not used again. A name with a capital gets a capital: in some languages it is a
    name of another kind. In others case means nothing, so no two names get one letter in both cases
    as long as there are others.
    """
    free = {capital: free_names(taken, capital) for capital in (False, True)}
    for text in sorted(times, key=lambda text: -(len(text) - 1) * times[text]):
        sigil = SIGIL.match(text)
        begin = sigil.end() if sigil else 0
        if len(text) > begin + 1:
            new = next(free[text[begin : begin + 1].isupper()], text)
            if begin + len(new) < len(text):
                taken.add(new)
                yield text, Replacement(begin, len(text), new)


def free_names(taken: set[bytes], capital: bool) -> Iterator[bytes]:
    """Yield short names that are not taken; first those that are not taken in the other case."""
    lower, upper = string.ascii_lowercase, string.ascii_uppercase
    letters = upper + lower if capital else lower + upper
    for name in map(str.encode, letters[: len(lower)]):
        if not taken & {name, name.swapcase()}:
            yield name
    pairs = (letter + digit for letter in letters for digit in string.digits)
    yield from (name for name in map(str.encode, chain(letters, pairs)) if name not in taken)
