"""WebAssembly code, and how the values that it gives become operands of other code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from nubbin.documents.containers.wasm.instructions import ZEROS
from nubbin.documents.containers.wasm.literals import constant
from nubbin.documents.containers.wasm.signature import Signature

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
