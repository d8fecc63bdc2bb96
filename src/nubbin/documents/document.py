"""Document: the input under reduction."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from nubbin.documents.sizes import Sizes, measure


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of one file, under the name the test knows it by.

    Bytes are kept as they are: nothing is decoded, so invalid UTF-8, NULs and CRLF survive.
    """

    name: str
    data: bytes

    @property
    def key(self) -> bytes:
        """A 128-bit fingerprint of the contents."""
        return blake2b(self.data, digest_size=16).digest()

    @property
    def sizes(self) -> Sizes:
        """How large it is; linear in its bytes."""
        return measure(self.data)

    def with_data(self, data: bytes) -> Document:
        """Return the same file with other contents."""
        return Document(self.name, data)
