from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from faults import ASKER, PATIENCE_S

Script = Callable[..., Path]

COMMAND = [sys.executable, "-m", "nubbin", "reduce", "--timeout", "10m"]


def reduce(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the real command."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def test(script: Script) -> Path:
    return script("grep -q e letters.txt && grep -q t letters.txt")


def test_the_result_lies_beside_the_input(test: Path, letters: Path) -> None:
    before = letters.read_bytes()
    told = reduce(test, letters)
    result = letters.with_name("letters.reduced.txt")
    assert told.returncode == 0
    assert told.stdout == f"{result}\n"
    assert "52 bytes, 26 lines" in told.stderr
    assert "1-minimal" in told.stderr
    assert result.read_text() == "et"
    assert letters.read_bytes() == before


def test_a_command_line_is_the_test(letters: Path) -> None:
    told = reduce("--run", "grep -c [et] letters.txt", "--stdout", "^2$", letters)
    assert told.returncode == 0, told.stderr
    assert letters.with_name("letters.reduced.txt").read_text() in ("e\nt", "et")


def test_a_command_that_does_not_do_what_is_asked(letters: Path) -> None:
    told = reduce("--run", "cat", "--exits", "nonzero", letters)
    assert told.returncode == 1
    assert "it exited with status 0, and does not end as --exits nonzero says" in told.stderr
    told = reduce("--run", "cat", "--exits", "0", letters)
    assert "even an empty letters.txt" in told.stderr


def test_a_failure_is_learned_and_said_in_a_line(letters: Path) -> None:
    line = "grep q {} && echo 'x: ERROR 7: bad: '$(head -c 1 {}) >&2; exit 3"
    told = reduce("--run", line, letters)
    assert told.returncode == 0, told.stderr
    took = (
        r"looking for: --exits 3 --prints 'x: ERROR [\d.]+: bad: \S+', and no other kind of error"
    )
    assert f"nubbin: {took}\nnubbin: no condition given: " in told.stderr
    assert letters.with_name("letters.reduced.txt").read_text() == "q"


def test_a_command_that_does_not_fail(letters: Path) -> None:
    told = reduce("--run", "cat", letters)
    assert told.returncode == 1
    assert "cat {} succeeds on a copy of letters.txt" in told.stderr
    assert "--differs CMD" in told.stderr


def test_quiet_says_the_path_alone(test: Path, letters: Path) -> None:
    small = letters.with_name("small")
    told = reduce("--quiet", "-o", small, test, letters)
    assert (told.returncode, told.stdout, told.stderr) == (0, f"{small}\n", "")
    assert len(small.read_bytes()) < 4


def test_in_place_keeps_the_original(test: Path, letters: Path) -> None:
    before = letters.read_bytes()
    told = reduce("--in-place", test, letters)
    assert told.returncode == 0
    assert len(letters.read_bytes()) < 4
    assert letters.with_name("letters.txt.orig").read_bytes() == before
    assert "letters.txt.orig" in told.stderr


def test_stats_tell_the_run_and_verbose_lines_its_queries(
    test: Path, letters: Path, tmp_path: Path
) -> None:
    options = ["-a", "ddmin", "--smallest", "lines", "--seed", "5", "-j", "2", "--verbose"]
    told = reduce(*options, "--stats", tmp_path / "stats.json", test, letters)
    stats = json.loads((tmp_path / "stats.json").read_text())
    numbers = [line.split()[0] for line in told.stderr.splitlines() if "nubbin:" not in line]
    assert numbers == [str(number) for number in range(1, stats["queries"] + 1)]
    assert (stats["algorithm"], stats["seed"], stats["jobs"]) == ("ddmin", 5, 2)
    assert (stats["reason"], stats["minimal"]) == ("fixpoint", True)
    assert stats["before"] == {"bytes": 52, "lines": 26, "tokens": 26}
    assert stats["after"] == {"bytes": 4, "lines": 2, "tokens": 2}
    assert sum(kind["asked"] for kind in stats["by_kind"].values()) == stats["queries"]
    assert sum(stats["verdicts"].values()) == stats["queries"] < stats["runs"]
    assert stats["history"][0]["bytes"] == 52
    assert stats["history"][-1]["bytes"] == 4


@pytest.mark.parametrize("signal", ["INT", "TERM", "HUP"])
def test_interrupted_with_the_best_written(
    script: Script, letters: Path, tmp_path: Path, signal: str
) -> None:
    # The second proper candidate interrupts the reduction; the first, smaller one is kept.
    test = script(
        f"""
        grep -q a letters.txt || exit 1
        [ $(wc -c <letters.txt) -eq 52 ] && exit 0
        [ -e {tmp_path}/seen ] && kill -s {signal} {ASKER}
        touch {tmp_path}/seen
        """
    )
    told = reduce("-j", "1", "--stats", tmp_path / "stats.json", test, letters)
    assert told.returncode == 130
    assert "Interrupted" in told.stderr
    assert "Traceback" not in told.stderr
    stats = json.loads((tmp_path / "stats.json").read_text())
    assert stats["reason"] == "interrupted"
    result = letters.with_name("letters.reduced.txt").read_bytes()
    assert b"a" in result
    assert len(result) == stats["after"]["bytes"] < 52


def test_interrupted_before_it_began(script: Script, letters: Path) -> None:
    test = script(f"kill -s INT {ASKER}")
    told = reduce(test, letters)
    assert told.returncode == 130
    assert "nothing was written" in told.stderr
    assert not letters.with_name("letters.reduced.txt").exists()


def test_a_terminal_gets_the_live_display(script: Script, letters: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    # Runs of the test wait until a frame is shown, or the reduction may be over before.
    test = script(f": <{gate}; grep -q e letters.txt && grep -q t letters.txt")
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1"}
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen([*COMMAND, test, letters], stdout=child, stderr=child, env=environment)
        )
        stack.callback(process.kill)
        os.close(child)
        shown, is_open = bytearray(), False
        try:
            while select.select([parent], [], [], PATIENCE_S)[0]:
                shown += os.read(parent, 65536)
                if b"\x1b[?25l" in shown and not is_open:
                    stack.callback(os.close, os.open(gate, os.O_WRONLY))
                    is_open = True
        except OSError:  # how Linux says that the other end is closed
            assert process.wait(PATIENCE_S) == 0
    os.close(parent)
    text = shown.decode()
    assert "\x1b[?25l" in text
    assert text.rindex("\x1b[?25h") < text.rindex("1-minimal") < text.rindex("result:")
    assert text.count("letters.reduced.txt") == 1


def test_any_name_of_a_file_will_do(script: Script, tmp_path: Path) -> None:
    letters = Path(os.fsdecode(os.fsencode(tmp_path) + b"/o\xffd\x1b[1m\n.txt"))
    letters.write_text("a\nb\n")
    told = subprocess.run(
        [*COMMAND, script('grep -q b "$1"'), letters], capture_output=True, check=False
    )
    assert told.returncode == 0
    assert told.stdout == os.fsencode(letters.with_name(f"{letters.stem}.reduced.txt")) + b"\n"
    assert rb"o\xffd\x1b[1m\n.txt: " in told.stderr
    assert b"\x1b" not in told.stderr


def test_paths_that_are_no_utf_8(script: Script, tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    folder.mkdir()
    odd = os.fsdecode(b"\xfe")
    for name in (f"n{odd}", f"m{odd}"):
        (folder / name).write_text("16\n17\n18\n")
    test = script('grep -rqx 17 "$1"').rename(folder / f"t{odd}.sh")
    function = folder / f"p{odd}.py"
    function.write_text("def has(path):\n    return '17' in path.read_text().split()\n")
    commands: list[list[str | Path]] = [
        [test, folder / f"n{odd}", folder / f"m{odd}"],
        [test, folder],
        ["--python", f"{function}:has", folder / f"n{odd}"],
        ["--keep", f"17|{odd}", "--format", "text", test, folder / f"n{odd}"],
    ]
    for number, words in enumerate(commands):
        output, stats = tmp_path / f"o{number}{odd}", tmp_path / f"s{number}.json"
        run = tmp_path / f"r{number}{odd}"
        told = subprocess.run(
            [*COMMAND, "-o", output, "--run-dir", run, "--stats", stats, *words],
            capture_output=True,
            check=False,
        )
        assert (told.returncode, told.stdout) == (0, os.fsencode(output) + b"\n"), told.stderr
        assert json.loads(stats.read_bytes())["output"].endswith(f"o{number}\\xfe")
    subprocess.run(
        [sys.executable, "-m", "nubbin", "verify", run], stdout=subprocess.DEVNULL, check=True
    )
    history = subprocess.run(
        [sys.executable, "-m", "nubbin", "log", run], capture_output=True, check=True
    )
    assert rf"{tmp_path}/d\xff/n\xfe".encode() in history.stdout


def test_a_server_is_a_test(letters: Path, script: Script) -> None:
    server = script(
        """
        while read -r path; do
            if grep -q e "$path" && grep -q t "$path"; then echo interesting
            else echo uninteresting; fi
        done
        """
    )
    told = reduce("--server", f"sh {server}", letters)
    assert told.returncode == 0
    assert letters.with_name("letters.reduced.txt").read_text() == "et"


def test_what_a_folder_does_not_bring_along_is_said(script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "a.txt").write_text("a\nb\n")
    (folder / "old\x1b").mkdir()
    (folder / "old\x1b/CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55")
    told = reduce(script("grep -q b project/a.txt"), folder)
    assert told.returncode == 0
    left_out = r"project/.git and project/old\x1b (1 file)"
    assert f"nubbin: left out of the input: {left_out}\n" in told.stderr
