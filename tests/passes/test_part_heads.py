"""What a part of a C or C++ program declares, and what is needed with it."""

from __future__ import annotations

import pytest

from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.headers import head_of
from nubbin.passes.nodes.named_parts import NamedParts


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("enum colour : int { RED = 1L << 3, GREEN };", "colour RED GREEN"),
        ("typedef struct a { union { int z; } q; } b, *c;", "a b c"),
        ("static struct { int a; } table[] = { {1}, {2} };", "table"),
        ("typedef int (*compare)(const void *);", "compare"),
        ("__extension__ typedef long long\n  wide;", "wide"),
        ("int a, *b = 3, c[2];", "a b c"),
        ("struct tm *now(void) __attribute__((__pure__));", "now"),
        ('extern int scan(FILE *f) __asm__ ("" "x");', "scan"),
        ("#define TWICE(a) a a", "TWICE"),
        ("X::X(int a) : b(a), c() { }", "X"),
        ("auto f = [](int a) { };", "f"),
        ("template<class T> using v = std::w<T>;", "v"),
        ("template<class T> concept Small = sizeof(T) < 4;", "Small"),
        ("decltype(auto) g(s a = {}) noexcept(true) { return a; }", "g"),
        ('extern "C" __typeof(use) used;', "used"),
        ("template<class T> bool operator<(T a, T b) { return a > b; }", ""),
    ],
)
def test_the_names_that_a_part_declares(text: str, names: str) -> None:
    assert head_of(text.encode()).names == {*names.encode().split()}


OTHERS = "\n".join(f"struct other{i} {{ other{i - 1} *a; }};" for i in range(1, 300))


@pytest.mark.parametrize(
    "waiting",
    [
        "template<> struct box<heavy> {};",
        "void swap(heavy &a, heavy &b);",
        "bool operator==(box<int> a, heavy b);",
        "template<class T> int box<T>::with(heavy a) { return 1; }",
        'heavy operator""_h(unsigned long long a);',
    ],
)
def test_what_is_for_some_types_is_needed_once_all_of_them_are(waiting: str) -> None:
    first = ["template<class T> struct box {};", "struct heavy {};", "void swap(box<int> &a);"]
    lines = [*first, waiting, OTHERS, "int with;"]
    for own, is_needed in (
        ("box<int> a = swap(b.with);", False),
        ("heavy a(box<int>(swap, with));", True),
    ):
        text = "\n".join([*lines, own])
        found = NamedParts.of(Syntax("cpp"), text.encode())
        assert found
        reached = found.reach({len(found.parts) - 1})
        texts = {found.texts[at].decode() for at in reached}
        assert first[0] in texts
        assert (waiting in texts) == is_needed
