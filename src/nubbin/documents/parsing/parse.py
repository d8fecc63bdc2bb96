"""Parse: the syntax tree of a document, its errors, and the effect of edits on them.

Only for the parser's own process (see `nubbin.documents.parsing.parser`): a grammar may end it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import inf
from typing import NamedTuple

import tree_sitter

from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.node_rows import MAX_NODES, NO_ROWS, Facts, Rows
from nubbin.documents.spans import NO_AREAS, Areas, Replacement, replaced

# Recovery from errors may take quadratic time. The parser calls back after every hundred steps:
# 7 to 25 times for a kilobyte of what people write, 15,000 times for `->` repeated in Apex. Since
# steps are counted, and not seconds, every machine gives up on the same texts.
_MAX_CALLS_PER_BYTE = 0.3
_MAX_CALLS_FOR_ANY = 1000
# Passes parse a deep tree a few times for every level.
_MAX_LEVELS = 2000
# With this many edits or more, a parse from scratch is faster than editing the old tree.
_MIN_SPANS_TO_PARSE_AGAIN = 1000
# Also parse from scratch if at most this share remains, because editing the tree takes time for
# each removed node.
_MAX_LEFT_TO_PARSE_AGAIN = 1 / 4
#: An edit is judged by the constructs around it if the document is this many times as long.
_MIN_WHOLE_TO_PARTS = 8


class _Listing:
    """Rows of one or more trees, without the insides of nodes in the `closed` areas."""

    def __init__(self, closed: Areas) -> None:
        self.rows = Rows(array("i"), [])
        self._closed = closed
        self._codes: dict[tuple[int, int | None], int] = {}

    def add(self, cursor: tree_sitter.TreeCursor, depth: float = inf, smallest: int = 0) -> Rows:
        """Append the nodes from a new cursor's down, see `Parse.rows`; return all rows."""
        above, append, is_any_closed = 0, self.rows.numbers.extend, bool(self._closed.starts)
        while len(self.rows.numbers) < 4 * MAX_NODES:
            node = cursor.node
            assert node is not None
            start, stop = node.start_byte, node.end_byte
            if start < stop:
                kind = node.kind_id, cursor.field_id
                code = self._codes.get(kind)
                if code is None:
                    code = self._codes[kind] = len(self._codes)
                    self.rows.kinds.append((node.type, node.is_named, cursor.field_name))
                append((start, stop, above, code))
                is_open = above < depth and stop - start >= smallest
                is_open = is_open and not (is_any_closed and self._closed.hold(start, stop))
                if is_open and cursor.goto_first_child():
                    above += 1
                    continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return self.rows
                above -= 1
        return NO_ROWS


