"""Candidates of other programs: tried in order, again after each success, and never trusted."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from examples import mostly_nightly
from faults import Tether
from nubbin.documents.file import File
from nubbin.reduction import proposer as proposers
from nubbin.reduction.proposer import Program, Proposed
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import Subset

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
    return f"{sys.executable} -I -S {path}"


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
    mostly_nightly(
        [
            ("import sys; sys.exit(3)", "exited with status 3"),
            ("import nowhere", "No module named 'nowhere'"),
            ("import os; input(); os.kill(os.getpid(), 9)", "was ended by signal 9"),
            ("input(); print('what?', flush=True)", "answered b'what?"),
            ("input(); print('[' * 1000000, flush=True)", "answered b'[[["),
            ("input(); print('{\\n}', flush=True); input()", "printed more than one line: b'{"),
            ("input(); print('{}', flush=True); input()", 'gave no "candidates"'),
            ("input(); print('[]', flush=True); input()", 'gave no "candidates"'),
            (
                "input(); print('{\"candidates\": [1]}', flush=True); input()",
                'gave no "candidates"',
            ),
            ('input(); print(\'{"candidates": "x"}\', flush=True); input()', "str, not a list"),
        ],
        [
            ("import sys; sys.exit(3)", "exited with status 3"),
            ("input(); print('{}', flush=True); input()", 'gave no "candidates"'),
        ],
    ),
)
def test_proposers_that_are_wrong(
    test: Path, source: Path, tmp_path: Path, body: str, words: str
) -> None:
    with pytest.raises(NubbinError, match=re.escape(words)):
        reduce(test, source, proposer=proposer(tmp_path, body))
    assert source.with_name("input.reduced.txt").exists()


@pytest.mark.parametrize("command", ["no-such-program", "", "  ", "'", "/", "\0"])
def test_no_such_proposer(test: Path, source: Path, command: str) -> None:
    with pytest.raises(NubbinError, match="cannot be started"):
        reduce(test, source, proposer=command)
    assert not source.with_name("input.reduced.txt").exists()


def asked(folder: Path, body: str, data: bytes = b"one") -> list[bytes]:
    """Ask a program in Python for candidates for some data."""
    with Program(proposer(folder, body)) as program:
        return list(program.candidates(File("x", data)))


def test_a_program_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposers, "_ANSWER_TIMEOUT_S", 0.5)
    body = f"""
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
held = os.open({str(tmp_path / "tether")!r}, os.O_WRONLY)
os.write(held, b"up")
if os.fork() == 0 or input():
    time.sleep(600)
"""
    with Tether(tmp_path) as tether:
        with Program(proposer(tmp_path, body)) as program:
            assert tether.read() == b"up"
            with pytest.raises(NubbinError, match="did not answer within"):
                next(program.candidates(File("x", b"one")))
        tether.assert_cut()


def test_a_program_that_reads_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposers, "_ANSWER_TIMEOUT_S", 0.5)
    with pytest.raises(NubbinError, match="did not answer within"):
        asked(tmp_path, "import time; time.sleep(600)", b"x" * 1_000_000)


def test_a_line_without_end_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposers, "_MAX_ANSWER_BYTES", 1 << 20)
    with pytest.raises(NubbinError, match="more than 1048576 bytes for a line"):
        asked(tmp_path, "input()\nwhile True: print('x' * 1000, end='')")


def test_long_lines(tmp_path: Path) -> None:
    data = b"one two " + b"x" * 5_000_000
    assert asked(tmp_path, PROGRAM, data) == [data.replace(b"one two", b"three")]


def test_what_a_program_says_besides_stops_nothing_and_is_shown_when_it_fails(
    tmp_path: Path,
) -> None:
    flood = "import sys\nsys.stderr.write('x' * 10_000_000 + '\\nthe end')\n"
    assert asked(tmp_path, flood + PROGRAM, b"one two") == [b"three"]
    with pytest.raises(NubbinError, match="the end"):
        asked(tmp_path, flood + "sys.exit(3)")


def test_a_program_is_asked_again_after_each_success(tmp_path: Path) -> None:
    asked: list[bytes] = []

    class Halves:
        def candidates(self, file: File) -> Iterator[bytes]:
            asked.append(file.data)
            yield from (file.data[: len(file.data) // 2], file.data[1:])

    file = File("x", b"abcd")
    steps = Proposed(Halves()).propose(file)
    proposal = next(steps)

    assert proposal.render(Subset.full(1)) == file
    assert proposal.render(Subset.full(1).without(0, 1)).data == b"ab"
    assert steps.send(file).render(Subset.full(1).without(0, 1)).data == b"bcd"
    steps.send(file.with_data(b"bcd"))
    assert asked == [b"abcd", b"bcd"]


def test_the_program_ends_with_the_run(test: Path, source: Path, tmp_path: Path) -> None:
    hold = f"import os\nheld = os.open({str(tmp_path / 'tether')!r}, os.O_WRONLY)\n"
    stay = "os.write(held, b'up')\nif os.fork() == 0:\n    import time; time.sleep(600)\n"
    with Tether(tmp_path) as tether:
        reduce(test, source, proposer=proposer(tmp_path, hold + stay + PROGRAM))
        assert tether.read() == b"up"
        tether.assert_cut()
