"""Attacks on a run: functions of a scene, the result of an undisturbed run, and a random source.

An attack disturbs a run, goes on with it as a user would, and checks the scene at the end. It adds
everything that is wrong to the faults of the scene. It returns whether the run was stopped, which
means that the run ended with an exit code other than 0 and said why.
"""

from __future__ import annotations

import json
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness.reductions import NUBBIN, executable
from reliability.scene import Scene


@dataclass(frozen=True)
class Peace:
    """The result of an undisturbed run, and its seconds."""

    files: dict[str, bytes]
    seconds: float


Attack = Callable[[Scene, Peace, random.Random], bool]


def jobs(rng: random.Random) -> list[str]:
    return ["--jobs", str(rng.choice((1, 2, 3, 4, 8, 16)))]


def begun(scene: Scene, peace: Peace, rng: random.Random, *words: str) -> subprocess.Popen[bytes]:
    """Start `nubbin reduce`, or other words, and wait for a random part of the run."""
    process = scene.start(*(words or ("reduce",)), "-q", *jobs(rng))
    wait_some(peace, rng, process)
    return process


def wait_some(peace: Peace, rng: random.Random, process: subprocess.Popen[bytes]) -> None:
    """Wait for a random part of the time of a run, or until it has ended."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(rng.uniform(0.05, 1.1 * peace.seconds))


def was_told(scene: Scene, code: int, told: str, *, codes: tuple[int, ...] = (1,)) -> bool:
    """Return whether a run was stopped; it is a fault if the run does not say why."""
    if code == 0:
        return False
    if code not in codes or not told.startswith("nubbin: "):
        scene.faults.append(f"exit code {code}, and {told[-200:]!r}")
    return True


def go_on(scene: Scene, peace: Peace, rng: random.Random) -> None:
    """Go on after a disturbance; the result must be that of an undisturbed run."""
    code, told = scene.run_to_the_end(*jobs(rng))
    if code != 0:
        scene.faults.append(f"cannot go on: exit code {code}, {told[-300:]}")
    scene.check(peace.files)


# -- ended and stopped ------------------------------------------------------------------------


def killed(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """kill -9, up to three times."""
    for _ in range(rng.randint(1, 3)):
        process = begun(scene, peace, rng, rng.choice(("reduce", "resume")))
        process.kill()
        process.communicate()
    go_on(scene, peace, rng)
    return False


def interrupted(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """SIGINT, SIGTERM or SIGHUP, once or twice in a row."""
    process = scene.start("reduce", "-q", *jobs(rng))
    number = rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    for _ in range(rng.randint(1, 2)):
        wait_some(peace, rng, process)
        process.send_signal(number)
    code, _ = scene.end(process)
    # Until nubbin handles signals, their default action ends it.
    if code not in (0, 130, -number):
        scene.faults.append(f"signal {number} ends with exit code {code}")
    go_on(scene, peace, rng)
    return code != 0


def stopped(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """SIGSTOP, and SIGCONT after a while."""
    process = scene.start("reduce", "-q", *jobs(rng))
    for _ in range(rng.randint(1, 3)):
        wait_some(peace, rng, process)
        process.send_signal(signal.SIGSTOP)
        time.sleep(rng.uniform(0, 1.5))
        process.send_signal(signal.SIGCONT)
    code, told = scene.end(process)
    scene.check(peace.files)
    return was_told(scene, code, told, codes=())


_ANOTHER_TEST = '#!/bin/sh\n! test -z "$(find . -type f -size +0)"\n'

# -- races ------------------------------------------------------------------------------------


def two_at_once(second: str) -> Attack:
    """Return the attack by a second run with the same target, by the same test or by another one.

    One of them may be refused, but not both. The target must hold the result of the last success.
    """

    def attack(scene: Scene, peace: Peace, rng: random.Random) -> bool:
        other = executable(scene.root / "other.sh", second) if second else scene.script
        line = [*NUBBIN, "reduce", "-q", *scene.options, "--", str(other), str(scene.input)]
        runs = [scene.start("reduce", "-q", *jobs(rng))]
        runs.append(scene.popen(line) if second else scene.start("reduce", "-q", *jobs(rng)))
        codes: dict[int, tuple[int, str]] = {}
        while len(codes) < len(runs):
            for number, run in enumerate(runs):
                with suppress(subprocess.TimeoutExpired):
                    if number not in codes:
                        run.wait(0.01)
                        codes[number] = scene.end(run)
        refused = {number for number, end in codes.items() if was_told(scene, *end)}
        well = [number for number in codes if number not in refused]
        if not well:
            scene.faults.append(f"both were refused: {codes}")
        scene.check(None if second and well[-1:] == [1] else peace.files)
        return bool(refused)

    return attack


def many_at_once(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """Six runs that start in the same second, with a target each: all of them must succeed."""
    ends = "" if not scene.puzzle.single else Path(scene.puzzle.name).suffix
    outputs = [scene.work / f"out-{number}{ends}" for number in range(6)]
    runs = [scene.start("reduce", "-q", "-j1", "-o", str(output)) for output in outputs]
    for run in runs:
        if (end := scene.end(run))[0] != 0:
            scene.faults.append(f"a run of many ended with {end}")
    for output in outputs:
        move_away(scene)
        if output.exists():
            output.replace(scene.target)
        if scene.result() != peace.files:
            scene.faults.append(f"another result of one of many: {scene.result()}")
    scene.check(peace.files)
    return False


def move_away(scene: Scene) -> None:
    subprocess.run(["rm", "-rf", str(scene.target)], check=True)


# -- files that others write ------------------------------------------------------------------


def target_changed(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """Somebody else writes to the target, puts another file there, or deletes it."""
    process = begun(scene, peace, rng)
    mine = scene.root / "mine"
    mine.write_bytes(b"of somebody else\n")
    what = rng.choice(("replace", "append", "delete", "folder"))
    if scene.puzzle.single:
        if what == "append" and scene.target.exists():
            with scene.target.open("ab") as file:
                file.write(b"of somebody else\n")
        elif what == "folder" and not scene.target.exists():
            scene.target.mkdir()
        elif what == "delete":
            scene.target.unlink(missing_ok=True)
        else:
            mine.replace(scene.target)
    elif scene.target.is_dir():
        with suppress(FileNotFoundError):
            mine.replace(scene.target / "mine")
    else:
        mine.replace(scene.target)
    code, told = scene.end(process)
    now = scene.result()
    refused = was_told(scene, code, told)
    # A run that ended before the change need not notice it.
    others = now is None or b"somebody else" in b"".join(now.values())
    if not refused and not others:
        scene.check(peace.files)
    elif refused and not others and what != "delete" and now:
        scene.faults.append(f"{what}: what somebody else wrote is lost: {told[-300:]}")
    if others or refused:
        move_away(scene)
        go_on(scene, peace, rng)
    return refused


# -- outputs ----------------------------------------------------------------------------------

_OUTPUTS = (
    *(">&-", "2>&-", ">&- 2>&-", ">/dev/full", "2>/dev/full", "<&-"),
    *("| head -c 0", "2>&1 | head -1"),
)


def outputs(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """Standard output or error is closed, full, or not read."""
    line = shlex.join(scene.line("reduce"))
    where = rng.choice(_OUTPUTS)
    quiet = rng.choice(("", "--verbose", "--quiet"))
    shell = f"set -o pipefail; {line.replace(' reduce ', f' reduce {quiet} ', 1)} {where}"
    ran = scene.popen(["bash", "-c", shell])
    _, told = ran.communicate()
    # The path of the result is lost, so a script must get an error.
    wanted = 1 if where == ">/dev/full" else 0
    if ran.returncode != wanted or b"Traceback" in told:
        scene.faults.append(f"{where} {quiet}: exit code {ran.returncode}, {told[-300:]!r}")
    scene.check(peace.files)
    return False


# -- tests that misbehave ---------------------------------------------------------------------

#: What a test also does, on about every third candidate, and the options that limit it.
MISDEEDS = {
    "sleeps for ever": ("$odd && sleep 1000000", ["--timeout", "0.5"]),
    "ignores SIGTERM": ("trap '' TERM; $odd && while :; do :; done", ["--timeout", "0.5"]),
    "leaves a child behind": ("$odd && sleep 1000000 >/dev/null 2>&1 &", []),
    "daemonises": ("$odd && setsid sh -c 'sleep 1000000 & exit' >/dev/null 2>&1", []),
    "allocates without end": (
        "$odd && python3 -c 'x = []\nwhile True: x.append(bytes(1 << 24))' 2>/dev/null",
        ["--memory", "300M", "--timeout", "60"],
    ),
    "forks without end": ("$odd && for i in $(seq 5000); do setsid sleep 1000 & done; wait", []),
    "writes without end": ("$odd && cat /dev/zero >big", []),
    "deletes its folder": ('$odd && rm -rf "$PWD" && exit 1', []),
    "changes the candidate": (
        "$odd && find . -type f -exec sh -c 'echo x >>\"$1\"' - {} \\; && exit 1",
        [],
    ),
    "prints binary without end": ("$odd && head -c 20000000 /dev/urandom && exit 1", []),
    "leaves files behind": ("mkdir -p a/b/c; echo x >a/b/c/d; chmod 0 a/b/c", []),
    "makes a folder 1,000 levels deep": (
        '$odd && python3 -c \'import os\nfor _ in range(1000): os.mkdir("d"), os.chdir("d")\' '
        "2>/dev/null && exit 1",
        [],
    ),
    "prints escape sequences": (r"printf '\033]0;x\007\033[2J\033[31m'", []),
    "plants links to the user's files": ('ln -s "$WORK" link; ln -s "$WORK/notes.txt" out', []),
    "forges a folder of nubbin's": (
        "mkdir -p ../nubbin-forged && cp -r ../.[a-z]* ../nubbin-forged 2>/dev/null",
        [],
    ),
    "deletes what marks nubbin's folder": (
        "$odd && find .. -maxdepth 1 -type f -delete && exit 1",
        [],
    ),
}
#: True for the same candidates in every run, and never for an interesting one.
_ODD = """WORK=WORKPLACE; odd=false
sum=$(find . -type f -exec cat {} + | cksum | cut -c1-6)
[ $((sum % 3)) = 0 ] && ! { CONDITION; } && odd=true
"""


def misdeed(name: str) -> Attack:
    """Return the attack in which the test misbehaves in this way."""

    def attack(scene: Scene, peace: Peace, rng: random.Random) -> bool:
        line, limits = MISDEEDS[name]
        scene.kind = "command"
        odd = _ODD.replace("CONDITION", scene.puzzle.condition())
        odd = odd.replace("WORKPLACE", shlex.quote(str(scene.work)))
        scene.write_test(odd + line)
        scene.options.extend(limits)
        code, told = scene.run("reduce", "-q", *jobs(rng))
        scene.check(peace.files)
        return was_told(scene, code, told, codes=())

    return attack


# -- executors of others ----------------------------------------------------------------------

_EXECUTOR = """
import json, random, sys, threading
from contextlib import suppress
from concurrent.futures import CancelledError, Future, InvalidStateError, ThreadPoolExecutor
from pathlib import Path
import nubbin

