"""Document: the input under reduction, one file or many."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from hashlib import blake2b

from nubbin.documents.file import File
from nubbin.documents.sizes import Sizes, measure


@dataclass(frozen=True)
class Document:
    """Files in the order of their paths, and the path that the test is given.

    `name` is the path of the only file, or of the folder that holds them all, or `.` if
    files were named one by one.
    """

    name: str
    files: tuple[File, ...]

    @classmethod
    def single(cls, name: str, data: bytes) -> Document:
        """Return the document that is one file."""
        return cls(name, (File(name, data),))

    @property
    def is_single(self) -> bool:
        """Whether it is a file, not a folder with one file."""
        return any(file.path == self.name for file in self.files)

    @property
    def title(self) -> str:
        """What a person calls it."""
        return f"{len(self.files)} files" if self.name == "." else self.name

    @property
    def contents(self) -> dict[str, bytes]:
        """The bytes of each file by its path."""
        return {file.path: file.data for file in self.files}

    @cached_property
    def key(self) -> bytes:
        """A 128-bit fingerprint of the paths and the contents; linear when first asked for."""
        digest = blake2b(digest_size=16)
        for file in self.files:
            path = os.fsencode(file.path)
            digest.update(b"%d %d %b" % (len(path), len(file.data), path))
            digest.update(file.data)
        return digest.digest()

    @property
    def extent(self) -> int:
        """What a reduction makes smaller: the number of bytes plus the number of files."""
        return sum(len(file.data) + 1 for file in self.files)

    @cached_property
    def sizes(self) -> Sizes:
        """How large it is; linear in its bytes when first asked for."""
        return reduce(Sizes.__add__, (measure(file.data) for file in self.files), Sizes(0, 0, 0))

    def emptied(self) -> Document:
        """Return the document with everything deleted: an empty file, or no files."""
        return Document(self.name, (File(self.name, b""),) if self.is_single else ())

    def only(self, stays: Callable[[File], bool]) -> Document:
        """Return the document with only the files that stay."""
        return Document(self.name, tuple(filter(stays, self.files)))

    def each(self, change: Callable[[File], File]) -> Document:
        """Return the document with every file changed."""
        return Document(self.name, tuple(map(change, self.files)))
