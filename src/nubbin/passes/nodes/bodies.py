"""Empty bodies of functions, as LLVM's bugpoint does first, braces, and values of large maps."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from itertools import chain
from math import ceil
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from nubbin.documents.edits import File
from nubbin.documents.outlines.lexis import words_of
from nubbin.documents.parsing.grammars import grammar, keywords
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement, replaced
from nubbin.passes.headers import DECLARED_IN, without_annotations
from nubbin.passes.nodes.named_parts import own_size
from nubbin.passes.nodes.subtrees import Kinds, by_kind
from nubbin.passes.proposal import Proposal, Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.passes.words.definition import EMPTY_BODIES, NOTHING_DONE
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import Subset
from nubbin_core.minimizers.uses import NO_USER, Uses, by_name, declaring

#: Bodies that are smaller than this on average are left to other passes.
_MAX_DOCUMENT_TO_BODY_RATIO = 400

#: Fewer pairs of braces, and pairs with fewer bytes, are left to other passes.
_MIN_BRACES = 4
_MIN_BRACED = 10
#: Braces hold more than this share of the document, and less than all but this share.
_MIN_SHARE = 1 / 8

#: Fewer functions are edited one by one.
_MANY = 32
_SPECIFIERS = frozenset(b"constexpr consteval static inline explicit virtual friend extern".split())
#: The kinds of a function, its initializers, and `auto` in the grammars of these languages.
_DEFINITION = "function_definition"
_TRAITS = _INITIALIZERS, _DEDUCED = "field_initializer_list", "placeholder_type_specifier"
#: A name after the name of its class: `A<int>::~A`, `A::operator()`.
_QUALIFIED = pattern(rb"^.*[\w>]\s*::\s*(?:~?\w+|operator\b.*)\s*$", re.DOTALL)
#: What a class begins with, some of whose arguments may be functions: `struct A<int()>`.
_CLASS_TEMPLATE = pattern(rb"(?:struct|class|union)\s+\w+\s*<")


def bodies(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty the body of each function, or to replace functions by declarations.

    An empty function can still be called, but calls nothing. After that, many definitions can be
    removed together that otherwise wait for their callers. A body is a node in the grammar's field
    of that name. Where a declaration is enough, many functions are first edited by kind.
    """
    if gate.structure.language in DECLARED_IN and len(gate.structure.functions(file.data)) >= _MANY:
        own = own_size(gate.structure, file.data)
        file = yield from by_kind(file, partial(declarations, gate=gate, own=own))
    edits = emptied_bodies(file.data, gate)
    total = sum(each.stop - each.start for (each,) in edits)
    if total * _MAX_DOCUMENT_TO_BODY_RATIO > len(edits) * len(file.data):
        yield propose(file, gate.structure, edits)


def declarations(data: bytes, gate: Gate, own: int = 0) -> Kinds:
    """Return for each kind of functions the edits that leave only their declarations.

    Functions are of the same kind if they have the same keywords before their names, and are alike
    in four respects: initializers of members, a deduced return type, the name of a class before
    their name, and a place in the last `own` bytes, which come from no header. A function with the
    name of a class before its name is declared there, so its definition is deleted, with its
    template clause.
    """
    kinds: defaultdict[Hashable, list[Replacement]] = defaultdict(list)
    specifiers = _SPECIFIERS & keywords(gate.structure.language)
    for body in sorted(gate.structure.functions(data), key=lambda node: node.start):
        function = body.parent
        if body.role != "body" or function is None or function.kind != _DEFINITION:
            continue
        traits = {node.kind: node.start for node in function.children if node.kind in _TRAITS}
        start = traits.get(_INITIALIZERS, body.start)
        head = data[function.start : start]
        if b"(" not in without_annotations(head) or _CLASS_TEMPLATE.match(head):
            continue  # a namespace with an attribute, or a class, that the grammar misreads
        words = words_of(head.partition(b"(")[0]) & specifiers
        if b"->" in head:
            traits.pop(_DEDUCED, None)
        name = next((node for node in function.children if node.role == "declarator"), body)
        is_outside = bool(_QUALIFIED.match(data[name.start : name.stop].partition(b"(")[0]))
        *_, around = function.outward()
        found = Replacement(around.start, around.stop) if is_outside else None
        found = found or Replacement(start, body.stop, b";")
        is_own = function.start >= len(data) - own
        if found.stop - found.start > len(found.text):
            kinds[frozenset(words), frozenset(traits), is_outside, is_own].append(found)
    return kinds


