"""Names with a sigil: where lines define them, and what refers to them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

from nubbin.documents.consistency.items import Items, Kind, Number

_SYMBOL = re.compile(rb"(?<![\w.$%!@#^&~-])([%!@#$^&~])[A-Za-z_.$-][\w.$-]*")
_DEFINES = re.compile(rb"[ \t]*=")
_SCOPE_END = re.compile(rb"\n\}")


def symbols(data: bytes) -> list[Number]:
    """Return all references to names that a line defines, and these names.

    A line without an indent defines its first name. An indented line defines a name that it begins
    with, if `=` comes next, for the lines up to the next brace at the beginning of one. Linear.
    """
    ends = [found.start() for found in _SCOPE_END.finditer(data)]
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
                own.mark = each[1]
    numbers = []
    for each, scope in found:
        at = defined.get((scope, each[0]), defined.get((-1, each[0])))
        if at is not None:
            numbers.append(Number(each.end(1), each.end(), items[each[1]], at, is_name=True))
    return numbers
