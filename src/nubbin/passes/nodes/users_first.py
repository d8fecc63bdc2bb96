"""Reduce what uses a long list before the list: the end of a program, or what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cached_property, partial
from math import inf

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.outside import Outside
from nubbin.documents.parsing.syntax import Node, Recent, Structure
from nubbin.documents.parts import NO_PARTS, Parts
from nubbin.documents.replacement import Replacement
from nubbin.passes.headers import DECLARED_IN
from nubbin.passes.nodes.alike import alike
from nubbin.passes.nodes.bodies import declarations, emptied_bodies
from nubbin.passes.nodes.long_list import LongList, own_size, words_in
from nubbin.passes.nodes.subtrees import levels
from nubbin.passes.proposal import Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate, propose
from nubbin.passes.words.cut_uses import cut_uses, is_declared
from nubbin.passes.words.names import occurrences

#: Once fewer parts are used, the list is left to other passes.
_MIN_USED = 32
#: How often, at most, the parts that the users name become users too.
_MAX_LAPS = 8
#: Kinds of functions that are a smaller share of the file are left to other passes.
_MIN_KIND = 1 / 32
#: The users are proposed with all that they use whenever that has shrunk to this share.
_MAX_WEIGHT_FRACTION = 7 / 8
#: What grammars call `static` and `inline`, and what a namespace or `extern "C"` holds.
_STORAGE_CLASS, _IN_NAMESPACE = "storage_class_specifier", "declaration_list"

_GatedPass = Callable[[File, Gate], Proposals[File]]


def reached(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete what nothing uses that uses a long list; in C++, also bodies of a kind.

    These are a few queries, so they come before headers, whose levels take many.
    """
    found = LongList.of(gate.structure, file.data)
    if found and (used := found.used()):
        file = yield from _Users(gate.structure, used).alone(file)
        if gate.structure.language in DECLARED_IN:
            own = own_size(gate.structure, file.data)
            find = partial(declarations, gate=gate, own=own)
            yield from alike(file, find, smallest=_MIN_KIND)


