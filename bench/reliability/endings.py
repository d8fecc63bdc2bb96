"""Attacks by ending a run at a random instant, wherever it spends its time.

SIGINT, SIGTERM and --max-time must be heard within seconds of the run's own processor time, and a
run that was killed must come to the same result.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from subprocess import TimeoutExpired

from harness.reductions import executable
from reliability.clock import at_work, deaf, limited
from reliability.runs import Attack, Peace, go_on, jobs, was_told
from reliability.scene import STANDARD, Puzzle, Scene, scene, undisturbed

#: Of its own processor time, from when it should end. --max-time counts from the end of imports.
_TO_HEAR_S = {"SIGINT": 1.0, "SIGTERM": 1.0, "--max-time": 5.0}
_LATEST_S = 12.0  # by the clock, before a run is disturbed
_IMPORTED_S = 0.8  # of its own processor time, at most
_MAX_CPU_S = 120
_NEEDS = (b"zap", b"Kilo")
_PAIR = (b"open", b"shut")


@dataclass(frozen=True)
class Place:
    """Where a run spends its time: the input, and the test if it is not that of the puzzle.

    `misdeed` is a line of sh that the test runs first, and `program` what is run in its place.
    Among `words`, which follow the options, TEST stands for the path of either.
    """

    puzzle: Callable[[], Puzzle]
    misdeed: str = ""
    program: str = ""
    words: tuple[str, ...] = ("--", "TEST")
    lies: bool = False


def _tree() -> Puzzle:
    rows = [b"INSERT INTO t VALUES (%d, 'name %d', %d);\n" % (n, n, 7 * n) for n in range(24_000)]
    return Puzzle("in.sql", {"in.sql": b"".join(_with_needs(rows))}, _NEEDS, _PAIR)


def _flat() -> Puzzle:
    rows = [b"%08d of the lines, as long as all the others are\n" % n for n in range(1_000_000)]
    return Puzzle("in.txt", {"in.txt": b"".join(_with_needs(rows))}, _NEEDS, _PAIR)


def _files() -> Puzzle:
    rows = [b"line %d\nand another\n" % n for n in range(5_000)]
    paths = [f"tree/{n % 50}/f{n}.txt" for n in range(5_000)]
    return Puzzle("tree", dict(zip(paths, _with_needs(rows), strict=True)), _NEEDS, _PAIR)


def _endless() -> Puzzle:
    return Puzzle("in.cob", {"in.cob": b"a\n\n" * 5000 + b" ".join(_NEEDS)}, _NEEDS, _PAIR)


def _numbers(last: bytes = b"") -> Puzzle:
    text = b"".join(b"%d\n" % n for n in range(1, 30)) + last
    return Puzzle("n.txt", {"n.txt": text}, (b"17",), _PAIR)


def _with_needs(rows: list[bytes]) -> list[bytes]:
    """Return the rows, two of which have what is needed."""
    for place, need in zip((0.3, 0.9), _NEEDS, strict=True):
        at = int(place * len(rows))
        rows[at] = rows[at].replace(b"name", need).replace(b"line", need, 1)
    return rows


LONG: dict[str, Place] = {
    "1 MB of SQL": Place(_tree),
    "50 MB without a tree": Place(_flat),
    "5,000 files": Place(_files),
}
_SLOW: dict[str, Place] = {
    "a grammar that never ends": Place(_endless),
    "a slow test": Place(lambda: STANDARD, "sleep 0.7"),
    "a test that hangs after seven runs": Place(
        lambda: STANDARD, 'echo >>"$0.runs"; [ "$(wc -l <"$0.runs")" -gt 7 ] && sleep 1000'
    ),
    "a flaky test": Place(
        lambda: STANDARD, '[ "$(od -An -N1 -tu1 /dev/urandom)" -lt 170 ] || exit 1', lies=True
    ),
}

# -- expressions ------------------------------------------------------------------------------

_EXPLODES = "(a+)+b"
#: The options that take an expression, and what else a run needs with them.
ON_OUTPUTS = (
    *("--prints", "--stdout", "--stderr", "--no-prints", "--no-stdout", "--no-stderr"),
    "--known-errors",
)
ON_TEXTS = ("--keep", "--only")
#: Prints what takes exponential time, once or for megabytes, where 17 is lost.
_PRINTS = """#!/usr/bin/env python3
import sys
data = open("n.txt", "rb").read()
found, lost = b"17" in data.split(), "a" * 40 + "!"
text = "aab" if found else (lost, lost * 100_000, (lost + "\\n") * 100_000)[len(data) % 3]
print(text, file=sys.stdout)
print(text, file=sys.stderr)
sys.exit(1)
"""
#: Logs much before it fails, so that the message that is learned is far from its beginning.
_LOGS = """#!/usr/bin/env python3
words = open("n.txt", "rb").read().split()
for step in range(200_000):
    print("in build: step", step)
