"""Propose edits, and ask the parser first which edits the grammar allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TypeGuard

from nubbin.documents.edits import Edit, Edits, File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import apart
from nubbin.passes.proposal import Proposal, Spans
from nubbin_core.minimizers.subset import Subset

#: The structure of each file of a folder, by its path.
Structures = Mapping[str, Structure]


def propose(
    file: File, structure: Structure | None, edits: Iterable[Edit], *, tidy: bool = True
) -> Proposal[File]:
    """Return a proposal of edits; with a structure, candidates with new errors cost no query."""
    made = Edits(file, [*edits], tidy=tidy)

    def is_plausible(kept: Subset) -> bool:
        return structure is None or structure.allows_edit(file.data, made.spans(kept))

    return Proposal(
        len(made),
        made.render,
        made.weights,
        is_plausible,
        spans=lambda: [Spans(file.path, made.owners, made.starts, made.stops)],
    )


#: The kinds of a node and of the nodes around it, and what replaces it.
_Context = tuple[str | None, ...]

#: After this many rejections in a context, its edits are rejected without a parse.
_MAX_REJECTIONS = 4


class Gate:
    """Tells whether the grammar allows an edit of a single node.

    Nodes are in the same context if their parents and their neighbours are of the same kinds. The
    gate parses edits of the first nodes in a context, and remembers the answer for the others. If
    the parser allows one edit, all in the context are allowed; only several rejections reject them.
    So the gate can err, and decides only what is tried first. Costs a few parses for each context,
    and no query.

    Each document needs a gate of its own, because a gate remembers and a pass must be pure.
    """

    def __init__(self, structure: Structure):
        self.structure = structure
        self._allowed: set[_Context] = set()
        self._rejections: Counter[_Context] = Counter()

    def may_delete(self, data: bytes, node: Node) -> bool:
        """Tell whether a node can be deleted with its separator."""
        return self._ask((*_around(node), None), data, with_separator(node), b" ")

    def may_replace(self, data: bytes, node: Node, kind: str, text: bytes) -> bool:
        """Tell whether a text of some kind can replace a node."""
        span = Replacement(node.start, node.stop)
        return self._ask((*_around(node), kind), data, span, text)

    def shorter(self, data: bytes, node: Node, texts: Iterable[bytes]) -> bytes | None:
        """Return the first of some texts that is shorter than a node and can replace it."""
        short = (text for text in texts if len(text) < len(node))
        fitting = (text for text in short if self.may_replace(data, node, text.decode(), text))
        return next(fitting, None)

    def may_join(self, data: bytes, node: Node, seam: Replacement) -> bool:
        """Tell whether a text can replace what is between a node and the next one."""
        return self._ask((*_around(node), f"joined by {seam.text!r}"), data, seam, seam.text)

    def _ask(self, context: _Context, data: bytes, span: Replacement, text: bytes) -> bool:
        if context not in self._allowed and self._rejections[context] < _MAX_REJECTIONS:
            text = apart(data, *span[:2], text)
            if self.structure.allows_edit(data, [Replacement(*span[:2], text)]):
                self._allowed.add(context)
            else:
                self._rejections[context] += 1
        return context in self._allowed


def _around(node: Node) -> _Context:
    return _kind(node.parent), _kind(node.sibling(-1)), node.kind, _kind(node.sibling(1))


def _kind(node: Node | None) -> str | None:
    return None if node is None else node.kind


def with_separator(node: Node) -> Replacement:
    """Return a node's span with the separator after it or, if there is none, the one before it."""
    after, before = node.sibling(1), node.sibling(-1)
    if is_separator(after):
        return Replacement(node.start, after.stop)
    if is_separator(before):
        return Replacement(before.start, node.stop)
    return Replacement(node.start, node.stop)


def with_separators(nodes: Collection[Node]) -> list[Replacement]:
    """Return the spans of nodes that are deleted together, so that no list ends with a separator.

    Of `a, b, c`, the last two nodes are `, b` and `, c`.
    """
    gone = {(node.start, node.stop) for node in nodes}

    def is_last(node: Node) -> bool:
        after = node.parent.children[node.index + 1 :] if node.parent else []
        return all((each.start, each.stop) in gone for each in after if each.named)

    return [
        Replacement(before.start, node.stop)
        if is_separator(before := node.sibling(-1)) and is_last(node)
        else with_separator(node)
        for node in nodes
    ]


def is_separator(node: Node | None) -> TypeGuard[Node]:
    """Tell whether a node is a mark between the elements of a list."""
    return node is not None and not node.named and node.kind in _SEPARATORS


_SEPARATORS = {",", ";", "|", "||", "&&", "and", "or", "+", "&"}
