"""Attacks on long lists: a tree of a megabyte, fifty megabytes without one, 5,000 files.

A signal must be heard within a second of the run's own processor time, and a run that was killed
must come to the same result.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from functools import cache

from reliability.clock import at_work, deaf
from reliability.runs import Attack, Peace, go_on, jobs
from reliability.scene import Puzzle, Scene, scene, undisturbed

_TO_HEAR_S = 1.0
_LATEST_S = 12.0  # of its own processor time, before a run is disturbed
_NEEDS = (b"zap", b"Kilo")
_PAIR = (b"open", b"shut")


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


def _with_needs(rows: list[bytes]) -> list[bytes]:
    """Return the rows, two of which have what is needed."""
    for place, need in zip((0.3, 0.9), _NEEDS, strict=True):
        at = int(place * len(rows))
        rows[at] = rows[at].replace(b"name", need).replace(b"line", need, 1)
    return rows


_KINDS: dict[str, Callable[[], Puzzle]] = {
    "1 MB of SQL": _tree,
    "50 MB without a tree": _flat,
    "5,000 files": _files,
}


def signalled(kind: str) -> Attack:
    """Return the attack by a signal during a long list of this kind."""

    def attack(there: Scene, peace: Peace, rng: random.Random) -> bool:
        with scene(_KINDS[kind](), "command", []) as made:
            process = made.start("reduce", "-q", *jobs(rng))
            number = rng.choice((signal.SIGINT, signal.SIGTERM))
            begun = at_work(process, rng.uniform(0.3, _LATEST_S))
            why = deaf(process, number, _TO_HEAR_S) if begun else ""
            code, told = made.end(process)
            if why:
                made.faults.append(why)
            elif code not in (0, 130, 143, -number):
                made.faults.append(f"{number.name} ends with exit code {code}: {told[-200:]}")
            else:
                made.check(None)
        there.faults += made.faults
        return code != 0

    return attack


def killed(kind: str) -> Attack:
    """Return the attack by kill -9 during a long list of this kind."""

    def attack(there: Scene, peace: Peace, rng: random.Random) -> bool:
        puzzle, files, seconds = _undisturbed(kind)
        with scene(puzzle, "command", []) as made:
            process = made.start("reduce", "-q", *jobs(rng))
            at_work(process, rng.uniform(0.3, _LATEST_S))
            process.kill()
            process.communicate()
            go_on(made, Peace(files, seconds), rng)
        there.faults += made.faults
        return False

    return attack


@cache
def _undisturbed(kind: str) -> tuple[Puzzle, dict[str, bytes], float]:
    """Return an input of this kind, and the result and the seconds of a run on it."""
    puzzle = _KINDS[kind]()
    files, seconds, faults = undisturbed(puzzle, "command", [])
    assert not faults, faults
    return puzzle, files, seconds


ATTACKS: dict[str, Attack] = {
    **{f"SIGINT or SIGTERM in {kind}": signalled(kind) for kind in _KINDS},
    **{f"kill -9 in {kind}, then `nubbin resume`": killed(kind) for kind in _KINDS},
}
