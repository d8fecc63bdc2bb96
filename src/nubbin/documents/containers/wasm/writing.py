"""Make a WebAssembly module from the texts that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from nubbin.documents.containers.wasm.instructions import FUNCREF, I32, TYPES, leb, sized
from nubbin.documents.containers.wasm.unfolding import Part, Unfolding
from nubbin.documents.containers.wasm.words import (
    Group,
    Section,
    Signature,
    declared,
    headed,
    is_name,
    nodes_of,
    signature_of,
    unquoted,
    words_in,
)
from nubbin.documents.packing import Members
from nubbin.documents.recent import Recent

#: The member that declares everything but functions and data.
DECLARATIONS: Final = "module"
#: The kinds that can be imported and exported, by the letter that their names begin with.
KINDS: Final = "ftmg"
#: The first bytes of a module.
SIGN: Final = b"\0asm\1\0\0\0"
#: The largest size of the texts, together, whose code is cached.
_MAX_BYTES_WITH_CODE = 1 << 24


class Assembler:
    """Packs modules; `customs` has the custom sections, and the section that each comes after."""

    def __init__(self, customs: Mapping[str, Section]):
        self._customs = customs
        self._functions = Recent[_Function](_MAX_BYTES_WITH_CODE)

    def pack(self, members: Members) -> bytes:
        """Return a module of the members that are kept."""
        functions = {
            name: self._functions.of(text, _Function)
            for name, text in members.items()
            if is_name("f", name)
        }
        data = {name: each for name, each in members.items() if is_name("d", name)}
        sections = _Module(nodes_of(members.get(DECLARATIONS, b"")), functions, data).sections()
        made = [SIGN]
        for section in Section:
            if section in sections:
                made.append(bytes([section]) + sized(sections[section]))
            for name, place in self._customs.items():
                if place is section and name in members:
                    made.append(b"\0" + sized(members[name]))
        return b"".join(made)


class _Function:
    """The code of a text, which is made again when a name in it has another meaning."""

    def __init__(self, text: bytes):
        self._text = text
        self.signature = signature_of(nodes_of(text))
        self.asked: Mapping[str, Signature | int | None] = {}
        self._parts: list[Part] = []

    def code(self, known: Mapping[str, Signature | int]) -> Sequence[Part]:
        """Return the parts of the code, given the meanings of names."""
        if not self._parts or any(known.get(name) != was for name, was in self.asked.items()):
            nodes = nodes_of(self._text)
            of_function = [*declared(nodes, "param"), *(local := declared(nodes, "local"))]
            variables = {name: (number, type_) for number, (name, type_) in enumerate(of_function)}
            unfolding = Unfolding(known, variables, self.signature.gives)
            runs = [(type_, len([*each])) for type_, each in groupby(type_ for _, type_ in local)]
            start = leb(len(runs)) + b"".join(leb(n) + bytes([type_]) for type_, n in runs)
            code = unfolding.sequence(nodes, self.signature.gives)
            self._parts = [*_joined([start, *code])]
            self.asked = unfolding.asked
        return self._parts


def _joined(parts: Sequence[Part]) -> Iterator[Part]:
    for are_bytes, each in groupby(parts, key=lambda part: isinstance(part, bytes)):
        if are_bytes:
            yield b"".join(part for part in each if isinstance(part, bytes))
        else:
            yield from each


class _Module:
    """Numbers everything that is kept, and writes the sections."""

    def __init__(
        self,
        nodes: Sequence[object],
        functions: Mapping[str, _Function],
        data: Mapping[str, bytes],
    ):
        self._groups = [each for each in nodes if isinstance(each, tuple) and each]
        self._functions = functions
        self._data = data
        self._known: dict[str, Signature | int] = {}
        self._numbers: dict[str, int] = {}
        types = dict.fromkeys(map(signature_of, headed(self._groups, "type")))
        self._types = {each: number for number, each in enumerate(types)}
        counts: Counter[str] = Counter()
        for name, what in self._declared():
            self._known[name], self._numbers[name] = what, counts[name[0]]
            counts[name[0]] += 1

    def _declared(self) -> Iterator[tuple[str, Signature | int]]:
        """Yield everything that has a number, and its type, if it has one."""
        for kind, group in self._imports():
            yield _first(group), signature_of(group) if kind == "f" else _type(group)
        yield from ((name, each.signature) for name, each in self._functions.items())
        for title in ("table", "memory", "global", "elem"):
            for group in headed(self._groups, title):
                if is_name(title[0], _first(group)):
                    yield _first(group), _type(group, FUNCREF if title == "table" else I32)
        yield from ((_first(each), 0) for each in self._data_groups())

    def _imports(self) -> Iterator[tuple[str, Group]]:
        for group in headed(self._groups, "imported"):
            if any(is_name(kind, _first(group)) for kind in KINDS):
                yield _first(group)[0], group

    def _data_groups(self) -> Iterator[Group]:
        return (each for each in headed(self._groups, "data") if _first(each) in self._data)

    # -- the contents of sections ------------------------------------------------------

    def sections(self) -> dict[Section, bytes]:
        lists: dict[Section, list[bytes]] = {
            Section.IMPORT: [self._import(*each) for each in self._imports()],
            Section.FUNCTION: [self._type(each.signature) for each in self._functions.values()],
            Section.TABLE: self._each("table", _table),
            Section.MEMORY: self._each("memory", _limits),
            Section.GLOBAL: self._each("global", self._global),
            Section.EXPORT: self._each("export", self._export),
            Section.ELEMENT: self._each("elem", self._element),
            Section.CODE: [
                sized(self._written(each.code(self._known))) for each in self._functions.values()
            ],
            Section.DATA: [self._datum(each) for each in self._data_groups()],
        }
        lists[Section.TYPE] = [each.written for each in self._types]
        sections = {
            section: leb(len(each)) + b"".join(each) for section, each in lists.items() if each
        }
        for group in headed(self._groups, "start"):
            if (name := _first(group)) in self._functions:
                sections[Section.START] = leb(self._numbers[name])
        if any(is_name("d", name) for each in self._functions.values() for name in each.asked):
            sections[Section.DATA_COUNT] = leb(len(lists[Section.DATA]))
        return sections

    def _each(self, title: str, written: Callable[[Group], bytes]) -> list[bytes]:
        groups = headed(self._groups, title)
        return [made for each in groups if (made := written(each))]

    def _written(self, parts: Sequence[Part]) -> bytes:
        return b"".join(
            part
            if isinstance(part, bytes)
            else leb(self._numbers[part])
            if isinstance(part, str)
            else self._type(part)
            for part in parts
        )

    def _type(self, signature: Signature) -> bytes:
        return leb(self._types.setdefault(signature, len(self._types)))

    def _expression(self, group: Group, type_: int) -> bytes:
        return self._written(Unfolding(self._known, {}, b"").constant(group[2:], bytes([type_])))

    def _import(self, kind: str, group: Group) -> bytes:
        strings = [unquoted(word) for word in words_in(group) if word[0] == '"'] + [b"", b""]
        about = self._type(signature_of(group)) if kind == "f" else _ABOUT[kind](group)
        return sized(strings[0]) + sized(strings[1]) + bytes([KINDS.index(kind)]) + about

    def _global(self, group: Group) -> bytes:
        return _variable(group) + self._expression(group, _type(group))

    def _export(self, group: Group) -> bytes:
        name = next((word for word in words_in(group[1:]) if word in self._numbers), "")
        if not name or name[0] not in KINDS:
            return b""
        strings = [unquoted(word) for word in words_in(group) if word[0] == '"'] + [b""]
        return sized(strings[0]) + bytes([KINDS.index(name[0])]) + leb(self._numbers[name])

    def _element(self, group: Group) -> bytes:
        words = words_in(group[2:])
        items = [word for word in words if word in self._functions or word == "null"]
        tables = [word for word in words if is_name("t", word)]
        if tables and tables[0] not in self._known:
            return b""
        is_active = bool(tables)
        table = self._numbers[tables[0]] if is_active else 0
        flags = 2 * (table > 0) if is_active else 3 if "declared" in words else 1
        has_null = "null" in items
        made = leb(flags | 4 * has_null)
        if is_active:
            made += leb(table) * (table > 0) + self._expression(group, I32)
        made += bytes([FUNCREF * has_null]) * (flags > 0) + leb(len(items))
        for item in items:
            number = leb(self._numbers.get(item, 0))
            made += (
                number
                if not has_null
                else b"\xd0\x70\x0b"
                if item == "null"
                else b"\xd2" + number + b"\x0b"
            )
        return made

    def _datum(self, group: Group) -> bytes:
        memories = [word for word in words_in(group[2:]) if is_name("m", word)]
        contents = sized(self._data[_first(group)])
        if not memories or memories[0] not in self._known:
            return b"\1" + contents
        return b"\0" + self._expression(group, I32) + contents


def _first(group: Group) -> str:
    """Return the name that a group declares; a blank if it declares none."""
    return group[1] if len(group) > 1 and isinstance(group[1], str) else " "


def _type(group: Group, default: int = I32) -> int:
    return next((TYPES[word] for word in words_in(group[1:]) if word in TYPES), default)


def _variable(group: Group) -> bytes:
    return bytes([_type(group), "mut" in group])


def _table(group: Group) -> bytes:
    return bytes([_type(group, FUNCREF)]) + _limits(group)


def _limits(group: Group) -> bytes:
    words = words_in(group[2:])
    numbers = [int(word) for word in words if word.isdigit()][:2] or [0]
    flags = (len(numbers) - 1) | 2 * ("shared" in words)
    return bytes([flags]) + b"".join(leb(number) for number in numbers)


#: The types of what can be imported and declared, by the letter of its names.
_ABOUT: Final = {"t": _table, "m": _limits, "g": _variable}
