"""Tables: what a grammar's parser would do in a state, without a parse."""

from __future__ import annotations

from functools import lru_cache

import tree_sitter

from nubbin.documents.tree import ERROR, NO_STATE


class Tables:
    """The parse tables of one grammar, with what was read from them remembered.

    A symbol is a kind of node as the grammar's rules know it (`Tree.symbols`): first come the
    tokens, 0 is the end of the text, then what is made of tokens.
    """

    def __init__(self, language: tree_sitter.Language):
        self._language = language
        # The rule for whole documents is the first that is no token.
        root = tree_sitter.Parser(language).parse(b"").root_node.grammar_id
        self._first_rule = root if root != ERROR else language.node_kind_count
        self._next: dict[tuple[int, int], int] = {}
        self._expected: dict[int, frozenset[int]] = {}

    def next(self, state: int, symbol: int) -> int:
        """Return the state after a symbol, or 0 where the symbol cannot simply be taken in."""
        if state == NO_STATE or symbol == ERROR:
            return 0
        found = self._next.get((state, symbol))
        if found is None:
            found = self._next[state, symbol] = self._language.next_state(state, symbol)
        return found

    def expected(self, state: int) -> frozenset[int]:
        """Return the symbols that are no error in a state."""
        found = self._expected.get(state)
        if found is None:
            ahead = None if state == NO_STATE else self._language.lookahead_iterator(state)
            found = self._expected[state] = frozenset(ahead.symbols() if ahead else ())
        return found

    def expects_unseen(self, state: int) -> bool:
        """Tell whether a state expects a token that no tree shows: a line end, a dedent."""
        visible = self._language.node_kind_is_visible
        return any(0 < s < self._first_rule and not visible(s) for s in self.expected(state))


@lru_cache(maxsize=16)
def tables(language: tree_sitter.Language) -> Tables:
    """Return the tables of a grammar, made once."""
    return Tables(language)