if b"17" in words:
    raise RuntimeError("cycle at step 12: boom")
"""
_HARD = partial(_numbers, b"a" * 40 + b"!\n")


def _matched(option: str) -> Place:
    program, before = (_PRINTS, "--run") if option in ON_OUTPUTS else ("", "--")
    words = (option, _EXPLODES, "--timeout", "2", before, "TEST")
    return Place(_HARD, program=program, words=words)


_MATCHED: dict[str, Place] = {
    **{f"an expression that explodes, {name}": _matched(name) for name in (*ON_OUTPUTS, *ON_TEXTS)},
    "a program that logs much, of which a condition is learned": Place(
        _numbers, program=_LOGS, words=("--timeout", "20", "--run", "TEST")
    ),
}

_ENDS = "SIGINT, SIGTERM or `--max-time`"

# -- ended ------------------------------------------------------------------------------------


def ended(place: Place) -> Attack:
    """Return the attack by a signal, or the end of the time, while a run is in this place."""

    def attack(there: Scene, peace: Peace, rng: random.Random) -> bool:
        with scene(place.puzzle(), "command", []) as made:
            how, at = rng.choice([*_TO_HEAR_S]), rng.uniform(0.2, _LATEST_S)
            made.limits = limited(_MAX_CPU_S)
            made.options = ["-q", *jobs(rng)]
            made.options += [f"--max-time={at:.1f}"] if how == "--max-time" else []
            made.write_test(place.misdeed)
            if place.program:
                executable(made.script, place.program)
            words = (str(made.script) if each == "TEST" else each for each in place.words)
            process = made.start_with(*words)
            at_work(process, _IMPORTED_S)
            with suppress(TimeoutExpired):
                process.wait(at)
            if how != "--max-time" and process.poll() is None:
                process.send_signal(signal.Signals[how])
            why = deaf(process, _TO_HEAR_S[how])
            code, told = made.end(process)
            result = made.result()
            if why:
                made.faults.append(f"deaf to {how}: {why}")
            elif result and not place.lies and not made.puzzle.interesting(result):
                made.faults.append(f"{how} leaves what is not interesting: {str(result)[:200]}")
            elif code not in (130, 143) and not (code == 2 and told.startswith("Usage: ")):
                was_told(made, code, told)
            made.check(None)
        there.faults += made.faults
        return code != 0

    return attack


def killed(kind: str) -> Attack:
    """Return the attack by kill -9 during a long list of this kind."""

    def attack(there: Scene, peace: Peace, rng: random.Random) -> bool:
        puzzle = LONG[kind].puzzle()
        files, seconds, there.faults[:] = undisturbed(puzzle, "command", [])
        with scene(puzzle, "command", []) as made:
            process = made.start("reduce", "-q", *jobs(rng))
            at_work(process, rng.uniform(0.3, _LATEST_S))
            process.kill()
            process.communicate()
            go_on(made, Peace(files, seconds), rng)
        there.faults += made.faults
        return False

    return attack


ATTACKS: dict[str, Attack] = {
    **{f"{_ENDS} in {kind}": ended(place) for kind, place in (LONG | _SLOW).items()},
    **{kind: ended(place) for kind, place in _MATCHED.items()},
    **{f"kill -9 in {kind}, then `nubbin resume`": killed(kind) for kind in LONG},
}
