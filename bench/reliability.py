#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Do results survive if runs are killed, raced, damaged, cheated and spied on?

    bench/reliability.py [--times N] [--seed N] [--only WORDS]  every attack N times on one input
    bench/reliability.py --minutes M [--seed N] [--trial N]     random attacks on random inputs
    bench/reliability.py --cluster | --places                   attacks with a cluster, or mounts

Prints the tables of docs/reliability.md; with --page, the rows of every attack are put there, in
the place of those with the same names. A fault is a result other than that of an undisturbed run,
a changed file of the user, a process or a file that is left, a traceback, a hang, a signal that is
not heard, a command or a reader of a second user, or a run that stops and does not say why. Faults
go to standard error; if there are any, the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import command_line
import fault_answers
import fault_attacks
import fault_cluster
import fault_journals
import fault_long
import fault_places
import fault_users
from fault_attacks import Attack, Peace
from fault_scene import STANDARD, Row, puzzle, scene, undisturbed
from nubbin.minimizers import ALGORITHMS

PAGE = command_line.DOCS / "reliability.md"
#: In the page, the rows of every attack follow this line.
MARK = "<!-- bench/reliability.py --times N --page -->\n"
HEAD = "| what happens | times | stopped and told | faults |\n| --- | ---: | ---: | ---: |\n"

ATTACKS: dict[str, Attack] = {
    **fault_attacks.ATTACKS,
    **fault_users.ATTACKS,
    **fault_journals.ATTACKS,
    **fault_answers.ATTACKS,
    **fault_long.ATTACKS,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=10, help="times that each attack is made (10)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="WORDS", help="attacks with these words")
    parser.add_argument("--page", action="store_true", help="put the rows into the page")
    parser.add_argument("--minutes", type=float, help="make random attacks for this time")
    parser.add_argument("--trial", type=int, help="only the random attack of this number")
    parser.add_argument("--cluster", action="store_true", help="attacks on a Dask cluster")
    parser.add_argument("--places", action="store_true", help="disks, folders and clocks")
    options = parser.parse_args()
    # A shell lets what it starts in the background ignore Ctrl-C, and so would each run here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.cluster:
        rows = fault_cluster.rows(options.times, options.seed)
    elif options.places:
        fault_places.rows(options.times, options.seed)
        return
    elif options.minutes or options.trial is not None:
        rows = campaign(options)
    else:
        rows = every(options)
    sys.exit(1 if table(rows, PAGE if options.page else None) else 0)


def possible(words: str) -> dict[str, Attack]:
    """Return the attacks with these words in their name that this machine allows."""
    left_out: set[str] = set()
    if shutil.which("bwrap") is None:
        left_out |= {name for name in ATTACKS if "sandbox" in name}
    if not fault_users.possible():
        left_out |= fault_users.ATTACKS.keys()
    return {
        name: attack for name, attack in ATTACKS.items() if words in name and name not in left_out
    }


def every(options: argparse.Namespace) -> Iterator[tuple[str, Row]]:
    """Make every attack on the standard input; yield a row for each."""
    files, seconds, faults = undisturbed(STANDARD, "command", [])
    assert not faults, faults
    for name, attack in possible(options.only).items():
        row = Row()
        for number in range(options.times):
            rng = random.Random(f"{options.seed}:{number}")
            with scene(STANDARD, "command", []) as made:
                stopped = attack(made, Peace(files, seconds), rng)
            row.add(stopped, told(f"{name}, {number}", made.faults))
        yield name, row


def campaign(options: argparse.Namespace) -> Iterator[tuple[str, Row]]:
    """Make random attacks on random inputs until the time is over; return the rows."""
    rows: dict[str, Row] = defaultdict(Row)
    attacks = possible(options.only)
    end = time.monotonic() + 60 * (options.minutes or 0)
    number = options.trial or 0
    while True:
        rng = random.Random(f"{options.seed}:{number}")
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
    words += rng.choice(([], [], [f"--seed={rng.randrange(9)}"], ["--minimality=token"]))
    return words


def told(what: str, faults: list[str]) -> int:
    """Print the faults of an attack on standard error; return how many there are."""
    if faults:
        print(f"{what}: {faults}", file=sys.stderr, flush=True)
    return len(faults)


def table(rows: Iterator[tuple[str, Row]], page: Path | None) -> int:
    """Print rows as they come, and put each into the page; return how many faults there were."""
    print(HEAD, end="")
    total = 0
    for name, row in rows:
        line = f"| {name} | {row.times:,} | {row.stopped:,} | {row.faults:,} |\n"
        print(line, end="", flush=True)
        if page:
            page.write_text(filled(page.read_text(encoding="utf-8"), line), encoding="utf-8")
        total += row.faults
    return total


def filled(text: str, line: str) -> str:
    """Return a page whose table behind MARK has this row, and none other of its name."""
    before, after = text.split(MARK)
    rows = list(takewhile(lambda each: each.startswith("|"), after.splitlines(keepends=True)))
    rest = after[sum(map(len, rows)) :]
    name = line[: line.index(" | ") + 3]
    kept = [each for each in rows if each not in HEAD and not each.startswith(name)]
    return before + MARK + HEAD + "".join(sorted([*kept, line])) + rest


if __name__ == "__main__":
    main()