def users_first(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete what uses a long list; after each gain there, what it used.

    A program ends with what uses the rest of it, and a schema begins with it. While that is kept,
    so is much of the rest, and each part of the rest costs a query. So the users are reduced first:
    keywords, bodies, then what reaches much, with what only it reaches, then what is inside of
    them. Whenever they name less, they are proposed alone; whenever all that they reach has shrunk
    by an eighth, with that. Then the parts that they name are users too, if these are few.

    In the headers of C++, and in a list that does not declare its names, names do not tell what is
    reached. There, each cut of the users is proposed alone, once.
    """
    found = LongList.of(gate.structure, file.data)
    used = found.used() if found else frozenset()
    for _ in range(_MAX_LAPS):
        if not (found and used):
            return
        users = _Users(gate.structure, used)
        file = yield from users.alone(file)
        is_known = found.declares and gate.structure.language not in DECLARED_IN
        by_weight = users.freeing, _levels
        for each in (_storage_classes, _bodies, *(by_weight if is_known else (users.cuts,))):
            file = yield from users.inside(each, file)
        found = LongList.of(gate.structure, file.data) if is_known else None
        used = found.less(used) if found else frozenset()


class _Users:
    """What uses the texts of some parts of a long list, which are used and stay as they are."""

    def __init__(self, structure: Structure, used: frozenset[bytes]):
        self._structure, self._used = structure, used
        self._lists = Recent[LongList | None](0)
        #: How many parts the users named when they were last proposed alone, and how many bytes
        #: they had with all that they reach when they were proposed with that.
        self._named: float = inf
        self._weight: float = inf

    def inside(self, each: _GatedPass, file: File) -> Generator[Proposal[File], File, File]:
        """Yield the lists of a pass over the users and, after each gain, the users alone."""
        running = each(file, Gate(_Beside(self._structure, self._parts)))
        proposal = next_proposal(running)
        while proposal is not None and self._is_long(file.data):
            before = file
            file = yield proposal
            if file.data != before.data:
                file = yield from self.alone(file)
            proposal = next_proposal(running, file)
        return file

    def alone(self, file: File) -> Generator[Proposal[File], File, File]:
        """Propose the users without what they no longer use, if that is much."""
        found = self._long_list(file.data)
        if found is None:
            return file
        users = self._users(found)
        named = len(found.named_by(users) - users)
        if named < self._named:
            self._named = named
            alone = yield propose(file, self._structure, [found.all_but(users)])
            if alone.data != file.data:
                return alone
        reached = found.reach(users)
        weight = found.weight(reached)
        if weight <= _MAX_WEIGHT_FRACTION * min(self._weight, len(file.data)):
            self._weight = weight
            in_headers = self._structure.language in DECLARED_IN
            rest = found.all_but(reached, borders=in_headers)
            file = yield propose(file, self._structure, [rest])
        return file

    def freeing(self, file: File, gate: Gate) -> Proposals[File]:
        """Propose to cut what reaches much, with all that nothing else reaches; while that pays."""
        before = None
        while file != before and (edits := self._freed(file.data, gate)):
            before = file
            file = yield propose(file, gate.structure, edits)

    def _freed(self, data: bytes, gate: Gate) -> list[Edit]:
        """Return the cuts of the users that free much, each with what it frees; the most last."""
        found = self._long_list(data)
        return found.freed(set(self._cuts(data, gate)), self._users(found)) if found else []

    def cuts(self, file: File, gate: Gate) -> Proposals[File]:
        """Propose each cut of the users."""
        if edits := self._cuts(file.data, gate):
            yield propose(file, gate.structure, edits)

    def _cuts(self, data: bytes, gate: Gate) -> list[Edit]:
        """Return for each name what deletes its declarations or, of a used part, all its uses."""
        targets = []
        for name, nodes in occurrences(gate.structure, data).items():
            declared = [node for node in nodes if is_declared(node) or node.role == "name"]
            targets += [declared] if declared else []
            if name in self._names and not any(map(is_declared, nodes)):
                targets.append(nodes)
        return cut_uses(gate, data, targets, self._names)

    def _is_long(self, data: bytes) -> bool:
        """Tell whether many parts are used."""
        found = self._long_list(data)
        return found is not None and len(found.parts) - len(self._users(found)) >= _MIN_USED

    def _long_list(self, data: bytes) -> LongList | None:
        return self._lists.of(data, lambda data: LongList.of(self._structure, data, _MIN_USED))

    def _users(self, found: LongList) -> set[int]:
        return {at for at, text in enumerate(found.texts) if text not in self._used}

    @cached_property
    def _names(self) -> frozenset[bytes]:
        """All words of what is used."""
        language = self._structure.language
        return frozenset().union(*(words_in(text, language) for text in self._used))

    def _parts(self, data: bytes) -> Parts:
        """Return where the parts of the list are that are used, with the namespaces around them."""
        found = self._long_list(data)
        return Parts.covering(found.between(self._users(found))) if found else NO_PARTS


def _storage_classes(file: File, gate: Gate) -> Proposals[File]:
    """Propose for `static`, and for each other such keyword, to leave it out wherever it stands.

    What is declared so needs others that use it, as compilers drop it without; and these need more.
    """
    spans: dict[bytes, list[Replacement]] = {}
    for node in gate.structure.nodes(file.data):
        if node.kind == _STORAGE_CLASS and _is_global(node) and gate.may_delete(file.data, node):
            span = Replacement(node.start, node.stop)
            spans.setdefault(file.data[node.start : node.stop], []).append(span)
    if spans:
        yield propose(file, gate.structure, [tuple(each) for each in spans.values()])


def _is_global(node: Node) -> bool:
    """Tell whether a part of a declaration stands in no function and no class."""
    around = node.parent and node.parent.parent
    return around is not None and (around.parent is None or around.kind == _IN_NAMESPACE)


def _bodies(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty the body of each function."""
    if edits := emptied_bodies(file.data, gate):
        yield propose(file, gate.structure, edits)


def _levels(file: File, gate: Gate) -> Proposals[File]:
    return levels(file, gate.structure)


class _Beside(Outside):
    """A structure without the parts that must stay, and without what is inside of them."""

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Parts = NO_PARTS
    ) -> list[Node]:
        """Return the nodes of a tree that are not in these parts."""
        parts = self.protected(data)
        nodes = super().nodes(data, depth, smallest, closed)
        return [node for node in nodes if not parts.hold(node.start, node.stop)]
