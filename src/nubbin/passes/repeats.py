"""Write what occurs several times, and is more than a name, as something short."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.passes.names import NAME, free_names
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose

_STRING = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"")
# Words with marks between them that join words: numbers, dates, addresses, boundaries.
_WORDS = re.compile(rb"[\w$\x80-\xff]+(?:[.:/@+!?-]+[\w$\x80-\xff]+)*")
_WORD = re.compile(rb"[\w$\x80-\xff]+")


def repeats(file: File) -> Proposals[File]:
    """Propose, for each text that occurs several times, to write it everywhere as one character.

    Texts that are the same often have to stay the same, so that none can change alone. A string
    becomes a digit; then words that marks join become a letter, and numbers a digit; then the
    strings that are left become strings of one letter. No such letter or digit is in use before.
    """
    for pattern, shape in ((_STRING, b"0"), (_WORDS, b"a"), (_STRING, b"'a'")):
        if edits := list(_edits(file.data, pattern, shape)):
            file = yield propose(file, None, edits)


def _edits(data: bytes, pattern: re.Pattern[bytes], shape: bytes) -> Iterator[Edit]:
    found: dict[bytes, list[tuple[int, int]]] = {}
    for each in pattern.finditer(data):
        found.setdefault(each[0], []).append(each.span())
    taken = set(_WORD.findall(data))
    letters, digits = free_names(taken, capital=False), _free_digits(taken)
    for text, spans in found.items():
        if len(spans) > 1 and not NAME.fullmatch(text):
            new = next(digits if shape == b"0" or text[:1].isdigit() else letters, text)
            if shape == b"'a'":
                new = text[:1] + new + text[-1:]
            if len(new) < len(text):
                yield tuple(Replacement(*span, new) for span in spans)


def _free_digits(taken: set[bytes]) -> Iterator[bytes]:
    return (digit for digit in map(str.encode, string.digits) if digit not in taken)
