"""Edit all copies of a text at once."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.outlines.lexis import NAME, NAME_LETTER, STRING, words_of
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.spans import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose, with_separator
from nubbin.passes.words.definition import find_words
from nubbin.passes.words.names import free_names
from nubbin.pattern import pattern


def duplicates(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete each part of a text that occurs twice; then to replace it with a child.

    Equal texts, such as a declaration and its definition, or a prototype and its call, often must
    remain equal, so neither can change alone. The largest child that fits replaces them.
    """
    file = yield propose(file, gate.structure, _deletions(gate, file.data))
    yield propose(file, gate.structure, _hoists(gate, file.data))


def _deletions(gate: Gate, data: bytes) -> Iterator[Edit]:
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
            inner = max(
                (child for child in part.children if _fits(gate, data, part, child)),
                key=len,
                default=None,
            )
            if inner is not None:
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
