"""Numbers in WebAssembly text, and their values in each type."""

from __future__ import annotations

import struct
from math import inf, isfinite
from typing import Final

from nubbin.documents.containers.wasm.instructions import F32, F64, I32, I64, V128, ZEROS
from nubbin.documents.containers.wasm.leb128 import signed_leb
from nubbin.pattern import pattern

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
