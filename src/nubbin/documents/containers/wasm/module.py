"""Take a WebAssembly module apart into texts of functions, a text of declarations, and data."""

from __future__ import annotations

from nubbin.documents.containers.wasm.folding import Folding
from nubbin.documents.containers.wasm.instructions import FUNCREF, TYPE_NAMES, Reader
from nubbin.documents.containers.wasm.words import Section, Signature, quoted
from nubbin.documents.containers.wasm.writing import DECLARATIONS, KINDS, SIGN, Assembler
from nubbin.documents.edits import File
from nubbin.documents.packing import NotUnpacked, Unpacked

#: Of `(local l12345 i32)`, and its objects in Python. A module declares any number in six bytes.
_BYTES_OF_VARIABLE = 256


def unpack(file: File, limit: int) -> Unpacked:
    """Take a module apart; functions, tables and so on are named by their kind and number."""
    try:
        reader = _ModuleReader(file.data, limit)
    except (LookupError, ValueError) as error:
        raise NotUnpacked(str(error)) from error
    return Unpacked(reader.members, Assembler(reader.customs).pack)


class _ModuleReader:
    """Reads a module, and collects its members; raises ValueError and LookupError.

    `customs` has the names of the custom sections, and the section before each.
    """

    def __init__(self, data: bytes, limit: int):
        self.members: dict[str, bytes] = {DECLARATIONS: b""}
        self.customs: dict[str, Section] = {}
        self._lines: list[str] = []
        self._types: list[Signature] = []
        self._counts = dict.fromkeys("ftmged", 0)
        # The signatures of all functions, the imported ones first.
        self._signatures: list[Signature] = []
        self._folding = Folding(self._types, self._signatures, limit)
        self._variables_left = limit // _BYTES_OF_VARIABLE
        items = {
            Section.TYPE: self._type,
            Section.IMPORT: self._import,
            Section.FUNCTION: self._signature,
            Section.TABLE: lambda reader: self._declare("table", reader),
            Section.MEMORY: lambda reader: self._declare("memory", reader),
            Section.GLOBAL: lambda reader: self._declare("global", reader),
            Section.EXPORT: self._export,
            Section.ELEMENT: self._element,
            Section.CODE: self._function,
            Section.DATA: self._datum,
        }
        reader, before = Reader(data[len(SIGN) :]), Section.CUSTOM
        while reader:
            section, body = Section(reader.byte()), Reader(reader.sized())
            if section is Section.CUSTOM:
                name = f"custom {len(self.customs)}"
                self.members[name], self.customs[name] = body.rest(), before
                continue
            before = section
            if section is Section.START:
                self._lines.append(f"(start f{body.number()})")
            elif section in items:
                for _ in range(body.number()):
                    items[section](body)
        self.members[DECLARATIONS] = "".join(f"{line}\n" for line in self._lines).encode()

    def _name(self, kind: str) -> str:
        self._counts[kind] += 1
        return f"{kind}{self._counts[kind] - 1}"

    # -- the items of each section -----------------------------------------------------

    def _type(self, reader: Reader) -> None:
        self._types.append(Signature.read(reader))
        self._lines.append(f"(type{self._types[-1].text})")

    def _signature(self, reader: Reader) -> None:
        self._signatures.append(self._types[reader.number()])

    def _import(self, reader: Reader) -> None:
        names = f"{quoted(reader.sized())} {quoted(reader.sized())}"
        kind = KINDS[reader.byte()]
        if kind == "f":
            self._signature(reader)
        about = self._signatures[-1].text if kind == "f" else _ABOUT[kind](reader)
        self._lines.append(f"(imported {self._name(kind)} {names}{about})")

    def _declare(self, title: str, reader: Reader) -> None:
        about = _ABOUT[title[0]](reader)
        if title == "global":
            about += f" {' '.join(self._folding.items(reader, 1))}"
        self._lines.append(f"({title} {self._name(title[0])}{about})")

    def _export(self, reader: Reader) -> None:
        name = quoted(reader.sized())
        self._lines.append(f"(export {name} {KINDS[reader.byte()]}{reader.number()})")

    def _element(self, reader: Reader) -> None:
        flags, words = reader.number(), [self._name("e")]
        if flags & 1:
            words += ["declared"] * (flags >> 1 & 1)
        else:
            words.append(f"t{reader.number() if flags & 2 else 0}")
            words += self._folding.items(reader, 1)
        if flags & 3 and reader.byte() != (FUNCREF if flags & 4 else 0):
            raise ValueError("elements that are not functions")
        for _ in range(reader.number()):
            item = self._folding.items(reader, 1)[0] if flags & 4 else f"f{reader.number()}"
            words.append("null" if "null" in item else item.split()[-1].strip(")"))
        self._lines.append(f"(elem {' '.join(words)})")

    def _datum(self, reader: Reader) -> None:
        name, flags = self._name("d"), reader.number()
        words = [name]
        if not flags & 1:
            words.append(f"m{reader.number() if flags & 2 else 0}")
            words += self._folding.items(reader, 1)
        self._lines.append(f"(data {' '.join(words)})")
        self.members[name] = reader.sized()

    def _function(self, reader: Reader) -> None:
        code = Reader(reader.sized())
        number = self._counts["f"]
        name, signature = self._name("f"), self._signatures[number]
        types = [("param", each) for each in signature.takes]
        for _ in range(code.number()):
            count = code.number()
            self._variables_left -= count
            if self._variables_left < 0:
                raise ValueError("more variables than fit")
            types += [("local", code.byte())] * count
        lines = [
            f"({title} l{number} {TYPE_NAMES[type_]})"
            for number, (title, type_) in enumerate(types)
        ]
        lines[len(signature.takes) : len(signature.takes)] = [
            f"(result {TYPE_NAMES[each]})" for each in signature.gives
        ]
        lines += self._folding.items(code, len(signature.gives))
        self.members[name] = "".join(f"{line}\n" for line in lines).encode()


def _limits(reader: Reader) -> str:
    flags = reader.byte()
    if flags > 3:
        raise ValueError("limits that are not known")
    numbers = "".join(f" {reader.number()}" for _ in range(1 + (flags & 1)))
    return numbers + " shared" * (flags >> 1)


def _table(reader: Reader) -> str:
    type_ = TYPE_NAMES[reader.byte()]
    return f"{_limits(reader)} {type_}"


def _global(reader: Reader) -> str:
    return f" {TYPE_NAMES[reader.byte()]}{' mut' * reader.byte()}"


#: The types of what can be imported and declared, by the letter of its names.
_ABOUT = {"t": _table, "m": _limits, "g": _global}
