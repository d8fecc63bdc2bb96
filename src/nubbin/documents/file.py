"""File: one file of a document, or a link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nubbin.documents.splice import Cuts, spliced

if TYPE_CHECKING:
    from nubbin.documents.consistency.consistency import Consistency


class Link(bytes):
    """The target of a symbolic link, which stands in the place of the contents of a file.

    It differs from a file with the same bytes, and is never followed: what it leads to is not part
    of a document.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Tell whether both are links to the same target."""
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

    `path` is relative, with slashes. Bytes are kept as they are: nothing is decoded, so invalid
    UTF-8, NULs and CRLF survive. `consistency` is what is known of the numbers in it that follow
    from the rest; files with the same bytes are the same file.
    """

    path: str
    data: bytes
    consistency: Consistency | None = field(default=None, compare=False, repr=False)

    @property
    def is_link(self) -> bool:
        """Whether it is a link, which stays as it is or goes."""
        return isinstance(self.data, Link)

    @property
    def has_layout(self) -> bool:
        """Whether white space is tidied around what is deleted: not of what is known as bytes."""
        return self.consistency is None or not self.consistency.of_bytes

    def with_data(self, data: bytes, consistency: Consistency | None = None) -> File:
        """Return the same file with other contents."""
        return File(self.path, data, consistency)

    def repaired(self, cuts: Cuts) -> tuple[Cuts, Consistency | None]:
        """Return cuts that make numbers right for what is left, and these numbers afterwards."""
        if self.consistency is None:
            return cuts, None
        return self.consistency.repaired(self.data, cuts)

    def cut(self, cuts: Cuts) -> File:
        """Return the file without what is cut, and with numbers that are right for what is left."""
        cuts, consistency = self.repaired(cuts)
        return self.with_data(spliced(self.data, cuts), consistency)
