"""reliability/attacks: the attacks of strangers and of time see what they are there to see."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from click.testing import CliRunner

from nubbin.cli import main
from nubbin.documents.containers.zstd import zstd
from reliability import attacks, endings, journals
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
        process.terminate()
        assert deaf(process, 0.1).endswith("of its own processor time")
    with started("print(flush=True)\nwhile 1: pass") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        assert deaf(process, 5) == ""


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


def test_every_option_that_takes_an_expression_is_attacked() -> None:
    shown = CliRunner().invoke(main, ["reduce", "--help-all"]).output
    options = set(re.findall(r"(--[\w-]+) REGEX", shown))
    assert options == {*endings.ON_OUTPUTS, *endings.ON_TEXTS}


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


def test_attacks_are_chosen_by_words_of_their_names() -> None:
    assert attacks.possible("kill -9 in 5,000").keys() == {
        "kill -9 in 5,000 files, then `nubbin resume`"
    }
