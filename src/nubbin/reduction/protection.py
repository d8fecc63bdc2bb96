"""The parts of a document that must stay as they are: --keep, --only and `nubbin: keep`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.oracles.errors import OptionError
from nubbin.oracles.regex import compiled
from nubbin.passes.proposal import Pass
from nubbin.passes.unprotected import Parts, Unprotected

#: A line with these words stays as it is; they go into a comment of any language.
_MARK = b"nubbin: keep"
_MARKED = re.compile(rb"^.*\b%b\b.*$" % _MARK, re.MULTILINE)


#: The parts that must stay, by the path of their file.
Stays = list[tuple[str, list[bytes]]]


@dataclass(frozen=True, slots=True)
class Protection:
    """Refuses candidates in which a protected part has changed; costs no query.

    All matches of `keep` stay as they are, in their order; so does all that `only` does not match,
    and every line with the words `nubbin: keep`. Matches are searched in every candidate: linear in
    its bytes.
    """

    _keep: re.Pattern[bytes] | None
    _only: re.Pattern[bytes] | None
    _must_stay: Stays = field(default_factory=list)

    @classmethod
    def of(cls, document: Document, keep: str | None, only: str | None) -> Protection:
        """Return the protection of a document.

        Raises OptionError for text that is not a regular expression, or matches nothing.
        """
        patterns = cls(_matching("--keep", keep, document), _matching("--only", only, document))
        return replace(patterns, _must_stay=patterns._stays(document))

    def is_allowed(self, candidate: Document) -> bool:
        """Tell whether a candidate has all that must stay."""
        return not self._must_stay or self._stays(candidate) == self._must_stay

    def passes(self, passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
        """Return passes without the edits that would change what must stay."""
        if not self._must_stay:
            return passes
        return tuple(Unprotected(each, self._parts) for each in passes)

    def _parts(self, file: File) -> Parts:
        """Return where the parts of a file lie that must stay; those that overlap are one."""
        spans = [match.span() for match in _marked(file.data)]
        if self._keep:
            spans += (match.span() for match in self._keep.finditer(file.data))
        if self._only:
            ends = [0, *(end for match in self._only.finditer(file.data) for end in match.span())]
            spans += zip(ends[::2], [*ends[1::2], len(file.data)], strict=True)
        parts: list[list[int]] = []
        for start, stop in sorted(span for span in spans if span[0] < span[1]):
            if parts and start < parts[-1][1]:
                parts[-1][1] = max(stop, parts[-1][1])
            else:
                parts.append([start, stop])
        starts, stops = np.array(parts, dtype=np.int64).reshape(-1, 2).T
        return starts, stops

    def _stays(self, document: Document) -> Stays:
        found: Stays = []
        for file in document.files:
            parts = [match[0] for match in _marked(file.data)]
            if self._keep:
                parts += (match[0] for match in self._keep.finditer(file.data))
            if self._only:
                parts.append(self._only.sub(b"", file.data))
            if any(parts):
                found.append((file.path, parts))
        return found


def _marked(data: bytes) -> Iterator[re.Match[bytes]]:
    """Return the lines that are marked; that none is is known at once, even of many megabytes."""
    return _MARKED.finditer(data) if _MARK in data else iter(())


def _matching(option: str, text: str | None, document: Document) -> re.Pattern[bytes] | None:
    if text is None:
        return None
    pattern = compiled(option, text)
    if not any(pattern.search(file.data) for file in document.files):
        raise OptionError(
            f"{option} {text!r} matches nothing in the input. It is a regular expression, with ^ "
            f"and $ for the ends of lines."
        )
    return pattern
