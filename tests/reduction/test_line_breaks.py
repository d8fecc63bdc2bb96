"""Line breaks for reading, in languages with a grammar and without."""

from __future__ import annotations

import pytest

from nubbin.documents.outlines.outline import Outline
from nubbin.documents.parsing.syntax import Syntax
from nubbin.reduction.result.beside import with_line_breaks
from snippets import SNIPPETS


@pytest.mark.parametrize(
    ("language", "line", "lines"),
    [
        ("c", "int f(){for(;;)g();return 0;}", "int f(){\n  for(;;)g();\n  return 0;\n}"),
        (
            "c",
            "int a(){if(b){c;}else{d;}}int e(){}",
            "int a(){\n  if(b){\n    c;\n  }else{\n    d;\n  }\n}\nint e(){}",
        ),
        ("json", '{"a":[1,2],"b":{"c":{}}}', '{\n  "a":[1,2],\n  "b":{\n    "c":{}\n  }\n}'),
        ("javascript", "f(()=>{a;b}, `x${c;}{;}`)", "f(()=>{\n  a;\n  b\n}, `x${c;}{;}`)"),
        ("sql", "CREATE TABLE t(a,b); SELECT ';'", "CREATE TABLE t(a,b);\nSELECT ';'"),
        ("", "graph{a;b{c;d}}", "graph{\n  a;\n  b{\n    c;\n    d\n  }\n}"),
        ("", "f(a;b) }; {", "f(a;b) };\n{"),
    ],
)
def test_a_statement_has_a_line(language: str, line: str, lines: str) -> None:
    structure = Syntax(language) if language else Outline()
    assert with_line_breaks(line.encode(), structure).decode() == lines


@pytest.mark.parametrize("language", SNIPPETS)
def test_only_white_space_is_changed(language: str) -> None:
    structure, data = Syntax(language), SNIPPETS[language]
    laid_out = with_line_breaks(data, structure)
    assert b"".join(laid_out.split()) == b"".join(data.split())
    assert [(node.kind, node.depth) for node in structure.nodes(laid_out)] == [
        (node.kind, node.depth) for node in structure.nodes(data)
    ]
    assert with_line_breaks(laid_out, structure) == laid_out
