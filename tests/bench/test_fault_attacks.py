"""reliability/attacks: the attacks of strangers and of time see what they are there to see."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from click.testing import CliRunner

from nubbin.cli import main
from nubbin.documents.zstd import zstd
from reliability import answers, attacks, journals
from reliability.answers import misjudged
from reliability.clock import at_work, deaf, limited
from reliability.journals import zeros
from reliability.scene import STANDARD, scene


def started(program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)


def test_a_signal_that_is_not_heard_is_told_by_processor_time() -> None:
    program = "import signal; signal.signal(15, signal.SIG_IGN); print(flush=True)\nwhile 1: pass"
    with started(program) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert at_work(process, 0.01)
        assert deaf(process, signal.SIGTERM, 0.1).startswith("deaf to SIGTERM")
    with started("print(flush=True)\nwhile 1: pass") as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert deaf(process, signal.SIGTERM, 5) == ""


@pytest.mark.nightly
def test_a_command_over_its_processor_time_hangs() -> None:
    with scene(STANDARD, "command", []) as made:
        made.end(subprocess.Popen([*limited(1), "sh", "-c", "while :; do :; done"]))
        assert made.faults == ["hangs: its processor time was used up"]


def test_a_small_frame_unpacks_to_much() -> None:
    frame = zeros(20)
    assert len(frame) == 14 + 80
    unpacked = zstd.decompress(frame)
    assert unpacked == bytes(20 << 17)


@pytest.mark.parametrize(
    ("found", "rate", "flaky", "minimal", "words"),
    [
        (b"7 8 32", 0.5, False, True, ""),
        (b"7", 0.1, True, False, "a wrong result"),
        (b"7", 0.5, False, True, "without a word"),
        (b"7", 0.5, True, True, "called 1-minimal"),
        (b"7", 0.5, True, False, ""),
    ],
)
def test_a_wrong_result_is_judged_by_what_was_said(
    found: bytes, rate: float, flaky: bool, minimal: bool, words: str
) -> None:
    faults = misjudged({"n.txt": found}, rate, {"flaky": flaky, "minimal": minimal})
    assert len(faults) == bool(words)
    assert words in "".join(faults)


def test_every_option_that_takes_an_expression_is_attacked() -> None:
    shown = CliRunner().invoke(main, ["reduce", "--help-all"]).output
    options = set(re.findall(r"(--[\w-]+) REGEX", shown))
    assert options == {*answers.ON_OUTPUTS, *answers.ON_TEXTS}


def read(monkeypatch: pytest.MonkeyPatch, command: object) -> list[str]:
    monkeypatch.setattr(journals, "main", command)
    monkeypatch.setattr(journals, "_CPU_S", 1)
    with scene(STANDARD, "command", []) as made:
        journals.read_by_all(made, (("log", "theirs"),))
        return made.faults


@pytest.mark.nightly
def test_a_traceback_and_a_hang_of_a_reader_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(words: list[str], prog_name: str) -> None:
        raise TypeError(f"unhashable type in {words}")

    def hangs(words: list[str], prog_name: str) -> None:
        while True:
            os.getpid()

    (fault,) = read(monkeypatch, fails)
    assert fault == "log: traceback: TypeError: unhashable type in ['log', 'theirs']"
    (fault,) = read(monkeypatch, hangs)
    assert fault.startswith("log: hangs")


@pytest.mark.nightly
@pytest.mark.parametrize("kind", journals.SCHEMAS)
def test_a_journal_can_be_given_each_schema(kind: str) -> None:
    with scene(STANDARD, "command", []) as made:
        place = journals.planted(made) / "journal.sqlite"
        with closing(sqlite3.connect(place)) as store:
            store.executescript(journals.SCHEMAS[kind])


def test_an_attack_is_in_the_table_once() -> None:
    parts = (answers.ATTACKS, journals.ATTACKS)
    assert all(part.keys() <= attacks.ATTACKS.keys() for part in parts)
    assert attacks.possible("says yes wrongly").keys() == {
        f"a test that says yes wrongly, {rate}%" for rate in (1, 10, 30, 50)
    }
