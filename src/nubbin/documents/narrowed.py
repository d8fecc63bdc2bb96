"""What structures have in common that show a part of another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nubbin.documents.parsing.syntax import Structure
from nubbin.documents.replacement import Replacement


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A structure that shows less of another one, which parses and allows edits for it.

    With `nodes` and `functions` it is a `Structure`.
    """

    whole: Structure

    @property
    def language(self) -> str:
        """The language of the grammar; empty if there is none."""
        return self.whole.language

    def parses(self, data: bytes) -> bool:
        """Tell whether a document has a tree that passes can use."""
        return self.whole.parses(data)

    def allows_edit(self, data: bytes, edited: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced is as well formed as it was."""
        return self.whole.allows_edit(data, edited, spans)
