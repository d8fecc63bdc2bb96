"""Reduce what uses a long list before the list: the end of a program, or what stands around it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, groupby
from math import inf

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.outside import Outside
from nubbin.documents.parsing.syntax import Node, Recent, Structure
from nubbin.documents.parts import Parts
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.subtrees import levels
from nubbin.passes.proposal import Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate, propose
from nubbin.passes.words.cut_uses import cut_uses, is_declared
from nubbin.passes.words.names import NAME, occurrences, words_of

#: Shorter lists are asked about as they are.
_MIN_PARTS = 256
#: The users are at most this share of the file.
_MAX_USERS_FRACTION = 1 / 16
#: A name is declared in so many parts at most; a word of more is a key or a keyword.
_MAX_DECLARATIONS = 4
#: So many parts become users at once at most, and so many times.
_MAX_NEW_USERS, _MAX_LAPS = 8, 8
#: So many lists of whole parts come before what is inside of them.
_LISTS_OF_WHOLE_PARTS = 3
#: The users are asked for alone whenever they name no more than this share of what they did, and
#: with all that they use whenever that has shrunk so much.
_MAX_NAMED_FRACTION, _MAX_WEIGHT_FRACTION = 2 / 3, 3 / 4


def users_first(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete what uses a long list; after each gain there, what it used.

    A program ends with what uses the rest of it, and a schema begins with it. As long as that
    stays, so does much of the rest, and each part of the rest costs a question. So the users are
    reduced first: whole parts, then what names anything of the rest, then what is inside. Whenever
    they name a third less, they are asked for alone; whenever all that they use has shrunk by a
    quarter, with that. Then those parts are users too that they name, if they are few. If the list
    does not declare its names, as the headers of C++ do not, the inside goes by names as well: each
    declaration with what needs it.
    """
    found = _LongList.of(gate.structure, file.data)
    used = found.used() if found else frozenset()
    for _ in range(_MAX_LAPS):
        if not used:
            return
        by_names = not (found and found.declares)
        file = yield from _Users(gate.structure, used).reduced(file, by_names=by_names)
        found = _LongList.of(gate.structure, file.data)
        used = found.less(used) if found else frozenset()


