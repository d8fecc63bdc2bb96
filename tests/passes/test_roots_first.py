"""What uses a long list is reduced first, and what it no longer uses goes in one question."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.nodes.named_parts import NamedParts, words_in
from nubbin.passes.nodes.roots import roots_first
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import Subset

FUNCTIONS, DEFINITIONS = 400, 1200


def driven(
    file: File, language: str, interesting: Callable[[bytes], bool], at_most: int = 1000
) -> tuple[int, bytes]:
    """Run the pass, all edits of a list at once and then each; return the questions and the end."""
    running = roots_first(file, Gate(Syntax(language)))
    asked = 0

    def holds(candidate: File) -> bool:
        nonlocal asked
        asked += 1
        assert asked <= at_most
        return interesting(candidate.data)

    proposal = next_proposal(running)
    while proposal is not None:
        kept = Subset.full(proposal.size)
        for i in (None, *reversed(range(proposal.size))):
            fewer = Subset.of([]) if i is None else kept.without(kept.rank(i), kept.rank(i + 1))
            candidate = proposal.render(fewer)
            if len(fewer) < len(kept) and proposal.is_plausible(fewer):
                kept = fewer if holds(candidate) else kept
        file = proposal.render(kept)
        proposal = next_proposal(running, file)
    return asked, file.data


def compiles(data: bytes) -> bool:
    """Tell whether each function that is called is defined before."""
    defined: set[bytes] = set()
    for line in data.splitlines():
        words = re.findall(rb"[a-z]+\d*(?=\()", line)
        if not {word for word in words[1:] if word != b"bug"} <= defined:
            return False
        defined.update(words[:1])
    return True


def program(main: str) -> File:
    """Return a program whose functions call one another in long chains."""
    lines = [f"int f{i}(int a) {{ return {f'f{i - 2}(a)' if i > 1 else i}; }}" for i in range(400)]
    return File("a.c", "\n".join([*lines, main, ""]).encode())


def test_the_end_of_a_program_is_asked_for_alone_when_it_uses_nothing_any_more() -> None:
    file = program("int main(int a) { f398(a); f397(a); bug(a); f390(a); return 0; }")
    asked, data = driven(file, "c", lambda data: compiles(data) and b"bug(a)" in data)
    assert data.count(b"int f") <= 1  # a short list is left to other passes
    assert b"bug(a)" in data
    assert asked < 40


def test_what_the_end_still_uses_stays_with_what_that_uses() -> None:
    file = program("int main(int a) { f398(a); bug(a, f199(a)); return 0; }")
    asked, data = driven(file, "c", lambda data: compiles(data) and b"bug(a, f199(a))" in data)
    assert b"f2(" not in data
    assert b"f200(" not in data
    assert b"f1(" in data
    assert asked < 100


def schema() -> File:
    """Return a schema whose root comes to the last definition by way of others, five deep."""
    definitions: dict[str, Any] = {
        f"type{i}": {"anyOf": [{"$ref": f"#/definitions/type{i + k}"} for k in (300, 7, 1)]}
        for i in range(DEFINITIONS)
    }
    definitions["type901"] = {"format": "bad"}
    root = {"$ref": "#/definitions/type1", "definitions": definitions}
    return File("schema.json", json.dumps(root, indent=1).encode())


def is_bad(data: bytes) -> bool:
    """Tell whether the root of a schema comes to a bad format, and to no missing definition."""
    try:
        root = json.loads(data)
        seen: set[str] = set()
        left = [root["$ref"]]
        while left:
            name = left.pop().rpartition("/")[2]
            if name not in seen and int(name[4:]) < DEFINITIONS:
                seen.add(name)
                left += [each["$ref"] for each in root["definitions"][name].get("anyOf", ())]
        return any(root["definitions"][name].get("format") == "bad" for name in seen)
    except (ValueError, LookupError, TypeError, AttributeError):
        return False


def test_references_are_followed_into_the_list() -> None:
    asked, data = driven(schema(), "json", is_bad)
    assert is_bad(data)
    assert len(data) < len(schema().data) / 10
    assert asked < 200


def test_what_a_program_in_c_reaches_is_where_it_is_declared() -> None:
    headers = """struct tm;