@dataclass(frozen=True, eq=False)
class Parse:
    """A parsed document: `raw` is the parser's own tree of `data`; do not edit it."""

    data: bytes
    language: str
    raw: tree_sitter.Tree = field(repr=False)

    def facts(self) -> Facts | None:
        """Return the facts of a tree; None if it is too deep to use."""
        if self._is_deeper_than(_MAX_LEVELS):
            return None
        stray = sum(map(stray_bytes, misfits(self.raw.walk())))
        return Facts(self.raw.root_node.descendant_count, self.errors, stray)

    @cached_property
    def errors(self) -> int:
        """The number of errors, see `Facts`. Visits only nodes with errors inside."""
        return sum(1 for _ in misfits(self.raw.walk()))

    def rows(self, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS) -> Rows:
        """Return the nodes down to a depth, parents first.

        The inside of nodes of fewer than `smallest` bytes is left out, and of those that lie in one
        of the `closed` areas; so are empty nodes. None are returned if they are too many.
        Linear in the nodes returned, without recursion.
        """
        return _Listing(closed).add(self.raw.walk(), depth, smallest)

    def functions(self, closed: Areas = NO_AREAS) -> Rows:
        """Return the nodes that have a body after parameters, each with its children.

        Each is at depth 0, or in what makes it a template and is there, whatever is around it.
        Children are left out as in `rows`.
        """
        listing = _Listing(closed)
        for function in _functions(self.raw):
            around, levels = _whole(function)
            listing.add(around.walk(), depth=levels + 1)
        return listing.rows

    def _is_deeper_than(self, levels: int) -> bool:
        """Tell whether a node has more ancestors than that; visits only nodes that can hold one."""
        cursor, above = self.raw.walk(), 0
        while above <= levels:
            node = cursor.node
            assert node is not None
            if above + node.descendant_count > levels and cursor.goto_first_child():
                above += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return False
                above -= 1
        return True

    def allows_edit(self, spans: Sequence[Replacement]) -> bool:
        """Tell whether the document with these spans replaced has at most the errors it has.

        Edits on which the parser gives up are allowed. An edit of small parts is judged by these,
        if they can tell.
        """
        allowed = self._allows_in_parts(self._tops.around(spans))
        if allowed is not None:
            return allowed
        after = self.edited(spans)
        more = () if after is None else islice(misfits(after.raw.walk()), self.errors, None)
        return not any(True for _ in more)

    def _allows_in_parts(self, parts: Sequence[Part]) -> bool | None:
        """Tell whether parts with their spans replaced have at most the errors they have.

        With an old tree, the parser reads what has changed, but also all errors anywhere, and some
        languages from the start: half a parse or a whole one for each edit. None if the parts are
        much of the document, or are read as something else when they are alone.
        """
        errors = sum(part.errors for part in parts)
        edited = self._errors_in(parts, [part.spans for part in parts])
        if edited is None or edited <= errors:
            return None if edited is None else True
        # The additional errors may come from the edit, or from parsing the parts alone.
        return False if self._errors_in(parts, [[] for _ in parts]) == errors else None

    def _errors_in(
        self, parts: Sequence[Part], edits: Sequence[Sequence[Replacement]]
    ) -> int | None:
        """Return the number of errors in edited parts, each parsed alone."""
        texts = [
            replaced(self.data, Replacement(part.start, part.stop), spans)
            for part, spans in zip(parts, edits, strict=True)
        ]
        if not texts or _MIN_WHOLE_TO_PARTS * sum(map(len, texts)) > len(self.data):
            return None
        errors = 0
        for part, text in zip(parts, texts, strict=True):
            alone = parse(text, self.language)
            if alone is None or not part.is_read_alike(alone.raw):
                return None
            errors += alone.errors
        return errors

    @cached_property
    def _tops(self) -> Tops:
        return Tops(self.raw)

    def edited(self, spans: Sequence[Replacement]) -> Parse | None:
        """Return the parse of `data` with these spans replaced.

        The spans are in order, disjoint, and in the old coordinates. Unchanged subtrees are
        shared with this parse, so the time is mostly that of the changed ones. None if the parser
        gives up (see `parse`).
        """
        data = replaced(self.data, Replacement(0, len(self.data)), spans)
        little = len(data) <= _MAX_LEFT_TO_PARSE_AGAIN * len(self.data)
        if little or len(spans) >= _MIN_SPANS_TO_PARSE_AGAIN:
            return parse(data, self.language)
        old = self.raw.copy()
        # The last first, so that the offsets of the others stay right.
        for (start, stop, text), (begin, end) in reversed(
            list(zip(spans, _points(self.data, spans), strict=True))
        ):
            old.edit(start, stop, start + len(text), begin, end, _moved(begin, text))
        return parse(data, self.language, old)


def parse(data: bytes, language: str, old: tree_sitter.Tree | None = None) -> Parse | None:
    """Return the parse of a document; `old` is the edited tree of the document before it, if any.

    None if there is no grammar for the language, or if the parser gives up: after many times the
    steps that it takes for what people write.
    """
    table = grammar(language)
    if table is None:
        return None
    given, calls = [memoryview(data)], _MAX_CALLS_FOR_ANY + int(_MAX_CALLS_PER_BYTE * len(data))

    def read(offset: int, _point: object) -> memoryview:
        given.append(given[0][offset:])
        return given[-1]

    def too_long(_offset: int, _wrong: bool) -> bool:
        nonlocal calls
        calls -= 1
        return calls < 0

    parser = tree_sitter.Parser(table)
    try:
        # The parser takes an old tree or no second argument at all, but not None.
        raw = (
            parser.parse(read, progress_callback=too_long)
            if old is None
            else parser.parse(read, old, progress_callback=too_long)
        )
    except ValueError:
        return None
    finally:
        for view in given:  # The binding never lets go of a view, and so would keep the document.
            view.release()
    return Parse(data, language, raw)


_Point = tuple[int, int]


def _points(data: bytes, spans: Sequence[Replacement]) -> list[tuple[_Point, _Point]]:
    """Return the row and the column, in bytes, of each span's two ends."""
    points, row, counted = [], 0, 0
    for span in spans:
        ends = []
        for at in span[:2]:
            row += data.count(b"\n", counted, at)
            counted = at
            ends.append((row, at - data.rfind(b"\n", 0, at) - 1))
        points.append((ends[0], ends[1]))
    return points


def _moved(point: _Point, text: bytes) -> _Point:
    """Return the point at which a text ends that begins at a point."""
    rows = text.count(b"\n")
    return point[0] + rows, len(text) - text.rfind(b"\n") - 1 if rows else point[1] + len(text)


# -- functions -----------------------------------------------------------------------------------

#: The fields of grammars with the parameters of a function.
_PARAMETERS = ("parameters", "arguments")


def _functions(tree: tree_sitter.Tree) -> list[tree_sitter.Node]:
    """Return the nodes with a child that the grammar calls a body, and parameters in another child.

    They are in the order of the text, parents first; the parser's own search has no order.
    Searching for bodies takes a quarter of the time of a search for the nodes around them.
    """
    language = tree.language
    named = [field for field in _PARAMETERS if language.field_id_for_name(field)]
    if not named or not language.field_id_for_name("body"):
        return []
    lists = _search(tree, " ".join(f"(_ {field}: _ @found)" for field in named))
    spans = sorted(each.byte_range for each in lists if each.start_byte < each.end_byte)
    holders = {body.parent for body in _search(tree, "(_ body: _ @found)")}
    found = [each for each in holders if each is not None and _takes_parameters(each, spans)]
    return sorted(found, key=lambda each: (each.start_byte, -each.end_byte))


