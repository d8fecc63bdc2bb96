"""The instructions of WebAssembly: one table of opcodes, operands, results and immediates.

The numbers are those of the WebAssembly Core Specification 2.0 and of the proposals for threads and
tail calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle
from typing import Final, NamedTuple

from nubbin.documents.packing import Bytes

_MAX_BITS = 64


class Reader(Bytes):
    """Reads numbers, too; raises ValueError if the bytes end too soon."""

    def byte(self) -> int:
        """Return the next byte."""
        return self.take(1)[0]

    def sized(self) -> bytes:
        """Read a number, and return as many bytes after it."""
        return self.take(self.number())

    def number(self) -> int:
        """Return an unsigned number; raises ValueError for more than 64 bits."""
        number = shift = 0
        while (byte := self.byte()) >= 0x80 and shift < _MAX_BITS:
            number |= (byte & 0x7F) << shift
            shift += 7
        if shift >= _MAX_BITS:
            raise ValueError("a number that is too long")
        return number | byte << shift

    def signed(self) -> int:
        """Return a signed number."""
        start = self.at
        number = self.number()
        bits = 7 * (self.at - start)
        return number - (1 << bits) if number >> (bits - 1) else number


def leb(number: int) -> bytes:
    """Write an unsigned number."""
    low = number & 0x7F
    return bytes([low]) if number < 0x80 else bytes([low | 0x80]) + leb(number >> 7)


def signed_leb(number: int) -> bytes:
    """Write a signed number."""
    low, number = number & 0x7F, number >> 7
    if number == -(low >> 6):
        return bytes([low])
    return bytes([low | 0x80]) + signed_leb(number)


def sized(data: bytes) -> bytes:
    """Write bytes after their number."""
    return leb(len(data)) + data


I32, I64, F32, F64, V128, FUNCREF, EXTERNREF = b"\x7f\x7e\x7d\x7c\x7b\x70\x6f"
#: The types of values by their names in a text.
TYPES: Final = {
    "i32": I32,
    "i64": I64,
    "f32": F32,
    "f64": F64,
    "v128": V128,
    "funcref": FUNCREF,
    "externref": EXTERNREF,
}
TYPE_NAMES: Final = {number: name for name, number in TYPES.items()}


class Op:
    """The opcodes of instructions that are written in ways of their own."""

    BLOCKS: Final = {"block": b"\x02", "loop": b"\x03", "if": b"\x04"}
    BRANCHES: Final = {"br": b"\x0c", "br_if": b"\x0d", "br_table": b"\x0e"}
    ELSE, END, RETURN, DROP, SELECT = b"\x05", b"\x0b", b"\x0f", b"\x1a", b"\x1b"
    CALL, CALL_INDIRECT = b"\x10", b"\x11"
    LAST_CALL, LAST_CALL_INDIRECT = b"\x12", b"\x13"  # they return from the function as well
    SELECT_TYPED, NULL, FUNCTION, NO_TYPE = b"\x1c", b"\xd0", b"\xd2", b"\x40"
    GET_LOCAL, SET_LOCAL, TEE_LOCAL, GET_GLOBAL, SET_GLOBAL = (
        bytes([n]) for n in range(0x20, 0x25)
    )
    I32, I64, F32, F64, VECTOR = b"\x41", b"\x42", b"\x43", b"\x44", b"\xfd\x0c"


#: The code of a value that is missing, by its type.
ZEROS: Final = {
    I32: Op.I32 + b"\0",
    I64: Op.I64 + b"\0",
    F32: Op.F32 + bytes(4),
    F64: Op.F64 + bytes(8),
    V128: Op.VECTOR + bytes(16),
    FUNCREF: Op.NULL + bytes([FUNCREF]),
    EXTERNREF: Op.NULL + bytes([EXTERNREF]),
}
#: Operands without a fixed type: the type of the first operand, and the type of the named table.
ANY, OF_TABLE = 0, 1

_LETTERS: Final = dict(
    zip("ilfdvpxr", (I32, I64, F32, F64, V128, FUNCREF, ANY, OF_TABLE), strict=True)
)

#: An opcode in hexadecimal, after its prefix; operands and results; immediates: the names of a
#: [d]atum, an [e]lement segment, a [f]unction or a [t]able, the only [m]emory, an [a]ddress with
#: its alignment, a la[n]e of a vector or all [s]ixteen; and the names of the instructions with
#: this opcode and the next ones, after their common beginning. Several opcodes, of instructions for
#: several types, have a signature for all or one for each, and a beginning for each.
_TABLE: Final = """
00 : - unreachable nop
1b xxi:x - select
25 i:r t table.get
26 ir: t table.set
28,29,2a,2b,fe10,fe11 i:i,i:l,i:f,i:d,i:i,i:l a i32.,i64.,f32.,f64.,i32.atomic.,i64.atomic. load
2c i:i a i32. load8_s load8_u load16_s load16_u
30 i:l a i64. load8_s load8_u load16_s load16_u load32_s load32_u
36,fe17 ii: a i32.,i32.atomic. store
37,fe18 il: a i64.,i64.atomic. store
38 if: a f32.store
39 id: a f64.store
fd0b iv: a v128.store
3a,fe19 ii: a i32.,i32.atomic. store8 store16
3c,fe1b il: a i64.,i64.atomic. store8 store16 store32
3f :i m memory.size
40 i:i m memory.grow
45,50 i:i,l:i - i32.,i64. eqz
46,51 ii:i,ll:i - i32.,i64. eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u
fd23,fd2d,fd37 vv:v - i8x16.,i16x8.,i32x4. eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u
5b,61,fd41,fd47 ff:i,dd:i,vv:v,vv:v - f32.,f64.,f32x4.,f64x2. eq ne lt gt le ge
67,79 i:i,l:l - i32.,i64. clz ctz popcnt
6a,7c ii:i,ll:l - i32.,i64. add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr
8b,99 f:f,d:d - f32.,f64. abs neg ceil floor trunc nearest sqrt
92,a0 ff:f,dd:d - f32.,f64. add sub mul div min max copysign
a7 l:i - i32.wrap_i64
a8,ae f:i,f:l - i32.,i64. trunc_f32_s trunc_f32_u
aa,b0 d:i,d:l - i32.,i64. trunc_f64_s trunc_f64_u
ac i:l - i64. extend_i32_s extend_i32_u
b2,b7 i:f,i:d - f32.,f64. convert_i32_s convert_i32_u
b4,b9 l:f,l:d - f32.,f64. convert_i64_s convert_i64_u
b6 d:f - f32.demote_f64
bb f:d - f64.promote_f32
bc f:i - i32.reinterpret_f32
bd d:l - i64.reinterpret_f64
be i:f - f32.reinterpret_i32
bf l:d - f64.reinterpret_i64
c0 i:i - i32. extend8_s extend16_s
c2 l:l - i64. extend8_s extend16_s extend32_s
d1 p:i - ref.is_null
fc00,fc04 f:i,f:l - i32.,i64. trunc_sat_f32_s trunc_sat_f32_u
fc02,fc06 d:i,d:l - i32.,i64. trunc_sat_f64_s trunc_sat_f64_u
fc08 iii: dm memory.init
fc09 : d data.drop
fc0a iii: mm memory.copy
fc0b iii: m memory.fill
fc0c iii: et table.init
fc0d : e elem.drop
fc0e iii: tt table.copy
fc0f ri:i t table.grow
fc10 :i t table.size
fc11 iri: t table.fill
fd00 i:v a v128. load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u
fd07 i:v a v128. load8_splat load16_splat load32_splat load64_splat
fd0d vv:v s i8x16.shuffle
fd0e vv:v - i8x16.swizzle
fd0f i:v - i8x16.splat i16x8.splat i32x4.splat
fd12,fd13,fd14 l:v,f:v,d:v - i64x2.,f32x4.,f64x2. splat
fd15,fd18 v:i n i8x16.,i16x8. extract_lane_s extract_lane_u
fd17,fd1a,fd1c vi:v n i8x16.,i16x8.,i32x4. replace_lane
fd1e,fd20,fd22 vl:v,vf:v,vd:v n i64x2.,f32x4.,f64x2. replace_lane
fd1b,fd1d,fd1f,fd21 v:i,v:l,v:f,v:d n i32x4.,i64x2.,f32x4.,f64x2. extract_lane
fd4d v:v - v128.not
fd4e vv:v - v128. and andnot or xor
fd52 vvv:v - v128.bitselect
fd53 v:i - v128.any_true
fd54 iv:v an v128. load8_lane load16_lane load32_lane load64_lane
fd58 iv: an v128. store8_lane store16_lane store32_lane store64_lane
fd5c i:v a v128. load32_zero load64_zero
fd5e v:v - f32x4.demote_f64x2_zero f64x2.promote_low_f32x4
fd60 v:v - i8x16. abs neg popcnt
fd63,fd83,fda3,fdc3 v:i - i8x16.,i16x8.,i32x4.,i64x2. all_true bitmask
fd65 vv:v - i8x16. narrow_i16x8_s narrow_i16x8_u
fd67 v:v - f32x4. ceil floor trunc nearest
fd6b,fd8b,fdab,fdcb vi:v - i8x16.,i16x8.,i32x4.,i64x2. shl shr_s shr_u
fd6e,fd8e vv:v - i8x16.,i16x8. add add_sat_s add_sat_u sub sub_sat_s sub_sat_u
fd74 v:v - f64x2. ceil floor
fd76 vv:v - i8x16. min_s min_u max_s max_u
fd7a v:v - f64x2.trunc
fd7b,fd9b vv:v - i8x16.,i16x8. avgr_u
fd7c v:v - i16x8. extadd_pairwise_i8x16_s extadd_pairwise_i8x16_u
fd7e v:v - i32x4. extadd_pairwise_i16x8_s extadd_pairwise_i16x8_u
fd80,fda0,fdc0,fde0,fdec v:v - i16x8.,i32x4.,i64x2.,f32x4.,f64x2. abs neg
fd82 vv:v - i16x8.q15mulr_sat_s
fd85 vv:v - i16x8. narrow_i32x4_s narrow_i32x4_u
fd87 v:v - i16x8. extend_low_i8x16_s extend_high_i8x16_s extend_low_i8x16_u extend_high_i8x16_u
fd94 v:v - f64x2.nearest
fd95 vv:v - i16x8. mul min_s min_u max_s max_u
fd9c vv:v - i16x8. extmul_low_i8x16_s extmul_high_i8x16_s extmul_low_i8x16_u extmul_high_i8x16_u
fda7 v:v - i32x4. extend_low_i16x8_s extend_high_i16x8_s extend_low_i16x8_u extend_high_i16x8_u
fdae,fdce vv:v - i32x4.,i64x2. add
fdb1,fdd1 vv:v - i32x4.,i64x2. sub
fdb5 vv:v - i32x4. mul min_s min_u max_s max_u dot_i16x8_s
fdbc vv:v - i32x4. extmul_low_i16x8_s extmul_high_i16x8_s extmul_low_i16x8_u extmul_high_i16x8_u
fdc7 v:v - i64x2. extend_low_i32x4_s extend_high_i32x4_s extend_low_i32x4_u extend_high_i32x4_u
fdd5 vv:v - i64x2. mul eq ne lt_s gt_s le_s ge_s
fddc vv:v - i64x2. extmul_low_i32x4_s extmul_high_i32x4_s extmul_low_i32x4_u extmul_high_i32x4_u
fde3,fdef v:v - f32x4.,f64x2. sqrt
fde4,fdf0 vv:v - f32x4.,f64x2. add sub mul div min max pmin pmax
fdf8 v:v - i32x4. trunc_sat_f32x4_s trunc_sat_f32x4_u
fdfa v:v - f32x4. convert_i32x4_s convert_i32x4_u
fdfc v:v - i32x4. trunc_sat_f64x2_s_zero trunc_sat_f64x2_u_zero
fdfe v:v - f64x2. convert_low_i32x4_s convert_low_i32x4_u
fe00 ii:i a memory.atomic.notify
fe01 iil:i a memory.atomic.wait32
fe02 ill:i a memory.atomic.wait64
fe12 i:i a i32.atomic. load8_u load16_u
fe14 i:l a i64.atomic. load8_u load16_u load32_u
"""
_CHANGES: Final = ("add", "sub", "and", "or", "xor", "xchg", "cmpxchg")


class Instruction(NamedTuple):
    """An instruction that takes values of some types from the stack, and gives others to it."""

    name: str
    opcode: bytes
    takes: bytes
    gives: bytes
    immediates: str

    @property
    def alignment(self) -> int:
        """The natural alignment: the exponent of 2 of the bytes that it loads or stores."""
        sized = re.search(r"(?:load|store|rmw|wait)(\d*)(x?)", self.name)
        bits = int((sized and sized[1]) or re.sub(r"memory.*|\D*(\d+)\..*", r"\1", self.name) or 32)
        return (64 if sized and sized[2] else bits).bit_length() - 4


def _rows() -> Iterator[str]:
    yield from _TABLE.strip().splitlines()
    for number, change in enumerate(_CHANGES):
        takes = ("iii", "ill") if change == "cmpxchg" else ("ii", "il")
        for more, (type_, width) in enumerate(
            zip("iliilll", ("", "", "8", "16", "8", "16", "32"), strict=True)
        ):
            bits = "32" if type_ == "i" else "64"
            ending = "_u" if width else ""
            yield (
                f"fe{0x1E + 7 * number + more:x} {takes[type_ == 'l']}:{type_} a "
                f"i{bits}.atomic.rmw{width}.{change}{ending}"
            )


def _instructions() -> Iterator[Instruction]:
    for row in _rows():
        opcodes, signatures, immediates, *names = row.split()
        beginnings, endings = ("", names) if names[0][-1] != "." else (names[0], names[1:])
        columns = opcodes.split(","), cycle(signatures.split(",")), beginnings.split(",")
        for opcode, signature, beginning in zip(*columns, strict=False):
            takes, gives = (bytes(_LETTERS[each] for each in part) for part in signature.split(":"))
            prefix, first = bytes.fromhex(opcode[:-2]), int(opcode[-2:], 16)
            for number, ending in enumerate(endings, first):
                code = prefix + leb(number) if prefix else bytes([number])
                yield Instruction(beginning + ending, code, takes, gives, immediates.strip("-"))


BY_NAME: Final = {each.name: each for each in _instructions()}
BY_OPCODE: Final = {each.opcode: each for each in BY_NAME.values()}
