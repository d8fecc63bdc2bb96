"""A run stays with one bug, and keeps what else it meets."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import mostly_nightly
from nubbin.journal.run_facts import different_failures_in
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError

Script = Callable[..., Path]

#: Two bugs: `a` without `b` is another one.
TEXT = b"".join(b"%c\n" % letter for letter in range(97, 123))
LINES = b"a\nb\n"
BODY = """
grep -q a input.txt || exit 1
if grep -q b input.txt; then echo "error: the one"; exit 0; fi
echo "error: another, of $(wc -l <input.txt) lines"; exit {other}"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "input.txt"
    path.write_bytes(TEXT)
    return path


def others(run: Path) -> list[bytes]:
    return [path.read_bytes() for path in (run / "other").glob("*/input/input.txt")]


def test_without_a_signature_it_drifts(script: Script, source: Path) -> None:
    assert reduce(script(BODY.format(other=0)), source, smallest="lines").data == b"a\n"


def test_a_signature(script: Script, source: Path, tmp_path: Path) -> None:
    test = script(BODY.format(other=0))
    result = reduce(
        test, source, smallest="lines", prints="^error: the one$", record=tmp_path / "run"
    )
    assert result.data == LINES
    assert result.others == 1
    (other,) = others(tmp_path / "run")
    assert b"a" in other
    assert b"b" not in other


def test_an_exit_code(script: Script, source: Path, tmp_path: Path) -> None:
    result = reduce(
        script(BODY.format(other=101)), source, smallest="lines", record=tmp_path / "run"
    )
    assert result.data == LINES
    # Of the first nothing is known but that it differs.
    assert 1 <= result.others <= 2
    assert all(b"a" in other and b"b" not in other for other in others(tmp_path / "run"))


def test_a_function(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "check.py"
    file.write_text(
        "import sys\ndef check(path):\n    text = path.read_text()\n"
        "    if 'a' in text and 'b' not in text: print('error: other'); sys.exit(101)\n"
        "    return 'a' in text\n"
    )
    test = PythonTest.of(f"{file}:check")
    result = reduce(test, source, smallest="lines", record=tmp_path / "run")
    assert result.data == LINES
    assert result.others == 1  # what it says is always known
    assert others(tmp_path / "run")


def test_a_server(script: Script, source: Path, tmp_path: Path) -> None:
    server = script(
        'while read -r p; do if ! grep -q a "$p"; then echo uninteresting\n'
        'elif grep -q b "$p"; then echo interesting; else echo different; fi; done'
    )
    result = reduce(ServerTest.of(str(server)), source, smallest="lines", record=tmp_path / "run")
    assert (result.data, result.others) == (LINES, 1)


def test_signatures_that_are_none(script: Script, source: Path) -> None:
    test = script(BODY.format(other=0))
    with pytest.raises(NubbinError, match="not a regular expression"):
        reduce(test, source, prints="(")
    with pytest.raises(NubbinError, match=r"match --prints 'no such(.|\n)*error: the one"):
        reduce(test, source, prints="no such thing")


@pytest.mark.nightly  # by day: tests/oracles/test_shell_runner.py
def test_a_signature_that_never_ends(source: Path) -> None:
    test = RunTest.of(f"echo {'a' * 64}!; : {{}}", Conditions(exits="0"))
    words = r"cannot be judged on input\.txt because it takes more than 3 s to match --prints"
    with pytest.raises(NubbinError, match=words):
        reduce(test, source, prints="(a+)+b", timeout=3)


THREE_BUGS = """\
import sys
def check(words):
    if "h" in words and "q" in words: raise ValueError("bad header")
def free(words):
    if "h" in words: raise ValueError("freed twice")
def grow(words):
    if "q" in words: raise ValueError("too long")
words = open(sys.argv[-1]).read().split()
check(words), free(words), grow(words)
"""


@pytest.mark.parametrize("by", mostly_nightly(["signature", "condition"], ["signature"]))
def test_the_smallest_of_each_kind_of_failure_is_kept(
    script: Script, source: Path, tmp_path: Path, by: str
) -> None:
    """Of failures whose outputs begin alike, and differ in the names of functions and the texts."""
    tool = tmp_path / "tool.py"
    tool.write_text(THREE_BUGS)
    line = f"{shlex.quote(sys.executable)} -I -S {tool}"
    run = tmp_path / "run"
    result = (
        reduce(script(f"! {line} input.txt"), source, prints="bad header", record=run, jobs=1)
        if by == "signature"
        else reduce(RunTest.of(line, Conditions(prints="bad header")), source, record=run, jobs=1)
    )
    assert result.data.split() == [b"h", b"q"]
    kept = {each.line: each.folder for each in different_failures_in(run)}
    kept.pop("", None)  # of the first one of a signature, the output is not kept
    assert set(kept) == {"ValueError: freed twice", "ValueError: too long"}
    for line, folder in kept.items():
        assert (folder / "input/input.txt").read_bytes() == (b"h" if "freed" in line else b"q")
