"""What passes propose, on real snippets of many languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.outlines.outline import Outline
from nubbin.documents.parsing.syntax import Syntax
from nubbin.documents.parsing.trees import tree_of
from nubbin.passes.cuts import BLANK, LINE_END, blanks, single_blanks
from nubbin.passes.flat import unwrapping
from nubbin.passes.nodes.bodies import bodies, insides
from nubbin.passes.nodes.lists import arguments
from nubbin.passes.nodes.simpler import brackets, empty_elements, hoist, plain_values
from nubbin.passes.nodes.subtrees import levels, node_deletions
from nubbin.passes.proposal import Edited, FilePass, Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import Gate
from nubbin.passes.table import PASSES, FileView
from nubbin.passes.words.def_use import def_use, inline
from nubbin.passes.words.names import duplicates, names, words
from nubbin.reduction.pipeline import passes_for
from nubbin_core.minimizers import EMPTY, Subset
from snippets import SNIPPETS

languages = st.sampled_from(sorted(SNIPPETS))


def gated(each: Callable[[File, Gate], Proposals[File]], language: str) -> FilePass:
    """Return a pass with a gate, as it is for the files of a language."""
    return lambda file: each(file, Gate(Syntax(language)))


def gated_words(each: Callable[[File, Gate], Proposals[File]]) -> FilePass:
    """Return a pass with a gate, as it is for texts without a grammar."""
    return lambda file: each(file, Gate(Outline(words=True)))


def proposals(
    propose: Callable[[Edited], Proposals[Edited]], document: Edited
) -> Iterator[Proposal[Edited]]:
    """Yield all that a pass proposes when nothing of it is accepted."""
    running = propose(document)
    proposal = next_proposal(running)
    while proposal is not None:
        yield proposal
        proposal = next_proposal(running, document)


@pytest.mark.parametrize("language", sorted(SNIPPETS))
def test_every_proposal_begins_at_the_document_and_never_grows_it(language: str) -> None:
    document = Document.single("input", SNIPPETS[language])
    for each in passes_for(document, language=language):
        for proposal in proposals(each.propose, document):
            everything = Subset.full(proposal.size)
            assert proposal.render(everything) == document
            assert proposal.is_plausible(everything)
            assert len(proposal.weights) in {0, proposal.size}
            for i in range(proposal.size):
                edited = proposal.render(everything.without(i, i + 1))
                assert edited.extent <= document.extent, (each.name, edited.contents)
            assert proposal.render(EMPTY).extent <= document.extent


@pytest.mark.parametrize("language", sorted(SNIPPETS))
def test_syntax_passes_offer_something_the_grammar_accepts(language: str) -> None:
    document = Document.single("input", SNIPPETS[language])
    accepted = 0
    for each in passes_for(document, language=language)[:6]:
        for proposal in proposals(each.propose, document):
            for i in range(proposal.size):
                kept = Subset.full(proposal.size).without(i, i + 1)
                edited = proposal.render(kept)
                accepted += edited != document and proposal.is_plausible(kept)
    assert accepted >= 3


LISTS = {
    "c": (b"int x = f(a, b + 1, g(c), 4);", "argument_list"),
    "python": (b"f(a, b, c=1, *d)\n", "argument_list"),
    "json": (b'[1, [2], {"k": 3}, null]', "array"),
    "javascript": (b"const {a, b, c} = {d, e: 1, f};", "object"),
    "rust": (b"fn f(a: u8, b: u8, c: u8) {}", "parameters"),
    "sql": (b"SELECT a, b, c FROM t;", "select_expression"),
}


@pytest.mark.parametrize("language", sorted(LISTS))
@given(data=st.data())
@examples(25)
def test_separators_go_with_what_they_separate(language: str, data: st.DataObject) -> None:
    """Whatever part of a list is kept, if anything is, the list parses."""
    text, kind = LISTS[language]
    syntax = Syntax(language)
    around = next(node for node in syntax.nodes(text) if node.kind == kind)
    items = [node for node in around.children if node.named]
    offered = [node for node in items if data.draw(st.booleans())]
    proposal = node_deletions(File("input", text), syntax, offered)
    kept = Subset.of([i for i in range(len(offered)) if data.draw(st.booleans())])
    edited = proposal.render(kept)
    left = len(items) - len(offered) + len(kept)
    if left:
        tree = tree_of(edited.data, language)
        assert tree and tree.facts.errors == 0, edited.data
        assert edited.data.count(b",") == text.count(b",") - (len(items) - left)


def test_linked_deletes_a_definition_with_its_uses() -> None:
    text = b"int used;\nint f(void) { used = 1; return 0; }\nint main(void) { used++; }\n"
    without_each = singles(gated(def_use, "c"), text)
    assert any(b"used" not in data and b"main" in data for data in without_each)


def test_linked_deletes_an_import_with_the_statements_that_use_it() -> None:
    text = b'package p\nimport ("os"; "io")\nvar _ = os.Args\nvar r io.Reader\n'
    seen = singles(gated(def_use, "go"), text)
    assert b'package p\nimport ( "io")\nvar r io.Reader\n' in seen


BODIES = {
    "c": (b"int *f(int a) { return g(a); }", b"int *f(int a) {}"),
    "go": (b"func f(a int) int { return g(a) }", b"func f(a int) int {panic(0)}"),
    "java": (b"class A { int f() { return g(1, 2); } }", b"class A { int f() {throw null;} }"),
    "lua": (b"function f(a)\n  return g(a)\nend", b"function f(a)\nend"),
    "python": (b"def f(a):\n    return g(a)\n", b"def f(a):\n    ...\n"),
    "llvm": (
        b"define i32 @f(i32 %a) {\n  ret i32 %a\n}",
        b"define i32 @f(i32 %a) {unreachable}",
    ),
    "rust": (b"fn f(a: u8) -> u8 { g(a); a + 1 }", b"fn f(a: u8) -> u8 {panic!()}"),
}


@pytest.mark.parametrize("language", sorted(BODIES))
def test_bodies_leave_a_function_that_does_nothing(language: str) -> None:
    text, empty = BODIES[language]
    assert singles(gated(bodies, language), text) == {empty}


def test_bodies_of_what_has_no_parameters_stay() -> None:
    text = b"class A { int a; int b; };"
    assert singles(gated(bodies, "cpp"), text) == set()


def test_braces_lose_what_they_hold_without_a_grammar() -> None:
    text = b"a: b { say('a'); }\n | c { if (d) { say('b'); } }\n" * 2
    proposal = next_proposal(insides(File("a.y", text), Gate(Outline())))
    assert proposal is not None
    assert proposal.render(EMPTY).data == b"a: b {}\n | c {}\n" * 2


@pytest.mark.parametrize(
    "text",
    [
        b"a: b { say('a'); }\n" * 3,
        b"a: { 1 } some words and some more\n" * 9,
        b"{assert (= a 1)}\n" * 9,
    ],
    ids=["few", "small", "all there is"],
)
def test_nothing_is_asked_of_braces_that_are_no_bodies(text: bytes) -> None:
    assert not list(proposals(lambda file: insides(file, Gate(Outline())), File("a.y", text)))


def test_hoist_puts_the_inside_in_the_place_of_the_whole() -> None:
    text = b"int main(void) { if (x) { call((1 + 2)); } }"
    seen = {
        proposal.render(Subset.full(proposal.size).without(i, i + 1)).data
        for proposal in proposals(gated(hoist, "c"), File("x.c", text))
        for i in range(proposal.size)
    }
    assert b"int main(void) { { call((1 + 2)); } }" in seen
    assert any(b"call(1 + 2)" in data for data in seen)


def test_hoist_leaves_all_that_is_between_brackets() -> None:
    assert b"int a; int b;" in singles(gated(hoist, "cpp"), b"namespace n { int a; int b; }")
    assert b"<b/><c/>" in singles(gated(hoist, "html"), b"<a><b/><c/></a>")


def test_hoist_moves_lines_left_where_they_have_to_be() -> None:
    text = b"if a:\n    b()\n    for c in d:\n        e()\n"
    assert b"b()\nfor c in d:\n    e()\n" in singles(gated(hoist, "python"), text)


def test_hoist_keeps_a_part_from_running_into_the_word_after_it() -> None:
    text = b"(function()function b(s)return(s)end\nend)()print(b)"
    assert b"function b(s)return(s)end print(b)" in singles(gated(hoist, "lua"), text)


def test_hoist_puts_a_word_in_the_place_of_an_expression_in_parentheses() -> None:
    def hoisted(text: bytes) -> set[bytes]:
        row = next(row for row in PASSES if row.name == "hoisting")
        return set(singles(row.make(FileView(File("x.smt2", text))), text))

    text = b"(assert(= (f(g s)) (h(i)t)))(check-sat)"
    assert b"(assert(= (f s) (h(i)t)))(check-sat)" in hoisted(text)
    # In these texts, `=t` would be another word.
    assert b"(assert(= (f(g s)) t))(check-sat)" in hoisted(text)
    assert b"(assert(= t(f s)))" in hoisted(b"(assert(=(g t)(f s)))")
    # No head, no content of brackets, and no pair of brackets by itself.
    assert not {b"(assert(f g))", b"(assert(f g s t))"} & hoisted(b"(assert(f(g s t)))")
    assert not singles(brackets, b"(assert(f(g s t)))")
    assert b"f g { h(i) }" not in hoisted(b"f (g u) { h(i) }")


def test_plain_values_take_the_places_of_types_of_expressions_and_of_names() -> None:
    text = b"(set 1)\n(declare-fun a()(Array(_ BitVec 8)(_ BitVec 8)))(assert(=(g a)(h a)))"
    found = set(singles(gated_words(plain_values), text))
    assert b"(set 1)\n(declare-fun a()(Array Bool Bool))(assert(=(g a)(h a)))" in found
    assert b"(set 1)\n(assert(=(g true)(h true)))" in found
    assert text.replace(b"(=(g a)(h a))", b" 0") in found
    assert all(len(each) < len(text) for each in found)


ARGUMENTS = {
    "c": (
        b"int g(int a, int b) { return a + b; } int h() { return g(1, 2) + g(3, 4); }",
        b"int g( int b) { return 1 + b; } int h() { return g( 2) + g( 4); }",
    ),
    "cpp": (
        b"template<class T> T f(T x); template<class U> U f(U y) { U z; } int i = f<int>(0);",
        b"int f(int x); int f(int y) { int z; } int i = f(0);",
    ),
    "javascript": (
        b"function f(a, b) { return b; }\nx = f(1, f(2, y)).z;\n",
        b"function f(a) { return y; }\nx = f(1).z;\n",
    ),
    "python": (
        b"class A:\n    def f(self, a):\n        return a\nA().f(3)\n",
        b"class A:\n    def f(self):\n        return 3\nA().f()\n",
    ),
    "rust": (
        b"fn f(a: u8, b: u8) -> u8 { b } fn main() { f(1, 2); }",
        b"fn f( b: u8) -> u8 { b } fn main() { f( 2); }",
    ),
    "go": (
        b"package a; func f(x T, y T) T { return y }; func g() { f(1, 2) }",
        b"package a; func f(x T) T { return 2 }; func g() { f(1) }",
    ),
}


@pytest.mark.parametrize("language", sorted(ARGUMENTS))
def test_a_parameter_goes_with_its_arguments(language: str) -> None:
    text, without = ARGUMENTS[language]
    assert without in singles(gated(arguments, language), text)


def test_a_list_alone_is_no_business_of_arguments() -> None:
    text = b"int g(int a); int h() { return k(1, 2); }"
    assert not singles(gated(arguments, "c"), text)


INLINED = {
    "objc": (
        b"typedef unsigned long e; e g(void) { return 1; }",
        b"unsigned long g(void) { return 1; }",
    ),
    "cpp": (
        b"void f(void) { g(); h(); } int main() { f(); }",
        b"int main() { { g(); h(); }; }",
    ),
    "javascript": (
        b"const x = require('fs');\nfunction f() { return x.y; }\n",
        b"function f() { return require('fs').y; }\n",
    ),
    "rust": (b"type A = u8; fn f(a: A) {}", b"fn f(a: u8) {}"),
    "c": (b"int f(void) { int x = 5; return x; }", b"int f(void) { return 5; }"),
    "bash": (b"X=foo\necho $X ${X}\n", b"echo foo foo\n"),
    "make": (b"X = foo\nall:\n\techo $(X)\n", b"all:\n\techo foo\n"),
}


@pytest.mark.parametrize("language", sorted(INLINED))
def test_what_a_name_stands_for_takes_its_place(language: str) -> None:
    text, without = INLINED[language]
    seen = {b"".join(each.split()) for each in singles(gated(inline, language), text)}
    assert b"".join(without.split()) in seen


def test_what_a_name_stands_for_takes_its_place_without_a_grammar() -> None:
    text = b"%ASSIGN x 4\n%REP x\nnop\n%ENDREP\n"
    seen = singles(lambda file: inline(file, Gate(Outline(words=True))), text)
    assert b"%REP 4\nnop\n%ENDREP\n" in seen
    text = b"(assert(let((m c))(= m(f m))))"
    assert b"(assert(= c(f c)))" in singles(
        lambda file: inline(file, Gate(Outline(words=True))), text
    )


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", b"function f(a){return g.b(1)}h(f(2))"),
        ("python", b"def f(a):\n  return g.b(1)\nh(f(2))"),
        ("lua", b"function f(a) return g.b(1) end h(f(2))"),
        ("rust", b"fn f(a:u8)->u8{g.b(1)}fn main(){h(f(2))}"),
        ("c", b"int f(int a){return g.b(1);}int main(){h(f(2));}"),
    ],
)
def test_a_call_becomes_what_its_function_returns(language: str, text: bytes) -> None:
    results = singles(gated(inline, language), text)
    assert any(b"h(g.b(1))" in result and b"f(" not in result for result in results)


def test_nothing_is_inlined_that_makes_the_document_longer() -> None:
    text = b"typedef struct { int a; } s; s x; s y; s z; s f(s); s g(s);"
    assert not singles(gated(inline, "c"), text)


def test_two_names_of_one_definition_are_not_inlined_together() -> None:
    text = b"a: b c { say 'a'; }\n | '{' ;bay 'b'; }\na: b c { say 'a'; }\n | '{' c { say 'b'; }\n"
    (proposal, *_) = proposals(lambda file: inline(file, Gate(Outline(words=True))), File("", text))
    assert len(proposal.render(EMPTY).data) < len(text)


def test_an_element_without_contents_is_one_tag() -> None:
    text = b'<a><b c="1"></b><d></d>x<e></f></a>'
    assert singles(gated(empty_elements, "xml"), text) == {
        b'<a><b c="1"/><d></d>x<e></f></a>',
        b'<a><b c="1"></b><d/>x<e></f></a>',
    }


def test_words_are_names_where_there_is_no_syntax() -> None:
    seen = singles(words, b"node31 -> b; node31 -> b2")
    assert seen == {b"a -> b; a -> b2", b"node31 -> b; node31 -> c"}


@pytest.mark.parametrize(("language", "changes"), [(None, True), ("html", False)])
def test_words_are_names_where_a_tree_is_in_doubt(language: str | None, changes: bool) -> None:
    text = b"<p>Hello {{ user.name | title }} and {{ user.mail }} and all of them</p>\n"
    view = FileView(File("a.html", text), language)
    (row,) = (row for row in PASSES if row.name == "names" and row.applies(view))
    seen = singles(row.make(view), text)
    assert any(b"user" not in data for data in seen) == changes


def test_names_that_a_macro_hides_change_with_it() -> None:
    text = b"#define TWICE(x) (2 * value + x)\nint value = TWICE(1);\n"
    seen = singles(gated(names, "c"), text)
    assert any(data.count(b"value") == 0 and data.count(b"TWICE") == 2 for data in seen)


def test_names_with_a_capital_become_capitals() -> None:
    seen = singles(gated(names, "ocaml"), b"exception Mismatch\nlet fail () = raise Mismatch")
    assert b"exception A\nlet fail () = raise A" in seen
    assert b"exception Mismatch\nlet c () = raise Mismatch" in seen


def test_names_keep_their_sigils() -> None:
    text = b"@global = global i32 0\ndefine i32 @main(%Type.U1* %0) { ret i32 @global }\n"
    found = singles(gated(names, "llvm"), text)
    assert text.replace(b"@global", b"@a") in found
    assert text.replace(b"%Type.U1", b"%B") in found


def test_no_two_names_are_one_where_case_means_nothing() -> None:
    proposal = next_proposal(words(File("input", b"Signal state : A")))
    assert proposal is not None
    assert proposal.render(EMPTY).data == b"B c : A"


def test_names_are_a_letter_and_a_digit_when_letters_are_used_up() -> None:
    every_letter = b" ".join(
        bytes([c]) for c in b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    )
    assert singles(words, every_letter + b" word a0") == {every_letter + b" a1 a0"}


@given(st.text("ab_ \n\t;\u00e9", max_size=12))
def test_white_space_is_found_in_whole_runs(text: str) -> None:
    data = text.encode()
    runs = [run.span() for run in re.finditer(rb"\s+", data)]
    bare = re.compile(rb"(?<=[\w\x80-\xff])\s[\w\x80-\xff]")
    assert [run.span() for run in BLANK.finditer(data)] == [
        run for run in runs if not (run[1] - run[0] == 1 and bare.match(data, run[0]))
    ]
    assert [run.span() for run in LINE_END.finditer(data)] == [
        run for run in runs if b"\n" in data[slice(*run)]
    ]


def test_a_million_blanks_are_one_edit() -> None:
    """To look for a line end from each of them would take an hour."""
    found = list(proposals(blanks, File("x", b"x%by" % (b" " * 1_000_000))))
    assert found
    assert all(proposal.size == 1 for proposal in found)


def test_a_line_end_loses_its_indentation_and_empty_lines() -> None:
    seen = singles(blanks, b"type a\n\n    real\n  end\n")
    assert b"type a\nreal\n  end\n" in seen


def test_blocks_are_indented_by_one() -> None:
    seen = singles(blanks, b"if a:\n    if b:\n        c\n        d\n")
    assert b"if a:\n    if b:\n     c\n     d\n" in seen
    assert b"if a:\n if b:\n     c\n     d\n" in seen


def test_duplicates_change_together() -> None:
    text = b"int f(int a, long b);\nint f(int a, long b) { return g((a)) + g((a)); }\n"
    seen = singles(gated(duplicates, "c"), text)
    assert b"int f(int a);\nint f(int a) { return g((a)) + g((a)); }\n" in seen
    assert b"int f( long b);\nint f( long b) { return g((a)) + g((a)); }\n" in seen
    assert b"int f(int a, long b);\nint f(int a, long b) { return g(a) + g(a); }\n" in seen
    assert not singles(gated(duplicates, "c"), b"int f(void);\nlong g(int x);\n")


@given(languages, st.binary(max_size=40), st.integers(0, 200))
@examples(40)
def test_no_bytes_break_a_pass(language: str, junk: bytes, at: int) -> None:
    text = SNIPPETS[language][:at] + junk + SNIPPETS[language][at:]
    document = Document.single("input", text)
    for each in passes_for(document, language=language):
        for proposal in proposals(each.propose, document):
            assert proposal.render(Subset.full(proposal.size)) == document
            assert proposal.render(EMPTY) != document


def singles(each: FilePass, text: bytes) -> set[bytes]:
    """What comes of each edit alone that a pass proposes for a text."""
    return {
        proposal.render(Subset.full(proposal.size).without(i, i + 1)).data
        for proposal in proposals(each, File("input", text))
        for i in range(proposal.size)
    }


def test_brackets_go_by_pairs_that_match() -> None:
    assert singles(brackets, b"f((a)[1])") == {b"f(a)[1]", b"f(a[1])", b"f((a)1)"}
    assert singles(brackets, b"(a]) <b") == {b"a] <b"}
    assert singles(brackets, b"}{ )(") == set()


def test_white_space_goes_as_far_as_words_stay_apart() -> None:
    assert singles(blanks, b"int  x = 1;\n") == {
        b"int x = 1;\n",
        b"int  x= 1;\n",
        b"int  x =1;\n",
        b"int  x = 1;",
        b"int x=1;",
        b"int x=1;\n",
    }
    assert singles(blanks, b"int x") == set()


def test_in_the_end_blanks_that_keep_words_apart_are_asked_for_as_well() -> None:
    assert singles(single_blanks, b"end  type\n") == {b"end type\n", b"end  type"}
    assert singles(single_blanks, b"end type") == {b"endtype"}
    assert not list(proposals(single_blanks, File("input", b"endtype")))
    # Of longer words, what most often goes.
    assert singles(single_blanks, b"x8_;7") == {b"x_;7", b"x8;7"}


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["cut off", "whole"])
def test_the_lines_around_a_block_go_without_what_is_between_them(end: bytes) -> None:
    file = File("a.conf", b"<A>\none\n<B>\ntwo\n</B>\n</A>" + end)
    (proposal,) = unwrapping(file)
    unwrapped = {
        proposal.render(Subset.full(proposal.size).without(i, i + 1)).data.strip()
        for i in range(proposal.size)
    }
    assert unwrapped == {b"one\n<B>\ntwo\n</B>", b"<A>\none\ntwo\n</A>"}


@pytest.mark.parametrize("text", [b"a + + b", b"$ a", b"a / *b"])
def test_a_blank_that_keeps_marks_apart_is_not_asked_for(text: bytes) -> None:
    for proposal in proposals(blanks, File("input", text)):
        assert proposal.render(EMPTY).data != text


def test_white_space_is_asked_for_in_one_question_first() -> None:
    text = b"if a :\n\n    b = 1\n"
    whole, inside_lines, *_ = proposals(blanks, File("input", text))
    assert (whole.size, whole.render(EMPTY).data) == (1, b"if a:b=1")
    assert (inside_lines.size, inside_lines.render(EMPTY).data) == (1, b"if a:\nb=1\n")


@pytest.mark.parametrize(
    ("text", "asks_each"),
    [
        (b"word + 1234567890;" * 30, True),  # few
        (b"word + 1234567890;" * 200, False),
        (b"a + 1;" * 200, True),  # a real share
    ],
)
def test_single_runs_of_white_space_are_worth_it_if_few_or_a_real_share(
    text: bytes, asks_each: bool
) -> None:
    sizes = [proposal.size for proposal in proposals(blanks, File("input", text))]
    assert (max(sizes) > 1) is asks_each


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("html", "<html>\n<body>\n{}</body>\n</html>\n"),
        ("html", "<body><main><div>{}</div></main></body>"),
    ],
)
def test_what_rises_by_a_level_is_asked_about_before_what_is_inside_of_it(
    language: str, text: str
) -> None:
    blocks = [f"<p>one <b>{n}</b></p>" for n in range(9)]
    file = File("a", text.format("".join(blocks)).encode())
    running = levels(file, Gate(Syntax(language)))
    proposal = next_proposal(running)
    while proposal is not None:
        texts = [text.decode() for text in proposal.texts()]
        if set(blocks) <= set(texts):
            return
        assert not {f"<b>{n}</b>" for n in range(9)} & set(texts)
        # Only the ends of what is around the blocks can go, if all of them are needed.
        kept = [at for at, text in enumerate(texts) if blocks[4] in text]
        file = proposal.render(Subset.of(kept))
        assert b"".join(block.encode() for block in blocks) in file.data
        proposal = next_proposal(running, file)
    raise AssertionError("the blocks were not asked about as one list")
