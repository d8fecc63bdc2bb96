"""Reduce what uses a long list before the list: the end of a program, or what stands around it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Generator, Sequence
from itertools import chain, groupby
from math import inf

from nubbin.documents.file import File, Replacement
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.parts import NO_PARTS, Parts
from nubbin.passes.nodes.bodies import bodies
from nubbin.passes.nodes.minimal_replacements import minimal_replacements
from nubbin.passes.nodes.subtrees import levels
from nubbin.passes.proposal import Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate, propose
from nubbin.passes.words.cut_uses import cut_uses, is_declared
from nubbin.passes.words.def_use import def_use
from nubbin.passes.words.names import NAME, occurrences, words_of
from nubbin.passes.words.word_uses import uses

#: Shorter lists are asked about as they are.
_MIN_PARTS = 256
#: What uses the list is at most this share of the file.
_MAX_USERS_FRACTION = 1 / 16
#: A name is what so many parts begin with at most; a word of more is a key or a keyword.
_MAX_DECLARATIONS = 4
#: So many lists of whole parts come before what is inside of them.
_LISTS_OF_WHOLE_PARTS = 3
#: The users are looked at again if they shrank to this share of what they were.
_PAYING_FRACTION = 0.9
#: They are asked for alone whenever they name no more than this share of what they did, and with
#: all that they use whenever that has shrunk so much.
_MAX_NAMED_FRACTION, _MAX_WEIGHT_FRACTION = 2 / 3, 3 / 4


def users_first(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete what uses a long list; after each gain there, what it used.

    A program ends with what uses the rest of it, and a schema begins with it. As long as that
    stays, so does much of the rest, and each part of the rest costs a question. So the users are
    reduced first: whole parts, then what names anything of the rest, then what is inside. Whenever
    they name a third less, they are asked for alone; whenever all that they use has shrunk by a
    quarter, with that. The pass ends when one of these is accepted.
    """
    while used := _used(gate.structure, file.data):
        before = len(file.data) - len(used)
        file = yield from _Users(gate.structure, used).reduced(file)
        after = len(file.data) - len(used)
        if used not in file.data or after > _PAYING_FRACTION * before:
            return


def _used(structure: Structure, data: bytes) -> bytes:
    """Return the parts of a long list that a small rest of the file uses; empty if there is none.

    The users are what stands around the list, or, if that uses nothing of it, the last part and
    those before it that only other users use.
    """
    parts = _long_list(structure, data)
    if not parts:
        return b""
    heads = Counter(chain.from_iterable(set(_head(data, part)) for part in parts))
    names = {word for word, count in heads.items() if count <= _MAX_DECLARATIONS}
    around = data[: parts[0].start] + b"\n" + data[parts[-1].stop :]
    users = len(parts)
    if not names & words_of(around, NAME):
        users -= 1
        last = data[parts[users].start : parts[users].stop]
        texts = [data[part.start : part.stop] for part in parts]
        relation = uses(texts)
        if relation is None or not (names - set(_head(data, parts[users]))) & words_of(last, NAME):
            return b""
        first_user = relation.first_users()
        while users and users <= first_user[users - 1] < len(parts):
            users -= 1
    used = data[parts[0].start : parts[users - 1].stop] if users else b""
    return used if len(data) - len(used) <= _MAX_USERS_FRACTION * len(data) else b""


def _long_list(structure: Structure, data: bytes) -> list[Node]:
    """Return the children of the first node of many, on the way to what is most of the file."""
    nodes = structure.nodes(data, 1)
    depth, node = 0, nodes[0] if nodes else None
    while node is not None and 2 * len(node) >= len(data):
        parts = [child for child in node.children if child.named]
        if len(parts) >= _MIN_PARTS:
            return parts
        depth += 1
        heaviest = max(parts, key=len, default=None)
        node = heaviest and next(
            each
            for each in structure.nodes(data, depth + 1)
            if each.depth == depth and each.start == heaviest.start
        )
    return []


_BRACKET = re.compile(rb"[({\[]")


def _head(data: bytes, part: Node) -> list[bytes]:
    """Return the words of a part before its first bracket: what it declares is among them."""
    bracket = _BRACKET.search(data, part.start, part.stop)
    return NAME.findall(data, part.start, bracket.start() if bracket else part.stop)