how, seed, jobs, script, source, run, options = sys.argv[1:]
rng, count = random.Random(int(seed)), 0
first = rng.randint(1, 30)

class Odd(ThreadPoolExecutor):
    def submit(self, fn, /, *args, **kwargs):
        global count
        count += 1
        if how == "duplicates":
            super().submit(fn, *args, **kwargs)
        if count < first or how == "duplicates":
            return super().submit(fn, *args, **kwargs)
        if how == "raises":
            raise RuntimeError("no room in the queue")
        future = Future()
        if how == "fails":
            future.set_exception(OSError("the node is down"))
        elif how == "cancels":
            future.cancel()
            future.set_running_or_notify_cancel()
        elif how == "answers nonsense":
            future.set_result("yes")
        elif how == "delays":
            real = super().submit(fn, *args, **kwargs)
            def late(done):
                def answer():
                    with suppress(InvalidStateError):  # cancelled meanwhile
                        future.set_result(done.result())
                threading.Timer(rng.uniform(0, 0.2), answer).start()
            real.add_done_callback(late)
        return future  # "loses": it is never done

try:
    with Odd(int(jobs)) as executor:
        found = nubbin.reduce(
            Path(script), Path(source), executor=executor, jobs=int(jobs), timeout=1.0,
            record=Path(run), **json.loads(options),
        )
