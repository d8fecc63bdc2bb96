"""Delete what files use of one another, from those inwards that no other uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nubbin.documents.document import Document
from nubbin.documents.parsing.syntax import Structure
from nubbin.passes.folders.across import propose_across
from nubbin.passes.folders.mentions import Mention, mentions, node_at
from nubbin.passes.proposal import Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate
from nubbin.passes.words.cut_uses import cut_uses

#: Folders of fewer files are asked about as they are.
_MIN_FILES = 16
#: The pass ends when lists of so many edits, one after the other, came to nothing.
_MAX_VAIN = 64

_Lists = Generator[Proposal[Document], Document, Document]
_Named = Mapping[str, Sequence[Mention]]


@dataclass(frozen=True, slots=True)
class Entries:
    """Proposes that entries go, which no other file names, and then what they use of others.

    A small file may use a large part of a folder, of which each file is needed as long as the small
    one is as it was. So the entries are looked into first, then what they name, and so on inwards:
    what names other files is deleted with all that needs it, of all these files at once, then of
    each. Whenever something has gone, all files go at once to which no entry leads any more; if
    they do not, those of them that no other names are entries too.
    """

    structures: Mapping[str, Structure]
    name: str = "entries"
    proves: bool = False

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
        entries: set[str] = set()
        seen: set[str] = set()
        while True:
            document = yield from _unused(document, entries)
            named = mentions(document)
            path = next((each for each in _reached(named, entries) if each not in seen), None)
            if path is None:
                return
            seen.add(path)
            document = yield from self._cuts(document, named, path)

    def _cuts(self, document: Document, named: _Named, path: str) -> _Lists:
        """Propose to delete what names others in a file: all of it, or else that of each."""
        structure, data = self.structures[path], document.data[path]
        found = [
            [node for each in at if each.path == path and (node := node_at(structure, data, each))]
            for at in named.values()
        ]
        targets = [target for target in found if target]
        gate = Gate(structure)
        for some in ([sum(targets, [])], targets) if len(targets) > 1 else (targets,):
            if edits := cut_uses(gate, data, some, ()):
                came_out = yield propose_across(
                    document, self.structures, [{path: edit} for edit in edits]
                )
                if came_out.key != document.key:
                    return came_out
        return document


def _unused(document: Document, entries: set[str]) -> _Lists:
    """Propose that all files go to which no entry leads; add to the entries what is one as well."""
    while document.files:
        named = mentions(document)
        reached = set(_reached(named, entries))
        left = [path for path in named if path not in reached]
        if not left:
            break
        if reached:
            came_out = yield propose_across(document, {}, [dict.fromkeys(left)])
            if came_out.key != document.key:
                document = came_out
                continue
        found = _unnamed(named, left) or left[:1]
        entries.update(found)
        document = yield propose_across(document, {}, [{path: None} for path in found])
    return document


def _unnamed(named: _Named, paths: Collection[str]) -> list[str]:
    """Return those of some files that no others of them name."""
    others = set(paths)
    return [path for path in paths if not any(each.path in others for each in named[path])]


def _reached(named: _Named, entries: Iterable[str]) -> list[str]:
    """Return the entries that are left, what they name, what that names, and so on."""
    uses: defaultdict[str, list[str]] = defaultdict(list)
    for path, found in named.items():
        for user in dict.fromkeys(each.path for each in found):
            uses[user].append(path)
    reached = dict.fromkeys(path for path in sorted(entries) if path in named)
    left = list(reached)
    for path in left:
        new = [each for each in uses[path] if each not in reached]
        reached.update(dict.fromkeys(new))
        left += new
    return left