@dataclass(frozen=True)
class _LongList:
    """The parts of a long list that most of a file is, and what uses which of them."""

    data: bytes
    parts: Sequence[Node]

    @classmethod
    def of(cls, structure: Structure, data: bytes) -> _LongList | None:
        """Return the children of the first node of many, on the way to what is most of a file."""
        depth, above = 0, structure.nodes(data, 1)[:1]
        while above and 2 * len(above[0]) >= len(data):
            parts = [child for child in above[0].children if child.named]
            if len(parts) >= _MIN_PARTS:
                return cls(data, parts)
            depth += 1
            start = max(parts, key=len).start if parts else -1
            nodes = structure.nodes(data, depth + 1)
            above = [each for each in nodes if each.depth == depth and each.start == start]
        return None

    @cached_property
    def texts(self) -> list[bytes]:
        """The texts of the parts."""
        return [self.data[part.start : part.stop] for part in self.parts]

    @property
    def around(self) -> bytes:
        """What stands around the list."""
        return self.data[: self.parts[0].start] + b"\n" + self.data[self.parts[-1].stop :]

    @cached_property
    def declared(self) -> Mapping[bytes, Sequence[int]]:
        """In which parts each name is declared, or else where it stands first."""
        if self.declares:
            return self._declared
        first: dict[bytes, list[int]] = {}
        for at, text in enumerate(self.texts):
            for word in _words(text):
                first.setdefault(word, [at])
        return first

    @cached_property
    def declares(self) -> bool:
        """Whether most of the file is in parts that declare a name, unlike blocks of namespaces."""
        declaring = set(chain.from_iterable(self._declared.values()))
        return 2 * sum(len(self.texts[at]) for at in declaring) >= len(self.data)

    @cached_property
    def _declared(self) -> Mapping[bytes, Sequence[int]]:
        """Which parts, a few at most, have a word outside of brackets."""
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        for at, text in enumerate(self.texts):
            for word in set(NAME.findall(_outside_of_brackets(text))):
                found[word].append(at)
        return {word: parts for word, parts in found.items() if len(parts) <= _MAX_DECLARATIONS}

    def named_in(self, text: bytes) -> set[int]:
        """Return the parts that declare what a text names."""
        return set(chain.from_iterable(self.declared.get(word, ()) for word in _words(text)))

    def named_by(self, users: Set[int]) -> set[int]:
        """Return the parts that declare what users name, and what is named around the list."""
        named = self.named_in(self.around)
        return named.union(*(self.named_in(self.texts[at]) for at in users))

    def reach(self, users: Set[int]) -> set[int]:
        """Return the users and what they use, with what that uses, and so on."""
        reached = self.named_by(users) | users
        left = list(reached)
        while left:
            new = self.named_in(self.texts[left.pop()]) - reached
            reached |= new
            left += new
        return reached

    def used(self) -> frozenset[bytes]:
        """Return the texts of the parts that a small rest of the file uses; or none.

        The users are what stands around the list. If that names nothing of it, they are the last
        parts: of a preprocessed program the main file, or else the last one, if it declares a name,
        and those before it that only other users name.
        """
        first = len(self.parts)
        if not self.named_in(self.around):
            main_file = _main_file(self.data)
            if main_file:
                first = bisect_left(self.parts, main_file, key=lambda part: part.start)
            elif any(len(self.parts) - 1 in parts for parts in self._declared.values()):
                first = self._last_users()
        users = set(range(first, len(self.parts)))
        return self._without(users) if self.named_by(users) - users else frozenset()

    def less(self, used: Set[bytes]) -> frozenset[bytes]:
        """Return some texts of parts without those that the others name, if they are a few."""
        users = {at for at, text in enumerate(self.texts) if text not in used}
        named = self.named_by(users) - users
        is_few = self.declares and 0 < len(named) <= _MAX_NEW_USERS
        return self._without(users | named) if is_few else frozenset()

    def _last_users(self) -> int:
        first_user = [len(self.parts)] * len(self.parts)
        for at, text in enumerate(self.texts):
            for each in self.named_in(text) - {at}:
                first_user[each] = min(first_user[each], at)
        users = len(self.parts) - 1
        while users and users <= first_user[users - 1] < len(self.parts):
            users -= 1
        return users

    def _without(self, users: Collection[int]) -> frozenset[bytes]:
        """Return the texts of all parts but the users, if these are a small share of the file."""
        own = {self.texts[at] for at in users}
        is_small = len(self.around) + sum(map(len, own)) <= _MAX_USERS_FRACTION * len(self.data)
        return (
            frozenset(text for text in self.texts if text not in own) if is_small else frozenset()
        )

    def all_but(self, kept: Collection[int]) -> Edit:
        """Return what deletes the parts that are not kept, with the marks between them."""
        stays = [at in kept for at in range(len(self.parts))]
        if not any(stays):
            return (Replacement(self.parts[0].start, self.parts[-1].stop),)
        runs = [
            list(run) for stay, run in groupby(range(len(stays)), stays.__getitem__) if not stay
        ]
        return tuple(self._span(run[0], run[-1]) for run in runs)

    def _span(self, first: int, last: int) -> Replacement:
        """Return where parts stand, with the marks after them, or before them at the end."""
        if last + 1 < len(self.parts):
            return Replacement(self.parts[first].start, self.parts[last + 1].start)
        return Replacement(self.parts[first - 1].stop, self.parts[last].stop)


@lru_cache(maxsize=1 << 14)
def _words(text: bytes) -> frozenset[bytes]:
    """Return the words of a part, which is mostly asked for again when others have changed."""
    return frozenset(words_of(text, NAME))


_OPENING = re.compile(rb"[({\[]")


def _outside_of_brackets(text: bytes) -> bytes:
    """Return what stands before the first bracket of a text and after the last."""
    opening = _OPENING.search(text)
    if opening is None:
        return text
    return text[: opening.start()] + b" " + text[1 + max(map(text.rfind, (b")", b"}", b"]"))) :]


_MARKER = re.compile(rb'^# \d+ "([^"]*)"', re.MULTILINE)


def _main_file(data: bytes) -> int:
    """Return where a preprocessed program comes back from its headers last; 0 if it does not."""
    markers = list(_MARKER.finditer(data))
    return markers[-1].end() if markers and markers[-1][1] == markers[0][1] else 0


_GatedPass = Callable[[File, Gate], Proposals[File]]


