"""Do results survive if runs are killed, raced, damaged, cheated and spied on?

    bench/run.py reliability/attacks [--times N] [--seed N] [--only WORDS]   every attack N times
    bench/run.py reliability/attacks --minutes M [--seed N] [--trial N]      random ones

A fault is a result other than that of an undisturbed run, a changed file of the user, a process or
a file that is left, a traceback, a hang, a signal that is not heard, a command or a reader of a
second user, or a run that stops and does not say why. Faults are printed on standard error; if
there are any, the exit code is 1. `--page` puts the rows into docs/reliability.md. Attacks
that this machine does not allow are left out.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterator

from harness.experiment import Table
from nubbin_core.minimizers import ALGORITHMS
from reliability import cluster, endings, journals, places, runs, users
from reliability.runs import Attack, Peace
from reliability.scene import STANDARD, Row, puzzle, scene, told, undisturbed

COLUMNS = "what happens | times | stopped and told | faults"
PAGE, MARKED = "reliability.md", "reliability/attacks"

ATTACKS: dict[str, Attack] = {
    **runs.ATTACKS,
    **users.ATTACKS,
    **journals.ATTACKS,
    **endings.ATTACKS,
    **cluster.ATTACKS,
    **places.ATTACKS,
}


def experiment(
    *,
    times: int = 10,
    seed: int = 1,
    only: str = "",
    minutes: float = 0,
    trial: int | None = None,
) -> Iterator[Table]:
    faults = 0

    def rows() -> Iterator[list[object]]:
        nonlocal faults
        is_random = minutes or trial is not None
        made = campaign(only, seed, minutes, trial or 0) if is_random else every(only, seed, times)
        for name, row in made:
            faults += row.faults
            yield [name, row.times, row.stopped, row.faults]

    yield Table(COLUMNS, rows(), page=PAGE, of=MARKED)
    sys.exit(1 if faults else 0)


def possible(words: str) -> dict[str, Attack]:
    """Return the attacks with these words in their name that this machine allows."""
    left_out: set[str] = set()
    if shutil.which("bwrap") is None:
        left_out |= {name for name in ATTACKS if "sandbox" in name}
    if not users.possible():
        left_out |= users.ATTACKS.keys()
    if not places.possible():
        left_out |= places.MOUNTED.keys()
    return {
        name: attack for name, attack in ATTACKS.items() if words in name and name not in left_out
    }


def every(only: str, seed: int, times: int) -> Iterator[tuple[str, Row]]:
    """Make every attack on the standard input; yield a row for each."""
    files, seconds, faults = undisturbed(STANDARD, "command", [])
    assert not faults, faults
    for name, attack in possible(only).items():
        row = Row()
        for number in range(times):
            rng = random.Random(f"{seed}:{number}")
            with scene(STANDARD, "command", []) as made:
                stopped = attack(made, Peace(files, seconds), rng)
            row.add(stopped, told(f"{name}, {number}", made.faults))
        yield name, row


def campaign(only: str, seed: int, minutes: float, number: int) -> Iterator[tuple[str, Row]]:
    """Make random attacks on random inputs until the time is over; return the rows."""
    rows: dict[str, Row] = defaultdict(Row)
    attacks = possible(only)
    end = time.monotonic() + 60 * minutes
    while True:
        rng = random.Random(f"{seed}:{number}")
        name = rng.choice(list(attacks))
        drawn, kind, words = puzzle(rng), rng.choice(("command", "command", "python")), draw(rng)
        what = f"trial {number}: {name}; {drawn.name}, {kind}, {words}"
        files, seconds, faults = undisturbed(drawn, kind, words)
        rows["nothing"].add(stopped=False, faults=told(f"{what}: undisturbed", faults))
        if not faults:
            with scene(drawn, kind, words) as made:
                stopped = attacks[name](made, Peace(files, seconds), rng)
            rows[name].add(stopped, told(what, made.faults))
        number += 1
        if time.monotonic() >= end:
            return iter(sorted(rows.items()))


def draw(rng: random.Random) -> list[str]:
    """Draw an algorithm and other options that decide on the result."""
    words = [f"--algorithm={rng.choice(('auto', rng.choice(sorted(ALGORITHMS))))}"]
    words += rng.choice(([], [], [f"--seed={rng.randrange(9)}"], ["--smallest=token"]))
    return words
