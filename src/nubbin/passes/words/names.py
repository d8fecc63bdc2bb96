"""Edit all copies at once: rename each name, shorten repeated texts, delete repeated nodes."""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, File
from nubbin.documents.outlines.lexis import NAME, NAME_LETTER, STRING, words_of
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Span
from nubbin.passes.each_file import propose_across
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, Structures, propose, with_separator
from nubbin.passes.words.definition import SIGIL, find_words, occurrences
from nubbin.pattern import pattern

#: The spans of each name in a file, in order; and in several files, by name and path.
_Spans = Mapping[bytes, Sequence[Span]]
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
    edits = _renamed_in([file], _places([file], lambda file: find_words(file.data)))
    yield propose(file, None, (edit[file.path] for edit in edits))


def _shown(files: Iterable[File], structures: Structures) -> _Places:
    """Return the places of the names that trees show."""

    def in_tree(file: File) -> _Spans:
        found = occurrences(structures[file.path], file.data)
        return {text: [(node.start, node.stop) for node in found[text]] for text in found}

    return _places(files, in_tree)


def _hidden(files: Iterable[File], structures: Structures) -> _Places:
    """Return the places of the names that trees show in fewer places than there are."""
    shown, found = _shown(files, structures), _places(files, lambda file: find_words(file.data))
    return {
        text: found[text] for text in shown if _times(shown[text]) < _times(found.get(text, {}))
    }


def _places(files: Iterable[File], find: Callable[[File], _Spans]) -> _Places:
    found: defaultdict[bytes, dict[str, Sequence[Span]]] = defaultdict(dict)
    for file in files:
        for text, spans in find(file).items():
            found[text][file.path] = spans
    return found


def _renamed_in(files: Iterable[File], found: _Places) -> Iterator[dict[str, Edit]]:
    """Yield an edit for each name that can be shorter: of its spans in each file, by path.

    The names that gain most get letters first; a sigil remains. The words of the files are not used
    again. A name with a capital gets a capital: in some languages it is a name of another kind. In
    others case means nothing, so no two names get one letter in both cases as long as there are
    others.
    """
    taken = set[bytes]().union(*(words_of(file.data) for file in files))
    free = {capital: free_names(taken, capital) for capital in (False, True)}
    for text in sorted(found, key=lambda text: -(len(text) - 1) * _times(found[text])):
        sigil = SIGIL.match(text)
        begin = sigil.end() if sigil else 0
        if len(text) > begin + 1:
            new = next(free[text[begin : begin + 1].isupper()], text)
            if begin + len(new) < len(text):
                taken.add(new)
                yield {
                    path: tuple(Replacement(start + begin, stop, new) for start, stop in spans)
                    for path, spans in found[text].items()
                }


def _times(places: Mapping[str, Sequence[Span]]) -> int:
    return sum(map(len, places.values()))


def free_names(taken: set[bytes], capital: bool) -> Iterator[bytes]:
    """Yield short names that are not taken; first those that are not taken in the other case."""
    lower, upper = string.ascii_lowercase, string.ascii_uppercase
    letters = upper + lower if capital else lower + upper
    for name in map(str.encode, letters[: len(lower)]):
        if not taken & {name, name.swapcase()}:
            yield name
    pairs = (letter + digit for letter in letters for digit in string.digits)
    yield from (name for name in map(str.encode, chain(letters, pairs)) if name not in taken)


def duplicates(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete each part of a text that occurs twice; then to replace it with a child.

    Equal texts, such as a declaration and its definition, or a prototype and its call, often must
    remain equal, so neither can change alone. The largest child that fits replaces them.
    """
    file = yield propose(file, gate.structure, _deletions_in_copies(gate, file.data))
    yield propose(file, gate.structure, _hoists(gate, file.data))


def _deletions_in_copies(gate: Gate, data: bytes) -> Iterator[Edit]:
    for copies in _copies(gate, data):
        first = copies[0]
        for part in _named(first):
            if part is first:
                if all(gate.may_delete(data, copy) for copy in copies):
                    yield tuple(with_separator(copy) for copy in copies)
            elif gate.may_delete(data, part):
                span = with_separator(part)
                yield tuple(_moved(span, first, copy) for copy in copies)


def _hoists(gate: Gate, data: bytes) -> Iterator[Edit]:
    for copies in _copies(gate, data):
        for part in _named(copies[0]):
            if fitting := [child for child in part.children if _fits(gate, data, part, child)]:
                inner = max(fitting, key=len)
                around = (Replacement(part.start, inner.start), Replacement(inner.stop, part.stop))
                yield tuple(_moved(span, copies[0], copy) for copy in copies for span in around)


def _fits(gate: Gate, data: bytes, part: Node, child: Node) -> bool:
    text = data[child.start : child.stop]
    smaller = child.named and len(child) < len(part)
    return smaller and gate.may_replace(data, part, child.kind, text)


def _copies(gate: Gate, data: bytes) -> Iterator[list[Node]]:
    """Yield the nodes of each text that occurs several times, unless larger ones hold them all."""
    alike: dict[tuple[str, bytes], list[Node]] = {}
    for node in gate.structure.nodes(data):
        if node.named and node.children:
            alike.setdefault((node.kind, data[node.start : node.stop]), []).append(node)
    covered: set[int] = set()
    for copies in sorted(alike.values(), key=lambda nodes: -len(nodes[0])):
        if len(copies) > 1 and not all(id(copy) in covered for copy in copies):
            yield copies
            covered.update(id(part) for copy in copies for part in _named(copy))


def _named(node: Node) -> Iterator[Node]:
    return (part for part in node.walk() if part.named)


def _moved(span: Replacement, first: Node, copy: Node) -> Replacement:
    return Replacement(copy.start - first.start + span.start, copy.start - first.start + span.stop)


# Words with marks between them that join words: numbers, dates, addresses, boundaries.
_WORDS = pattern(rb"%b+(?:[.:/@+!?-]+%b+)*" % (NAME_LETTER, NAME_LETTER))
_WORD = pattern(rb"%b+" % NAME_LETTER)


def repeats(file: File) -> Proposals[File]:
    """Propose to replace each text that occurs several times with one character everywhere.

    Equal texts often must remain equal, so none can change alone. Strings become digits; then words
    joined by marks become letters, and numbers digits; then the remaining strings become strings of
    one letter. All these letters and digits are new in the file.
    """
    for words, shape in ((STRING, b"0"), (_WORDS, b"a"), (STRING, b"'a'")):
        file = yield propose(file, None, _abbreviations(file.data, words, shape))


def _abbreviations(data: bytes, words: re.Pattern[bytes], shape: bytes) -> Iterator[Edit]:
    taken = words_of(data, _WORD)
    letters = free_names(taken, capital=False)
    digits = (digit for digit in map(str.encode, string.digits) if digit not in taken)
    for text, spans in find_words(data, words).items():
        if len(spans) > 1 and not NAME.fullmatch(text):
            new = next(digits if shape == b"0" or text[:1].isdigit() else letters, text)
            if shape == b"'a'":
                new = text[:1] + new + text[-1:]
            if len(new) < len(text):
                yield tuple(Replacement(*span, new) for span in spans)
