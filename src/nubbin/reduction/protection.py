"""Protection: the parts of the input that no candidate may change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from nubbin.documents.document import Document
from nubbin.documents.recent import Recent
from nubbin.documents.spans import Areas, Protected
from nubbin.oracles.failures.regex import MATCH_LIMIT_S, Places, Regex, TooSlow
from nubbin.passes.guard import unprotected
from nubbin.passes.proposal import Pass
from nubbin.pattern import pattern
from nubbin_core.errors import OptionError

#: A line with these words is never changed. They can be in a comment of any language.
_MARK = b"nubbin: keep"
_MARKED = pattern(rb"^.*\b%b\b.*$" % _MARK, re.MULTILINE)

#: The parts of recent documents are cached, up to this total size of the documents.
_MAX_BYTES_WITH_PARTS = 1 << 22

#: The path of each file with protected parts, and their texts in order.
Texts = list[tuple[str, list[bytes]]]
Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Protection:
    """Rejects candidates in which a protected part has changed; costs no query.

    Protected are all matches of `keep`, in their order, all text that `only` does not match, and
    every line with the words `nubbin: keep`. The expressions are searched in every candidate. If
    that takes longer than `MATCH_LIMIT_S`, the candidate is rejected.
    """

    _keep: Regex | None
    _only: Regex | None
    _required: Texts = field(default_factory=list)
    _recent: Recent[Areas] = field(default_factory=lambda: Recent[Areas](_MAX_BYTES_WITH_PARTS))

    @classmethod
    def of(cls, document: Document, keep: str | None, only: str | None) -> Protection:
        """Return the protection of a document; raises OptionError for an expression of no use."""
        try:
            patterns = cls(_matching("--keep", keep, document), _matching("--only", only, document))
            return replace(patterns, _required=patterns._texts(document))
        except TooSlow as slow:
            raise OptionError(
                f"It takes more than {slow} in the input. Write the expression more simply."
            ) from None

    def is_allowed(self, candidate: Document) -> bool:
        """Tell whether a candidate has all protected parts."""
        try:
            return not self._required or self._texts(candidate) == self._required
        except TooSlow:
            return False

    def passes(self, passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
        """Return passes without the edits that would change a protected part."""
        if not self._required:
            return passes
        return tuple(unprotected(each, self._parts) for each in passes)

    @property
    def protected(self) -> Protected | None:
        """The function that finds the protected parts of a file; None if there are none."""
        return self._parts if self._required else None

    def _parts(self, data: bytes) -> Areas:
        """Return the protected parts of a file; overlapping ones are merged."""
        return self._recent.of(data, self._find_parts)

    def _find_parts(self, data: bytes) -> Areas:
        try:
            ((spans, outside),) = self._spans([data])
        except TooSlow:  # `is_allowed` rejects the candidate then
            return Areas.covering([])
        return Areas.covering(span for span in (*spans, *outside) if span[0] < span[1])

    def _texts(self, document: Document) -> Texts:
        found: Texts = []
        spans = self._spans([file.data for file in document.files])
        for file, (matches, outside) in zip(document.files, spans, strict=True):
            parts = [file.data[start:stop] for start, stop in matches]
            if self._only:
                parts.append(b"".join(file.data[start:stop] for start, stop in outside))
            if any(parts):
                found.append((file.path, parts))
        return found

    def _spans(self, texts: list[bytes]) -> Iterator[tuple[Spans, Spans]]:
        """Yield what each text must keep, by match, and what lies outside of `only`."""
        nowhere: list[Places] = [()] * len(texts)
        kept = self._keep.places(texts, MATCH_LIMIT_S) if self._keep else nowhere
        loose = self._only.places(texts, MATCH_LIMIT_S) if self._only else nowhere
        for data, matches, free in zip(texts, kept, loose, strict=True):
            marked = [match.span() for match in _marked(data)]
            yield [*marked, *matches], [*_outside(free, data)] if self._only else []


def _marked(data: bytes) -> Iterator[re.Match[bytes]]:
    """Return the marked lines; fast if there are none, even in many megabytes."""
    return _MARKED.finditer(data) if _MARK in data else iter(())


def _outside(places: Places, data: bytes) -> Iterator[tuple[int, int]]:
    """Return the spans of a text before, between and after some places."""
    ends = [0, *chain.from_iterable(places), len(data)]
    return zip(ends[::2], ends[1::2], strict=True)


def _matching(option: str, text: str | None, document: Document) -> Regex | None:
    if text is None:
        return None
    pattern = Regex(option, text)
    if not any(pattern.places([file.data for file in document.files], MATCH_LIMIT_S)):
        raise OptionError(
            f"{option} {text!r} matches nothing in the input. It is a regular expression, with ^ "
            f"and $ for the ends of lines."
        )
    return pattern
