"""Replace an import with the file that it names, as `#include` does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.passes.folders.across import FilesEdit, try_across
from nubbin.passes.folders.mentions import Mention, element_at, mentions
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, Structures, with_separator


def merging(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose, for each file that others name, to move its text to the first place that names it.

    Later references to it are deleted. Both files must be in the same language. The imports of most
    languages mean nearly this, and passes on single files then see both texts. Files that name no
    others come first, then those that name these.
    """
    tried: set[str] = set()
    while not document.is_single:
        named = mentions(document)
        waiting = {each.path for path in named if path not in tried for each in named[path]}
        ready = [file for file in document.texts if file.path not in tried | waiting]
        if not ready:
            return
        tried.update(file.path for file in ready)
        edits = _merged(document, structures, ready, named)
        document = yield from try_across(document, structures, edits)


def _merged(
    document: Document,
    structures: Structures,
    ready: Sequence[File],
    named: Mapping[str, Sequence[Mention]],
) -> Iterator[FilesEdit]:
    contents = document.data
    gates = {file.path: Gate(structures[file.path]) for file in document.texts}
    for file in ready:
        spans: defaultdict[str, list[Replacement]] = defaultdict(list)
        for mention in named[file.path]:
            gate, data = gates[mention.path], contents[mention.path]
            node = element_at(gate, data, mention)
            if node is None or gate.structure.language != structures[file.path].language:
                continue
            if spans:
                spans[mention.path].append(with_separator(node))
                continue
            end = b"\n" if data[: node.stop].endswith(b"\n") else b""
            text = file.data.strip() + end
            if gate.may_replace(data, node, "file", text):
                spans[mention.path].append(Replacement(node.start, node.stop, text))
        if spans:
            yield {**{path: tuple(cuts) for path, cuts in spans.items()}, file.path: None}
