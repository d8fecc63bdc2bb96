"""File: one file of a document, or a link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nubbin.documents.splice import Cuts, spliced

if TYPE_CHECKING:
    from nubbin.documents.consistency.consistency import Consistency


class Link(bytes):
    """The target of a symbolic link, instead of the contents of a file.

    A link differs from a file with the same bytes, and is never followed: its target is not part of
    the document.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Link) and bytes.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((Link, bytes(self)))

    def __repr__(self) -> str:
        return f"Link({bytes(self)!r})"


@dataclass(frozen=True, slots=True)
class File:
    """The bytes of one file, and the path that the test finds it at; or a `Link`.

    `path` is relative, with slashes. Bytes are never decoded, so invalid UTF-8, NULs and CRLF
    survive. `consistency` has the known numbers in it that depend on the rest; files with the same
    bytes are equal whatever is known of them.
    """

    path: str
    data: bytes
    consistency: Consistency | None = field(default=None, compare=False, repr=False)

    @property
    def is_link(self) -> bool:
        """Whether it is a link, which is kept or removed, but not edited."""
        return isinstance(self.data, Link)

    @property
    def has_layout(self) -> bool:
        """Whether white space is tidied around deletions: not in files known as bytes."""
        return self.consistency is None or not self.consistency.of_bytes

    def with_data(self, data: bytes, consistency: Consistency | None = None) -> File:
        """Return the same file with other contents."""
        return File(self.path, data, consistency)

    def repaired(self, cuts: Cuts) -> tuple[Cuts, Consistency | None]:
        """Return the cuts with corrections of dependent numbers, and these numbers afterwards."""
        if self.consistency is None:
            return cuts, None
        return self.consistency.repaired(self.data, cuts)

    def cut(self, cuts: Cuts) -> File:
        """Return the file without the cuts, and with corrected dependent numbers."""
        cuts, consistency = self.repaired(cuts)
        return self.with_data(spliced(self.data, cuts), consistency)
