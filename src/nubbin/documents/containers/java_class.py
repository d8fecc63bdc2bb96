"""Java classes: text constants, interfaces, fields, methods and attributes, listed with counts.

The parts are those of the Java Virtual Machine Specification, chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nubbin.documents.edits import File
from nubbin.documents.packing import Bytes, Members, NotPacked, NotUnpacked, Unpacked

#: Packs a part of a class from the members that are kept; None for a removed part.
_Packer = Callable[[Members], bytes | None]

_TEXT = 1  # the tag of a constant that is a text
#: Bytes after the tag of every other constant; a constant of eight bytes uses up two numbers.
_CONSTANT_BYTES = {
    **dict.fromkeys((7, 8, 16, 19, 20), 2),
    15: 3,
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 4),
    **dict.fromkeys((5, 6), 8),
}
#: Instructions that return zero, null or nothing, by the result type of a method.
_RETURNS = {
    **dict.fromkeys(b"ZBCSI", b"\x03\xac"),
    **dict.fromkeys(b"L[", b"\x01\xb0"),
    ord("J"): b"\x09\xad",
    ord("F"): b"\x0b\xae",
    ord("D"): b"\x0e\xaf",
    ord("V"): b"\xb1",
}
#: Two values on the stack, and as many variables as a method can have arguments.
_LEAST_LIMITS = b"\0\2\1\0"
_MAX_TEXT_BYTES = 0xFFFF


def unpack(file: File, limit: int) -> Unpacked:
    """Take a class apart; constants are kept, because they are numbered; a text may be empty."""
    reader = _Reader(file.data)
    try:
        packers = reader.parts()
    except (LookupError, ValueError) as error:
        raise NotUnpacked(str(error)) from error
    return Unpacked(reader.members, lambda members: _joined(packers, members))


class _Reader:
    """Reads a class from its start, and collects its members; raises ValueError, LookupError."""

    def __init__(self, data: bytes):
        self.members: dict[str, bytes] = {}
        self._bytes = Bytes(data)
        self._take = self._bytes.take
        self._texts: dict[int, bytes] = {}

    def parts(self) -> list[_Packer]:
        parts = [self._fixed(8), self._constants(), self._fixed(6)]
        parts.append(self._listed(lambda n: self._member(f"interface {n}", self._take(2))))
        parts.append(self._listed(lambda n: self._field_or_method(f"field {n}")))
        parts.append(self._listed(lambda n: self._field_or_method(f"method {n}")))
        parts.append(self._listed(lambda n: self._attribute("", n)))
        if self._bytes:
            raise ValueError("more than a class")
        return parts

    def _number(self, size: int) -> int:
        return int.from_bytes(self._take(size))

    def _fixed(self, size: int) -> _Packer:
        taken = self._take(size)
        return lambda members: taken

    def _member(self, name: str, data: bytes) -> _Packer:
        self.members[name] = data
        return lambda members: members.get(name)

    def _listed(self, item: Callable[[int], _Packer]) -> _Packer:
        items = [item(number) for number in range(self._number(2))]

        def pack(members: Members) -> bytes:
            kept = [each for item in items if (each := item(members)) is not None]
            return len(kept).to_bytes(2) + b"".join(kept)

        return pack

    def _constants(self) -> _Packer:
        slots, number = self._number(2), 1
        packers: list[_Packer] = [lambda members: slots.to_bytes(2)]
        while number < slots:
            tag = self._number(1)
            if tag == _TEXT:
                text = self._take(self._number(2))
                self._texts[number] = text
                packers.append(_text(self._member(f"text {number}", text)))
            else:
                self._bytes.at -= 1
                packers.append(self._fixed(1 + _CONSTANT_BYTES[tag]))
            number += 1 + (_CONSTANT_BYTES.get(tag) == 8)
        return lambda members: _joined(packers, members)

    def _field_or_method(self, name: str) -> _Packer:
        """Read a field or a method, which is removed with the member that has its flags."""
        flags, names = self._take(2), self._take(4)
        returned = self._texts[int.from_bytes(names[2:])].rpartition(b")")[2][:1]
        inner = self._listed(lambda n: self._attribute(f"{name}/", n, returned))
        flags_of = self._member(f"{name}/flags", flags)

        def pack(members: Members) -> bytes | None:
            now = flags_of(members)
            if now is None:
                return None
            return now[:2].rjust(2, b"\0") + names + (inner(members) or b"")

        return pack

    def _attribute(self, place: str, number: int, returned: bytes = b"") -> _Packer:
        name, size = self._take(2), self._number(4)
        title = self._texts[int.from_bytes(name)]
        member = f"{place}{title.decode(errors='replace')} {number}"
        if title != b"Code" or not returned:
            return _sized(name, self._member(member, self._take(size)))
        end = self._bytes.at + size
        limits = self._take(4)
        code = self._member(member, self._take(self._number(4)))
        handlers = self._take(2)
        handlers += self._take(8 * int.from_bytes(handlers))
        inner = self._listed(lambda n: self._attribute(f"{member}/", n))
        if self._bytes.at != end:
            raise ValueError("code of another size")

        def body(members: Members) -> bytes | None:
            match code(members):
                case None:
                    return None
                case b"":
                    least = _RETURNS[returned[0]]
                    return _LEAST_LIMITS + len(least).to_bytes(4) + least + bytes(4)
                case now:
                    return limits + len(now).to_bytes(4) + now + handlers + (inner(members) or b"")

        return _sized(name, body)


def _text(member: _Packer) -> _Packer:
    def pack(members: Members) -> bytes:
        text = member(members) or b""
        if len(text) > _MAX_TEXT_BYTES:
            raise NotPacked("a text that is too long")
        return bytes([_TEXT]) + len(text).to_bytes(2) + text

    return pack


def _sized(before: bytes, body: _Packer) -> _Packer:
    def pack(members: Members) -> bytes | None:
        data = body(members)
        return None if data is None else before + len(data).to_bytes(4) + data

    return pack


def _joined(packers: Iterable[_Packer], members: Members) -> bytes:
    return b"".join(packer(members) or b"" for packer in packers)
