"""Delete what files use of one another, from those inwards that no other uses."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.outlines.lexis import words_of
from nubbin.documents.parsing.syntax import Structure
from nubbin.passes.folders.across import FilesEdit, propose_across
from nubbin.passes.folders.mentions import Mention, cuts_at, mentions, named_by
from nubbin.passes.proposal import Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers.uses import Uses

#: Folders of fewer files are asked about as they are.
_MIN_FILES = 16
#: The pass ends when lists of so many edits, one after the other, came to nothing.
_MAX_VAIN = 64

#: A word of more cuts of a file is no name of what one of them offers.
_MAX_OFTEN = 4

_Named = Mapping[str, Sequence[Mention]]


def entries(
    document: Document, structures: Mapping[str, Structure], test: str = ""
) -> Proposals[Document]:
    """Propose to delete entries, which no other file names, and then what they use of others.

    A small file may use a large part of a folder, of which each file is needed as long as the small
    one is as it was. So the entries are looked into first, then what they name, and so on inwards:
    what names other files is deleted with all that needs it, of all these files at once, then of
    each. Before that, what a file has of others goes at once if those that led to it do not name
    it. Whenever something has gone, all files go at once to which no entry leads any more; if they
    do not, those of them that no other names are entries too. If the files that the `test` names
    lead to all others, they are the entries. A container is a file that names no other.

    The pass ends when there are few files, or when 64 edits in a row were in vain.
    """
    running = _inwards(document, structures, os.fsencode(test))
    proposal, vain = next_proposal(running), 0
    while proposal is not None and vain < _MAX_VAIN and len(document.files) >= _MIN_FILES:
        came_out = yield proposal
        vain = vain + proposal.size if came_out.key == document.key else 0
        document = came_out
        proposal = next_proposal(running, document)


def _inwards(
    document: Document, structures: Mapping[str, Structure], test: bytes
) -> Proposals[Document]:
    roots = set(named_by(test, document))
    if roots and led_to(document, roots)[1]:
        roots.clear()
    seen: set[str] = set()
    while True:
        document, named = yield from _unused(document, roots)
        layers = ([*set(layer) - seen] for layer in _layers(named, roots))
        nearest = sorted(next(filter(None, layers), []))
        if not nearest:
            return
        if offers := _offers(document, structures, named, nearest, seen):
            fewer = yield propose_across(document, structures, [offers])
            if fewer.key != document.key:
                document = fewer
                continue
        seen.update(nearest)
        document = yield from _cuts(document, structures, nearest)


def _offers(
    document: Document,
    structures: Mapping[str, Structure],
    named: _Named,
    paths: Sequence[str],
    seen: Collection[str],
) -> FilesEdit:
    """Return what deletes what files have of others if none of their users seen names it.

    A file may be there to hand on what others declare, and each user takes little of it.
    """
    contents = document.data
    cut: dict[str, Edit] = {}
    for path in paths:
        asked: set[bytes] = set()
        for user in {each.path for each in named[path]} & set(seen) & set(contents):
            asked |= words_of(contents[user])
        edits = [each for _, each in _edits(document, structures, named, [path], at_once=False)]
        words = [_words(contents[path], each) for each in edits]
        often = Counter(chain(*words))
        offered = [
            each
            for each, own in zip(edits, words, strict=True)
            if asked.isdisjoint(word for word in own if often[word] <= _MAX_OFTEN)
        ]
        if asked and 1 < len(offered) < len(edits):
            cut[path] = tuple(sorted(set(chain(*offered))))
    return cut


def _cuts(
    document: Document, structures: Mapping[str, Structure], paths: Sequence[str]
) -> Generator[Proposal[Document], Document, Document]:
    """Propose to delete what names others in some files: in all, in each, and of each other."""
    asked: list[FilesEdit] = []
    for at_once in (True, False):
        named = mentions(document.closed)
        found = [*_edits(document, structures, named, paths, at_once=at_once)]
        edits: list[FilesEdit] = [{path: edit} for path, edit in found]
        if at_once and len(edits) > 1:
            came_out = yield propose_across(document, structures, [dict(found)])
            if came_out.key != document.key:
                return came_out
        if edits and edits != asked:
            document = yield propose_across(document, structures, edits)
        asked = edits
    return document


def _edits(
    document: Document,
    structures: Mapping[str, Structure],
    named: _Named,
    paths: Sequence[str],
    *,
    at_once: bool,
) -> Iterator[tuple[str, Edit]]:
    contents = {file.path: file.data for file in document.texts}
    by_user: defaultdict[str, list[list[Mention]]] = defaultdict(list)
    for user, some in chain(*(groupby(found, attrgetter("path")) for found in named.values())):
        by_user[user].append([*some])
    for path in filter(contents.__contains__, paths):
        targets = [[*chain(*by_user[path])]] if at_once else by_user[path]
        for edit in cuts_at(Gate(structures[path]), contents[path], targets):
            yield path, edit


def _words(data: bytes, cut: Edit) -> set[bytes]:
    return words_of(b"\n".join(data[span.start : span.stop] for span in cut))


def _unused(
    document: Document, entries: set[str]
) -> Generator[Proposal[Document], Document, tuple[Document, _Named]]:
    """Propose that all files go to which no entry leads; add to the entries what is one as well.

    Files that name one another in a circle have no entry: they are left to other passes. Returns
    also where the files that are left name each other.
    """
    named: _Named = {}
    while document.files:
        named, left = led_to(document, entries)
        if not left:
            break
        if len(left) < len(named):
            came_out = yield propose_across(document, {}, [dict.fromkeys(chain(*left.values()))])
            if came_out.key != document.key:
                document = came_out
                continue
        found = _unnamed(named, left)
        if not found:
            break
        entries.update(found)
        document = yield propose_across(document, {}, [dict.fromkeys(left[path]) for path in found])
    return document, named if document.files else {}


def led_to(document: Document, entries: Iterable[str]) -> tuple[_Named, dict[str, list[str]]]:
    """Return where files name others, and those to which no entry leads.

    A container is one file, with its members.
    """
    named, outermost = mentions(document.closed), document.outermost
    reached = set(chain(*_layers(named, entries)))
    return named, {path: outermost.get(path, [path]) for path in named if path not in reached}


def _unnamed(named: _Named, paths: Collection[str]) -> list[str]:
    """Return those of some files that no others of them name."""
    others = set(paths)
    return [path for path in paths if not any(each.path in others for each in named[path])]


def _layers(named: _Named, entries: Iterable[str]) -> Iterator[list[str]]:
    """Yield the entries that are left, what they name, what that names, and so on."""
    paths = [*named]
    at = {path: i for i, path in enumerate(paths)}
    uses: list[list[int]] = [[] for _ in paths]
    for path, found in named.items():
        for user in dict.fromkeys(each.path for each in found):
            uses[at[user]].append(at[path])
    roots = sorted(at[path] for path in entries if path in at)
    for layer in Uses.of_each(uses).layers(roots):
        yield [paths[i] for i in layer]