extern struct tm *now (void) __attribute__ ((__pure__)) ;
enum colour { RED, GREEN };
typedef int (*compare_t) (const void *);
struct tm { int year; };
""" + "\n".join(f"extern int h{i}(int year); int k{i};" for i in range(300))
    own = "int f(compare_t a) { return now()->year + RED; }\nint main() { return f(0); }\n"
    text = f'# 1 "main.c"\n# 1 "lib.h" 1\n{headers}\n# 2 "main.c" 2\n{own}'

    def is_valid(data: bytes) -> bool:
        used = [b"*now", b"RED, GREEN", b"(*compare_t)", b"{ int year", own.encode()]
        return all(each in data for each in used)

    asked, data = driven(File("main.i", text.encode()), "c", is_valid)
    assert len(data) < 500
    assert asked < 50


def test_what_reaches_much_is_cut_with_all_that_only_it_reaches() -> None:
    chain = "\n".join(f"int f{i}(int a) {{ return f{i - 1}(a); }}" for i in range(1, 300))
    own = "int heavy(int a) { return f299(a); }\nint main(int a) { heavy(a); bug(a); }\n"
    text = f'# 1 "main.c"\n# 1 "lib.h" 1\nint f0(int);\n{chain}\n# 2 "main.c" 2\n{own}'

    def is_bug(data: bytes) -> bool:
        return b"bug(a)" in data and b"{}" not in data and compiles(data)

    asked, data = driven(File("main.i", text.encode()), "c", is_bug)
    assert b"heavy" not in data
    assert b"f299" not in data
    assert asked < 15


def test_a_chain_of_static_functions_goes_when_none_is_static() -> None:
    headers = "\n".join(f"extern int h{i}(int);" for i in range(300))
    own = """static inline int bug(int a) { return h7(a); }
static int user(int a) { return bug(a); }
int main() { static int a; return user(a); }
"""
    text = f'# 1 "main.c"\n# 1 "lib.h" 1\n{headers}\n# 2 "main.c" 2\n{own}'

    def is_bug(data: bytes) -> bool:
        is_used = re.search(rb"int bug.*{ return h7.*\n.*{ return bug.*\n.*{.* user", data)
        is_there = b"{ return h7(a)" in data and data.count(b"extern") == 300
        return is_there and bool(is_used or b"static" not in data.split(b"main")[0])

    _, data = driven(File("main.i", text.encode()), "c", is_bug)
    assert b"user" not in data


def test_what_the_grammar_misreads_is_one_part() -> None:
    misread = "int odd(int a) { return (__extension__ ({ if (a) ; else b(a); })); }"
    functions = "\n".join(f"int f{i}(int a) {{ return f{i - 1}(a); }}" for i in range(1, 300))
    data = f"{misread}\n{functions}\n{misread}\n".encode()
    found = NamedParts.of(Syntax("c"), data)
    assert found is not None
    assert found.texts[0] == found.texts[-1] == misread.encode()


def test_what_namespaces_hold_is_reached_and_operators_on_it() -> None:
    operator = "bool operator<(h{} a, int b);"
    held = [f"struct h{i} {{ h{i - 1} *a; }}; {operator.format(i)}" for i in range(1, 300)]
    blocks = "\n".join(f"namespace std {{ {each} }}" for each in ["struct h0 { };", *held])
    found = NamedParts.of(Syntax("cpp"), f"{blocks}\nstd::h2 x;\n".encode())
    assert found
    reached = sorted(found.texts[at].decode() for at in found.reach({len(found.parts) - 1}))
    structs = ["struct h0 { }", "struct h1 { h0 *a; }", "struct h2 { h1 *a; }"]
    assert reached == [operator.format(1), operator.format(2), "std::h2 x;", *structs]


def test_a_type_is_no_function_and_borders_of_headers_can_stay() -> None:
    headers = "extern int first;\nint (*get(void))(int);\n" + "\n".join(
        f"extern int h{i}(int a);" for i in range(300)
    )
    text = f'# 1 "a.h" 1\n{headers}\n# 2 "a.c" 2\nint f(void) {{ return h2(0); }}\n'
    for language in ("c", "cpp"):
        found = NamedParts.of(Syntax(language), text.encode())
        assert found
        reached = found.reach({len(found.parts) - 1})
        texts = [found.texts[at].decode() for at in sorted(reached)]
        assert texts[:-1] == ["extern int h2(int a);"]
        left = text.encode()
        for gone in reversed(found.all_but(reached, borders=True)):
            left = left[: gone.start] + left[gone.stop :]
        assert [line[:2] for line in left.split(b"\n") if line] == [
            b"# ",
            b"ex",
            b"# ",
            b"in",
        ]


def test_keywords_are_no_names() -> None:
    assert words_in(b"static struct tm *now(void) { return a; }", "c") >= {b"tm", b"now", b"a"}
    assert not words_in(b"static struct tm *now(void) { return a; }", "c") & {b"static", b"return"}


def test_the_main_file_of_a_preprocessed_program_is_known() -> None:
    headers = "\n".join(f"int h{i}(int); int k{i}(int a);" for i in range(600))
    own = "int one(int a) { h3(a); }\nint two(int a) { bug(a); }\n"
    text = f'# 1 "main.c"\n# 1 "lib.h" 1\n{headers}\n# 2 "main.c" 2\n{own}'
    running = roots_first(File("main.i", text.encode()), Gate(Syntax("c")))
    proposal = next_proposal(running)
    assert proposal is not None
    alone = proposal.render(Subset.of([])).data
    assert b"int one" in alone
    assert b"h5" not in alone


def test_a_declaration_of_the_users_goes_with_what_needs_it() -> None:
    headers = "\n".join(f"namespace std {{ struct h{i}; int k{i}; }}" for i in range(600))
    headers += "\nnamespace std { struct h5 {" + " int a;" * 300 + " }; }"
    own = """struct one { std::h5 a; };
