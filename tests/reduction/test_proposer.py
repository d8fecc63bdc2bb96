"""Candidates of other programs: tried in order, anew after each success, and never trusted."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nubbin.documents.file import File
from nubbin.minimizers import Subset
from nubbin.oracles.errors import WrongTest
from nubbin.reduction.proposer import Program, Proposed
from nubbin.reduction.reduce import reduce

Script = Callable[..., Path]

#: Proposes to put one word for a phrase, which no deletion comes to, and counts its questions.
PROGRAM = """
import base64, json, sys
for number, line in enumerate(sys.stdin):
    told = json.loads(line)
    data = told["text"].encode() if "text" in told else base64.b64decode(told["base64"])
    short = data.replace(b"one two", b"three", 1)
    answer = [base64.b64encode(short).decode()] if short != data else []
    print(json.dumps({"candidates": [{"base64": each} for each in answer]}), flush=True)
"""


def proposer(folder: Path, text: str) -> str:
    path = folder / "proposer.py"
    path.write_text(text)
    return f"{sys.executable} {path}"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "input.txt"
    path.write_text("zero\none two\nfour\none two\n")
    return path


@pytest.fixture
def test(script: Script) -> Path:
    return script('[ "$(grep -c "one two\\|three" input.txt)" = 2 ]')


def test_a_program_proposes(test: Path, source: Path, tmp_path: Path) -> None:
    without = reduce(test, source)
    assert b"one" in without.data
    options = {"proposer": proposer(tmp_path, PROGRAM), "output": tmp_path / "with"}
    result = reduce(test, source, **options)  # type: ignore[arg-type]
    assert result.data.count(b"three") == 2
    assert b"one" not in result.data
    assert result.minimal


def test_bytes_that_are_no_text(script: Script, tmp_path: Path) -> None:
    source = tmp_path / "input.txt"
    source.write_bytes(b"\xff one two\n")
    test = script("LC_ALL=C grep -aqP '\\xff (one two|three)' input.txt")
    result = reduce(test, source, proposer=proposer(tmp_path, PROGRAM))
    assert result.data.strip() == b"\xff three"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("import sys; sys.exit(3)", "ended, with status 3"),
        ("input(); print('what?', flush=True)", "answered b'what?"),
        ("input(); print('{}', flush=True)", 'gave no "candidates"'),
        ("input(); print('{\"candidates\": [1]}', flush=True)", 'gave no "candidates"'),
    ],
)
def test_proposers_that_are_wrong(
    test: Path, source: Path, tmp_path: Path, body: str, words: str
) -> None:
    with pytest.raises(WrongTest, match=re.escape(words)):
        reduce(test, source, proposer=proposer(tmp_path, body))
    assert source.with_name("input.reduced.txt").exists()


def test_no_such_proposer(test: Path, source: Path) -> None:
    with pytest.raises(WrongTest, match="cannot be started"):
        reduce(test, source, proposer="no-such-program")


def test_a_program_is_asked_anew_after_each_success(tmp_path: Path) -> None:
    asked: list[bytes] = []

    class Halves:
        def candidates(self, file: File) -> Iterator[bytes]:
            asked.append(file.data)
            yield from (file.data[: len(file.data) // 2], file.data[1:])

    file = File("x", b"abcd")
    steps = Proposed("halves", Halves()).propose(file)
    proposal = next(steps)

    assert proposal.render(Subset.full(1)) == file
    assert proposal.render(Subset.full(1).without(0, 1)).data == b"ab"
    assert steps.send(file).render(Subset.full(1).without(0, 1)).data == b"bcd"
    steps.send(file.with_data(b"bcd"))
    assert asked == [b"abcd", b"bcd"]


def test_the_program_ends_with_the_run(tmp_path: Path) -> None:
    program = Program(proposer(tmp_path, PROGRAM))
    assert list(program.candidates(File("x", b"one two"))) == [b"three"]
    process = program._process
    assert process is not None
    assert process.poll() is None
    del program
    assert process.wait(60) != 0
