"""Injected: a syntax that also reads texts of other languages inside a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from math import inf

import numpy as np

from nubbin.documents.outlines.outline import Outline
from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.languages import language_of
from nubbin.documents.parsing.syntax import (
    MAX_BYTES_WITH_NODES,
    Leaves,
    Node,
    Structure,
    Syntax,
)
from nubbin.documents.recent import Recent
from nubbin.documents.spans import NO_AREAS, Areas, Replacement
from nubbin.pattern import pattern

#: The kind of the nodes that hold a text of another language, by the language around them.
_HOLDERS = {
    "bash": "heredoc_body",
    "html": "raw_text",
    "markdown": "code_fence_content",
    "perl": "heredoc_content",
    "ruby": "heredoc_content",
    "svelte": "raw_text",
    "vue": "raw_text",
    "xml": "CData",
    "yaml": "block_scalar",
}
#: Words before a text that imply its language.
_TELLING = {"script": "javascript", "style": "css", "run": "bash"}
_WORD = pattern(rb"[A-Za-z+#]+")
#: How a block scalar of YAML begins.
_MARK = pattern(rb"[|>][^\n]*\n")


def syntax_of(language: str) -> Syntax:
    """Return the syntax of a language, with the languages that its texts may hold."""
    return Injected(language) if language in _HOLDERS else Syntax(language)


class Injected(Syntax):
    """Reads scripts in pages, fences in Markdown, heredocs and the like by their own grammars.

    A word on the line before such a text may name its language: in the tag of a script, a fence,
    the end of a heredoc. Otherwise its contents decide. A text that no grammar reads well has an
    outline. Nodes, functions and leaves include those of such texts.
    """

    def __init__(self, language: str):
        super().__init__(language)
        self._kind = _HOLDERS[language]
        self._outline = Outline()
        self._syntaxes: dict[str, Syntax] = {}
        self._held = Recent[list[Replacement]](MAX_BYTES_WITH_NODES)

    def functions(self, data: bytes, closed: Areas = NO_AREAS) -> list[Node]:
        found = super().functions(data, closed)
        for start, stop, _ in self._texts(data):
            if not closed.hold(start, stop):
                text = data[start:stop]
                for node in self._inner(data, start, text).functions(text):
                    node.start, node.stop = node.start + start, node.stop + start
                    found.append(node)
        return found

    def leaves(self, data: bytes) -> Leaves:
        found = [each for each in self.nodes(data) if not each.children]
        names, kinds = np.unique([each.kind for each in found], return_inverse=True)
        starts = np.array([each.start for each in found], dtype=np.int32)
        stops = np.array([each.stop for each in found], dtype=np.int32)
        return Leaves(starts, stops, kinds.astype(np.int32), names.tolist())

    def allows_edit(self, data: bytes, spans: Sequence[Replacement]) -> bool:
        return super().allows_edit(data, spans) and all(
            self._allows_inside(data, start, stop, spans) for start, stop, _ in self._texts(data)
        )

    def _allows_inside(
        self, data: bytes, start: int, stop: int, spans: Sequence[Replacement]
    ) -> bool:
        inside = [
            Replacement(span.start - start, span.stop - start, span.text)
            for span in spans
            if start <= span.start and span.stop <= stop
        ]
        text = data[start:stop]
        return not inside or self._inner(data, start, text).allows_edit(text, inside)

    def _texts(self, data: bytes) -> list[Replacement]:
        nodes, kind = super()._nodes, self._kind
        return self._held.of(
            data, lambda data: [_text(data, each) for each in nodes(data) if each.kind == kind]
        )

    def _nodes(
        self, data: bytes, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS
    ) -> list[Node]:
        """Return the nodes, with the trees of the inner texts instead of the nodes in them."""
        grafted: list[Node] = []
        reach = 0
        for node in super()._nodes(data, depth, smallest, closed):
            if node.start >= reach:
                grafted.append(node)
            if node.kind == self._kind and node.start >= reach:
                start, reach, _ = _text(data, node)
                text = data[start:reach]
                below = self._inner(data, start, text).nodes(text, depth - node.depth, smallest)
                node.children = []
                grafted += _moved(below, node, start)
        return grafted

    def _inner(self, data: bytes, start: int, text: bytes) -> Structure:
        line = data[data.rfind(b"\n", 0, max(start - 1, 0)) + 1 : start]
        language = _inner_language(tuple(_WORD.findall(line)), text)
        if language is None:
            return self._outline
        return self._syntaxes.setdefault(language, Syntax(language))


@lru_cache(maxsize=1 << 10)
def _inner_language(words: Sequence[bytes], text: bytes) -> str | None:
    """Return the first language in which a text is well formed; None if there is none."""
    named = dict.fromkeys(filter(None, map(_named, reversed(words))))
    languages = (*named, language_of("", text))
    return next((each for each in languages if each and Syntax(each).is_reliable(text)), None)


@cache
def _named(word: bytes) -> str | None:
    """Return the language that a word means, if it has a grammar."""
    name = word.decode().lower()
    try:
        language = language_of("", b"", _TELLING.get(name, name))
    except ValueError:
        return None
    return language if language and grammar(language) else None


def _text(data: bytes, holder: Node) -> Replacement:
    mark = _MARK.match(data, holder.start, holder.stop)
    return Replacement(mark.end() if mark else holder.start, holder.stop)


def _moved(nodes: list[Node], holder: Node, by: int) -> Iterator[Node]:
    """Yield the nodes of an inner tree, except its root, as nodes below their holder."""
    moved: dict[Node | None, Node] = dict.fromkeys(nodes[:1], holder)
    for node in nodes[1:]:
        start, stop, parent = node.start + by, node.stop + by, moved[node.parent]
        moved[node] = Node(start, stop, node.kind, node.named, parent, node.role)
        yield moved[node]
