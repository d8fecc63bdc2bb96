"""WebAssembly: sections with their lengths; lists of types, functions, exports, data in some."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from nubbin.documents.containers.unpacked import Members, NotUnpacked, Unpacked, named_apart
from nubbin.documents.file import File

_SIGN_BYTES = 8
_SECTIONS = (
    *("custom", "type", "import", "signatures", "table", "memory", "global"),
    *("export", "start", "element", "function", "data", "data count"),
)
_TYPES, _SIGNATURES, _FUNCTIONS, _DATA_COUNT = "type", "signatures", "function", "data count"
#: No variables, and an instruction that ends the program.
_TRAP = b"\0\0\x0b"
#: What returns nothing, by what is to be returned: numbers, a vector, references.
_ZEROS = {
    0x7F: b"\x41\0",
    0x7E: b"\x42\0",
    0x7D: b"\x43" + bytes(4),
    0x7C: b"\x44" + bytes(8),
    0x7B: b"\xfd\x0c" + bytes(16),
    0x70: b"\xd0\x70",
    0x6F: b"\xd0\x6f",
}
_FUNCTION_TYPE = 0x60


@dataclass(frozen=True, slots=True)
class _Item:
    """A member: the section that it is in, and whether that is a list of such.

    `before` is what stands before its contents, and does not change; `empty` is what it has for
    none.
    """

    section: int
    listed: bool
    before: bytes
    data: bytes
    empty: bytes = b""

    @property
    def title(self) -> str:
        return _SECTIONS[self.section]


def unpack(file: File, limit: int) -> Unpacked:
    """Take a module apart into sections, and those with code, exports and data into items."""
    try:
        items = list(_items(file.data))
    except (LookupError, ValueError) as error:
        raise NotUnpacked(str(error)) from error
    names = named_apart([f"{item.title} {n}" for n, item in enumerate(items)])
    by_name = dict(zip(names, items, strict=True))
    members = {name: item.data for name, item in by_name.items()}
    return Unpacked(members, partial(_pack, file.data[:_SIGN_BYTES], by_name))


def _items(data: bytes) -> Iterator[_Item]:
    seen: dict[int, bytes] = {}
    at = _SIGN_BYTES
    while at < len(data):
        section = data[at]
        size, at = _number(data, at + 1)
        body = data[at : at + size]
        at += size
        if len(body) < size or section >= len(_SECTIONS):
            raise ValueError("a section that is cut short, or of an unknown kind")
        seen[section] = body
        if section == 10:
            for item, zeros in zip(_list(section, body), _zeros(seen[1], seen[3]), strict=True):
                yield replace(item, empty=zeros)
        elif section in _LISTS:
            yield from _list(section, body)
        else:
            yield _Item(section, False, b"", body)


def _list(section: int, body: bytes) -> Iterator[_Item]:
    count, at = _number(body, 0)
    for _ in range(count):
        start, contents, stop = _LISTS[section](body, at)
        if stop > len(body):
            raise ValueError("an item that is cut short")
        yield _Item(section, True, body[at:start], body[contents:stop])
        at = stop


def _zeros(types: bytes, signatures: bytes) -> Iterator[bytes]:
    """Yield a body for each function: it returns zeros."""
    bodies = []
    count, at = _number(types, 0)
    for _ in range(count):
        if types[at] != _FUNCTION_TYPE:
            raise ValueError("a type that is not of a function")
        parameters, at = _number(types, at + 1)
        results, at = _number(types, at + parameters)
        values = (_ZEROS[each] for each in types[at : at + results])
        bodies.append(b"\0%b\x0b" % b"".join(values))
        at += results
    count, at = _number(signatures, 0)
    for _ in range(count):
        index, at = _number(signatures, at)
        yield bodies[index]


def _function(body: bytes, at: int) -> tuple[int, int, int]:
    """Return where what stays before an item's contents ends, and where these begin and end."""
    size, start = _number(body, at)
    return at, start, start + size


def _type(body: bytes, at: int) -> tuple[int, int, int]:
    if body[at] != _FUNCTION_TYPE:
        raise ValueError("a type that is not of a function")
    parameters, stop = _number(body, at + 1)
    results, stop = _number(body, stop + parameters)
    return at, at, stop + results


def _signature(body: bytes, at: int) -> tuple[int, int, int]:
    _, stop = _number(body, at)
    return at, at, stop


def _export(body: bytes, at: int) -> tuple[int, int, int]:
    size, start = _number(body, at)
    _, stop = _number(body, start + size + 1)
    return at, at, stop


def _data(body: bytes, at: int) -> tuple[int, int, int]:
    mode, start = _number(body, at)
    if mode == 2:
        _, start = _number(body, start)
    if mode != 1:
        start = _after_expression(body, start)
    size, contents = _number(body, start)
    return start, contents, contents + size


def _after_expression(body: bytes, at: int) -> int:
    while (opcode := body[at]) != 0x0B:
        if opcode in (0x23, 0x41, 0x42):  # a global, numbers of 32 and 64 bits
            _, at = _number(body, at + 1)
        else:
            raise ValueError("an expression that is not a number")
    return at + 1


#: By section: what finds the next item of its list.
_LISTS: dict[int, Callable[[bytes, int], tuple[int, int, int]]] = {
    1: _type,
    3: _signature,
    7: _export,
    10: _function,
    11: _data,
}


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number in LEB128, its sign left out, and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def _leb(number: int) -> bytes:
    low = number & 0x7F
    return bytes([low]) if number < 0x80 else bytes([low | 0x80]) + _leb(number >> 7)


def _pack(start: bytes, items: dict[str, _Item], members: Members) -> bytes:
    """Return a module: a function that is gone is one that traps, because the others are counted.

    One that is empty returns zeros. One whose signature is gone is left out. Signatures refer to
    types by their number among all, which is made right.
    """
    titled = {title: [name for name in items if items[name].title == title] for title in _SECTIONS}
    types = [name in members for name in titled[_TYPES]]
    pairs = zip(titled[_FUNCTIONS], titled[_SIGNATURES], strict=False)
    declared = {function for function, signature in pairs if signature in members}
    lists: dict[int, list[bytes]] = {}
    for name, item in items.items():
        if item.title == _FUNCTIONS and name in declared:
            lists.setdefault(item.section, []).append(_function_of(item, members.get(name, _TRAP)))
        elif item.listed and item.title != _FUNCTIONS and name in members:
            lists.setdefault(item.section, []).append(_listed(item, members[name], types))
    parts = [start]
    for name, item in items.items():
        if not item.listed and name in members:
            count = item.title == _DATA_COUNT
            body = _leb(len(lists.get(11, ()))) if count else members[name]
            parts.append(_section(item.section, body))
        elif item.listed and (here := lists.pop(item.section, [])):
            parts.append(_section(item.section, _leb(len(here)) + b"".join(here)))
    return b"".join(parts)


def _function_of(item: _Item, data: bytes) -> bytes:
    body = data or item.empty
    return _leb(len(body)) + body


def _listed(item: _Item, data: bytes, types: Sequence[bool]) -> bytes:
    """Return an item as it stands in its section; `types` tells which types are left."""
    if item.title == _SIGNATURES and data == item.data:
        return _leb(sum(types[: _number(data, 0)[0]]))
    return item.before + _leb(len(data)) + data if item.title == "data" else data


def _section(number: int, body: bytes) -> bytes:
    return bytes([number]) + _leb(len(body)) + body
