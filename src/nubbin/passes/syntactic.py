"""What the passes over syntax trees share: the syntax gate, and proposals behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from nubbin.documents.edits import Edit, Edits, Mask
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.documents.syntax import Node
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import FilePass, Proposal


def propose(file: File, syntax: Structure | None, edits: Sequence[Edit]) -> Proposal[File]:
    """Return a proposal of edits; it takes no query on documents with new syntax errors."""
    made = Edits(file.data, edits)

    def render(kept: Subset) -> File:
        return file.with_data(made.render(kept))

    if syntax is None:
        return Proposal(len(made), render, made.weights)

    def is_plausible(kept: Subset, candidate: File) -> bool:
        return no_new_errors(syntax, made, made.all_but(kept), candidate)

    return Proposal(len(made), render, made.weights, is_plausible)


def no_new_errors(syntax: Structure, edits: Edits, applied: Mask, candidate: File) -> bool:
    """The second gate: tell whether a candidate has at most the errors of what was edited."""
    return syntax.allows_edit(edits.data, candidate.data, edits.spans(applied))


#: The kinds round a node, and what is to be done with it.
Place = tuple[str | None, ...]

_REFUSALS = 4


class Gate:
    """The first gate: does the grammar allow this edit of a single node?

    Answered by a parse for the first nodes in such surroundings, and from memory for all that
    stand in the same: between the same kinds, under the same kind. One yes is taken for all,
    a no only when it was said a few times. So it can err, and says only what is tried. A few
    parses for each kind of place, no query.
    """

    def __init__(self, syntax: Structure):
        self.syntax = syntax
        self._allowed: set[Place] = set()
        self._refusals: Counter[Place] = Counter()

    def may_delete(self, data: bytes, node: Node) -> bool:
        """Tell whether a node, and the separator that goes with it, can be left out."""
        before, after = node.sibling(-1), node.sibling(1)
        place = (_kind(node.parent), _kind(before), node.kind, _kind(after), None)
        return self._ask(place, data, with_separator(node), b" ")

    def may_replace(self, data: bytes, node: Node, kind: str, text: bytes) -> bool:
        """Tell whether a text of some kind can stand where a node stands."""
        before, after = node.sibling(-1), node.sibling(1)
        place = (_kind(node.parent), _kind(before), node.kind, _kind(after), kind)
        return self._ask(place, data, Replacement(node.start, node.stop), text)

    def _ask(self, place: Place, data: bytes, span: Replacement, text: bytes) -> bool:
        if place not in self._allowed and self._refusals[place] < _REFUSALS:
            edited = data[: span.start] + text + data[span.stop :]
            if self.syntax.allows_edit(data, edited, [Replacement(span.start, span.stop, text)]):
                self._allowed.add(place)
            else:
                self._refusals[place] += 1
        return place in self._allowed


@dataclass(frozen=True, slots=True)
class OnTree:
    """A pass over syntax trees, made anew for every document, with a gate of its own.

    So what it proposes depends on the document alone, and on nothing that was looked at before.
    """

    make: Callable[[Gate], FilePass]
    syntax: Structure

    @property
    def name(self) -> str:
        """What a person calls this pass."""
        return self.make(Gate(self.syntax)).name

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield what the pass proposes."""
        return self.make(Gate(self.syntax)).propose(file)


def _kind(node: Node | None) -> str | None:
    return None if node is None else node.kind


def with_separator(node: Node) -> Replacement:
    """Return a node's span with the separator behind it, or before it where it is the last."""
    after, before = node.sibling(1), node.sibling(-1)
    if is_separator(after):
        return Replacement(node.start, after.stop)
    if is_separator(before):
        return Replacement(before.start, node.stop)
    return Replacement(node.start, node.stop)


def is_separator(node: Node | None) -> TypeGuard[Node]:
    """Tell whether a node is a mark that stands between the elements of a list."""
    return node is not None and not node.named and node.kind in _SEPARATORS


_SEPARATORS = {",", ";", "|", "||", "&&", "and", "or", "+", "&"}
