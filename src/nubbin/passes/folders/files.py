"""Delete files, empty those that must exist, and replace imports with the files they name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, File, FilesEdit
from nubbin.documents.spans import Replacement
from nubbin.passes.each_file import deleted, propose_across
from nubbin.passes.folders.mentions import Mention, cuts_at, mentions, node_at
from nubbin.passes.proposal import Pass, Proposals
from nubbin.passes.syntactic import Gate, Structures, with_separator
from nubbin.passes.words.definition import deletable_around


def files(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose to delete or empty each file, whichever is likelier to succeed, then the other.

    A file that others name must often exist, but can be empty; a file that no other names is
    deleted. A container is deleted as one file; if it is kept, its members are proposed like files.
    Then all empty files are deleted at once. The remaining files are deleted with their references,
    such as imports, includes and rows of manifests, or emptied if they have none. Files of one
    folder are neighbours in each list. Nothing is proposed for a single file.
    """
    if document.is_single:
        return
    document = yield propose_across(document, {}, _likeliest(document, document.on_disk))
    members = {path: [path] for path in document.data if path not in document.on_disk}
    document = yield propose_across(document, {}, _likeliest(document, members))
    empty = _empty(document)
    if 0 < len(empty) < len(document.files):
        document = yield propose_across(document, {}, [deleted(empty)])
    if len(document.files) > 1:
        yield propose_across(document, structures, _remaining(document, structures))


def _remaining(document: Document, structures: Structures) -> Iterator[FilesEdit]:
    gates = {file.path: Gate(structures[file.path]) for file in document.texts}
    contents = document.data
    named = mentions(document.with_empty_containers)
    for path, held in document.on_disk.items():
        if path not in contents and (spans := _references(gates, contents, named[path])):
            yield {**spans, **deleted(held)}
    named = mentions(document)
    for file in document.files:
        if spans := _references(gates, contents, named[file.path]):
            yield {**spans, file.path: None}
        elif file.data and not file.is_link and not named[file.path]:
            yield _emptied(file)


def single_files(document: Document) -> Proposals[Document]:
    """Propose to delete all empty files at once, then each container and each file.

    A file may have been needed by what an edit of another file has removed. So this runs in every
    round, and is part of the proof. Nothing is proposed for a single file, or for the last one.
    """
    if document.is_single:
        return
    empty = _empty(document)
    if 1 < len(empty) < len(document.files):
        document = yield propose_across(document, {}, [deleted(empty)])
    total = len(document.files)
    if total > 1:
        containers = document.members_by_container.values()
        large = [members for members in containers if 1 < len(members) < total]
        each = [*large, *([file.path] for file in document.files)]
        yield propose_across(document, {}, [deleted(paths) for paths in each])


SINGLE_FILES: Final = Pass("single files", single_files, "a file")


def _likeliest(document: Document, places: Mapping[str, Sequence[str]]) -> Iterator[FilesEdit]:
    """Yield the likelier edit for each file or container, given with the paths of its files."""
    named = mentions(document)
    files = {file.path: file for file in document.files}
    for path, held in places.items():
        file = files.get(path)
        if len(files) > 1 and (file is None or file.is_link or not named[path]):
            yield deleted(held)
        elif file is not None and file.data and not file.is_link:
            yield _emptied(file)


def _references(
    gates: Mapping[str, Gate], contents: Mapping[str, bytes], named: Sequence[Mention]
) -> dict[str, Edit]:
    """Return the edits, by path, that delete the references to a file with all that needs them."""
    return {
        path: edit
        for path, some in groupby(named, key=attrgetter("path"))
        for edit in cuts_at(gates[path], contents[path], [some])
    }


def _empty(document: Document) -> list[str]:
    return [file.path for file in document.files if not file.data]


def _emptied(file: File) -> FilesEdit:
    return {file.path: (Replacement(0, len(file.data)),)}


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
        document = yield propose_across(document, structures, edits)


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
            named_at = node_at(gate.structure, data, mention)
            node = named_at and deletable_around(gate, data, named_at)
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
