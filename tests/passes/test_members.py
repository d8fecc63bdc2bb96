"""Brackets show the members of a C-like program."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.passes.headers import members

MEMBERS = [
    "#pragma GCC visibility push(default)",
    "typedef struct { int a; } pair, *pairs;",
    "enum { one = (1), two };",
    "int table[] = { 1, 2 };",
    "template<typename T, int N = sizeof(int)> struct A<T(int)> : B<(N > 1)> { int b; };",
    "struct old { } __attribute__ ((__deprecated__ (\"use '}'\")));",
    "template<typename T> A<T>::A(int b) noexcept : a(b), c{b} { if (b) { f(';'); } }",
    "[[nodiscard]] bool operator==(int a, int b) { return a == b; }",
    "std::size_t f() { return 0; }",
    "struct pair g() { return pair{ }; }",
    'extern "C" int h(void) __attribute__ ((__nothrow__));',
    "using std::swap;",
    'extern "C++" inline void end() noexcept { f(); }',
]
NAMESPACES = [
    'namespace std __attribute__ ((__visibility__ ("default")))',
    "inline namespace __cxx11",
    "namespace",
    'extern "C++"',
]


def _with_members(text: str) -> tuple[str, list[str], int]:
    return f"{text}\n", [text], 0


def _in_namespace(head: str, parts: list[tuple[str, list[str], int]]) -> tuple[str, list[str], int]:
    text, found, namespaces = _joined(parts)
    return f"{head} {{\n{text}}}\n", found, 1 + namespaces


def _joined(parts: list[tuple[str, list[str], int]]) -> tuple[str, list[str], int]:
    texts, found, namespaces = zip(*parts, strict=True) if parts else ((), (), ())
    return "".join(texts), [each for some in found for each in some], sum(namespaces)


PROGRAMS = st.recursive(
    st.sampled_from(MEMBERS).map(_with_members),
    lambda inside: st.builds(_in_namespace, st.sampled_from(NAMESPACES), st.lists(inside)),
)


@given(st.lists(PROGRAMS))
def test_members_are_whole_and_those_of_namespaces_stand_for_them(
    parts: list[tuple[str, list[str], int]],
) -> None:
    text, expected, count = _joined(parts)
    data = text.encode()
    found, namespaces = members(data)
    assert [data[slice(*span)].decode() for span in found] == expected
    assert len(namespaces) == count
    assert all(data[start:stop].endswith(b"}") for start, stop in namespaces)