def insides(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty the outermost braces, if these are a large share of the file.

    For files without a grammar that shows bodies: the actions of a grammar, the rules of a style.
    Other brackets hold arguments, which are better deleted with what is around them.
    """

    def inside(data: bytes) -> Kinds:
        nodes = [
            node
            for node in gate.structure.nodes(data, smallest=_MIN_BRACED)
            if _is_braced(node)
            if not any(_is_braced(around) for around in node.outward() if around is not node)
        ]
        share = sum(map(len, nodes)) / max(len(data), 1)
        if len(nodes) < _MIN_BRACES or not _MIN_SHARE < share < 1 - _MIN_SHARE:
            return {}
        return {"": [Replacement(node.start + 1, _inner_stop(data, node)) for node in nodes]}

    yield from by_kind(file, inside)


def _inner_stop(data: bytes, node: Node) -> int:
    """Return the end of the contents of braces, before a mark that closes them: `%{ a %}`."""
    mark = data[node.start - 1 : node.start].strip()
    return node.stop - 1 - (bool(mark) and data.endswith(mark, node.start, node.stop - 1))


def _is_braced(node: Node) -> bool:
    return bool(node.children) and node.children[0].kind == "{"


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
    if data[body.start : body.stop] in EMPTY_BODIES:
        return None
    nothing_done = NOTHING_DONE.get(gate.structure.language)
    return gate.shorter(data, body, (nothing_done,) if nothing_done else (b"{}", b""))


#: Maps of fewer entries, or of a smaller share of the file, are left to other passes.
_MIN_ENTRIES, _MIN_MAP_FRACTION = 32, 1 / 16
#: Values that others refer to are at least this share of the file.
_MIN_USED_FRACTION = 1 / 8
#: The number of groups that come first; if none of them can be emptied, no single value is tried.
_GROUPS = 4
_EMPTY_OBJECT, _EMPTY_LIST = b"{}", b"[]"
#: The roles of the two sides of an entry in grammars.
_KEY, _VALUE = "key", "value"
_NAME = pattern(rb"""\"((?:[^"\\]|\\.)*)\"|'([^']*)'|([^\s"'{}\[\],:]+)""")


class _Value(NamedTuple):
    """A value that can be replaced with an empty one."""

    emptied: Replacement
    #: The number of the one before it on its chain.
    user: int
    #: Whether anything refers to it.
    is_used: bool
    #: Whether everything that it refers to has other references as well.
    is_superfluous: bool


