"""Ctrl-C, a polite kill and a closed terminal, at instants that a person hits by chance."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from faults import ASKER
from nubbin.cli.signals import ending_gently
from nubbin.journal.recorded_run import runs_in

Script = Callable[..., Path]

NUBBIN = [sys.executable, "-m", "nubbin"]

#: Imported by Python before all else; sends the signal when a certain module is looked for.
HOOK = """
import os, signal, sys

class Hook:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Hook())
"""


@pytest.mark.parametrize("module", ["nubbin.cli", "click", "nubbin.cli.work.run", "numpy", "rich"])
def test_ctrl_c_while_modules_are_imported(
    script: Script, letters: Path, tmp_path: Path, module: str
) -> None:
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK.format(module=module))
    told = subprocess.run(
        [*NUBBIN, "reduce", script("grep -q a letters.txt"), letters],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(hook), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout, told.stderr) == (130, "", "")
    assert not letters.with_name("letters.reduced.txt").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [([], ""), (["--json"], '{"event": "error", "exit_code": 130, "message": "interrupted"}\n')],
)
def test_ctrl_c_during_verify(
    script: Script, letters: Path, tmp_path: Path, options: list[str], said: str
) -> None:
    test = script("grep -q a letters.txt")
    run = tmp_path / "run"
    subprocess.run([*NUBBIN, "reduce", "--quiet", "--run-dir", run, test, letters], check=True)
    script(f"kill -s INT {ASKER}")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    told = subprocess.run(
        [*NUBBIN, "verify", *options, run],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout, told.stderr) == (130, said, "")
    assert not list(temporary.iterdir())


def test_a_closed_terminal_may_say_so_again_and_again(script: Script, letters: Path) -> None:
    test = script(
        f"""
        grep -q a letters.txt || exit 1
        [ $(wc -c <letters.txt) -eq 52 ] && exit 0
        while kill -s HUP {ASKER}; do :; done
        """
    )
    told = subprocess.run(
        [*NUBBIN, "reduce", "-j", "1", test, letters], capture_output=True, text=True, check=False
    )
    assert told.returncode == 130
    assert "Interrupted" in told.stderr
    assert [run.state for run in runs_in(letters.parent)] == ["interrupted"]


def test_nohup_outlives_its_terminal(script: Script, letters: Path) -> None:
    test = script(f"grep -q a letters.txt && kill -s HUP {ASKER}")
    told = subprocess.run(
        ["nohup", *NUBBIN, "reduce", "--timeout", "10m", test, letters], check=False
    )
    assert told.returncode == 0
    assert letters.with_name("letters.reduced.txt").read_text() == "a"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_that_a_signal_was_heard_is_said_if_the_end_takes_long(number: int) -> None:
    said = threading.Event()
    with ending_gently(said.set):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert said.wait(60)


def test_an_end_that_nobody_waits_for_says_nothing() -> None:
    said: list[int] = []
    with ending_gently(lambda: said.append(1)):
        pass
    assert not said
