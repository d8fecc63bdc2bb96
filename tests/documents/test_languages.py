"""Languages: by the user's word, the name, the content, in that order."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
import tree_sitter_json
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.parsing import trees
from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.language_names import ALIASES, ENDINGS, WHOLE_NAMES
from nubbin.documents.parsing.languages import language_of, without_grammar
from nubbin.reduction.events import Event, NoGrammar
from nubbin.reduction.reduce import reduce


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a/b.c", "c"),
        ("x.i", "c"),
        ("x.ii", "cpp"),
        ("X.PY", "python"),
        ("Makefile", "make"),
        ("sub.dir/Dockerfile", "dockerfile"),
        ("f.cnf", "dimacs"),
        ("g.gv", "dot"),
        ("p.smt2", "smtlib"),
        ("rows.jsonl", "jsonl"),
        ("n.v", "verilog"),
        ("unknown.qqq", None),
        ("", None),
    ],
)
def test_by_name(name: str, language: str | None) -> None:
    assert language_of(name, b"") == language


@pytest.mark.parametrize(
    ("data", "language"),
    [
        (b"#!/usr/bin/env python3\nx", "python"),
        (b"#!/bin/sh -e\nls", "bash"),
        (b"#!/usr/bin/nonesuch\nls", None),
        (b"<!DOCTYPE html>\n<p>", "html"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><a/>", "xml"),
        (b"<list><item/></list>\n", "xml"),
        (b'\n {"a": [1, 2]}', "json"),
        (b'{"a": 1}\n{"a": 2}\n', "jsonl"),
        (b"c hi\np cnf 2 1\n1 -2 0\n", "dimacs"),
        (b"digraph G { a -> b }", "dot"),
        (b"(set-logic QF_LIA)\n(check-sat)", "smtlib"),
        (b"#include <stdio.h>\nint main(void) { return 0; }\n", "c"),
        (b"template <class T> class A { public: T x; };\nnamespace b {}\n", "cpp"),
        (b"import os\n\ndef f(x):\n    return os.path.join(x)\n", "python"),
        (b"package main\n\nfunc main() { x := 1; _ = x }\n", "go"),
        (b"use std::io;\nfn main() { let x = 1u8; }\n", "rust"),
        (b"SELECT a FROM b WHERE c = 1;\n", "sql"),
        (b"a: 1\nb:\n  - c\n  - d: e\n", "yaml"),
        (b"module m(input a); endmodule\n", "verilog"),
        (b"2024-01-01 12:00:00 started\n2024-01-01 12:00:01 stopped\n", None),
        (b"some words, no program at all.\n", None),
        (b"\x7fELF\0\0\1\2int main", None),
        (b"", None),
    ],
)
def test_by_content(data: bytes, language: str | None) -> None:
    assert language_of("", data) == language


def test_a_shared_ending_is_settled_by_the_fewest_errors() -> None:
    assert language_of("a.h", b"struct s { int x; };\nint f(struct s *class);\n") == "c"
    assert language_of("a.h", b"class s { public: template <class T> T x(); };\n") == "cpp"


def test_a_name_that_lies_is_not_believed() -> None:
    fonts = b"<?xml version='1.0'?>\n<fontconfig>\n<dir>a</dir>\n</fontconfig>\n"
    assert language_of("a.conf", fonts) == "xml"
    assert language_of("a.conf", b"[a]\nb = 1\n") == "ini"


def test_words_of_a_language_do_not_make_it_one() -> None:
    layer = b'layer {\n  type: "Pool"\n  bottom: "a"\n  shape { dim: 1 dim: 2 }\n}\n'
    assert language_of("", 10 * layer) is None


def test_the_users_word_settles_it() -> None:
    assert language_of("x.json", b"{}", format="yaml") == "yaml"
    assert language_of("x.json", b"{}", format="C++") == "cpp"
    assert language_of("x.json", b"{}", format=".rs") == "rust"
    assert language_of("x.json", b"{}", format="text") is None
    with pytest.raises(ValueError, match="no format is called 'pyton'; did you mean python"):
        language_of("", b"", format="pyton")


def test_without_tree_sitter_everything_is_an_outline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("tree_sitter", "tree_sitter_language_pack"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(trees, "_parser", None)  # nothing is asked of it
    source, test, events = tmp_path / "a.c", tmp_path / "test.sh", list[Event]()
    source.write_text("int f(void)\n{\n  return 0;\n}\nint used(void)\n{\n  return 1;\n}\n")
    test.write_text("#!/bin/sh\ngrep -q used a.c\n")
    test.chmod(0o755)
    grammar.cache_clear()
    try:
        result = reduce(test, source, observers=[events.append])
    finally:
        grammar.cache_clear()
    assert result.data == b"used"
    assert [each for each in events if isinstance(each, NoGrammar)] == [NoGrammar("c", False)]


@given(st.binary(max_size=200), st.text(max_size=10))
def test_any_bytes_and_any_name_will_do(data: bytes, name: str) -> None:
    found = language_of(name, data)
    assert found is None or isinstance(found, str)


def test_every_name_in_the_tables_has_a_grammar_or_is_known_to_have_none() -> None:
    languages = {*ENDINGS, *WHOLE_NAMES.values(), *ALIASES.values()}
    assert {name for name in languages if grammar(name) is None} == {"dimacs", "dot", "smtlib"}
    assert not without_grammar([f"x{each.split()[0]}" for each in ENDINGS.values()])


def test_an_extra_that_is_not_installed_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    grammar.cache_clear()
    try:
        names = ["a.sol", "a.py", "a.h", "a.csv", "a.smt2", "a.qqq", "rakefile", "a.kt", "b.kt"]
        assert without_grammar(names) == ["kotlin", "solidity"]
        assert without_grammar(["a.py"], "sol") == ["solidity"]
        assert not without_grammar(["a.py"], "kdl")
        assert without_grammar(["a.py"], "kotlin") == ["kotlin"]
        assert not without_grammar(["a.sol"], "text")
    finally:
        grammar.cache_clear()


def test_a_wheel_of_the_languages_own_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = ModuleType("tree_sitter_zig")
    wheel.language = tree_sitter_json.language  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tree_sitter_zig", wheel)
    grammar.cache_clear()
    try:
        assert grammar("zig") == grammar("json")
    finally:
        grammar.cache_clear()


@pytest.mark.parametrize(
    "data",
    [
        b"/* a */\n" * 60 + b"int x;",
        b"// a   \n" * 60 + b"int x;",
        b"; a   \n" * 60 + b"mov",
        b"#!" + b"a" * 60_000,
        b"a\n" * 30_000,
    ],
)
def test_no_text_is_looked_at_for_ever(data: bytes) -> None:
    """Patterns that backtrack took exponential or quadratic time for these."""
    language_of("input.unknown", data)
