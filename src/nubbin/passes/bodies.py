"""Empty the bodies of functions, as LLVM's bugpoint does first of all."""

from __future__ import annotations

from typing import Final

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
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
    edits: list[Edit] = []
    total = 0
    for node in gate.structure.nodes(file.data):
        if node.role == "body" and _is_function(node.parent):
            text = _emptied(gate, file.data, node)
            if text is not None:
                edits.append((Replacement(node.start, node.stop, text),))
                total += len(node)
    if total * _MAX_DOCUMENT_TO_BODY_RATIO > len(edits) * len(file.data):
        yield propose(file, gate.structure, edits)


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
