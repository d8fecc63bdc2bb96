"""What a call of the predicate costs beside the predicate: own time and memory of `minimize`.

    bench/run.py speed/calls [--sizes N ...] [--seconds S] [--tools WORDS ...]

Each row is a Python of its own that reduces lists of N numbers to some at random places, for at
least `seconds`. Others stand beside `minimize`: a bare ddmin, the deletion loop of Hypothesis, and
Picire 21.8 and Lithium 4.0 if they can be imported (PYTHONPATH). None of these makes a call again.

- *import, ms*: processor time of the import of the tool in a Python that has started.
- *calls*: of the predicate, for one list, in the mean.
- *own, us a call*: processor time without the predicate's own, per call.
- *own, ms a list*: the same for a whole list.
- *memory, MB*: the most that the process had, less what it had before the tool was imported.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

Holds = Callable[[Sequence[int]], bool]
Reduce = Callable[[list[int], Holds], object]

ESSENTIALS = {10: 2, 100: 5, 1_000: 10, 10_000: 30, 1_000_000: 10}
#: Picire and ddmin copy the list for each of their many calls: at a million, they take hours.
_MOST = {"ddmin": 10_000, "Hypothesis": 10_000, "Picire": 10_000, "Lithium": 10_000}


def nubbin(**options: Any) -> Reduce:
    from nubbin_core import minimize  # noqa: PLC0415 - its import is timed

    return lambda numbers, holds: minimize(numbers, holds, **options).kept


def ddmin() -> Reduce:
    """Return ddmin as in the paper: no cache, complements only."""

    def reduce(numbers: list[int], holds: Holds) -> list[int]:
        parts = 2
        while len(numbers) > 1:
            length = -(-len(numbers) // parts)
            for at in range(0, len(numbers), length):
                rest = numbers[:at] + numbers[at + length :]
                if holds(rest):
                    numbers, parts = rest, max(parts - 1, 2)
                    break
            else:
                if length == 1:
                    break
                parts = min(2 * parts, len(numbers))
        return numbers

    return reduce


def hypothesis() -> Reduce:
    """Return a loop that deletes runs, whose lengths Hypothesis's `find_integer` finds."""
    from hypothesis.internal.conjecture.junkdrawer import find_integer  # noqa: PLC0415

    def reduce(numbers: list[int], holds: Holds) -> list[int]:
        at = len(numbers)
        while at:
            stop, now = at, numbers

            def can_delete(length: int, stop: int = stop, now: list[int] = now) -> bool:
                return length <= stop and holds(now[: stop - length] + now[stop:])

            length = find_integer(can_delete)
            numbers = now[: stop - length] + now[stop:]
            at = stop - max(length + 1, 1) if stop > length else 0
        return numbers

    return reduce


def picire() -> Reduce:
    from picire import DD, Outcome  # type: ignore[import-not-found] # noqa: PLC0415

    logging.disable()

    def reduce(numbers: list[int], holds: Holds) -> object:
        return DD(lambda kept, _: Outcome.FAIL if holds(kept) else Outcome.PASS)(numbers)

    return reduce


def lithium() -> Reduce:
    from lithium.strategies import Minimize  # type: ignore[import-not-found] # noqa: PLC0415
    from lithium.testcases import TestcaseLine  # type: ignore[import-not-found] # noqa: PLC0415

    logging.disable()

    def reduce(numbers: list[int], holds: Holds) -> list[int]:
        whole = TestcaseLine()
        whole.parts = [b"%d\n" % number for number in numbers]
        whole.reducible = [True] * len(numbers)
        steps = Minimize().reduce(whole)
        for each in steps:
            steps.feedback(holds([*map(int, each.parts)]))
        return [*map(int, steps.testcase.parts)]

    return reduce


TOOLS: dict[str, Callable[[], Reduce]] = {
    "minimize": nubbin,
    "minimize, repetition=False": lambda: nubbin(repetition=False),
    "ddmin": ddmin,
    "Hypothesis": hypothesis,
    "Picire": picire,
    "Lithium": lithium,
}


def measured(tool: str, size: int, seconds: float) -> list[float]:
    """Return what a tool costs here: of the import, calls and lists, own time, memory."""
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    started = time.process_time()
    reduce = TOOLS[tool]()
    imported = time.process_time() - started
    calls, lists, own, began = 0, 0, 0.0, time.process_time()
    while not lists or time.process_time() < began + seconds:
        essential = set(Random(lists).sample(range(size), ESSENTIALS[size]))
        inside = 0.0

        def holds(kept: Sequence[int], essential: set[int] = essential) -> bool:
            nonlocal calls, inside
            calls += 1
            before = time.process_time()
            found = essential.issubset(kept)
            inside += time.process_time() - before
            return found

        numbers, before = list(range(size)), time.process_time()
        kept = reduce(numbers, holds)
        own += time.process_time() - before - inside
        assert kept == sorted(essential), f"{tool} found {kept}"
        lists += 1
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return [imported, calls, lists, own, most - megabytes]


def experiment(
    *,
    sizes: Sequence[int] = tuple(ESSENTIALS),
    seconds: float = 1.0,
    tools: Sequence[str] = tuple(TOOLS),
) -> Iterator[Any]:
    from harness.experiment import Table  # noqa: PLC0415 - the child measures without it

    # Compiled modules are there after an installation; the first row writes them if not.
    unwanted = "PYTHONDONTWRITEBYTECODE"
    environment = {name: value for name, value in os.environ.items() if name != unwanted}

    def rows() -> Iterator[list[object]]:
        for size in sizes:
            for tool in tools:
                if size > _MOST.get(tool, size):
                    continue
                command = [sys.executable, __file__, tool, str(size), str(seconds)]
                ended = subprocess.run(
                    command, capture_output=True, text=True, check=False, env=environment
                )
                if ended.returncode:
                    yield [f"{size:,}", f"{tool}: {ended.stderr.strip().splitlines()[-1]}"]
                    continue
                imported, calls, lists, own, most = json.loads(ended.stdout)
                each = f"{1e6 * own / calls:.0f}", f"{1e3 * own / lists:.1f}", f"{most:.0f}"
                yield [f"{size:,}", tool, f"{1e3 * imported:.0f}", f"{calls / lists:.0f}", *each]

    columns = "N | tool | import, ms | calls | own, us a call | own, ms a list | memory, MB"
    yield Table(columns, rows(), "rl")


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))))
