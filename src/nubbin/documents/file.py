"""File: one file of a document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class File:
    """The bytes of one file, and the path that the test finds it at.

    `path` is relative, with slashes. Bytes are kept as they are: nothing is decoded, so invalid
    UTF-8, NULs and CRLF survive.
    """

    path: str
    data: bytes

    def with_data(self, data: bytes) -> File:
        """Return the same file with other contents."""
        return File(self.path, data)
