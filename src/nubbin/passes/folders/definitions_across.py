"""Delete definitions with all that names them, in all files at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.passes.folders.across import FilesEdit, propose_across
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate
from nubbin.passes.words.cut_uses import cut_uses
from nubbin.passes.words.names import occurrences

#: The roles of a name, and of what stands around it, in the definition of the name.
_OF_DEFINED = {"name", "declarator"}


@dataclass(frozen=True, slots=True)
class DefinitionsAcross:
    """Proposes, for each name that is given to something with a body, that all goes that needs it.

    A function or a class that is not needed often cannot go because a file that is needed imports
    it. So it goes with what names it in any file, the imports among it, and with what needs that in
    the same file. Those with the fewest uses are last, where minimizers begin: most of them can go.
    """

    structures: Mapping[str, Structure]
    name: str = "definitions"
    proves: bool = False

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield one proposal; none if nothing with a body has a name."""
        if edits := self._edits(document):
            yield propose_across(document, self.structures, edits)

    def _edits(self, document: Document) -> list[FilesEdit]:
        contents = document.data
        found = {
            file.path: occurrences(self.structures[file.path], file.data) for file in document.texts
        }
        uses: defaultdict[bytes, int] = defaultdict(int)
        for names in found.values():
            for name, nodes in names.items():
                uses[name] += len(nodes)
        defined = {
            name
            for names in found.values()
            for name, nodes in names.items()
            if any(map(_is_defined, nodes))
        }
        in_order = sorted(defined, key=lambda name: (-uses[name], name))
        edits: dict[bytes, FilesEdit] = {name: {} for name in in_order}
        for path, names in found.items():
            gate, data = Gate(self.structures[path]), contents[path]
            known = names.keys() - defined
            for name in names.keys() & defined:
                for edit in cut_uses(gate, data, [names[name]], known):
                    edits[name] = {**edits[name], path: edit}
        return [each for each in edits.values() if each]


def _is_defined(leaf: Node) -> bool:
    """Tell whether a name is that of something with a body."""
    node = leaf
    while node.role in _OF_DEFINED and node.parent is not None:
        node = node.parent
    return node is not leaf and any(child.role == "body" for child in node.children)
