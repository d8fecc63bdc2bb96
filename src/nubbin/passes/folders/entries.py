"""Reduce a folder from its entry points inwards: files that no other file names come first."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, FilesEdit
from nubbin.documents.outlines.lexis import words_of
from nubbin.passes.each_file import deleted, propose_across, together, tried
from nubbin.passes.folders.mentions import Mention, cuts_at, mentions, named_by
from nubbin.passes.proposal import Offer, Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate, Structures
from nubbin_core.minimizers.uses import Uses, by_name

#: Folders with fewer files are left to other passes.
_MIN_FILES = 16
#: The pass ends when this number of edits in a row were rejected.
_MAX_VAIN = 64
#: A word in more edits of a file does not name what one of them deletes.
_MAX_OFTEN = 4

_Named = Mapping[str, Sequence[Mention]]


def entries(document: Document, structures: Structures, test: str = "") -> Proposals[Document]:
    """Propose to delete entries, which no other file names, then the references in them.

    A small file may need a large part of a folder. So the pass edits the entries first, then the
    files that they name, and so on. It deletes references to other files with all that needs them:
    in all files of a layer at once, then in each. Before that, it deletes the references of a file
    to what no file before it names. After each success it proposes, as one edit, all files that no
    entry leads to any more; if the test rejects that, those of them that no other file names become
    entries. If the files that the `test` names lead to all others, they are the entries.

    A container counts as a file without references. The pass ends when there are few files, or when
    64 edits in a row were rejected.
    """
    running, came_out, vain = _inwards(document, structures, os.fsencode(test)), None, 0
    while vain < _MAX_VAIN and len(document.files) >= _MIN_FILES:
        if (proposal := next_proposal(running, came_out)) is None:
            return
        came_out = yield proposal
        vain = vain + proposal.size if came_out.key == document.key else 0
        document = came_out


def _inwards(document: Document, structures: Structures, test: bytes) -> Proposals[Document]:
    roots = set(named_by(test, document))
    if roots and led_to(document, roots)[1]:
        roots.clear()
    seen: set[str] = set()
    while True:
        document, named = yield from _without_unreached(document, roots)
        layers = ([*set(layer) - seen] for layer in _layers(named, roots))
        nearest = sorted(next(filter(None, layers), []))
        if not nearest:
            return
        offers = _unnamed_references(document, structures, named, nearest, seen)
        if offers and (fewer := (yield from tried(document, structures, offers))):
            document = fewer
            continue
        seen.update(nearest)
        document = yield from _without_references(document, structures, nearest)


def _unnamed_references(
    document: Document,
    structures: Structures,
    named: _Named,
    paths: Sequence[str],
    seen: Collection[str],
) -> FilesEdit:
    """Return the edit that deletes references of files to what nothing `seen` before them names."""
    contents = document.data
    cut: dict[str, Edit] = {}
    for path, edits in _cuts(document, structures, named, paths, False).items():
        before = {each.path for each in named[path]} & set(seen) & set(contents)
        wanted = set[bytes]().union(*(words_of(contents[user]) for user in before))
        texts = ([contents[path][span.start : span.stop] for span in each] for each in edits)
        words = [words_of(b"\n".join(each)) for each in texts]
        often = Counter(chain(*words))
        offered = [
            each
            for each, own in zip(edits, words, strict=True)
            if wanted.isdisjoint(word for word in own if often[word] <= _MAX_OFTEN)
        ]
        if wanted and 1 < len(offered) < len(edits):
            cut[path] = tuple(sorted(set(chain(*offered))))
    return cut


def _without_references(
    document: Document, structures: Structures, paths: Sequence[str]
) -> Offer[Document]:
    """Propose to delete the references in some files: in all at once, in each, then one by one."""
    proposed: list[FilesEdit] = []
    for at_once in (True, False):
        named = mentions(document.with_empty_containers)
        found = _cuts(document, structures, named, paths, at_once)
        edits: list[FilesEdit] = [{path: edit} for path, some in found.items() for edit in some]
        is_one = at_once and len(edits) > 1
        if is_one and (fewer := (yield from tried(document, structures, together(edits)))):
            return fewer
        if edits and edits != proposed:
            document = yield propose_across(document, structures, edits)
        proposed = edits
    return document


def _cuts(
    document: Document, structures: Structures, named: _Named, paths: Sequence[str], at_once: bool
) -> dict[str, list[Edit]]:
    """Return by path the edits that each delete references to one other file, or to all of them."""
    contents = {file.path: file.data for file in document.texts}
    by_user: defaultdict[str, list[list[Mention]]] = defaultdict(list)
    for user, some in chain(*(groupby(found, attrgetter("path")) for found in named.values())):
        by_user[user].append([*some])
    return {
        path: cuts_at(
            Gate(structures[path]),
            contents[path],
            [[*chain(*by_user[path])]] if at_once else by_user[path],
        )
        for path in paths
        if path in contents
    }


def _without_unreached(
    document: Document, entries: set[str]
) -> Generator[Proposal[Document], Document, tuple[Document, _Named]]:
    """Propose to delete all files that no entry leads to, and add new entries to `entries`.

    Files that name one another in a circle have no entry: they are left to other passes. Also
    returns where the remaining files name each other.
    """
    while document.files:
        named, left = led_to(document, entries)
        edit = deleted(chain(*left.values()))
        if 0 < len(left) < len(named) and (fewer := (yield from tried(document, {}, edit))):
            document = fewer
            continue
        found = [path for path in left if left.keys().isdisjoint(m.path for m in named[path])]
        if not found:
            return document, named
        entries.update(found)
        document = yield propose_across(document, {}, [deleted(left[path]) for path in found])
    return document, {}


def led_to(document: Document, entries: Collection[str]) -> tuple[_Named, dict[str, list[str]]]:
    """Return where files name others, and the files that no entry leads to, with their members."""
    named = mentions(document.with_empty_containers)
    reached = set(chain(*_layers(named, entries)))
    return named, {path: held for path, held in document.on_disk.items() if path not in reached}


def _layers(named: _Named, entries: Collection[str]) -> Iterator[list[str]]:
    """Yield the existing entries, the files that they name, what these name, and so on."""
    paths = [*named]
    by_user = by_name({each.path for each in found} for found in named.values())
    uses = Uses.of_each(by_user.get(path, ()) for path in paths)
    for layer in uses.layers(at for at, path in enumerate(paths) if path in entries):
        yield [paths[at] for at in layer]
