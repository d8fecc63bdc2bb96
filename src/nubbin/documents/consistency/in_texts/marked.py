"""Groups of a text that begin or end with a word that occurs once in each of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from nubbin.documents.splice import Span
from nubbin.pattern import pattern

_WORD = pattern(rb"\S+")


def is_number(word: bytes) -> bool:
    """Tell whether a word begins like a number."""
    return word.lstrip(b"+-.")[:1].isdigit()


class Marked(NamedTuple):
    """Groups that follow each other, and the words that occur once in each of them, in order."""

    groups: list[Span]
    words: list[bytes]


class Marks:
    """The words that occur at least `least` times in a text, and where; linear."""

    def __init__(self, data: bytes, least: int):
        often = {word for word, n in Counter(_WORD.findall(data)).items() if n >= least}
        self._data = data
        self._starts: defaultdict[bytes, list[int]] = defaultdict(list)
        for each in _WORD.finditer(data) if often else ():
            if each[0] in often:
                self._starts[each[0]].append(each.start())

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, data: bytes, least: int) -> Marks:
        """Return the marks of a text, which is read once."""
        return cls(data, least)

    def ended(self, number: int, begin: int) -> list[Span]:
        """Return `number` groups from an offset on, if each ends with the text's last word."""
        words = self._data.rsplit(None, 1)[-1:]
        if not self._standing(words, number, begin):
            return []
        stops = [start + len(words[0]) for start in self._starts[words[0]]]
        starts = [begin, *stops[:-1]]
        nonblank = [found.start() for each in starts if (found := _WORD.search(self._data, each))]
        return list(zip(nonblank, stops, strict=True))

    def begun(self, number: int, begin: int) -> Marked | None:
        """Return `number` groups whose first lines begin with a word that occurs as often.

        The first line begins at an offset. The words of the result begin lines of each group. The
        last group ends with the last of these lines if all others do. Otherwise it has as many
        lines as the shortest of the others.
        """
        keywords = (word for word in self._starts if not is_number(word))
        words = [
            word
            for word in self._standing(keywords, number, begin)
            if all(map(self._begins_line, self._starts[word]))
        ]
        if not words or self._starts[words[0]][0] != begin:
            return None
        first, taken = self._starts[words[0]], words[:1]
        nexts = [*first[1:], len(self._data)]
        for word in words[1:]:
            turns = zip(self._starts[taken[-1]], self._starts[word], nexts, strict=True)
            taken += [word] if all(before < here < after for before, here, after in turns) else []
        ends = [self._line_end(start) for start in self._starts[taken[-1]]]
        if any(self._data[end:start].strip() for end, start in zip(ends, nexts[:-1], strict=False)):
            least = min(self._data.count(b"\n", *each) for each in pairwise(first))
            ends[-1] = first[-1]
            for _ in range(least):
                ends[-1] = self._line_end(ends[-1]) + 1
        groups = zip(first, [*first[1:], ends[-1]], strict=True)
        return Marked([(a, a + len(self._data[a:b].rstrip())) for a, b in groups], taken)

    def _standing(self, words: Iterable[bytes], number: int, begin: int) -> list[bytes]:
        """Return the words that occur `number` times, from an offset on, in order."""
        found = [
            word
            for word in words
            if len(starts := self._starts.get(word, [])) == number and starts[0] >= begin
        ]
        return sorted(found, key=lambda word: self._starts[word][0])

    def _begins_line(self, at: int) -> bool:
        return not self._data[self._data.rfind(b"\n", 0, at) + 1 : at].strip()

    def _line_end(self, at: int) -> int:
        end = self._data.find(b"\n", at)
        return len(self._data) if end < 0 else end
