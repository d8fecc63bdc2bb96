"""Empty the bodies of functions, as LLVM's bugpoint does first of all."""

from __future__ import annotations

from typing import Final

from nubbin.documents.file import File, Replacement
from nubbin.documents.parsing.syntax import Node
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose

#: Bodies that are smaller than this on average are left to other passes.
_MAX_DOCUMENT_TO_BODY_RATIO = 400

_EMPTY = (b"{}", b"")
#: In these languages a body has to return something; one that never returns will do.
_NEVER_RETURNS: Final = {
    "csharp": b"{throw null;}",
    "go": b"{panic(0)}",
    "java": b"{throw null;}",
    "llvm": b"{unreachable}",
    "rust": b"{panic!()}",
    "typescript": b"{throw 0}",
}
#: What grammars call the list of a function's parameters.
_PARAMETERS: Final = {"parameters", "arguments"}


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


def emptied_bodies(data: bytes, gate: Gate) -> list[tuple[Replacement]]:
    """Return an edit for each body of a function that is not empty."""
    return [
        (Replacement(node.start, node.stop, text),)
        for node in gate.structure.nodes(data)
        if node.role == "body" and _is_function(node.parent)
        if (text := _emptied(gate, data, node)) is not None
    ]


def _emptied(gate: Gate, data: bytes, body: Node) -> bytes | None:
    """Return a shorter text that can replace a body; None if the grammar allows none."""
    if data[body.start : body.stop] in _EMPTY:
        return None
    never_returns = _NEVER_RETURNS.get(gate.structure.language)
    for text in (never_returns,) if never_returns else _EMPTY:
        if len(text) < len(body) and gate.may_replace(data, body, text.decode(), text):
            return text
    return None


def _is_function(node: Node | None) -> bool:
    if node is None:
        return False
    before = (child for child in node.children if child.role != "body")
    return any(part.role in _PARAMETERS for child in before for part in child.walk())
