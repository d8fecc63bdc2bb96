"""Turn WebAssembly code into text: an instruction has its operands in its parentheses."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from nubbin.documents.containers.wasm.instructions import (
    BY_OPCODE,
    TYPE_NAMES,
    Op,
    Reader,
    leb,
)
from nubbin.documents.containers.wasm.words import Signature

_Each = TypeVar("_Each")

_PREFIXES: Final = (b"\xfc", b"\xfd", b"\xfe")
_KINDS_OF_BLOCKS: Final = {code: name for name, code in Op.BLOCKS.items()}
_NAMES_OF_BRANCHES: Final = {code: name for name, code in Op.BRANCHES.items()}
#: Instructions that give a value, and are written without parentheses.
_VALUES: Final[Mapping[bytes, Callable[[Reader], str]]] = {
    Op.GET_LOCAL: lambda reader: f"l{reader.number()}",
    Op.GET_GLOBAL: lambda reader: f"g{reader.number()}",
    Op.I32: lambda reader: f"{reader.signed()}",
    Op.I64: lambda reader: f"{reader.signed()}L",
    Op.F32: lambda reader: f"{_unpacked('<f', reader.take(4)):.9g}F",
    Op.F64: lambda reader: f"{_unpacked('<d', reader.take(8))!r}",
    Op.NULL: lambda reader: f"(ref.null {TYPE_NAMES[reader.byte()]})",
    Op.FUNCTION: lambda reader: f"(ref.func f{reader.number()})",
}
#: The text of instructions that set a variable, and how many values they give.
_SET: Final = {Op.SET_LOCAL: ("set l", 0), Op.TEE_LOCAL: ("tee l", 1), Op.SET_GLOBAL: ("set g", 0)}
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
        opcode = reader.take(1)
        if opcode in _KINDS_OF_BLOCKS:
            self._open(reader, here, _KINDS_OF_BLOCKS[opcode])
        elif opcode == Op.ELSE:
            here.before.append(self._block(here, "then", 0))
            here.items, here.values = [], []
        elif opcode == Op.END:
            self._close()
        elif opcode == Op.RETURN:
            here.push("return", self._frames[0].gives, 0)
            here.values.clear()
        elif opcode in _NAMES_OF_BRANCHES:
            self._branch(reader, here, _NAMES_OF_BRANCHES[opcode])
        elif opcode in (Op.CALL, Op.CALL_INDIRECT, Op.LAST_CALL, Op.LAST_CALL_INDIRECT):
            self._call(reader, here, opcode)
        elif opcode in _VALUES:
            here.add(_VALUES[opcode](reader))
        elif opcode in _SET:
            head, gives = _SET[opcode]
            here.push(f"{head}{reader.number()}", 1, gives)
        elif opcode == Op.DROP:
            here.push("drop", 1, 0)
        else:
            more = leb(reader.number()) if opcode in _PREFIXES else b""
            self._plain(reader, here, opcode + more)

    def _open(self, reader: Reader, here: _Frame, kind: str) -> None:
        type_ = reader.signed()
        if type_ >= 0:
            signature = _at(self._types, type_)
        else:
            given = bytes([type_ & 0x7F])
            signature = Signature(b"", given if given != Op.NO_TYPE else b"")
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

    def _branch(self, reader: Reader, here: _Frame, name: str) -> None:
        count = reader.number() if name == "br_table" else 0
        targets = [_at(self._frames[::-1], reader.number()) for _ in range(count + 1)]
        for each in targets:
            each.is_used = True
        head, taken = " ".join((name, *(each.label for each in targets))), targets[-1].taken
        if name == "br_if":
            here.push(head, taken + 1, taken)
        else:
            here.push(head, taken + (name == "br_table"), 0)
            here.values.clear()

    def _call(self, reader: Reader, here: _Frame, opcode: bytes) -> None:
        number = reader.number()
        if opcode in (Op.CALL, Op.LAST_CALL):
            signature, head, takes = _at(self._signatures, number), f"f{number}", 0
        else:
            signature = _at(self._types, number)
            head, takes = f"call_indirect t{reader.number()}{signature.text}", 1
        takes += len(signature.takes)
        if opcode in (Op.LAST_CALL, Op.LAST_CALL_INDIRECT):
            here.push(f"return {head}", takes, 0)
            here.values.clear()
        else:
            here.push(head, takes, len(signature.gives))

    def _plain(self, reader: Reader, here: _Frame, code: bytes) -> None:
        if code == Op.VECTOR:
            here.add(f"0x{reader.take(16)[::-1].hex()}")
            return
        if code == Op.SELECT_TYPED:
            reader.sized()
            code = Op.SELECT
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
