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
    becomes a digit; if it cannot, a string of one letter. A number becomes a digit, and words that
    marks join become a letter. None of these is in use.
    """
    for pattern, is_digit, quotes in (
        (_STRING, True, False),
        (_WORDS, False, False),
        (_STRING, False, True),
    ):
        if edits := list(_edits(file.data, pattern, is_digit, quotes)):
            file = yield propose(file, None, edits)


def _edits(data: bytes, pattern: re.Pattern[bytes], is_digit: bool, quotes: bool) -> Iterator[Edit]:
    found: dict[bytes, list[tuple[int, int]]] = {}
    for each in pattern.finditer(data):
        found.setdefault(each[0], []).append(each.span())
    words = set(_WORD.findall(data))
    letters, digits = free_names(words, capital=False), _free_digits(words)
    for text, spans in found.items():
        if len(spans) > 1 and not NAME.fullmatch(text):
            new = next(digits if is_digit or text[:1].isdigit() else letters, text)
            new = text[:1] + new + text[-1:] if quotes else new
            if len(new) < len(text):
                yield tuple(Replacement(*span, new) for span in spans)


def _free_digits(taken: set[bytes]) -> Iterator[bytes]:
    return (digit for digit in map(str.encode, string.digits) if digit not in taken)
