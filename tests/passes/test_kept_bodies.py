"""Some functions keep their bodies, and of all other parts only those that these reach are kept."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.edits import File
from nubbin.documents.parsing.injected import syntax_of
from nubbin.passes.nodes.roots import kept_bodies
from nubbin.passes.proposal import Proposal, next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import EMPTY, Subset

N = 20
CALLS = st.lists(st.sets(st.integers(0, N - 1), max_size=2), min_size=N, max_size=N)
STUBS = {"llvm": "{unreachable}", "c": "{}"}
NAMED = {"llvm": (r"\$f(\d+) =", r'%"t (\d+)" =', r"^!(\d+) ="), "c": ()}


def part(language: str, at: int, calls: set[int]) -> str:
    """Return a function that calls others, and what only it names."""
    if language == "c":
        body = "".join(f" f{each}(v{at});" for each in sorted(calls))
        return f"int v{at} = {at};\nint f{at}(int a) {{{body} return v{at}; }}\n"
    body = "".join(f"  call void @f{each}()\n" for each in sorted(calls))
    return (
        f'$f{at} = comdat any\n@v{at} = global i8 0\n%"t {at}" = type {{ i8 }}\n'
        f'define %"t {at}"* @f{at}() !dbg !{at} comdat {{\n'
        f'{body}  store i8 1, i8* @v{at}\n  ret void\n}}\n!{at} = !{{!"m{at}"}}\n'
    )


def lists(language: str, text: str) -> list[Proposal[File]]:
    file = File("a", text.encode())
    running = kept_bodies(file, Gate(syntax_of(language)))
    found, proposal = list[Proposal[File]](), next_proposal(running)
    while proposal is not None:
        found.append(proposal)
        proposal = next_proposal(running, file)
    return found


def bodies(text: str) -> dict[int, str]:
    return {int(at): body for at, body in re.findall(r"f(\d+)\([^\n]*?(\{[^}]*\})", text)}


@pytest.mark.parametrize("language", STUBS)
@given(CALLS, st.sets(st.integers(0, N - 1), min_size=1, max_size=3))
@examples(30)
def test_functions_that_are_kept_have_what_they_call_without_its_body(
    language: str, calls: list[set[int]], chosen: set[int]
) -> None:
    text = "".join(part(language, at, called) for at, called in enumerate(calls))
    groups, singles = lists(language, text)[:2]
    assert groups.size <= 8
    assert singles.size >= N
    kept = Subset.of(chosen | {*range(N, singles.size)})
    before, after = bodies(text), singles.render(kept).data.decode()
    stubs = set[int]().union(*(calls[at] for at in chosen)) - chosen
    emptied = dict.fromkeys(stubs, STUBS[language])
    assert bodies(after) == {at: before[at] for at in chosen} | emptied
    assert set(map(int, re.findall(r"\bv(\d+) =", after))) == chosen
    for each in NAMED[language]:
        assert set(map(int, re.findall(each, after, re.MULTILINE))) == chosen | stubs


def test_functions_in_a_function_are_parts_of_it() -> None:
    inside = "".join(f"function f{at}(a) {{ return {at}; }}\n" for at in range(N))
    outside = "".join(f"var v{at} = {at};\n" for at in range(N))
    for around in outside, "":
        _, singles = lists("javascript", f"{around}(function module() {{\n{inside}}})();\n")
        assert singles.size == N
        assert singles.texts()[3] == b"function f3(a) { return 3; }"
        after = singles.render(Subset.of({3})).data.decode()
        assert after.startswith(around)
        assert bodies(after) == {3: "{ return 3; }"}


def test_uses_of_a_kind_are_removed_with_what_only_they_reach() -> None:
    text = "".join(part("llvm", at, {(at + 1) % N}) for at in range(N))
    _, singles, *_ = lists("llvm", text)
    after = singles.render(Subset.of({3})).data.decode()
    assert bodies(after) == {3: "{\n  store i8 1, i8* @v3\n  ret void\n}"}
    assert "!" not in after


def test_a_reference_is_removed_with_what_only_that_reaches() -> None:
    nodes = "".join(f'!{at} = !{{!{at + 1}, !"{"x" * 40}"}}\n' for at in range(3, N))
    text = (
        f"!root = !{{!0}}\n!0 = !U(a: !1, b: !3)\n!1 = !{{!2}}\n!2 = !{{}}\n{nodes}!{N} = !{{}}\n"
    )
    *_, freed = lists("llvm", text)
    each = (Subset.full(freed.size).without(at, at + 1) for at in range(freed.size))
    found = {freed.render(kept).data for kept in each}
    assert b"!root = !{!0}\n!0 = !U(a: !1)\n!1 = !{!2}\n!2 = !{}\n" in found


def test_what_says_where_a_program_begins_is_kept() -> None:
    functions = "".join(f"function f{at}($a) {{ return $a + {at}; }}\n" for at in range(N))
    first, *_ = lists("php", f"<?php\n{functions}")
    assert first.render(EMPTY).data.strip() == b"<?php"
