"""WebAssembly code, and how the values that it gives become operands of other code."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import chain
from math import inf, isfinite
from typing import Final, NamedTuple

from nubbin.documents.containers.wasm.instructions import F32, F64, I32, I64, V128, ZEROS
from nubbin.documents.containers.wasm.leb128 import signed_leb
from nubbin.documents.containers.wasm.words import Signature
from nubbin.pattern import pattern

#: A part of code: bytes, a name that a number will replace, or a type that its number will.
Part = bytes | str | Signature

_DROP: Final = b"\x1a"


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
            pieces += [[_DROP * len(each.gives)], each.parts]
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
    there = [each for each in codes if each.parts]
    if len(there) == 1:
        return there[0]
    gives = b"".join(each.gives for each in there)
    parts = [*chain.from_iterable(each.parts for each in there)]
    return Coded(parts, gives, any(each.ends for each in there))


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
        return ZEROS[V128][:2] + (whole % (1 << 128)).to_bytes(16, "little")
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
