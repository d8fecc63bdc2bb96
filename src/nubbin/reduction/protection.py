"""What must stay as it is: --keep, --only and `nubbin: keep`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from nubbin.documents.document import Document
from nubbin.oracles.errors import OptionError
from nubbin.oracles.regex import compiled

#: A line that says so stays as it is, whatever the language's comments look like.
_MARK = b"nubbin: keep"
_MARKED = re.compile(rb"^.*\b%b\b.*$" % _MARK, re.MULTILINE)


#: What must stay, by the path of the file that holds it.
Stays = list[tuple[str, list[bytes]]]


@dataclass(frozen=True, slots=True)
class Protection:
    """Refuses candidates that changed what must stay; costs no query.

    All that `keep` matches stays as it is, in its order; all that `only` does not match does
    too. So do lines with the words `nubbin: keep`. Matches are found anew in every candidate:
    linear in its bytes.
    """

    _keep: re.Pattern[bytes] | None
    _only: re.Pattern[bytes] | None
    _must_stay: Stays = field(default_factory=list)

    @classmethod
    def of(cls, document: Document, keep: str | None, only: str | None) -> Protection:
        """Return what protects a document.

        Raises WrongOption for what is no regular expression, or matches nothing.
        """
        patterns = cls(_matching("--keep", keep, document), _matching("--only", only, document))
        return replace(patterns, _must_stay=patterns._stays(document))

    def is_allowed(self, candidate: Document) -> bool:
        """Tell whether a candidate has all that must stay."""
        return not self._must_stay or self._stays(candidate) == self._must_stay

    def _stays(self, document: Document) -> Stays:
        found: Stays = []
        for file in document.files:
            marked = _MARK in file.data  # which is found at once, even in a line of many megabytes
            parts = [match[0] for match in _MARKED.finditer(file.data)] if marked else []
            if self._keep:
                parts += (match[0] for match in self._keep.finditer(file.data))
            if self._only:
                parts.append(self._only.sub(b"", file.data))
            if any(parts):
                found.append((file.path, parts))
        return found


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
