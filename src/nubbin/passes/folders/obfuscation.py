"""Replace words and numbers by others of the same shape that mean nothing."""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import cycle

from nubbin.documents.document import Document
from nubbin.documents.outlines.lexis import WORD
from nubbin.documents.parsing.syntax import Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.folders.each_file import FilesEdit, propose_across
from nubbin.passes.proposal import Proposals
from nubbin.passes.table import FileView
from nubbin.pattern import pattern

#: The name of the pass.
OBFUSCATION = "obfuscation"

#: A word, or a character after a backslash, which is no part of the word that follows.
_TOKEN = pattern(rb"\\.|(%b)" % WORD.pattern, re.DOTALL)
#: No vowels, so that no word of a language comes out.
_LETTERS, _DIGITS = b"bcdghjklmnpqrstvwxz", b"123456789"
_CAPITALS, _ANY_DIGIT = string.ascii_uppercase.encode(), string.digits.encode()
_TO_CAPITAL = ord("a") - ord("A")
#: So many new words are tried that are there already, before a word is left as it is.
_MAX_TRIES = len(_LETTERS) ** 2


def obfuscated(document: Document, language: str | None = None) -> Proposals[Document]:
    """Propose, for each word and number, another one of the same shape wherever it occurs.

    A letter becomes a letter of the same case, a digit a digit, and all files keep their lengths.
    Words that differ only in their case become words that differ only in their case. Keywords of a
    language, single characters, and words that mean nothing are left out. The names of a language
    and its libraries are on the list: the test decides which of them the failure needs.
    """
    read = ((file.path, FileView(file, language).syntax) for file in document.texts)
    structures = {path: structure for path, structure in read if structure is not None}
    found: defaultdict[bytes, defaultdict[str, list[Replacement]]]
    found = defaultdict(lambda: defaultdict(list))
    keywords: set[bytes] = set()
    for file in document.texts:
        if file.path in structures:
            keywords |= _keywords(structures[file.path], file.data)
        for start, stop in _words(file.data):
            word = file.data[start:stop]
            found[word.lower()][file.path].append(Replacement(start, stop, word))
    taken, edits = {*found}, list[FilesEdit]()
    for word, files in found.items():
        numbers = range(len(edits), len(edits) + _MAX_TRIES)
        number = next((each for each in numbers if _shaped(word, each) not in taken), None)
        if number is not None and word not in keywords and not _is_meaningless(word):
            taken.add(_shaped(word, number))
            edits.append(
                {
                    path: tuple(span._replace(text=_shaped(span.text, number)) for span in spans)
                    for path, spans in files.items()
                }
            )
    if edits:
        yield replace(propose_across(document, structures, edits, tidy=False), keeps_size=True)


def replaced_words(before: Document, after: Document) -> Iterator[tuple[bytes, bytes]]:
    """Yield each word of a document with what this pass has replaced it by."""
    now = after.data
    for file in before.texts:
        for start, stop in _words(file.data):
            old, new = file.data[start:stop], now[file.path][start:stop]
            if new != old:
                yield old, new


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
    """Return one figure for each of the first numbers, then two."""
    base = len(figures)
    found = bytes([figures[number % base]])
    return found if number < base else _figures(number // base - 1, figures) + found
