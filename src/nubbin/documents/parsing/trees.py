"""Trees: ask the parser's process about the syntax trees of documents."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import count
from math import inf
from typing import Any

from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.node_rows import MAX_NODES, NO_ROWS, Facts, Rows
from nubbin.documents.parsing.parser_process import ParserProcess
from nubbin.documents.spans import NO_PARTS, Parts, Replacement

#: Longer documents get no tree, only tokens: a tree takes up to 90 bytes for each of theirs.
_MAX_PARSE_BYTES = 12 << 20
# If more of the nodes are errors, a text is in another language, or in a dialect of which the
# grammar knows little. In files with the right ending it is under 0.03 for most languages, and up
# to 0.1 for assembly and SQL; in those that only share the ending it is 0.2 to 1.
_MAX_ERROR_FRACTION = 0.05

_numbers = count()


class Tree:
    """The syntax tree of a document; the parser keeps it as long as this object lives."""

    def __init__(self, number: int, facts: Facts, ask: Callable[..., Any]):
        self.facts = facts
        self._ask = ask
        weakref.finalize(self, _drop, number)

    @property
    def is_complete(self) -> bool:
        """Whether all nodes can be listed. Of a larger tree, those near the root can."""
        return self.facts.size <= MAX_NODES

    @property
    def is_reliable(self) -> bool:
        """Whether the text seems to be in this language: few of the nodes are errors."""
        return self.is_complete and self.facts.errors <= _MAX_ERROR_FRACTION * self.facts.size

    def rows(self, depth: float = inf, smallest: int = 0, closed: Parts = NO_PARTS) -> Rows:
        """Return the nodes, see `Parse.rows`; none if the parser dies of the question."""
        if depth == inf and not smallest and not self.is_complete:
            return NO_ROWS
        rows: Rows = self._ask("rows", depth, smallest, closed) or NO_ROWS
        return rows

    def functions(self, closed: Parts = NO_PARTS) -> Rows:
        """Return the functions, see `Parse.functions`; none if the parser dies of the question."""
        rows: Rows = self._ask("functions", closed) or NO_ROWS
        return rows

    def allows_edit(self, spans: Sequence[Replacement]) -> bool:
        """Tell whether the document has no more errors with these spans replaced.

        An edit is allowed if the tree is not complete, or the parser gives up on it or dies of it.
        """
        # Named tuples are pickled by name, which takes a hundred times as long.
        return (
            not self.is_complete or self._ask("allows_edit", list(map(tuple, spans))) is not False
        )


def tree_of(data: bytes, language: str | None) -> Tree | None:
    """Return the tree of a document, whatever its bytes.

    None if there is no language or no grammar for it, if the document is longer than
    `_MAX_PARSE_BYTES`, if the parser gives up on it or dies of it, or if the tree is too deep to
    use: such a document is a list of tokens.
    """
    if language is None or len(data) > _MAX_PARSE_BYTES or grammar(language) is None:
        return None
    number = next(_numbers)
    ask = partial(_ask, number, data, language)
    facts: Facts | None = ask("facts")
    if facts is None:
        _drop(number)
        return None
    return Tree(number, facts, ask)


@contextmanager
def parsing() -> Iterator[None]:
    """End the parser's process at the end of the block; a later question starts another one."""
    try:
        yield
    finally:
        _parser(os.getpid()).end()


def _ask(*question: Any) -> Any:
    return _parser(os.getpid()).ask(*question)


def _drop(number: int) -> None:
    _parser(os.getpid()).drop(number)


@cache
def _parser(process: int) -> ParserProcess:
    """Return the parser of the process with this number: a fork needs one of its own."""
    return ParserProcess()