def empty_parts(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace values in large maps with `{}`, if other values refer to them.

    A reference to an empty definition remains valid, like a call of an empty function. So a schema
    needs only the definitions that lead from its root to what matters. A kept value also keeps the
    lightest chain of references to it, so the lists only search for the ends of chains: in groups,
    then one by one, those with the longest chains first. If the failure needs another chain, some
    values of the first one are superfluous: the last list empties those that no others depend on.
    """
    values = _emptied_values(gate, file.data)
    used = sum(value.emptied.stop - value.emptied.start for value in values if value.is_used)
    if not used or used < _MIN_USED_FRACTION * len(file.data):
        return
    before = file
    file = yield _emptying(file, gate.structure, values, groups=_GROUPS)
    if file != before and (values := _emptied_values(gate, file.data)):
        file = yield _emptying(file, gate.structure, values, groups=len(file.data))
        beside = (value for value in _emptied_values(gate, file.data) if value.is_superfluous)
        yield propose(file, gate.structure, ((value.emptied,) for value in beside))


def _emptying(
    file: File, structure: Structure, values: Sequence[_Value], *, groups: int
) -> Proposal[File]:
    """Return a proposal to empty groups of about equal weights, of one value at least."""
    each = propose(file, structure, [(value.emptied,) for value in values])

    def with_users(kept: Subset) -> Subset:
        keeps = {*kept}
        for at in range(len(values) - 1, -1, -1):
            if at in keeps and values[at].user != NO_USER:
                keeps.add(values[at].user)
        return Subset.of(keeps)

    return each.chosen_by(with_users).in_groups(groups)


def _emptied_values(gate: Gate, data: bytes) -> list[_Value]:
    """Return the non-empty values of large maps, those on light chains first.

    A chain begins outside of these maps, or else with a value that nothing refers to. Values that
    no chain leads to come last.
    """
    entries = [
        (entry, Replacement(value.start, value.stop, text))
        for entry, value in _entries(gate.structure, data)
        if (text := _empty(gate, data, value)) is not None
    ]
    blanked = [Replacement(entry.start, entry.stop, b" ") for entry, _ in entries]
    outside = replaced(data, Replacement(0, len(data)), blanked)
    keys = by_name(_names(data[entry.start : value.start])[-1:] for entry, value in entries)
    uses = Uses.by_name((_names(data[value.start : value.stop]) for _, value in entries), keys)
    roots = declaring(_names(outside), keys)
    times = Counter(chain(roots, uses.targets))
    weights = [value.stop - value.start for _, value in entries]
    users = uses.chains(weights, (roots, uses.unused - roots))
    order = [*users, *(at for at in range(len(entries)) if at not in users)]
    place = {at: i for i, at in enumerate(order)}
    return [
        _Value(
            entries[at][1],
            place.get(users.get(at, NO_USER), NO_USER),
            at in times,
            min((times[other] for other in uses.of(at)), default=1) > 1,
        )
        for at in order
    ]


def _names(text: bytes) -> list[bytes]:
    """Return the names in a text; of a path, the last one: `b` for `"#/a/b"`."""
    names = (quoted or single or bare for quoted, single, bare in _NAME.findall(text))
    return [unquote_to_bytes(name).rsplit(b"/", 1)[-1] for name in names] or [b""]


def _entries(structure: Structure, data: bytes) -> Iterator[tuple[Node, Node]]:
    """Yield the entries of large maps in which no entry is most of the file, with their values."""
    table = grammar(structure.language)
    if table is None or not all(map(table.field_id_for_name, (_KEY, _VALUE))):
        return
    smallest = ceil(_MIN_MAP_FRACTION * len(data))
    depth = max((node.depth for node in structure.nodes(data, smallest=smallest)), default=0)
    done = 0
    for node in structure.nodes(data, depth + 2):
        entries = [each for each in node.children if _side(each, _KEY)]
        is_large = len(entries) >= _MIN_ENTRIES and len(node) >= smallest
        if is_large and node.start >= done and 2 * max(map(len, entries)) <= len(data):
            done = node.stop
            yield from ((entry, value) for entry in entries if (value := _side(entry, _VALUE)))


def _side(entry: Node, role: str) -> Node | None:
    return next((child for child in entry.children if child.role == role), None)


def _empty(gate: Gate, data: bytes, value: Node) -> bytes | None:
    """Return the empty object or list that can replace a value; None if it is neither."""
    if data.startswith((b"[", b"{"), value.start) or b"\n" in data[value.start : value.stop]:
        is_list = data.startswith((b"[", b"- "), value.start)
        return gate.shorter(data, value, (_EMPTY_LIST if is_list else _EMPTY_OBJECT,))
    return None