#: Nodes that contain only a definition and its template clause.
_WRAPPERS = ("template_declaration",)


def _whole(function: tree_sitter.Node) -> tuple[tree_sitter.Node, int]:
    """Return the node to delete with a function, and how many levels above the function it is."""
    levels = 0
    while (around := function.parent) is not None and around.type in _WRAPPERS:
        function, levels = around, levels + 1
    return function, levels


def _search(tree: tree_sitter.Tree, pattern: str) -> Sequence[tree_sitter.Node]:
    cursor = tree_sitter.QueryCursor(tree_sitter.Query(tree.language, pattern))
    return cursor.captures(tree.root_node).get("found", ())


def _takes_parameters(holder: tree_sitter.Node, lists: Sequence[tuple[int, int]]) -> bool:
    """Tell whether one of the lists, which are in order, is in a child that is not a body."""
    cursor = holder.walk()
    is_child = cursor.goto_first_child()
    while is_child:
        child = cursor.node
        assert child is not None
        if cursor.field_name != "body":
            inside = slice(*(bisect_left(lists, (at, 0)) for at in child.byte_range))
            if any(stop <= child.end_byte for _, stop in lists[inside]):
                return True
        is_child = cursor.goto_next_sibling()
    return False


def misfits(cursor: tree_sitter.TreeCursor) -> Iterator[tree_sitter.Node]:
    """Yield ERROR and MISSING nodes, and nodes that lack a token without a node of its own.

    Starts at the node of a new cursor; visits only nodes with errors inside.
    """
    found = 0
    # For each node above the cursor, the number that had been found on arrival there.
    before: list[int] = []
    while node := cursor.node:
        arrived = found
        if node.is_error or node.is_missing:
            found += 1
            yield node
        if node.has_error and cursor.goto_first_child():
            before.append(arrived)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            above = cursor.node
            if before.pop() == found and above is not None:
                found += 1
                yield above


def stray_bytes(misfit: tree_sitter.Node) -> int:
    """Return the number of bytes of an ERROR node that belong to no construct inside it.

    A missing token counts as one byte.
    """
    if not misfit.is_error:
        return 1
    constructs = (part for part in misfit.children if part.child_count or part.is_error)
    return misfit.end_byte - misfit.start_byte - sum(p.end_byte - p.start_byte for p in constructs)


class Part(NamedTuple):
    """Bytes `start` to `stop` - 1 of a document: constructs of the top level, some of them edited.

    Unless the document begins or ends there, the first and the last are not edited, and `first`
    and `last` are their kinds.
    """

    start: int
    stop: int
    errors: int
    first: int | None
    last: int | None
    spans: list[Replacement]

    def is_read_alike(self, alone: tree_sitter.Tree) -> bool:
        """Tell whether the first and the last construct have the same kinds in a tree of the part.

        Some languages read a part of a document differently: PHP reads it as text without `<?php`.
        """
        root = alone.root_node
        kinds = [root.children[at].kind_id for at in (0, -1)] if root.child_count else [None, None]
        return all(
            was in (None, now) for was, now in zip((self.first, self.last), kinds, strict=True)
        )


class Tops:
    """The constructs of the top level of a tree: where each begins, its kind and its errors."""

    def __init__(self, tree: tree_sitter.Tree):
        nodes = [] if tree.root_node.is_error else tree.root_node.children
        self._size = tree.root_node.end_byte
        self._starts = [node.start_byte for node in nodes]
        self._kinds = [node.kind_id for node in nodes]
        self._errors = [
            sum(1 for _ in misfits(node.walk())) if node.has_error else 0 for node in nodes
        ]

    def around(self, spans: Sequence[Replacement]) -> list[Part]:
        """Return the constructs around spans, and one more on each side; spans are in order.

        [] if there are no constructs, because the parser could not read the document.
        """
        ranges: list[tuple[int, int, list[Replacement]]] = []
        for span in spans if self._starts else ():
            first = max(bisect_right(self._starts, span[0]) - 2, 0)
            after = min(bisect_left(self._starts, span[1]) + 1, len(self._starts))
            inside: list[Replacement] = []
            if ranges and first < ranges[-1][1]:
                first, _, inside = ranges.pop()
            inside.append(span)
            ranges.append((first, after, inside))
        return [self._part(*each) for each in ranges]

    def _part(self, first: int, after: int, spans: list[Replacement]) -> Part:
        begins, ends = first == 0, after == len(self._starts)
        return Part(
            0 if begins else self._starts[first],
            self._size if ends else self._starts[after],
            sum(self._errors[first:after]),
            None if begins else self._kinds[first],
            None if ends else self._kinds[after - 1],
            spans,
        )
