"""WebAssembly: texts of which anything may be left out, and what a module of the rest is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from containers import WASM
from nubbin.documents.containers.wasm.instructions import BY_NAME, Reader, leb, signed_leb, sized
from nubbin.documents.containers.wasm.module import unpack
from nubbin.documents.containers.wasm.writing import Assembler
from nubbin.documents.edits import File
from nubbin.documents.packing import NotUnpacked

#: A module with some of everything, as this reader writes it.
MODULE = {
    "module": b"""\
(type)
(type (param i32 f32) (result i64))
(type (param i32 f64))
(type (param i32) (result i64))
(imported f0 "env" "log%28" (param i32 f64))
(imported g0 "env" "base" i32)
(table t0 1 5 funcref)
(memory m0 1)
(global g1 i64 mut -5L)
(export "run" f1)
(export "memory" m0)
(elem e0 t0 g0 f2 null f1)
(elem e1 f1)
(data d0 m0 1024)
(data d1)
""",
    "f1": b"""\
(param l0 i32)
(result i64)
(local l1 i64)
(local l2 v128)
(block b1
 (set l1 (i64.add (f2 (tee l0 (i32.add l0 -1)) 1.5F) g1))
 (br_if b1 (i32.load8_u offset=8 l0))
 (br_table b1 b0 l1 (i32.eqz l0)))
(set l2 (i32x4.replace_lane lane=2 0x0000000100000002000000030000000f 7))
(f0 l0 0.1)
(if
 (i32.load align=0 (select l0 4 (i32.eqz l0)))
 (then
  (loop b3
   (br b3)))
 (else
  (memory.init d1 0 0 0)))
(call_indirect t0 (param i32) (result i64) l0 0)
""",
    "f2": b"(param l0 i32)\n(param l1 f32)\n(result i64)\n(return -5L)\n",
    "d0": b"hello",
    "d1": b"\0\1",
}


def packed(members: dict[str, bytes]) -> bytes:
    return Assembler({}).pack(members)


def taken(module: bytes) -> dict[str, bytes]:
    return dict(unpack(File("a.wasm", module), 1 << 26).members)


def without(*names: str, **changed: bytes) -> dict[str, bytes]:
    """Return what the module holds without some members, as a reader sees it."""
    left = {name: data for name, data in MODULE.items() if name not in names}
    return taken(packed(left | changed))


def test_a_module_is_read_as_it_was_written() -> None:
    assert taken(packed(MODULE)) == MODULE
    assert taken(WASM)["f0"] == b"(result i32)\n(data.drop d0)\n1\n"


def test_each_instruction_is_read_as_it_was_written() -> None:
    immediates = {"n": "lane=1", "s": f"lanes=0x{'01' * 16}", "t": "t0", "d": "d0", "e": "e0"}
    lines = [
        " ".join((name, *(immediates[each] for each in each.immediates if each in immediates)))
        for name, each in BY_NAME.items()
    ]
    module = b"(table t0 1 funcref)\n(memory m0 1)\n(elem e0)\n(data d0)\n"
    text = "".join(f"({line})\n" for line in lines).encode()
    again = taken(packed({"module": module, "f0": text, "d0": b""}))
    code = re.findall(rb"\(([a-z][^() ]*(?: (?:lane|[tde]\d)[^() ]*)*)", again["f0"])
    assert [line for line in code if line not in (b"drop", b"ref.null")] == [
        re.sub(r" (t0) \1", r" \1 \1", line).encode() for line in lines
    ]


def test_those_after_a_function_that_is_gone_are_renumbered() -> None:
    left = without("f1")
    assert left["module"].splitlines()[9:12] == [
        b'(export "memory" m0)',
        b"(elem e0 t0 g0 f1 null)",
        b"(elem e1)",
    ]
    assert left["f1"] == MODULE["f2"]


def test_a_call_of_what_is_gone_leaves_its_operands_in_its_place() -> None:
    # The first of them is no i64, nor is the second: both are dropped, and zero is added to g1.
    text = b"(set l1 (i64.add 0L (drop (tee l0 (i32.add l0 -1)) (drop 1.5F)) g1))"
    assert text in without("f2")["f1"]


def test_blocks_may_be_nested_deeper_than_calls() -> None:
    text = "(block\n" * 2_000 + "(nop)" + ")" * 2_000
    again = taken(packed({"f0": text.encode()}))["f0"].split()
    assert again == text.replace("\n", " ").encode().split()


def test_a_function_that_is_empty_takes_and_gives_nothing() -> None:
    left = without(f2=b"")
    assert left["f2"] == b""
    assert b"(i64.add 0L (tee" not in left["f1"]


def test_what_is_missing_is_zero_and_what_nobody_takes_is_dropped() -> None:
    text = b"(param l0 i32)\n(f32.store l0)\n(set l9 1.0)\n(l0 l0)\n(if (then (br b7 5)))"
    left = taken(packed({"module": b"(memory m0 1)", "f0": text}))
    assert left["f0"] == (
        b"(param l0 i32)\n(f32.store l0 0F)\n(drop 1.0)\n"
        b"(drop l0 (drop l0))\n(if\n 0\n (then\n  (drop 5)))\n"
    )


@given(st.data())
def test_anything_may_be_left_out(data: st.DataObject) -> None:
    members = dict(MODULE)
    for _ in range(3):
        name = data.draw(st.sampled_from(sorted(members)))
        spans = [each.span() for each in re.finditer(rb'"[^"]*"|[()]|[^\s()"]+', members[name])]
        if data.draw(st.booleans()) and spans:
            places = st.sampled_from([place for span in spans for place in span])
            start, stop = sorted((data.draw(places), data.draw(places)))
            members[name] = members[name][:start] + members[name][stop:]
        elif len(members) > 1:
            del members[name]
    module = packed(members)
    again = packed(taken(module))
    assert packed(taken(again)) == again


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers_with_a_sign(number: int) -> None:
    reader = Reader(signed_leb(number))
    assert reader.signed() == number
    assert not reader


@pytest.mark.parametrize(
    "module", [WASM[:-1], WASM[:8] + b"\x0d\0", WASM.replace(b"\x41\x01\x0b", b"\x06\x40\x0b")]
)
def test_what_is_damaged_or_not_known_is_not_taken_apart(module: bytes) -> None:
    with pytest.raises(NotUnpacked):
        taken(module)


def code_of(code: bytes) -> bytes:
    """Return a module of one function with this code."""
    sections = {1: b"\x01\x60\0\0", 3: b"\x01\0", 10: b"\x01" + sized(code)}
    return WASM[:8] + b"".join(bytes([n]) + sized(body) for n, body in sections.items())


@pytest.mark.parametrize(
    "code",
    [
        b"\x01" + leb(2**32 - 1) + b"\x7f\x0b",
        b"\0" + b"\x02\x40" * 9_000 + b"\x0b" * 9_001,
        b"\0\x41\0" + b"\x45" * 30_000 + b"\x1a\x0b",
        b"\0\xfc" + b"\x80" * 30_000 + b"\0\x0b",
    ],
    ids=["variables", "blocks", "expressions", "a number"],
)
def test_what_would_take_hours_or_all_memory_is_not_taken_apart(code: bytes) -> None:
    with pytest.raises(NotUnpacked):
        unpack(File("a.wasm", code_of(code)), 1 << 24)
