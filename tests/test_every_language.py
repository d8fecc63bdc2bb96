"""End to end in many languages: a real tool complains, and still complains of what is left."""

from __future__ import annotations

import shutil
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from examples import mostly_nightly
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.oracles.user_test import Given
from nubbin.reduction.reduce import reduce
from real_readers import is_image_with_boom, links_to_boom

Script = Callable[..., Path]

PYTHON = sys.executable
JAVAC = f"java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC {Path(__file__).with_name('Javac.java')}"


@dataclass(frozen=True)
class Language:
    """A document whose trouble is `boom`, the tool that says so, and the most that may be left."""

    name: str
    parts: tuple[bytes, bytes, bytes]  # before, repeated on either side of the trouble, after
    trouble: bytes
    test: str | Callable[[Path], bool]
    most: int
    by_line: bool = False  # whether the test is a server

    @property
    def data(self) -> bytes:
        start, filler, end = self.parts
        around = b"".join(filler.replace(b"#", b"%d" % i) for i in range(20))
        more = b"".join(filler.replace(b"#", b"%d" % i) for i in range(20, 40))
        return start + around + self.trouble + more + end


LANGUAGES = [
    Language(
        "input.c",
        (b"", b"static int f#(int x) { if (x > #) { return x * 2; } return -x; }\n", b""),
        b"int main(void) { int y = f1(boom + 2); return y; }\n",
        "LC_ALL=C cc -fsyntax-only input.c 2>&1 | grep -q \"'boom' undeclared\"",
        14,
    ),
    Language(
        "input.cpp",
        (
            b"#include <cstddef>\n",
            b"template <class T> struct S# { T v; T f(T x) { return x; } };\n",
            b"",
        ),
        b"int main() { S1<int> s{boom}; return s.f(3); }\n",
        "LC_ALL=C c++ -fsyntax-only input.cpp 2>&1 | grep -q \"'boom' was not declared\"",
        16,
    ),
    Language(
        "input.py",
        (
            b"import os\n",
            b"class C#:\n    def f(self, x=#):\n        return [x for _ in range(3)]\n\n",
            b"",
        ),
        b"print(C1().f(boom))\n",
        f"{PYTHON} input.py 2>&1 | grep -q \"name 'boom' is not defined\"",
        4,
    ),
    Language(
        "input.js",
        (
            b"'use strict';\n",
            b"const f# = (x, y = {a: [#]}) => { return x ? y.a : `${x}`; };\n",
            b"",
        ),
        b"console.log(f1(boom, {a: 1}));\n",
        "node input.js 2>&1 | grep -q 'boom is not defined'",
        4,
    ),
    Language(
        "Input.java",
        (b"class Input {\n", b"  int f#(int x) { while (x > #) { x--; } return x; }\n", b"}\n"),
        b"  int g() { return f1(boom); }\n",
        JAVAC,  # a virtual machine for each query would take ten times as long
        40,
        by_line=True,
    ),
    Language(
        "input.rs",
        (b"", b"fn f#(x: u32) -> u32 { match x { 0 => #, y => y * 2 } }\n", b"fn main() {}\n"),
        b"fn g() -> u32 { f1(boom) }\n",
        "rustc --emit=metadata -o out input.rs 2>&1 | grep -q 'cannot find value `boom`'",
        40,
    ),
    Language(
        "input.go",
        (
            b"package main\n",
            b"func f#(x int) int { for x > # { x-- }; return x }\n",
            b"func main() {}\n",
        ),
        b"func g() int { return f1(boom) }\n",
        "go vet input.go 2>&1 | grep -Eq '(undefined|undeclared name): boom'",
        40,
    ),
    Language(
        "input.sql",
        (b"CREATE TABLE t(a, b);\n", b"INSERT INTO t VALUES (#, 'x#');\n", b"DROP TABLE t;\n"),
        b"SELECT a, b FROM t WHERE a IN (SELECT boom FROM t) ORDER BY b;\n",
        f"{PYTHON} -c 'import sqlite3, sys; "
        'sqlite3.connect(":memory:").executescript(open("input.sql").read())\' 2>&1 '
        "| grep -q 'no such column: boom'",
        12,
    ),
    Language(
        "input.v",
        (b"", b"module m#(input a, output b);\n  wire w;\n  assign b = a & w;\nendmodule\n", b""),
        b"module top(output o);\n  boom x(.a(1'b0), .b(o));\nendmodule\n",
        "iverilog -o out input.v 2>&1 | grep -q 'Unknown module type: boom'",
        40,
    ),
    Language(
        "input.xml",
        (b'<?xml version="1.0"?>\n<r>\n', b'  <item id="#"><a>text</a><b/></item>\n', b"</r>\n"),
        b'  <list><boom k="1">x</boom></list>\n',
        f"{PYTHON} -c 'import sys, xml.etree.ElementTree as e; "
        'sys.exit(not any(n.tag == "boom" for n in e.parse("input.xml").iter()))\'',
        13,
    ),
    Language(
        "input.json",
        (b"[\n", b'{"id": #, "tags": ["a", null, true]},\n', b'{"last": 1}]\n'),
        b'{"deep": [{"boom": [1, 2]}]},\n',
        f"{PYTHON} -c 'import json; json.load(open(\"input.json\"))' && "
        "grep -q '\"boom\"' input.json",
        6,
    ),
    Language(
        "input.yaml",
        (b"---\n", b"item#:\n  - one: {a: #}\n  - [x, y]\n", b""),
        b"trouble:\n  deep: *boom\n",
        f"{PYTHON} -c 'import yaml; yaml.safe_load(open(\"input.yaml\"))' 2>&1 "
        "| grep -q \"found undefined alias 'boom'\"",
        5,
    ),
    Language(
        "input.md",
        (b"# Title\n\n", b"## Part #\n\n- one\n- *two* and `code`\n\n> quoted\n\n", b"The end.\n"),
        b"See [here](http://boom) and **there**.\n\n",
        links_to_boom,
        16,
    ),
    Language(
        "input.dot",
        (b"digraph g {\n", b'  n# -> m# [label="x#", color=red];\n', b"}\n"),
        b"  a -> b -> c [shape=boom];\n  boom [shape=boom];\n",
        "dot -Tplain input.dot 2>&1 | grep -q 'unknown shape boom'",
        25,
    ),
    Language(
        "input.smt2",
        (
            b"(set-logic QF_LIA)\n",
            b"(declare-const x# Int)\n(assert (> (+ x# 1) #))\n",
            b"(check-sat)\n",
        ),
        b"(assert (or (= x1 2) (< boom 3)))\n",
        "z3 input.smt2 2>&1 | grep -q 'unknown constant boom'",
        15,
    ),
    Language(
        "input.css",
        (b"", b"a#, b > c { color: red; margin: #px 1em }\n", b""),
        b"@media print { p { boom: url(x) } }\n",
        f'{PYTHON} -c \'import sys, tinycss2; sys.exit(not any(d.type == "declaration" and '
        'd.name == "boom" for r in tinycss2.parse_stylesheet(open("input.css").read()) '
        'if r.type == "at-rule" for i in tinycss2.parse_rule_list(r.content or []) '
        'if i.type == "qualified-rule" for d in tinycss2.parse_declaration_list(i.content)))\'',
        20,
    ),
]