class _Users:
    """What uses the texts of some parts of a long list, which are used and stay as they are."""

    def __init__(self, structure: Structure, used: frozenset[bytes]):
        self._structure, self._used = structure, used
        self._lists = Recent[_LongList | None](0)
        #: How many parts the users named when they were last asked for alone, and how many bytes
        #: they had with all that they use when they were asked for with that.
        self._named: float = inf
        self._weight: float = inf

    def reduced(self, file: File, *, by_names: bool) -> Generator[Proposal[File], File, File]:
        """Yield the lists of the users and, between them, what they use; return what came out."""
        beside = _Beside(self._structure, self._parts)
        file = yield from self._alone(file)
        for each in (_whole_parts, self._cuts, self._own_names if by_names else _levels):
            running = each(file, Gate(beside))
            proposal = next_proposal(running)
            while proposal is not None and self._parts(file.data).starts:
                before = file
                file = yield proposal
                if file.data != before.data:
                    file = yield from self._alone(file)
                proposal = next_proposal(running, file)
        return file

    def _long_list(self, data: bytes) -> _LongList | None:
        return self._lists.of(data, lambda data: _LongList.of(self._structure, data))

    @cached_property
    def _names(self) -> frozenset[bytes]:
        """All words of what is used."""
        return frozenset().union(*map(_words, self._used))

    def _parts(self, data: bytes) -> Parts:
        """Return where the parts of the list are that are used."""
        found = self._long_list(data)
        both = zip(found.parts, found.texts, strict=True) if found else ()
        used = [part for part, text in both if text in self._used]
        return Parts([part.start for part in used], [part.stop for part in used])

    def _alone(self, file: File) -> Generator[Proposal[File], File, File]:
        """Ask for the users without what they no longer use, if that is much; return the result."""
        found = self._long_list(file.data)
        if found is None:
            return file
        users = {at for at, text in enumerate(found.texts) if text not in self._used}
        named = len(found.named_by(users) - users)
        if named <= _MAX_NAMED_FRACTION * self._named:
            self._named = named
            alone = yield propose(file, self._structure, [found.all_but(users)])
            if alone.data != file.data:
                return alone
        reached = found.reach(users)
        weight = sum(len(found.texts[at]) for at in reached)
        if weight <= _MAX_WEIGHT_FRACTION * min(self._weight, len(file.data)):
            self._weight = weight
            file = yield propose(file, self._structure, [found.all_but(reached)])
        return file

    def _own_names(self, file: File, gate: Gate) -> Proposals[File]:
        """Propose to delete each declaration of the users, with what needs it; while that gains."""
        first, before = file, None
        while file != before and (edits := self._declarations(file.data, gate)):
            before = file
            file = yield propose(file, gate.structure, edits)
        if file != first:
            yield from self._cuts(file, gate)

    def _declarations(self, data: bytes, gate: Gate) -> list[Edit]:
        """Return for each name that is declared by the users what goes with it."""
        declared = (
            [node for node in nodes if is_declared(node) or node.role == "name"]
            for nodes in occurrences(gate.structure, data).values()
        )
        return cut_uses(gate, data, filter(None, declared), self._names)

    def _cuts(self, file: File, gate: Gate) -> Proposals[File]:
        """Propose to delete all that names what is used, with what needs it; then name by name."""
        names = self._names
        for at_once in (True, False):
            named = [
                nodes
                for name, nodes in occurrences(gate.structure, file.data).items()
                if name in names and not any(map(is_declared, nodes))
            ]
            edits = cut_uses(gate, file.data, named, names)
            if at_once and len(edits) > 1:
                edits = [tuple(sorted(set(chain(*edits))))]
            if edits:
                file = yield propose(file, gate.structure, edits)


def _whole_parts(file: File, gate: Gate) -> Proposals[File]:
    """Propose the first lists of `levels`."""
    running = levels(file, gate.structure)
    proposal, lists = next_proposal(running), 0
    while proposal is not None and lists < _LISTS_OF_WHOLE_PARTS:
        lists += proposal.size > 1
        file = yield proposal
        proposal = next_proposal(running, file)


def _levels(file: File, gate: Gate) -> Proposals[File]:
    return levels(file, gate.structure)


class _Beside(Outside):
    """A structure without the parts that must stay, and without what is inside of them."""

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Parts | None = None
    ) -> list[Node]:
        """Return the nodes of a tree that are not in these parts."""
        parts = self.protected(data)
        nodes = super().nodes(data, depth, smallest, closed)
        return [node for node in nodes if not parts.hold(node.start, node.stop)]
