"""Turn text into WebAssembly code again, whatever was removed from it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from math import inf, isfinite
from typing import Final, NamedTuple

from nubbin.documents.containers.wasm.instructions import (
    ANY,
    BY_NAME,
    EXTERNREF,
    F32,
    F64,
    FUNCREF,
    I32,
    I64,
    OF_TABLE,
    TYPES,
    V128,
    ZEROS,
    Op,
    leb,
    signed_leb,
)
from nubbin.documents.containers.wasm.words import (
    Group,
    Node,
    Signature,
    is_name,
    signature_of,
    types_of,
    words_in,
)
from nubbin.pattern import pattern

#: A part of code: bytes, a name that a number will replace, or a type that its number will.
Part = bytes | str | Signature


class Coded(NamedTuple):
    """Code, the types of the values it gives, and whether code after it is never reached.

    A literal can be a value of any type.
    """

    parts: Sequence[Part]
    gives: bytes = b""
    ends: bool = False
    literal: str = ""


def matched(codes: Sequence[Coded], wanted: bytes) -> Coded:
    """Return code that gives exactly the wanted values: the last that fit, and zeros."""
    ends = any(each.ends for each in codes)
    if b"".join(each.gives for each in codes) == wanted:
        return Coded([*chain.from_iterable(each.parts for each in codes)], wanted, ends)
    pieces: list[Sequence[Part]] = []
    left = wanted
    for each in reversed(codes):
        at = len(left) - 1 if each.literal else left.rfind(each.gives)
        if at < 0:
            pieces += [[Op.DROP * len(each.gives)], each.parts]
        else:
            pieces += [_zeros(left[at + len(each.gives) :])]
            pieces += [[constant(each.literal, left[at])] if each.literal else each.parts]
            left = left[:at]
    if left != wanted or not ends:
        pieces.append(_zeros(left))
    return Coded([*chain.from_iterable(reversed(pieces))], wanted, ends)


def taking(
    codes: Sequence[Coded],
    takes: bytes,
    then: Sequence[Part],
    gives: bytes = b"",
    *,
    ends: bool = False,
) -> Coded:
    """Return the code of operands, and an instruction that takes them."""
    operands = matched(codes, takes)
    return Coded([*operands.parts, *then], gives, operands.ends or ends)


def left_by(codes: Sequence[Coded]) -> Coded:
    """Return all codes as one, which gives the values of all."""
    filled = [each for each in codes if each.parts]
    if len(filled) == 1:
        return filled[0]
    gives = b"".join(each.gives for each in filled)
    parts = [*chain.from_iterable(each.parts for each in filled)]
    return Coded(parts, gives, any(each.ends for each in filled))


def _zeros(types: bytes) -> list[Part]:
    return [ZEROS[each] for each in types]


_LITERAL: Final = pattern(
    r"(?:0x(?P<V>[0-9a-f]*)|(?P<I>-?\d+)(?P<L>L)?|(?P<D>-?(?:\d[\d.e+-]*|inf|nan))(?P<F>F)?)$"
)
#: The type of a literal, by the last of these groups that matches.
_TYPES: Final = {"V": V128, "I": I32, "L": I64, "D": F64, "F": F32}
#: Further digits are ignored.
_MAX_DIGITS = 40


def literal_type(word: str) -> int | None:
    """Return the type of a literal; None for any other word."""
    literal = _LITERAL.match(word)
    return _TYPES[literal.lastgroup] if literal and literal.lastgroup else None


def constant(word: str, type_: int) -> bytes:
    """Return the instruction that gives the value of a literal, converted to a type."""
    value = _value(word)
    whole = int(value) if isfinite(value) else 0
    if type_ in (F32, F64):
        return ZEROS[type_][:1] + _as_float("<f" if type_ == F32 else "<d", float(value))
    if type_ == V128:
        return Op.VECTOR + (whole % (1 << 128)).to_bytes(16, "little")
    if type_ not in (I32, I64):
        return ZEROS[type_]
    half = 1 << (31 if type_ == I32 else 63)
    return ZEROS[type_][:1] + signed_leb((whole + half) % (2 * half) - half)


def _value(word: str) -> int | float:
    literal = _LITERAL.match(word)
    if literal is None:
        return 0
    if literal["V"] is not None:
        return int(f"0{literal['V'][:_MAX_DIGITS]}", 16)
    if literal["I"]:
        return int(literal["I"][:_MAX_DIGITS])
    try:
        return float(literal["D"])
    except ValueError:
        return 0


def _as_float(form: str, value: float) -> bytes:
    try:
        return struct.pack(form, value)
    except OverflowError:
        return struct.pack(form, inf)


#: The meanings of names: the signature of a function, the type of a global or table, or a number.
Meanings = Mapping[str, Signature | int]

_DECLARATIONS: Final = ("param", "result", "local")
_ARMS: Final = ("then", "else")


_NOTHING: Final = Coded(())


class Unfolding:
    """Turns text into code, which may use everything `known` by name, and local variables.

    Anything unknown, such as a removed function, is replaced by its operands. A missing operand is
    zero, and an unused value is dropped. `asked` collects the names that were looked up, with
    their meanings.
    """

    def __init__(self, known: Meanings, variables: Mapping[str, tuple[int, int]], gives: bytes):
        """Take the meanings of names, the numbers and types of local variables, and the results."""
        self.asked: dict[str, Signature | int | None] = {}
        self._known = known
        self._variables = variables
        # The labels of the open blocks, the innermost last, and the values that branches take.
        self._labels: list[tuple[str, bytes]] = [("b0", gives)]
        self._kinds: Mapping[str, Callable[[Group, Sequence[Coded]], Coded]] = {
            **dict.fromkeys(_DECLARATIONS, lambda group, codes: _NOTHING),
            **dict.fromkeys(("block", "loop"), _block),
            "if": _if,
            **dict.fromkeys(Op.BRANCHES, self._branch),
            **dict.fromkeys(("set", "tee"), self._set),
            "return": self._return,
            "drop": lambda group, codes: matched(codes, b""),
            **dict.fromkeys(("ref.null", "ref.func"), self._reference),
            **dict.fromkeys(BY_NAME, self._plain),
        }

    def sequence(self, nodes: Sequence[Node], wanted: bytes) -> Sequence[Part]:
        """Return the code of nodes, up to its end, that gives exactly values of these types."""
        return [*matched(self._codes(nodes), wanted).parts, Op.END]

    def constant(self, nodes: Sequence[Node], wanted: bytes) -> Sequence[Part]:
        """Return the code of the last node that gives a value of this type, or of zero."""
        fitting = [each for each in self._codes(nodes) if each.literal or each.gives == wanted]
        return [*matched(fitting[-1:], wanted).parts, Op.END]

    def _codes(self, nodes: Sequence[Node]) -> list[Coded]:
        """Return the code of each node, without recursion: groups may be nested too deeply."""
        open_: list[tuple[Group, Iterator[Node], list[Coded]]] = [((), iter(nodes), [])]
        while True:
            group, left, made = open_[-1]
            node = next(left, None)
            if isinstance(node, str):
                made.append(self._word(node))
            elif node is not None:
                self._labels += _target(node, group)
                open_.append((node, iter(node), []))
            else:
                open_.pop()
                if not open_:
                    return made
                around, _, others = open_[-1]
                if _target(group, around):
                    self._labels.pop()
                is_arm = _is_arm(group, around)
                others.append(
                    matched(made, _results(around)) if is_arm else self._group(group, made)
                )

    def _word(self, word: str) -> Coded:
        if (of_literal := literal_type(word)) is not None:
            return Coded([constant(word, of_literal)], bytes([of_literal]), literal=word)
        if word in self._variables:
            number, type_ = self._variables[word]
            return Coded([Op.GET_LOCAL + leb(number)], bytes([type_]))
        if is_name("g", word) and isinstance(known := self._ask(word), int):
            return Coded([Op.GET_GLOBAL, word], bytes([known]))
        return _NOTHING

    def _group(self, group: Group, codes: Sequence[Coded]) -> Coded:
        head = group[0] if group else ""
        if isinstance(head, str) and head in self._kinds:
            return self._kinds[head](group, codes)
        return self._call(group, codes) or left_by(codes)

    # -- the meanings of names ---------------------------------------------------------

    def _ask(self, name: str) -> Signature | int | None:
        found = self.asked[name] = self._known.get(name)
        return found

    def _named(self, letter: str, group: Group) -> str:
        """Return the first name with a letter, if it is known; otherwise ""."""
        name = next((word for word in words_in(group) if is_name(letter, word)), "")
        return name if name and self._ask(name) is not None else ""

    # -- each kind of instruction ------------------------------------------------------

    def _branch(self, group: Group, codes: Sequence[Coded]) -> Coded:
        inwards = self._labels[::-1]
        names = [name for name, _ in inwards]
        depths = [names.index(word) for word in words_in(group[1:]) if word in names]
        if not depths:
            return left_by(codes)
        taken, last = inwards[depths[-1]][1], leb(depths[-1])
        opcode = Op.BRANCHES[str(group[0])]
        match group[0]:
            case "br":
                return taking(codes, taken, [opcode + last], ends=True)
            case "br_if":
                return taking(codes, taken + bytes([I32]), [opcode + last], taken)
        table = leb(len(depths) - 1) + b"".join(map(leb, depths))
        return taking(codes, taken + bytes([I32]), [opcode + table], ends=True)

    def _set(self, group: Group, codes: Sequence[Coded]) -> Coded:
        name = group[1] if len(group) > 1 else ()
        if not isinstance(name, str):
            return left_by(codes)
        if name in self._variables:
            number, type_ = self._variables[name]
            is_set = group[0] == "set"
            then = [(Op.SET_LOCAL if is_set else Op.TEE_LOCAL) + leb(number)]
            return taking(codes[2:], bytes([type_]), then, b"" if is_set else bytes([type_]))
        if is_name("g", name) and isinstance(known := self._ask(name), int):
            return taking(codes[2:], bytes([known]), [Op.SET_GLOBAL, name])
        return left_by(codes)

    def _return(self, group: Group, codes: Sequence[Coded]) -> Coded:
        found = self._call(group[1:], codes, is_last=True)
        return found or taking(codes, self._labels[0][1], [Op.RETURN], ends=True)

    def _call(self, group: Group, codes: Sequence[Coded], *, is_last: bool = False) -> Coded | None:
        """Return the code of a call; None if the function or the table does not exist."""
        head = group[0] if group else ""
        if head == "call_indirect" and (table := self._named("t", group)):
            callee, index = signature_of(group), bytes([I32])
            opcode = Op.LAST_CALL_INDIRECT if is_last else Op.CALL_INDIRECT
            then: list[Part] = [opcode, callee, table]
        elif (
            isinstance(head, str)
            and is_name("f", head)
            and isinstance(known := self._ask(head), Signature)
        ):
            callee, index = known, b""
            then = [Op.LAST_CALL if is_last else Op.CALL, head]
        else:
            return None
        gives = b"" if is_last else callee.gives
        return taking(codes, callee.takes + index, then, gives, ends=is_last)

    def _reference(self, group: Group, codes: Sequence[Coded]) -> Coded:
        type_ = next((TYPES[word] for word in words_in(group) if word in TYPES), FUNCREF)
        name = self._named("f", group) if group[0] == "ref.func" else ""
        return Coded([Op.FUNCTION, name] if name else [ZEROS[type_]], bytes([type_]))

    def _plain(self, group: Group, codes: Sequence[Coded]) -> Coded:
        each = BY_NAME[str(group[0])]
        first = next((code.gives[0] for code in codes if code.gives), I32)
        of = {ANY: first, OF_TABLE: FUNCREF}
        values = dict(word.split("=", 1) for word in words_in(group) if "=" in word)
        is_of_references = each.name == "select" and first in (FUNCREF, EXTERNREF)
        typed = Op.SELECT_TYPED + bytes([1, first])
        then: list[Part] = [typed if is_of_references else each.opcode]
        for kind in each.immediates:
            if kind == "n":
                then.append(bytes([_number(values.get("lane", "")) % 256]))
            elif kind == "s":
                then.append((_number(values.get("lanes", "")) % (1 << 128)).to_bytes(16))
            elif kind in "am" and self._ask("m0") is not None:
                alignment = _number(values.get("align", str(each.alignment)))
                place = leb(alignment) + leb(_number(values.get("offset", "")))
                then.append(b"\0" if kind == "m" else place)
            elif name := self._named(kind, group):
                then.append(name)
                if kind == "t" and isinstance(known := self._known[name], int):
                    of[OF_TABLE] = known
            else:
                return left_by(codes)
        takes, gives = (bytes(of.get(x, x) for x in part) for part in (each.takes, each.gives))
        return taking(codes, takes, then, gives, ends=each.name == "unreachable")


# -- blocks ----------------------------------------------------------------------------------


def _target(group: Group, around: Group) -> list[tuple[str, bytes]]:
    """Return the label of a block, and the values that branches to it take; [] for other groups."""
    head = group[0] if group else ""
    if _is_arm(group, around):
        group = around
    elif head not in ("block", "loop"):
        return []
    label = next((word for word in words_in(group) if is_name("b", word)), "")
    return [(label, b"" if head == "loop" else _results(group))]


def _is_arm(group: Group, around: Group) -> bool:
    return bool(group) and group[0] in _ARMS and around[:1] == ("if",)


def _results(group: Group) -> bytes:
    return types_of(group, "result")[:1]


def _block(group: Group, codes: Sequence[Coded]) -> Coded:
    gives = _results(group)
    start = Op.BLOCKS[str(group[0])] + (gives or Op.NO_TYPE)
    return Coded([start, *matched(codes, gives).parts, Op.END], gives)


def _if(group: Group, codes: Sequence[Coded]) -> Coded:
    gives = _results(group)
    arms: dict[str, list[Coded]] = {"": [], **{title: [] for title in _ARMS}}
    for node, code in zip(group, codes, strict=True):
        arms[str(node[0]) if isinstance(node, tuple) and _is_arm(node, group) else ""].append(code)
    then: list[Part] = [
        Op.BLOCKS["if"] + (gives or Op.NO_TYPE),
        *matched(arms["then"], gives).parts,
    ]
    if arms["else"] or gives:
        then += [Op.ELSE, *matched(arms["else"], gives).parts]
    return taking(arms[""], bytes([I32]), [*then, Op.END], gives)


def _number(word: str) -> int:
    """Return the number in a word, without sign; 0 if there is none."""
    try:
        return abs(int(word, 0))
    except ValueError:
        return 0
