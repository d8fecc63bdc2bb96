"""Delete what files use of one another, from those inwards that no other uses."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.outlines.lexis import words_of
from nubbin.documents.parsing.syntax import Structure
from nubbin.passes.folders.across import FilesEdit, propose_across
from nubbin.passes.folders.mentions import Mention, mentions, named_by, node_at
from nubbin.passes.proposal import Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate
from nubbin.passes.words.cut_uses import cut_uses

#: Folders of fewer files are asked about as they are.
_MIN_FILES = 16
#: The pass ends when lists of so many edits, one after the other, came to nothing.
_MAX_VAIN = 64

#: A word of more cuts of a file is no name of what one of them offers.
_MAX_OFTEN = 4

_Lists = Generator[Proposal[Document], Document, Document]
_Named = Mapping[str, Sequence[Mention]]


@dataclass(frozen=True, slots=True)
class NamedByTest:
    """Proposes that all files go at once to which no file leads that the `test` names.

    This is the text of the test, such as `node main.js`, which says where a project begins.
    """

    test: str
    name: str = "what the test names"
    piece: str = ""

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield one proposal; none if the test names no file, or if all is needed."""
        entries = set(named_by(os.fsencode(self.test), document))
        _, left = _led_to(document, entries) if entries else ({}, {})
        if 0 < len(left) < len(document.closed.files):
            yield propose_across(document, {}, [dict.fromkeys(chain(*left.values()))])


@dataclass(frozen=True, slots=True)
class Entries:
    """Proposes that entries go, which no other file names, and then what they use of others.

    A small file may use a large part of a folder, of which each file is needed as long as the small
    one is as it was. So the entries are looked into first, then what they name, and so on inwards:
    what names other files is deleted with all that needs it, of all these files at once, then of
    each. Before that, what a file has of others goes at once if those that led to it do not name
    it. Whenever something has gone, all files go at once to which no entry leads any more; if they
    do not, those of them that no other names are entries too. If the files that the `test` names
    lead to all others, they are the entries. A container is a file that names no other.
    """

    structures: Mapping[str, Structure]
    test: str = ""
    name: str = "entries"
    piece: str = ""

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield lists as long as there are many files, and until 64 edits in a row are in vain."""
        running = self._lists(document)
        proposal, vain = next_proposal(running), 0
        while proposal is not None and vain < _MAX_VAIN and len(document.files) >= _MIN_FILES:
            came_out = yield proposal
            vain = vain + proposal.size if came_out.key == document.key else 0
            document = came_out
            proposal = next_proposal(running, document)

    def _lists(self, document: Document) -> Proposals[Document]:
        entries = set(named_by(os.fsencode(self.test), document))
        if entries and _led_to(document, entries)[1]:
            entries.clear()
        seen: set[str] = set()
        while True:
            document, named = yield from _unused(document, entries)
            layers = ([*set(layer) - seen] for layer in _layers(named, entries))
            nearest = next(filter(None, layers), None)
            if nearest is None:
                return
            fewer = yield from self._offers(document, named, sorted(nearest), seen)
            if fewer.key != document.key:
                document = fewer
                continue
            seen.update(nearest)
            document = yield from self._cuts(document, sorted(nearest))

    def _offers(
        self, document: Document, named: _Named, paths: Sequence[str], seen: Collection[str]
    ) -> _Lists:
        """Propose that what files have of others goes, if those of their users seen do not name it.

        A file may be there to hand on what others declare, and each user takes little of it.
        """
        contents = document.data
        cut: FilesEdit = {}
        for path in paths:
            asked: set[bytes] = set()
            for user in {each.path for each in named[path]} & set(seen) & set(contents):
                asked |= words_of(contents[user])
            edits = [*self._edits(document, named, [path], at_once=False)]
            words = [_words(contents[path], each[path] or ()) for each in edits]
            often = Counter(chain(*words))
            offered = [
                each[path] or ()
                for each, own in zip(edits, words, strict=True)
                if asked.isdisjoint(word for word in own if often[word] <= _MAX_OFTEN)
            ]
            if asked and 1 < len(offered) < len(edits):
                cut = {**cut, path: tuple(sorted(set(chain(*offered))))}
        return (yield propose_across(document, self.structures, [cut])) if cut else document

    def _cuts(self, document: Document, paths: Sequence[str]) -> _Lists:
        """Propose to delete what names others in some files: in all, in each, and of each other."""
        asked: list[FilesEdit] = []
        for at_once in (True, False):
            edits = [*self._edits(document, mentions(document.closed), paths, at_once=at_once)]
            if at_once and len(edits) > 1:
                together: FilesEdit = dict(chain(*(each.items() for each in edits)))
                came_out = yield propose_across(document, self.structures, [together])
                if came_out.key != document.key:
                    return came_out
            if edits and edits != asked:
                document = yield propose_across(document, self.structures, edits)
            asked = edits
        return document

    def _edits(
        self, document: Document, named: _Named, paths: Sequence[str], *, at_once: bool
    ) -> Iterator[FilesEdit]:
        contents = {file.path: file.data for file in document.texts}
        by_user: defaultdict[str, defaultdict[str, list[Mention]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for path, found in named.items():
            for each in found:
                by_user[each.path][path].append(each)
        for path in paths:
            if path not in contents:
                continue
            structure, data = self.structures[path], contents[path]
            nodes = [
                [node for at in found if (node := node_at(structure, data, at))]
                for found in by_user[path].values()
            ]
            targets = [[*chain(*nodes)]] if at_once else nodes
            for edit in cut_uses(Gate(structure), data, filter(None, targets), ()):
                yield {path: edit}


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
        named, left = _led_to(document, entries)
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


def _led_to(document: Document, entries: Iterable[str]) -> tuple[_Named, dict[str, list[str]]]:
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


def _layers(named: _Named, entries: Iterable[str]) -> list[list[str]]:
    """Return the entries that are left, what they name, what that names, and so on."""
    uses: defaultdict[str, list[str]] = defaultdict(list)
    for path, found in named.items():
        for user in dict.fromkeys(each.path for each in found):
            uses[user].append(path)
    first = set(entries)
    layers = [[path for path in named if path in first]]
    reached = set(layers[0])
    while layers[-1]:
        below = dict.fromkeys(chain(*(uses[path] for path in layers[-1])))
        layers.append([path for path in below if path not in reached])
        reached.update(layers[-1])
    return layers
