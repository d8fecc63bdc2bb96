"""Replace words and numbers by others of the same shape that mean nothing."""

from __future__ import annotations

import os
import re
import string
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, compress, cycle
from pathlib import PurePath

from nubbin.documents.document import Document
from nubbin.documents.edits import File, Link, all_but
from nubbin.documents.outlines.lexis import WORD
from nubbin.documents.parsing.syntax import Structure
from nubbin.documents.spans import Replacement
from nubbin.passes.each_file import propose_across
from nubbin.passes.proposal import Proposals
from nubbin.passes.table import FileView
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import Subset

#: The name of the pass.
OBFUSCATION = "obfuscation"

#: A word, or a character after a backslash, which is no part of the word that follows.
_TOKEN = pattern(rb"\\.|(%b)" % WORD.pattern, re.DOTALL)
#: No vowels, so that no word of a language comes out.
_LETTERS, _DIGITS = b"bcdghjklmnpqrstvwxz", b"123456789"
_CAPITALS, _ANY_DIGIT = string.ascii_uppercase.encode(), string.digits.encode()
_TO_CAPITAL = ord("a") - ord("A")
#: A word is left as it is after this number of new words that the text already has.
_MAX_TRIES = len(_LETTERS) ** 2


def obfuscated(document: Document, language: str | None = None) -> Proposals[Document]:
    """Propose, for each word and number, another one of the same shape wherever it occurs.

    A letter becomes a letter of the same case, a digit a digit, and all files keep their lengths.
    Words that differ only in their case become words that differ only in their case. The names of
    files, and of folders in the document, change with their words. Keywords of a language, suffixes
    of files, single characters, and words that mean nothing are left out. The names of a language
    and its libraries are on the list: the test decides which of them the failure needs.
    """
    structures, numbers = _read(document, language)
    if not numbers:
        return
    edits = {word: defaultdict[str, list[Replacement]](list) for word in numbers}
    for file in document.texts:
        for start, stop in _words(file.data):
            word = file.data[start:stop]
            if (number := numbers.get(word.lower())) is not None:
                new = Replacement(start, stop, _shaped(word, number))
                edits[word.lower()][file.path].append(new)
    found = ({path: tuple(spans) for path, spans in edit.items()} for edit in edits.values())
    changes = propose_across(document, structures, found, tidy=False)

    def render(kept: Subset) -> Document:
        chosen = dict(compress(numbers.items(), all_but(kept, len(numbers))))
        return _renamed(changes.render(kept), chosen)

    yield replace(changes, render=render, keeps_size=True)


def replaced_words(
    before: Document, after: Document, language: str | None = None
) -> dict[bytes, bytes]:
    """Return the old word for each word of a document that this pass has put there."""
    _, numbers = _read(before, language)
    words = (word for word in _words_in(before) if word.lower() in numbers)
    olds = {_shaped(word, numbers[word.lower()]): word for word in words}
    return {new: olds[new] for new in _words_in(after) if new in olds}


def _read(
    document: Document, language: str | None
) -> tuple[dict[str, Structure], dict[bytes, int]]:
    """Return the structures of files, and a number for each word that can be replaced."""
    read = ((file.path, FileView(file, language).syntax) for file in document.texts)
    structures: dict[str, Structure] = {path: found for path, found in read if found is not None}
    kept = {os.fsencode(PurePath(file.path).suffix[1:]).lower() for file in document.files}
    for file in document.texts:
        if file.path in structures:
            kept |= _keywords(structures[file.path], file.data)
    words = dict.fromkeys(word.lower() for word in _words_in(document))
    taken, numbers = {*words}, dict[bytes, int]()
    for word in words:
        if word not in kept and not _is_meaningless(word):
            free = range(len(numbers), len(numbers) + _MAX_TRIES)
            number = next((each for each in free if _shaped(word, each) not in taken), None)
            if number is not None:
                taken.add(_shaped(word, number))
                numbers[word] = number
    return structures, numbers


def _renamed(document: Document, numbers: Mapping[bytes, int]) -> Document:
    def new(token: re.Match[bytes]) -> bytes:
        number = numbers.get(token[0].lower())
        return token[0] if number is None else _shaped(token[0], number)

    root, files = _root(document), list[File]()
    for file in document.files:
        path = file.path[:root] + os.fsdecode(_TOKEN.sub(new, os.fsencode(file.path[root:])))
        data = Link(_TOKEN.sub(new, file.data)) if file.is_link else file.data
        files.append(replace(file, path=path, data=data))
    return replace(document, files=tuple(sorted(files, key=lambda file: file.path)))


def _root(document: Document) -> int:
    """Return where in a path the names begin that may change.

    The test knows the name of the document, and containers know those of their members.
    """
    return sys.maxsize if document.packing else len(document.name) * (document.name != ".")


def _words_in(document: Document) -> Iterator[bytes]:
    """Yield the words of all files, then those of their paths."""
    root = _root(document)
    names = (os.fsencode(file.path[root:]) for file in document.files)
    for text in chain((file.data for file in document.texts), names):
        for start, stop in _words(text):
            yield text[start:stop]


def _words(data: bytes) -> Iterable[tuple[int, int]]:
    """Yield the spans of words and numbers of two characters or more."""
    spans = (token.span(1) for token in _TOKEN.finditer(data))
    return (span for span in spans if span[1] > span[0] + 1)


def _keywords(structure: Structure, data: bytes) -> set[bytes]:
    nodes = (node for node in structure.nodes(data) if not node.named and not node.children)
    return {data[node.start : node.stop].lower() for node in nodes}


def _is_meaningless(word: bytes) -> bool:
    return any(_shaped(word, number) == word for number in range(len(_LETTERS)))


def _shaped(word: bytes, number: int) -> bytes:
    """Return a word of the same shape, made of the letters and digits of a number, in turn.

    Of 0x1F and 10px, only the digits are replaced, and not the first 0.
    """
    letters, digits = cycle(_figures(number, _LETTERS)), cycle(_figures(number, _DIGITS))
    new = bytearray(word)
    for at, each in enumerate(word):
        if each in _ANY_DIGIT:
            new[at] = next(digits) if at or each != _ANY_DIGIT[0] else each
        elif each != ord("_") and word[0] not in _ANY_DIGIT:
            new[at] = next(letters) - _TO_CAPITAL * (each in _CAPITALS)
    return bytes(new)


def _figures(number: int, figures: bytes) -> bytes:
    base = len(figures)
    found = bytes([figures[number % base]])
    return found if number < base else _figures(number // base - 1, figures) + found
