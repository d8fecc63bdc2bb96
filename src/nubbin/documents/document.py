"""Document: the input under reduction, one file or many; its size, and what one run used of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from hashlib import blake2b

from nubbin.documents.edits import File
from nubbin.documents.outlines.lexis import WORD
from nubbin.documents.packing import MAX_DEPTH, NotPacked, Packing, taken_apart


@dataclass(frozen=True)
class Document:
    """Files in the order of their paths, and the path that the test is given.

    `name` is the path of the only file, or of the folder that holds them all, or `.` if
    files were named one by one.

    If containers among them are taken apart, the files are their members, and `packing` makes
    containers of these again. Passes look at files; the test, the disk and the journal get the
    `packed` document, and know it by its `key`.
    """

    name: str
    files: tuple[File, ...]
    packing: Packing | None = None

    @classmethod
    def of(cls, name: str, files: Mapping[str, bytes]) -> Document:
        """Return the document of this name that has these files, by path."""
        return cls(name, tuple(File(*pair) for pair in files.items()))

    @classmethod
    def single(cls, name: str, data: bytes) -> Document:
        """Return the document that is one file."""
        return cls(name, (File(name, data),))

    def unpacked(self, depth: int = MAX_DEPTH) -> Document:
        """Return the document with its containers taken apart, those in containers as well."""
        return Document(self.name, *taken_apart(self.packed.files, depth))

    @property
    def containers(self) -> int:
        """The number of containers that are taken apart."""
        return 0 if self.packing is None else len(self.packing.containers)

    @property
    def members_by_container(self) -> dict[str, list[str]]:
        """The existing files in each container, by its path; containers around others come first.

        A container that is the document itself is not included.
        """
        if self.packing is None:
            return {}
        here = self.data
        found = self.packing.members_by_container().items()
        left = {path: [each for each in held if each in here] for path, held in found}
        return {path: held for path, held in left.items() if held and path != self.name}

    @cached_property
    def on_disk(self) -> dict[str, list[str]]:
        """The files in each container that is in no other, by its path; each other file by its own.

        In the order of the files.
        """
        members = reversed(self.members_by_container.items())
        inside = {each: path for path, held in members for each in held}
        found: dict[str, list[str]] = {}
        for file in self.files:
            found.setdefault(inside.get(file.path, file.path), []).append(file.path)
        return found

    @property
    def with_empty_containers(self) -> Document:
        """The files of `on_disk`, with an empty one instead of each container."""
        here = self.data
        return Document.of(self.name, {path: here.get(path, b"") for path in self.on_disk})

    @property
    def packed(self) -> Document:
        """The document as it is on disk; raises NotPacked if a container cannot be packed.

        A file that was a container is empty if it has no members any more.
        """
        if self.packing is None:
            return self
        if self._packed is None:
            raise NotPacked
        return self._packed

    @property
    def can_be_packed(self) -> bool:
        """Whether containers can be packed from the remaining members."""
        return self.packing is None or self._packed is not None

    @cached_property
    def _packed(self) -> Document | None:
        assert self.packing is not None
        try:
            files = self.packing.pack(self.files)
        except NotPacked:
            return None
        emptied = not files and any(self.name == each.path for each in self.packing.containers)
        return Document(self.name, (File(self.name, b""),) if emptied else files)

    @property
    def repacked(self) -> Document:
        """The document with all containers packed again: the same contents in other bytes.

        Raises NotPacked.
        """
        return self if self.packing is None else replace(self, packing=self.packing.again())

    @property
    def is_single(self) -> bool:
        """Whether it is a file, not a folder with one file or a container taken apart."""
        return any(file.path == self.name for file in self.files)

    @property
    def title(self) -> str:
        """The name of the document for people."""
        return f"{len(self.packed.files)} files" if self.name == "." else self.name

    @cached_property
    def texts(self) -> tuple[File, ...]:
        """The files that can be edited: all except links."""
        return tuple(file for file in self.files if not file.is_link)

    @property
    def data(self) -> dict[str, bytes]:
        """The bytes of each file by its path; a `Link` for a link."""
        return {file.path: file.data for file in self.files}

    @property
    def contents(self) -> dict[str, bytes]:
        """The bytes of each file on disk by its path; a `Link` for a link."""
        return self.packed.data

    @property
    def names_and_text(self) -> str:
        """All names and contents on disk as one text, to look up words in; linear."""
        parts = [self.name, *(part for pair in self.contents.items() for part in pair)]
        return "\n".join(map(os.fsdecode, parts))

    @cached_property
    def key(self) -> bytes:
        """A 128-bit fingerprint of the paths and the contents; linear when first asked for."""
        digest = blake2b(digest_size=16)
        for file in (self.packed if self.can_be_packed else self).files:
            path, link = os.fsencode(file.path), b"link " if file.is_link else b""
            digest.update(b"%b%d %d %b" % (link, len(path), len(file.data), path))
            digest.update(file.data)
        return digest.digest()

    @property
    def extent(self) -> int:
        """The size that a reduction makes smaller: the number of bytes plus the number of files."""
        return sum(len(file.data) + 1 for file in self.files)

    @cached_property
    def sizes(self) -> Sizes:
        """The bytes on disk, and the lines and tokens of the files; linear, once."""
        sizes = reduce(Sizes.__add__, (measure(file.data) for file in self.files), Sizes(0, 0, 0))
        if self.packing is None:
            return sizes
        return replace(sizes, bytes=sum(map(len, self.contents.values())))

    def emptied(self) -> Document:
        """Return the document with everything deleted: an empty file, or no files."""
        return Document(self.name, (File(self.name, b""),) if self.packed.is_single else ())

    def only(self, is_kept: Callable[[File], bool]) -> Document:
        """Return the document with only some files."""
        return replace(self, files=tuple(filter(is_kept, self.files)))

    def each(self, change: Callable[[File], File]) -> Document:
        """Return the document with every file changed."""
        return replace(self, files=tuple(map(change, self.files)))


_BLANKS = b"\t\n\v\f\r "
#: By byte: `a` in a word, a blank elsewhere.
_LETTERS = bytes(b"a"[0] if WORD.match(bytes([byte])) else b" "[0] for byte in range(256))
_MARKS = bytes(byte for byte in range(256) if _LETTERS[byte] == b" "[0] and byte not in _BLANKS)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of a document in three units.

    `lines` counts line feeds, and an unfinished last line. `tokens` is the same for every
    language, so that figures compare: words (runs of letters, digits, underscores and bytes
    over 127) and marks (any other single byte that is not white space). These are the pieces of
    `pieces.tokens` without white space, counted faster.
    """

    bytes: int
    lines: int
    tokens: int

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.bytes + other.bytes, self.lines + other.lines, self.tokens + other.tokens)


def measure(data: bytes) -> Sizes:
    """Return the sizes of some bytes; linear, in C: about a millisecond a megabyte."""
    letters = data.translate(_LETTERS)
    words = letters.startswith(b"a") + letters.count(b" a")
    marks = len(data) - len(data.translate(None, _MARKS))
    unfinished = bool(data) and not data.endswith(b"\n")
    return Sizes(len(data), data.count(b"\n") + unfinished, words + marks)


@dataclass(frozen=True, slots=True)
class Trace:
    """The files and lines that one run of the test used: a guess of what the failure needs.

    It decides only which queries come first. `opened` are the paths of opened files; others were
    only `looked_up`, for instance because a program listed a folder. `ran` has the numbers of the
    lines that ran, from 1 and in order, for the files that were traced. `released` are the files
    that an installed package contains as well, which the test can import instead.
    """

    opened: frozenset[str]
    looked_up: frozenset[str]
    ran: dict[str, tuple[int, ...]] = field(default_factory=dict)
    released: frozenset[str] = frozenset()
