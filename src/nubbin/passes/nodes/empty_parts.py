"""Empty the values of large maps that other values refer to, as in a schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import ceil
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from nubbin.documents.file import File
from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement
from nubbin.passes.proposal import Proposal, Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import Subset
from nubbin_core.minimizers.uses import NO_USER, Uses, by_name, declaring

#: Maps of fewer entries, or of a smaller share of the file, are left to other passes.
_MIN_ENTRIES, _MIN_MAP_FRACTION = 32, 1 / 16
#: Values that others refer to are at least this share of the file.
_MIN_USED_FRACTION = 1 / 8
#: So many groups come first; if none of them can be emptied, no single value is tried.
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
    is_beside: bool


def empty_parts(file: File, gate: Gate) -> Proposals[File]:
    """Propose to replace values in large maps with `{}`, if other values refer to them.

    A reference to an empty definition remains valid, like a call of an empty function. So a schema
    needs only the definitions that lead from its root to what matters. A kept value also keeps the
    lightest chain of references to it, so the lists only search for the ends of chains: in groups,
    then one by one, those with the longest chains first. If the failure needs another chain, some
    values of the first one are superfluous: the last list empties those that no others depend on.
    """
    values = _values(gate, file.data)
    used = sum(value.emptied.stop - value.emptied.start for value in values if value.is_used)
    if not used or used < _MIN_USED_FRACTION * len(file.data):
        return
    before = file
    file = yield _emptying(file, gate.structure, values, groups=_GROUPS)
    if file != before and (values := _values(gate, file.data)):
        file = yield _emptying(file, gate.structure, values, groups=len(file.data))
        beside = (value for value in _values(gate, file.data) if value.is_beside)
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

    return replace(each.chosen_by(with_users), spans=each.spans).in_groups(groups)


def _values(gate: Gate, data: bytes) -> list[_Value]:
    """Return the non-empty values of large maps, those on light chains first.

    A chain begins outside of these maps, or else with a value that nothing refers to. Values that
    no chain leads to come last.
    """
    entries = [
        (entry, Replacement(value.start, value.stop, text))
        for entry, value in _entries(gate.structure, data)
        if (text := _empty(gate, data, value)) is not None
    ]
    ends = zip(
        (0, *(entry.stop for entry, _ in entries)),
        (*(entry.start for entry, _ in entries), len(data)),
        strict=True,
    )
    outside = b" ".join(data[start:stop] for start, stop in ends)
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
