"""Empty the bodies of functions, as LLVM's bugpoint does first of all, or what braces hold."""

from __future__ import annotations

import itertools
from typing import Final

from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose

#: Bodies that are smaller than this on average are left to other passes.
_MAX_DOCUMENT_TO_BODY_RATIO = 400

#: Fewer pairs of braces are left to other passes, and those with fewer bytes.
_MIN_BRACES = 4
_MIN_BRACED = 10
#: They have to be more of the document than this, and to leave as much of it.
_MIN_SHARE = 1 / 8

_EMPTY = (b"{}", b"")
#: In most of these languages a body has to return something; one that never returns will do.
_NOTHING_DONE: Final = {
    "csharp": b"{throw null;}",
    "go": b"{panic(0)}",
    "java": b"{throw null;}",
    "llvm": b"{unreachable}",
    "python": b"...",
    "rust": b"{panic!()}",
    "typescript": b"{throw 0}",
}


def bodies(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty the body of each function, if bodies are large.

    Most of what the parts of a program need of one another, bodies need: a function that
    does nothing can still be called, and calls nothing. After that, many definitions go
    together that otherwise wait for their users. A body is a node that the grammar calls so,
    after parameters.
    """
    edits = emptied_bodies(file.data, gate)
    total = sum(each.stop - each.start for (each,) in edits)
    if total * _MAX_DOCUMENT_TO_BODY_RATIO > len(edits) * len(file.data):
        yield propose(file, gate.structure, edits)


def insides(file: File, structure: Structure) -> Proposals[File]:
    """Propose to empty the outermost braces, if these are a real share.

    All of them in one question, then one half and the other, then quarters and eighths, as long as
    that gains something. For files whose bodies no grammar shows: the actions of a grammar, the
    rules of a style. Other brackets hold arguments, which go better with what is around them.
    """
    before = None
    for count in (1, 2, 4, 8):
        found = _braced(file.data, structure)
        if not found or (file == before and count > 2):
            return
        before, bounds = file, [len(found) * part // count for part in range(count + 1)]
        edits = [tuple(found[a:b]) for a, b in itertools.pairwise(bounds) if a < b]
        file = yield propose(file, structure, edits)


def _braced(data: bytes, structure: Structure) -> list[Replacement]:
    """Return what the outermost braces hold; nothing if they are not worth it."""
    nodes = [
        node
        for node in structure.nodes(data, smallest=_MIN_BRACED)
        if _is_braced(node) and not _is_within_braces(node)
    ]
    share = sum(map(len, nodes)) / max(len(data), 1)
    if len(nodes) < _MIN_BRACES or not _MIN_SHARE < share < 1 - _MIN_SHARE:
        return []
    return [Replacement(node.start + 1, _inner_stop(data, node)) for node in nodes]


def _inner_stop(data: bytes, node: Node) -> int:
    """Return where ends what braces hold, before a mark of theirs: `%{ a %}`."""
    mark = data[node.start - 1 : node.start].strip()
    return node.stop - 1 - (bool(mark) and data.endswith(mark, node.start, node.stop - 1))


def _is_braced(node: Node) -> bool:
    return bool(node.children) and node.children[0].kind == "{"


def _is_within_braces(node: Node) -> bool:
    return any(_is_braced(around) for around in node.outward() if around is not node)


def emptied_bodies(data: bytes, gate: Gate) -> list[tuple[Replacement]]:
    """Return an edit for each body of a function that is not empty."""
    found = (node for node in gate.structure.functions(data) if node.role == "body")
    return [
        (Replacement(node.start, node.stop, text),)
        for node in sorted(found, key=lambda node: node.start)
        if (text := _emptied(gate, data, node)) is not None
    ]


def _emptied(gate: Gate, data: bytes, body: Node) -> bytes | None:
    """Return a shorter text that can replace a body; None if the grammar allows none."""
    if data[body.start : body.stop] in _EMPTY:
        return None
    nothing_done = _NOTHING_DONE.get(gate.structure.language)
    for text in (nothing_done,) if nothing_done else _EMPTY:
        if len(text) < len(body) and gate.may_replace(data, body, text.decode(), text):
            return text
    return None
