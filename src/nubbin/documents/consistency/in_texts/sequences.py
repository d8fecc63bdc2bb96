"""Names that are numbers in sequence, such as `%0`, `%1`, ... of LLVM, and their uses."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from nubbin.documents.consistency.items import Hypothesis, Items, Kind, Number, Placeholder
from nubbin.documents.splice import Span, line_around
from nubbin.pattern import pattern

#: Fewer definitions than this may be in sequence by chance.
_MIN_DEFINITIONS = 8
#: The sigil of the references to labels.
_OF_LABELS = b"%"
#: The fraction of definitions that must be one more than the previous one.
_MIN_IN_SEQUENCE = 0.7
#: A definition; or a label, without a sigil.
_HEAD = pattern(rb"^[ \t]*([%!@#$^&~]|\[\^?)?(\d{1,8})(?(1)\]?[ \t]*[:=]|:)", re.MULTILINE)
_SCOPE_END = pattern(rb"\n(?:\}|[ \t]*\n)")
_SYMBOL = pattern(rb"(?<![\w.$%!@#^&~-])([%!@#$^&~])[A-Za-z_.$-][\w.$-]*")
_DEFINES = pattern(rb"[ \t]*=")
_BRACE = pattern(rb"\n\}")


class _Name(NamedTuple):
    """A number in the text; `begins` is the offset of its sigil."""

    begins: int
    start: int
    stop: int
    value: int
    kind: Kind = Kind.DEFINITION


#: Where a scope begins and ends, and its definitions and labels.
_Scope = tuple[int, int, list[_Name]]


def sequences(data: bytes) -> Iterator[Hypothesis]:
    """Yield a hypothesis for each sigil whose definitions are in sequence: all numbers after it.

    A number that is not larger than the one before begins another scope. A definition alone in its
    scope is in no sequence. Numbers without a definition are labels or parameters, or are written
    nowhere. The probe deletes one of the definitions with the fewest uses. If each has other uses,
    it also deletes the elements of lists that refer to it. Each hypothesis includes all names with
    sigils.
    """
    by_sigil: defaultdict[bytes, list[_Name]] = defaultdict(list)
    for found in _HEAD.finditer(data):
        sigil, kind = (found[1], Kind.DEFINITION) if found[1] else (_OF_LABELS, Kind.LABEL)
        begins = found.start(1 if found[1] else 2)
        by_sigil[sigil].append(_Name(begins, *found.span(2), int(found[2]), kind))
    for sigil, heads in sorted(by_sigil.items()):
        scopes = list(_scopes(data, heads))
        if _are_in_sequence(heads, scopes):
            yield from _of_sigil(data, sigil, scopes)


def _of_sigil(data: bytes, sigil: bytes, scopes: Sequence[_Scope]) -> Iterator[Hypothesis]:
    """Yield the hypothesis of all numbers after a sigil, if there is a definition to probe."""
    uses = [
        _Name(found.start(), *found.span(1), int(found[1]), Kind.PARAMETER)
        for found in re.finditer(rb"(?<![\w.$-])%b(\d{1,8})(?![\w.$])" % re.escape(sigil), data)
    ]
    numbers: list[Number] = []
    by_uses: defaultdict[int, list[list[Span]]] = defaultdict(list)
    for start, stop, heads in scopes:
        inside = uses[bisect_left(uses, (start,)) : bisect_left(uses, (stop,))]
        numbers += _numbers(data, sigil, heads, inside, stop)
        often = Counter(use.value for use in inside)
        for head in heads[:-1]:
            if head.kind == Kind.DEFINITION:
                by_uses[often[head.value]].append([line_around(data, (head.begins, head.stop))])
    if by_uses:  # otherwise each scope ends with its first definition
        items = Items(by_uses[min(by_uses)])
        placeholders: dict[bytes, Placeholder] = {sigil: None} if min(by_uses) > 1 else {}
        yield Hypothesis([*numbers, *_symbols(data)], items, placeholders=placeholders)


def _are_in_sequence(heads: Sequence[_Name], scopes: Sequence[_Scope]) -> bool:
    """Tell whether there are enough definitions, most of them one more than the previous one."""
    in_sequence = sum(after.value == before.value + 1 for before, after in pairwise(heads))
    counted = [head for *_, here in scopes if len(here) > 1 for head in here]
    definitions = sum(head.kind == Kind.DEFINITION for head in counted)
    is_enough = in_sequence >= _MIN_IN_SEQUENCE * (len(heads) - len(scopes))
    return definitions >= _MIN_DEFINITIONS and is_enough


def _scopes(data: bytes, heads: Sequence[_Name]) -> Iterator[_Scope]:
    start, here = 0, list[_Name]()
    for head in heads:
        if here and head.value <= here[-1].value:
            ends = list(_SCOPE_END.finditer(data, here[-1].stop, head.begins))
            stop = ends[-1].start() if ends else head.begins
            yield start, stop, here
            start, here = stop, []
        here.append(head)
    yield start, len(data), here


def _numbers(
    data: bytes, sigil: bytes, heads: Sequence[_Name], uses: Sequence[_Name], stop: int
) -> Iterator[Number]:
    """Yield the numbers of one scope: its definitions, and the references to them."""
    defined = {head.value: head for head in heads}
    for use in uses:
        if use.begins < heads[0].begins:
            defined.setdefault(use.value, use)
    base, top = min(defined), max(defined)
    items = _items(data, sigil, [defined.get(value) for value in range(base, top + 1)], stop)
    starts = {each.start for each in defined.values()}
    for each in (*defined.values(), *(use for use in uses if use.start not in starts)):
        if base <= each.value <= top:
            yield Number(each.start, each.stop, items, each.value - base, base)


def _items(data: bytes, sigil: bytes, names: Sequence[_Name | None], stop: int) -> Items:
    """Return the items of one scope, some of them written nowhere.

    The place of a label is everything up to the next one, or up to the end of the scope.
    """
    places = [[(each.begins, each.stop)] if each else [] for each in names]
    labels = [(at, each) for at, each in enumerate(names) if each and each.kind == Kind.LABEL]
    ends = [*(label.begins for _, label in labels), stop]
    for (at, label), end in zip(labels, ends[1:], strict=True):
        closed = data.find(b"\n}", label.stop, end)
        places[at] = [(label.begins, end if closed < 0 else closed)]
    return Items(places, [each.kind if each else Kind.UNWRITTEN for each in names], sigil)


def _symbols(data: bytes) -> list[Number]:
    """Return all references to names that a line defines, and these names.

    A line without an indent defines its first name. An indented line defines a name that it begins
    with, if `=` comes next, for the lines up to the next brace at the beginning of one. Linear.
    """
    ends = [found.start() for found in _BRACE.finditer(data)]
    items: dict[bytes, Items] = defaultdict(lambda: Items([]))
    defined: dict[tuple[int, bytes], int] = {}
    found = []
    line = -1
    for each in _SYMBOL.finditer(data):
        start = data.rfind(b"\n", 0, each.start()) + 1
        is_first, line = start != line, start
        is_indented = data[start] in b" \t"
        scope = bisect_left(ends, start) if is_indented else -1
        found.append((each, scope))
        begins = is_first and not data[start : each.start()].strip()
        if (is_first and not is_indented) or (begins and _DEFINES.match(data, each.end())):
            own = items[each[1]]
            if defined.setdefault((scope, each[0]), len(own.places)) == len(own.places):
                own.places.append([each.span()])
                own.kinds.append(Kind.DEFINITION)
                own.sigil = each[1]
    numbers = []
    for each, scope in found:
        at = defined.get((scope, each[0]), defined.get((-1, each[0])))
        if at is not None:
            numbers.append(Number(each.end(1), each.end(), items[each[1]], at, is_name=True))
    return numbers