except nubbin.NubbinError as error:
    sys.exit(f"nubbin: {error}")
sys.exit(0 if found.reason == "fixpoint" else f"nubbin: {found.reason}")
"""
_EXECUTORS = ("raises", "fails", "cancels", "loses", "answers nonsense", "delays", "duplicates")


def _keywords(scene: Scene) -> str:
    """Return the options of a scene, which are words of a command line, as JSON."""
    pairs = (word.removeprefix("--").split("=") for word in scene.options)
    return json.dumps({name: int(text) if text.isdecimal() else text for name, text in pairs})


def executor(how: str) -> Attack:
    """Return the attack in which an executor misbehaves in this way."""

    def attack(scene: Scene, peace: Peace, rng: random.Random) -> bool:
        words = [how, rng.randrange(1000), rng.choice((1, 2, 4, 8)), scene.script, scene.input]
        run = scene.work / ".nubbin" / "run"
        words += [run, _keywords(scene)]
        line = [sys.executable, "-c", _EXECUTOR, *map(str, words)]
        code, told = scene.end(scene.popen(line))
        refused = was_told(scene, code, told)
        if refused:
            go_on(scene, peace, rng)
        else:
            scene.check(peace.files)
        return refused

    return attack


def escapes(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """A test in a sandbox tries to write to the user's files, and to kill a process."""
    scene.kind = "command"
    notes, decoy, escaped = (
        shlex.quote(str(path))
        for path in (scene.work / "notes.txt", scene.tmp / "nubbin-main", scene.root / "escaped")
    )
    inside = (
        f"echo x >{notes}; rm -rf {decoy}; kill -9 {scene.bystander.pid}; "
        f"mount -o remount,rw /; mount -o remount,bind,rw /; mount --bind / /mnt; "
        f"echo x >{notes}; touch {escaped}"
    )
    scene.write_test(f"{{ {inside}; }} >/dev/null 2>&1")
    scene.options.append("--sandbox")
    code, told = scene.run("reduce", "-q", *jobs(rng))
    if (scene.root / "escaped").exists():
        scene.faults.append("the test wrote outside its folder")
    scene.check(peace.files)
    return was_told(scene, code, told, codes=())


