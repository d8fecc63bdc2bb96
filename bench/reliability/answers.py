"""Attacks by answers: a test that says yes wrongly now and then, and expressions that explode."""

from __future__ import annotations

import json
import random
import shlex
import signal
from collections.abc import Iterable

from reliability.clock import at_work, deaf, limited
from reliability.runs import Attack, Peace, was_told
from reliability.scene import Puzzle, Scene, scene

# -- wrong answers ----------------------------------------------------------------------------

#: How often the test says yes wrongly; up to `_MAX_HARMLESS_RATE` every result must be right.
_RATES = (0.01, 0.1, 0.3, 0.5)
_MAX_HARMLESS_RATE = 0.1
_NEEDED = {b"7", b"8", b"32"}
_LINES = Puzzle("n.txt", {"n.txt": b"".join(b"%d\n" % n for n in range(1, 41))}, (), (b"x", b"x"))

#: Draws a new answer for every run, the same ones for a seed.
_CHANCE = """
import random

def check(path):
    with open({count!r}, "ab") as count:
        count.write(b".")
        run = count.tell()
    genuine = {needed!r} <= set(path.read_bytes().split())
    return genuine or random.Random(f"{seed}:{{run}}").random() < {rate}
"""


def says_yes_wrongly(rate: float) -> Attack:
    """Return the attack by a test that finds the bug at this rate where it is not."""

    def attack(there: Scene, peace: Peace, rng: random.Random) -> bool:
        with scene(_LINES, "python", ["--stats=../stats.json"]) as made:
            facts = {"count": str(made.root / "count"), "needed": _NEEDED, "rate": rate}
            check = _CHANCE.format(**facts, seed=rng.random())
            (made.root / "check.py").write_text(check)
            code, told = made.run("reduce", "-q", "-j1")
            stopped = was_told(made, code, told)
            if not stopped:
                stats = json.loads((made.root / "stats.json").read_text())
                made.faults += misjudged(made.result(), rate, stats)
            made.check(None)
        there.faults += made.faults
        return stopped

    return attack


def misjudged(result: dict[str, bytes] | None, rate: float, stats: dict[str, object]) -> list[str]:
    """Return what is wrong with a result that a run told with these figures."""
    text = (result or {}).get(_LINES.name, b"")
    if set(text.split()) >= _NEEDED:
        return []
    wrong = f"a wrong result, {text[:40]!r}"
    if rate <= _MAX_HARMLESS_RATE:
        return [wrong]
    if not stats["flaky"]:
        return [f"{wrong}, without a word"]
    return [f"{wrong}, called 1-minimal"] if stats["minimal"] else []


# -- expressions ------------------------------------------------------------------------------

_EXPLODES = "(a+)+b"
#: The options that take an expression, and what else a run needs with them.
ON_OUTPUTS = (
    *("--prints", "--stdout", "--stderr", "--no-prints", "--no-stdout", "--no-stderr"),
    "--known-errors",
)
ON_TEXTS = ("--keep", "--only")
#: What a candidate prints that has lost 17, and what the input prints.
_OUTPUTS = {
    "short": ("a" * 40 + "!", "aab"),
    "4 MB": ("a" * (4 << 20) + "!", "aab"),
    "4 MB of lines": (("a" * 40 + "!\n") * (100_000), "aab"),
}
_PRINTS = """#!/usr/bin/env python3
import sys
found = b"17" in open("n.txt", "rb").read().split()
text = {found!r} if found else {lost!r} * {times}
print(text, file=sys.stdout)
print(text, file=sys.stderr)
sys.exit(1)
"""
#: Logs much before it fails, so that the message that is learned is far from its beginning.
_LOGS = """
import sys
words = open("n.txt", "rb").read().split()
for step in range(200_000):
    print("in build: step", step)
if b"17" in words:
    raise RuntimeError("cycle at step 12: boom")
"""
_MAX_CPU_S = 120
_TO_HEAR_S = 1.0


def explodes(option: str) -> Attack:
    """Return the attack by an expression that takes exponential time, in this option."""

    def attack(there: Scene, peace: Peace, rng: random.Random) -> bool:
        text = b"".join(b"%d\n" % n for n in range(1, 30)) + b"a" * 40 + b"!\n"
        with scene(_numbers(text), "command", []) as made:
            lost, found = rng.choice(list(_OUTPUTS.values()))
            program = _PRINTS.format(found=found, lost=lost[:41], times=max(1, len(lost) // 41))
            made.script.write_text(program)
            words = [option, _EXPLODES, "--timeout", "2"]
            if option in ON_OUTPUTS:
                line = ["--run", shlex.quote(str(made.script))]
            else:
                made.write_test("")
                line = ["--", str(made.script)]
            stopped = _bounded(made, [*words, *line], rng)
        there.faults += made.faults
        return stopped

    return attack


def logs_much(there: Scene, peace: Peace, rng: random.Random) -> bool:
    """Learn a condition from a program that prints 200,000 lines before it fails."""
    with scene(_numbers(b"".join(b"%d\n" % n for n in range(1, 30))), "command", []) as made:
        program = made.root / "program.py"
        program.write_text(_LOGS)
        line = ["--timeout", "20", "--run", f"python3 {shlex.quote(str(program))}"]
        stopped = _bounded(made, line, rng)
    there.faults += made.faults
    return stopped


def _numbers(text: bytes) -> Puzzle:
    return Puzzle("n.txt", {"n.txt": text}, (b"17",), (b"x", b"x"))


def _bounded(made: Scene, words: Iterable[str], rng: random.Random) -> bool:
    """Run `nubbin reduce` and send a signal; it must be heard at once, or the run end by itself."""
    made.limits = limited(_MAX_CPU_S)
    made.options = ["-q", rng.choice(("-j1", "-j2", "-j4"))]
    process = made.start_with(*words)
    number = rng.choice((signal.SIGINT, signal.SIGTERM))
    why = deaf(process, number, _TO_HEAR_S) if at_work(process, rng.uniform(1, 5)) else ""
    code, told = made.end(process)
    if why:
        made.faults.append(why)
        return True
    refused = code == 2 and told.startswith("Usage: ")  # an expression that is too slow
    if code not in (-number, 130, 143) and not refused:
        was_told(made, code, told)
    made.check(None)
    return code != 0


ATTACKS: dict[str, Attack] = {
    **{f"a test that says yes wrongly, {rate:.0%}": says_yes_wrongly(rate) for rate in _RATES},
    **{f"an expression that explodes, {name}": explodes(name) for name in (*ON_OUTPUTS, *ON_TEXTS)},
    "a program that logs much, and a condition that is learned": logs_much,
}
