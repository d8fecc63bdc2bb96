"""A copy for reading, only if it is still interesting."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.reduction.reduce import reduce
from nubbin.reduction.result import beside
from nubbin.reduction.result.beside import laid_out
from nubbin_core.errors import NubbinError

Script = Callable[..., Path]

SOURCE = "def f(x):\n    return [x, x + 1]\n\n\nprint(f(1))\n"
COMPILES = """-I -S -c 'compile(open("x.py").read(), "x.py", "exec")'"""


@pytest.fixture(autouse=True)
def formatter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ruff, which lies beside this Python, and may take its time."""
    monkeypatch.setattr(beside, "_FORMAT_TIMEOUT_S", 600.0)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.py"
    path.write_text(SOURCE)
    return path


def test_a_copy_for_reading(script: Script, source: Path) -> None:
    compiles = f"{sys.executable} {COMPILES}"
    test = script(f"{compiles} && grep -q 'def.*(' x.py && grep -q return x.py")
    result = reduce(test, source, pretty=True)
    assert result.pretty == source.with_name("x.reduced.pretty.py")
    readable = result.pretty.read_text()
    assert "\n    return" in readable
    assert len(readable) > len(result.data)
    assert result.output.read_bytes() == result.data


def test_a_copy_that_is_not_interesting_is_none(script: Script, source: Path) -> None:
    limit = f"[ $(wc -c <x.py) -eq {len(SOURCE)} ] || [ $(wc -l <x.py) -le 1 ]"
    test = script(f"grep -q return x.py && {{ {limit}; }}")
    result = reduce(test, source, pretty=True, smallest="chars", max_queries=400)
    assert result.pretty is None
    assert not source.with_name("x.reduced.pretty.py").exists()


def test_a_former_copy_is_replaced_and_nothing_else(script: Script, source: Path) -> None:
    options: dict[str, Any] = {"pretty": True, "smallest": "lines"}
    source.write_text("def f( x ): return [x,x+1]\nprint( f(1) )\n")
    compiles = f"{sys.executable} {COMPILES} && grep -q 'def.*(' x.py"
    first = reduce(script(f"{compiles} && grep -q return x.py"), source, record=True, **options)
    assert first.pretty is not None
    before = first.pretty.read_text()
    again = reduce(script(f"{compiles} && grep -q print x.py"), source, record=True, **options)
    assert again.pretty == first.pretty
    assert first.pretty.read_text() != before
    mine = script(f"echo mine >{first.pretty}; {compiles} && grep -q return x.py")
    with pytest.raises(NubbinError, match="without a readable copy"):
        reduce(mine, source, record=True, **options)
    assert first.pretty.read_text() == "mine\n"
    assert b"return" in first.output.read_bytes()


def test_a_small_result_is_shown_with_line_breaks(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text("int f(void) { g(); return 1; }\n\n\nint unused;\n")
    result = reduce(script("tr -d ' ' <x.c | grep -q 'f(void){g();return1;}'"), path)
    assert result.data == b"f(void){g();return 1;}"
    assert result.shown == "f(void){\n  g();\n  return 1;\n}"


@pytest.mark.parametrize(
    "document",
    [
        Document.single("x.c", b"\xff;"),
        Document.single("x.c", b";" * 2_001),
        Document("d", (File("d/a.c", b";"), File("d/b.c", b";"))),
        Document("d", ()),
    ],
    ids=["binary", "large", "two files", "no file"],
)
def test_nothing_else_is_shown(document: Document) -> None:
    assert beside.small_text(document, None) is None


def test_unasked_there_is_none(script: Script, source: Path) -> None:
    assert reduce(script("grep -q return x.py"), source).pretty is None


@pytest.mark.parametrize(
    ("name", "data"), [("x.py", b"def ("), ("x.unknown", b"a  b"), ("x.py", b"x=1\n")]
)
def test_what_cannot_be_laid_out_stays(name: str, data: bytes) -> None:
    (file,) = laid_out(Document.single(name, data), None).files
    assert file.data == (b"x = 1\n" if data == b"x=1\n" else data)
