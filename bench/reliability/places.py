"""Full disks, read-only folders, clocks that jump.

    bench/run.py reliability/places [--times N] [--seed N]

Each happens in a mount namespace of its own (`unshare -rm`, of util-linux), so any user may do it,
and nothing outside is touched. The clock is that of libfaketime, if it is installed. It changes the
time of day but not the monotonic clock, as a person or NTP does.
"""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.experiment import Table
from harness.reductions import NUBBIN, executable
from reliability.scene import STANDARD, undisturbed

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)

#: Counts its runs; from one of them on, it makes the misfortune happen.
TEST = """#!/bin/sh
printf . >>"$HERE/count"
[ "$(stat -c %s "$HERE/count")" -ge "$INSTANT" ] && eval "$MISFORTUNE"
"""

FULL_DISK = """
mount -t tmpfs -o size=8m none "$DISK"
cp input.c work
mkfifo full
exec 3<>full
{ read -r _ <&3; until [ -e code ]; do cat /dev/zero; done; } >"$DISK/ballast" &
$NUBBIN reduce --quiet test.sh work/input.c 2>told
echo $? >code
echo >&3
wait
rm "$DISK/ballast"
cd work
$NUBBIN resume --quiet || $NUBBIN reduce --quiet ../test.sh input.c
cp input.reduced.c ..
cmp input.c ../input.c && touch ../intact
ls -A ../tmp >../left
"""

FORBIDDEN = """
cp input.c work
mount --bind work work
mount -o remount,bind,ro work
$NUBBIN reduce --quiet $OPTION test.sh work/input.c 2>told
echo $? >code
$NUBBIN reduce --quiet -o input.reduced.c test.sh work/input.c
cmp input.c work/input.c && [ "$(ls -A work)" = input.c ] && touch intact
ls -A tmp >left
"""

#: Hides libfaketime from the tests: they would share a lock, and a killed test would keep it.
ALONE = """
import os
from nubbin.__main__ import main
for name in ("LD_PRELOAD", "FAKETIME_SHARED"):
    os.environ.pop(name, None)
main()
"""

CLOCK = """
echo +0 >clock
LD_PRELOAD=$LIBRARY FAKETIME_TIMESTAMP_FILE=$HERE/clock FAKETIME_NO_CACHE=1 \
    FAKETIME_DONT_FAKE_MONOTONIC=1 \
    $PYTHON -c "$ALONE" reduce --quiet --max-time 1h --timeout 1m test.sh input.c 2>told
echo $? >code
touch intact
ls -A tmp >left
"""

FILL = 'echo >"$HERE/full"'


@dataclass(frozen=True)
class Case:
    """What happens, how, and what a stopped run must say: some words of each group."""

    name: str
    script: str
    words: tuple[tuple[str, ...], ...] = ()
    misfortune: str = "true"
    disk: str = "work"
    option: str = ""


STOPPED = (("disk is full", "No space left"), ("continue with: nubbin resume", "start again"))
REFUSED = (("may not be written to",), ("--output",))
CASES = [
    Case("the disk of input, result and journal is full, then has room", FULL_DISK, STOPPED, FILL),
    Case("the disk of temporary folders is full, then has room", FULL_DISK, STOPPED, FILL, "tmp"),
    Case("the folder of the input is read-only, then `-o` elsewhere", FORBIDDEN, REFUSED),
    Case("the same with `--in-place`", FORBIDDEN, REFUSED, option="--in-place"),
    Case("the clock jumps forward by a day", CLOCK, misfortune='echo +1d >"$HERE/clock"'),
    Case("the clock jumps back by a day", CLOCK, misfortune='echo -1d >"$HERE/clock"'),
]


def experiment(*, times: int = 10, seed: int = 1) -> Iterator[Table]:
    columns = "what happens | times | stops, says what to do | same bytes | input intact"
    yield Table(f"{columns} | nothing left", rows(times, seed))


def rows(times: int, seed: int) -> Iterator[list[object]]:
    files, _, faults = undisturbed(STANDARD, "command", [])
    assert not faults, faults
    expected = files[STANDARD.name]
    for case in CASES:
        if case.script is CLOCK and FAKETIME is None:
            print(f"{case.name}: libfaketime is not installed", file=sys.stderr)
            continue
        rng = random.Random(seed)
        # The first three runs of the test come before anything is recorded.
        instants = [rng.randrange(1, 60) for _ in range(1 if case.script is FORBIDDEN else times)]
        outcomes = [outcome(case, instant, expected) for instant in instants]
        stopped, told, *others = (sum(column) for column in zip(*outcomes, strict=True))
        yield [case.name, len(outcomes), f"{told} of {stopped}", *others]


def outcome(case: Case, instant: int, expected: bytes) -> tuple[bool, ...]:
    """Return whether the run was stopped, said what to do, and ended as it should."""
    text = STANDARD.files[STANDARD.name]
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        here = Path(name)
        (here / "input.c").write_bytes(text)
        executable(here / "test.sh", TEST + STANDARD.condition())
        for folder in ("work", "tmp"):
            (here / folder).mkdir()
        settings = {
            "HERE": name,
            "TMPDIR": f"{name}/tmp",
            "DISK": f"{name}/{case.disk}",
            "INSTANT": str(instant),
            "MISFORTUNE": case.misfortune,
            "OPTION": case.option,
            "NUBBIN": shlex.join(NUBBIN),
            "PYTHON": sys.executable,
            "ALONE": ALONE,
            "LIBRARY": str(FAKETIME),
        }
        line, environment = ["unshare", "-rm", "sh", "-c", case.script], os.environ | settings
        subprocess.run(line, cwd=here, env=environment, check=False, capture_output=True)
        read = {path.name: path.read_text() for path in here.iterdir() if path.is_file()}
        stopped = read["code"] != "0\n"
        return (
            stopped,
            stopped and all(any(word in read["told"] for word in group) for group in case.words),
            read.get("input.reduced.c", "").encode() == expected,
            "intact" in read and read["input.c"].encode() == text,
            read["left"] == "",
        )