class _Users:
    """What uses a text that is most of a file."""

    def __init__(self, structure: Structure, used: bytes):
        self._structure, self._used = structure, used
        self._names = words_of(used, NAME)
        #: How many of the names the users had, and the bytes of all that they used, when asked.
        self._named: float = inf
        self._weight: float = len(used)

    def reduced(self, file: File) -> Generator[Proposal[File], File, File]:
        """Yield the lists of the users and, between them, what they used; return what came out."""
        running = self._lists(file)
        proposal = next_proposal(running)
        while proposal is not None:
            file = yield from self._alone(file)
            if self._used not in file.data:
                return file
            file = yield proposal
            if self._used not in file.data:
                return file
            proposal = next_proposal(running, file)
        return (yield from self._alone(file))

    def _lists(self, file: File) -> Proposals[File]:
        beside = _Beside(self._structure, self._used)
        for each in (self._whole_parts, self._cuts, bodies, _levels, def_use, minimal_replacements):
            running = each(file, Gate(beside))
            proposal = next_proposal(running)
            while proposal is not None:
                file = yield proposal
                proposal = next_proposal(running, file)

    def _whole_parts(self, file: File, gate: Gate) -> Proposals[File]:
        running = levels(file, gate.structure)
        proposal, asked = next_proposal(running), 0
        while proposal is not None and asked < _LISTS_OF_WHOLE_PARTS:
            asked += proposal.size > 1
            file = yield proposal
            proposal = next_proposal(running, file)

    def _cuts(self, file: File, gate: Gate) -> Proposals[File]:
        """Propose to delete all that names what is used, with what needs it; then name by name."""
        for at_once in (True, False):
            leaves = occurrences(gate.structure, file.data)
            named = [
                nodes
                for name, nodes in leaves.items()
                if name in self._names and not any(map(is_declared, nodes))
            ]
            edits = cut_uses(gate, file.data, named, self._names)
            if at_once and len(edits) > 1:
                edits = [tuple(sorted(set(chain(*edits))))]
            if edits:
                file = yield propose(file, gate.structure, edits)

    def _alone(self, file: File) -> Generator[Proposal[File], File, File]:
        """Ask for the users without what they no longer use; return what came out."""
        parts = _long_list(self._structure, file.data)
        at = file.data.find(self._used)
        users = bisect_left(parts, at + len(self._used), key=lambda part: part.start)
        rest = file.data[:at] + b"\n" + file.data[at + len(self._used) :]
        named = len(self._names & words_of(rest, NAME))
        if named <= _MAX_NAMED_FRACTION * self._named:
            self._named = named
            alone = yield propose(file, self._structure, [_all_but(parts, users, ())])
            if alone.data != file.data:
                return alone
        texts = [file.data[part.start : part.stop] for part in parts[:users]]
        relation = uses([*texts, rest])
        if relation is not None:
            kept = relation.reach(users)
            weight = sum(len(texts[at]) for at in kept)
            if kept and weight <= _MAX_WEIGHT_FRACTION * self._weight:
                self._weight = weight
                return (yield propose(file, self._structure, [_all_but(parts, users, kept)]))
        return file


def _levels(file: File, gate: Gate) -> Proposals[File]:
    return levels(file, gate.structure)


def _all_but(parts: Sequence[Node], users: int, kept: Collection[int]) -> tuple[Replacement, ...]:
    """Return what deletes the parts before the users but some, with the marks between them."""
    stays = [at >= users or at in kept for at in range(len(parts))]
    if not any(stays):
        return (Replacement(parts[0].start, parts[-1].stop),)
    runs = [list(run) for stay, run in groupby(range(len(parts)), stays.__getitem__) if not stay]
    return tuple(
        Replacement(parts[run[0]].start, parts[run[-1] + 1].start)
        if run[-1] + 1 < len(parts)
        else Replacement(parts[run[0] - 1].stop, parts[run[-1]].stop)
        for run in runs
    )


class _Beside:
    """What a structure shows beside a text, which is used and stays as it is: a `Structure`."""

    def __init__(self, whole: Structure, used: bytes):
        self._whole, self._used = whole, used

    @property
    def language(self) -> str:
        """The language of the grammar; empty if there is none."""
        return self._whole.language

    def parses(self, data: bytes) -> bool:
        """Tell whether a document has a tree that passes can use."""
        return self._whole.parses(data)

    def nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Parts = NO_PARTS
    ) -> list[Node]:
        """Return the nodes of a tree that are not in the text."""
        start = data.find(self._used)
        used = Parts([start], [start + len(self._used)])
        nodes = self._whole.nodes(data, depth, smallest, used)
        return [node for node in nodes if not used.hold(node.start, node.stop)]

    def allows_edit(self, data: bytes, edited: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced is as well formed as it was."""
        return self._whole.allows_edit(data, edited, spans)