#: A tool that is a command; the reader of images below is a function.
BY_DAY = {"input.c"}


def needs(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")


@pytest.mark.parametrize(
    "language",
    mostly_nightly(LANGUAGES, [each for each in LANGUAGES if each.name in BY_DAY]),
    ids=lambda language: language.name,
)
def test_a_real_tool_still_complains_of_what_is_left(
    script: Script, tmp_path: Path, language: Language
) -> None:
    line = language.test
    test: Given = line
    if isinstance(line, str):
        needs(next(word for word in line.split() if "=" not in word))
        test = ServerTest.of(line) if language.by_line else script(line)
    folder = tmp_path / "work"
    folder.mkdir()
    source = folder / language.name
    source.write_bytes(language.data)
    result = reduce(test, source)
    assert result.reason == "fixpoint"
    assert result.minimal
    assert len(result.data) <= language.most, result.data
    assert result.runs < 400


def chunk(kind: bytes, body: bytes) -> bytes:
    checksum = zlib.crc32(kind + body).to_bytes(4, "big")
    return len(body).to_bytes(4, "big") + kind + body + checksum


def test_an_image_that_a_real_reader_reads(tmp_path: Path) -> None:
    """The comment stays readable, with its length and checksum, as everything else goes."""
    rows = b"".join(b"\0" + bytes((x * y) % 256 for x in range(4)) for y in range(4))
    header = (4).to_bytes(4, "big") * 2 + bytes([8, 0, 0, 0, 0])
    source = tmp_path / "input.png"
    source.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"gAMA", (45455).to_bytes(4, "big"))
        + b"".join(chunk(b"tEXt", b"Comment\0line %d" % i) for i in range(3))
        + chunk(b"tEXt", b"Title\0here goes boom, and more")
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
    result = reduce(is_image_with_boom, source)
    assert result.reason == "fixpoint"
    assert b"tEXt" in result.data
    assert len(result.data) < 150


@pytest.mark.nightly
def test_a_folder_of_five_files(script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "include").mkdir(parents=True)
    for i in range(3):
        (folder / f"part{i}.c").write_bytes(b"int f(int x) { return x; }\n" * 10)
    (folder / "include/types.h").write_bytes(b"typedef struct { int a, b; } pair;\n#define N 3\n")
    (folder / "main.c").write_bytes(
        b'#include "include/types.h"\nint main(void) { pair p; p.boom = N; return p.a; }\n'
    )
    test = script(
        "cd project && LC_ALL=C cc -fsyntax-only main.c 2>&1 | grep -q \"no member named 'boom'\""
    )
    needs("cc")
    result = reduce(test, folder)
    assert result.minimal
    assert "project/main.c" in result.files
    assert sum(map(len, result.files.values())) < 80, result.files
