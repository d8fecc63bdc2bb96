"""Write which word of the input each word of an obfuscated result replaces."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

from nubbin.disk import beginning, write_whole
from nubbin.documents.document import Document
from nubbin.passes.folders.obfuscation import OBFUSCATION, replaced_words
from nubbin.reduction.events import Event, Improved, ListStarted, RolledBack


class WordTable:
    """An observer that remembers the documents from which obfuscation starts."""

    def __init__(self, original: Document, language: str | None):
        self._best, self._language = original, language
        self._obfuscated = list[Document]()

    def __call__(self, event: Event) -> None:
        """Note the best when obfuscation begins."""
        match event:
            case ListStarted(name=name) if name == OBFUSCATION:
                self._obfuscated.append(self._best)
            case Improved(document) | RolledBack(document):
                self._best = document

    def write(self, result: Path) -> Path | None:
        """Write the table beside a result, for the user alone; return its place if there is one.

        Each line has a new word, a tab and the old one. A table of an earlier run is kept. Raises
        OSError.
        """
        words = dict[bytes, bytes]()
        for before in self._obfuscated:
            words |= replaced_words(before, self._best, self._language)
        lines = b"".join(b"%b\t%b\n" % pair for pair in sorted(words.items()))
        if not lines:
            return None
        names = (f"{result.name}.words{number or ''}.tsv" for number in count())
        places = map(result.with_name, names)
        most = len(lines) + 1
        place = next(p for p in places if not os.path.lexists(p) or beginning(p, most) == lines)
        write_whole(place, lines, 0o600)
        return place