struct two { one b; int c; };
int bug(two a) { return a.b, a.c; }
"""
    text = f'# 1 "main.cc"\n# 1 "lib.h" 1\n{headers}\n# 2 "main.cc" 2\n{own}'

    def is_bug(data: bytes) -> bool:
        declared = b"struct one { std::h5 a; }" in data or not re.search(rb"\bone\b|\.b", data)
        included = data.count(b"struct h") == 600 or b"std::h5" not in data
        return declared and included and b"int c;" in data and b"bug(two a)" in data

    _, data = driven(File("main.ii", text.encode()), "cpp", is_bug)
    assert is_bug(data)
    assert b"h5" not in data
    assert b"namespace" not in data


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"name": f"n{i % 7}", "city": f"c{i % 5}"} for i in range(FUNCTIONS)]),
        json.dumps({"users": [{"name": f"n{i}"} for i in range(FUNCTIONS)]}),
        json.dumps({f"type{i}": {"$ref": f"type{i - 1}"} for i in range(200)}),
    ],
    ids=["records", "records in an object", "a short list"],
)
def test_a_list_that_nothing_uses_costs_nothing(text: str) -> None:
    assert driven(File("a.json", text.encode()), "json", lambda _: False)[0] == 0


def test_it_ends_if_nothing_can_go() -> None:
    asked, data = driven(schema(), "json", lambda _: False)
    assert data == schema().data
    assert asked < FUNCTIONS


def test_a_directive_begins_its_line_whatever_is_removed_before_it() -> None:
    lines = [f"  struct h{i} {{ }};" for i in range(300)]
    lines[7:7] = ["  struct odd { int a; }; struct even { };", "#pragma GCC visibility pop"]
    data = "\n".join([*lines, "h1 x;", ""]).encode()
    found = NamedParts.of(Syntax("cpp"), data)
    assert found
    kept = [at for at, text in enumerate(found.texts) if b"#" in text or b"odd" in text]
    for some in (kept, kept[1:]):
        left = data
        for gone in reversed(found.all_but(some)):
            left = left[: gone.start] + left[gone.stop :]
        assert b"\n#pragma" in b"\n" + left
