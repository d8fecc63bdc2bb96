"""Turn WebAssembly code into text: an instruction has its operands in its parentheses."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from nubbin.documents.containers.wasm.instructions import BY_OPCODE, TYPE_NAMES
from nubbin.documents.containers.wasm.leb128 import Reader, leb
from nubbin.documents.containers.wasm.words import Signature

_Each = TypeVar("_Each")

_PREFIXES: Final = (0xFC, 0xFD, 0xFE)
_BLOCKS: Final = {0x02: "block", 0x03: "loop", 0x04: "if"}
_ELSE, _END, _BRANCH, _BRANCH_IF, _BRANCH_TABLE, _RETURN = 0x05, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F
#: Calls, and calls that return from the function as well (tail calls).
_CALL, _CALL_INDIRECT, _LAST_CALL, _LAST_CALL_INDIRECT = 0x10, 0x11, 0x12, 0x13
_DROP, _SELECT_TYPED, _VECTOR = 0x1A, b"\x1c", b"\xfd\x0c"
#: Instructions that give a value, and are written without parentheses.
_VALUES: Final[Mapping[int, Callable[[Reader], str]]] = {
    0x20: lambda reader: f"l{reader.number()}",
    0x23: lambda reader: f"g{reader.number()}",
    0x41: lambda reader: f"{reader.signed()}",
    0x42: lambda reader: f"{reader.signed()}L",
    0x43: lambda reader: f"{_unpacked('<f', reader.take(4)):.9g}F",
    0x44: lambda reader: f"{_unpacked('<d', reader.take(8))!r}",
    0xD0: lambda reader: f"(ref.null {TYPE_NAMES[reader.byte()]})",
    0xD2: lambda reader: f"(ref.func f{reader.number()})",
}
#: The text of instructions that set a variable, and how many values they give.
_SET: Final = {0x21: ("set l", 0), 0x22: ("tee l", 1), 0x24: ("set g", 0)}
_NO_TYPE = -0x40
#: Deeper blocks are not indented further: there may be a thousand of them.
_MAX_INDENT = 50
#: Each level copies the text of the levels in it. This limits the copies, as a multiple of the
#: bytes that a module may unpack to: they take a second. A real module of 0.4 MB copies 23 MB.
_MAX_COPIES = 4


@dataclass(slots=True)
class _Frame:
    """An open block: its items so far, and the items that gave the values on the stack.

    It gives `gives` values, and branches to it take `taken`.
    """

    kind: str
    label: str
    type: str
    gives: int
    taken: int
    # The condition of an `if`, and its `then`.
    before: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    is_used: bool = False

    def pop(self, count: int) -> list[str]:
        """Take the items that gave the last values, and all after them; fewer if there are few."""
        values = self.values[-count:] if count else []
        if not values:
            return []
        del self.values[-len(values) :]
        popped = self.items[values[0] :]
        del self.items[values[0] :]
        return popped

    def push(self, head: str, takes: int, gives: int) -> None:
        """Add an item that takes and gives these numbers of values."""
        operands = self.pop(takes)
        self.add(f"({' '.join((head, *operands))})", gives)

    def add(self, item: str, gives: int = 1) -> None:
        """Add an item without operands."""
        self.values += [len(self.items)] * gives
        self.items.append(item)


class Folding:
    """Turns code into text; functions have `signatures`, and types are numbered as in `types`.

    A module may unpack to `limit` bytes.
    """

    def __init__(self, types: Sequence[Signature], signatures: Sequence[Signature], limit: int):
        self._types = types
        self._signatures = signatures
        self._bytes_left = _MAX_COPIES * limit
        self._frames: list[_Frame] = []
        self._labels = 0

    def items(self, reader: Reader, gives: int) -> list[str]:
        """Read up to the end of an expression that gives `gives` values, and return its items.

        Raises ValueError and LookupError for unknown instructions, and if too many are nested.
        """
        whole = _Frame("", "b0", "", gives, gives)
        self._frames, self._labels = [whole], 0
        while self._frames:
            self._step(reader, self._frames[-1])
            self._bytes_left -= sum(len(each.items[-1]) for each in self._frames[-1:] if each.items)
            if self._bytes_left < 0:
                raise ValueError("nested too deep")
        return whole.items

    def _step(self, reader: Reader, here: _Frame) -> None:
        opcode = reader.byte()
        if opcode in _BLOCKS:
            self._open(reader, here, _BLOCKS[opcode])
        elif opcode == _ELSE:
            here.before.append(self._block(here, "then", 0))
            here.items, here.values = [], []
        elif opcode == _END:
            self._close()
        elif opcode in (_BRANCH, _BRANCH_IF, _BRANCH_TABLE, _RETURN):
            self._branch(reader, here, opcode)
        elif opcode in (_CALL, _CALL_INDIRECT, _LAST_CALL, _LAST_CALL_INDIRECT):
            self._call(reader, here, opcode)
        elif opcode in _VALUES:
            here.add(_VALUES[opcode](reader))
        elif opcode in _SET:
            head, gives = _SET[opcode]
            here.push(f"{head}{reader.number()}", 1, gives)
        elif opcode == _DROP:
            here.push("drop", 1, 0)
        else:
            code = bytes([opcode])
            self._plain(reader, here, code + leb(reader.number()) if opcode in _PREFIXES else code)

    def _open(self, reader: Reader, here: _Frame, kind: str) -> None:
        type_ = reader.signed()
        if type_ == _NO_TYPE:
            signature = Signature()
        elif type_ < 0:
            signature = Signature(b"", bytes([type_ & 0x7F]))
        else:
            signature = _at(self._types, type_)
        if signature.takes or len(signature.gives) > 1:
            raise ValueError("a block that takes values, or gives several")
        gives = len(signature.gives)
        self._labels += 1
        made = _Frame(
            kind, f"b{self._labels}", signature.text, gives, 0 if kind == "loop" else gives
        )
        if kind == "if":
            made.before = here.pop(1)
        self._frames.append(made)

    def _close(self) -> None:
        made = self._frames.pop()
        if not self._frames:
            return
        kind, head = made.kind, f"{made.label}{made.type}" if made.is_used else made.type[1:]
        if kind == "if":
            title = "else" if made.before and made.before[-1].startswith("(then") else "then"
            made.before.append(self._block(made, title, 2))
            made.items = made.before
        self._frames[-1].add(self._block(made, f"{kind} {head}" if head else kind), made.gives)

    def _block(self, frame: _Frame, head: str, deeper: int = 1) -> str:
        """Return a block with an item on each line, indented more than the open blocks."""
        depth = sum(1 + (each.kind == "if") for each in self._frames[1 : 1 + _MAX_INDENT]) + deeper
        start = "\n" + " " * min(depth, _MAX_INDENT)
        return f"({start.join((head, *frame.items))})"

    def _branch(self, reader: Reader, here: _Frame, opcode: int) -> None:
        if opcode == _RETURN:
            here.push("return", self._frames[0].gives, 0)
        else:
            count = reader.number() if opcode == _BRANCH_TABLE else 0
            targets = [_at(self._frames[::-1], reader.number()) for _ in range(count + 1)]
            for each in targets:
                each.is_used = True
            names, taken = " ".join(each.label for each in targets), targets[-1].taken
            if opcode == _BRANCH_IF:
                here.push(f"br_if {names}", taken + 1, taken)
                return
            is_table = opcode == _BRANCH_TABLE
            here.push(f"br{'_table' * is_table} {names}", taken + is_table, 0)
        here.values.clear()

    def _call(self, reader: Reader, here: _Frame, opcode: int) -> None:
        number = reader.number()
        if opcode in (_CALL, _LAST_CALL):
            signature, head, takes = _at(self._signatures, number), f"f{number}", 0
        else:
            signature = _at(self._types, number)
            head, takes = f"call_indirect t{reader.number()}{signature.text}", 1
        takes += len(signature.takes)
        if opcode in (_LAST_CALL, _LAST_CALL_INDIRECT):
            here.push(f"return {head}", takes, 0)
            here.values.clear()
        else:
            here.push(head, takes, len(signature.gives))

    def _plain(self, reader: Reader, here: _Frame, code: bytes) -> None:
        if code == _VECTOR:
            here.add(f"0x{reader.take(16)[::-1].hex()}")
            return
        if code == _SELECT_TYPED:
            reader.sized()
            code = b"\x1b"
        if code not in BY_OPCODE:
            raise ValueError(f"an instruction that is not known: {code.hex()}")
        each = BY_OPCODE[code]
        words = [each.name]
        for kind in each.immediates:
            if kind == "a":
                alignment, offset = reader.number(), reader.number()
                words += [f"align={alignment}"] * (alignment != each.alignment)
                words += [f"offset={offset}"] * (offset != 0)
            elif kind == "n":
                words.append(f"lane={reader.byte()}")
            elif kind == "s":
                words.append(f"lanes=0x{reader.take(16).hex()}")
            elif kind == "m":
                if reader.number():
                    raise ValueError("a second memory")
            else:
                words.append(f"{kind}{reader.number()}")
        here.push(" ".join(words), len(each.takes), len(each.gives))
        if each.name == "unreachable":
            here.values.clear()


def _unpacked(form: str, data: bytes) -> float:
    value: float = struct.unpack(form, data)[0]
    return value


def _at(listed: Sequence[_Each], number: int) -> _Each:
    if number >= len(listed):
        raise ValueError("a number that is too large")
    return listed[number]