def in_place(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """--in-place is killed, and somebody else adds a file to the folder meanwhile."""
    process = begun(scene, peace, rng, "reduce", "--in-place")
    added = scene.input / "added" if not scene.puzzle.single else scene.work / "added"
    with suppress(OSError):
        added.write_bytes(b"of somebody else\n")
    if rng.random() < 0.5:
        process.kill()
    code, told = scene.end(process)
    if code not in (0, -9):
        was_told(scene, code, told)
    kept = scene.work / f"{scene.puzzle.name}.orig"
    places = [place for place in scene.work.rglob("added") if place.is_file()]
    if not places:
        scene.faults.append(f"a file of somebody else is lost: {told[-300:]}")
    for place in places:
        place.unlink()
    if code == -9:
        _, told = scene.run("resume", "-q")
        if "no run here" in told or "before it began" in told:
            scene.run("reduce", "-q", "--in-place")
    if kept.exists():
        if code in (0, -9) and scene.at(scene.input) != peace.files:
            scene.faults.append(f"another result: {str(scene.at(scene.input))[:200]}")
        subprocess.run(["rm", "-rf", str(scene.input)], check=True)
        kept.rename(scene.input)
    scene.check(None)
    return code != 0


ATTACKS: dict[str, Attack] = {
    "kill -9 at a random instant, then `nubbin resume`": killed,
    "Ctrl-C, SIGTERM or SIGHUP, then `nubbin resume`": interrupted,
    "SIGSTOP, then SIGCONT": stopped,
    "two runs at once with one target": two_at_once(""),
    "two runs with two tests and one target": two_at_once(_ANOTHER_TEST),
    "six runs at once, a target each": many_at_once,
    "somebody else changes the target": target_changed,
    "`--in-place`, killed, and somebody else adds a file": in_place,
    "outputs closed, full or unread": outputs,
    "a test in a sandbox tries to get out": escapes,
    **{f"a test that {name}": misdeed(name) for name in MISDEEDS},
    **{f"an executor that {name}": executor(name) for name in _EXECUTORS},
}
