"""Attacks by places: full disks, read-only folders, clocks that jump.

Disks and folders are those of a mount namespace (`unshare -rm`, of util-linux), so any user may do
it, and nothing outside is touched. The clock is that of libfaketime. It changes the time of day but
not the monotonic clock, as a person or NTP does.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

from harness.reductions import NUBBIN
from reliability.runs import Attack, Peace, jobs, was_told
from reliability.scene import Scene

_FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)

#: Counts its runs; from one of them on, it makes the misfortune happen.
_FROM_A_RUN_ON = """
printf . >>"$0.runs"
[ "$(stat -c %s "$0.runs")" -ge {run} ] && {misfortune}
"""
#: Begins on a disk of 8 MB that fills up, and goes on when there is room again.
_FULL_DISK = """
mkdir "$ROOT/kept"
cp -a "$DISK/." "$ROOT/kept"
mount -t tmpfs -o size=8m none "$DISK"
cp -a "$ROOT/kept/." "$DISK"
cd "$WORK"
mkfifo "$ROOT/full"
exec 3<>"$ROOT/full"
{ read -r _ <&3; until [ -e "$ROOT/code" ]; do cat /dev/zero; done; } >"$DISK/ballast" &
"$@" 2>"$ROOT/told"
echo $? >"$ROOT/code"
echo >&3
wait
rm "$DISK/ballast"
$NUBBIN resume --quiet || "$@"
rm -r "$ROOT/kept"
cp -a "$DISK" "$ROOT/kept"
"""
_READ_ONLY = 'mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD" && cd "$PWD" && "$@"'
_SAYS_WHAT_TO_DO = (("disk is full", "No space left"), ("go on with: nubbin resume", "start again"))
_REFUSES = (("may not be written to",), ("name another place",))

#: Hides libfaketime from the tests: they would share a lock, and a killed test would keep it.
_ALONE = """
from nubbin.__main__ import main
for name in ("LD_PRELOAD", "FAKETIME_SHARED"):
    os.environ.pop(name, None)
main()
"""


def _inside(script: str) -> tuple[str, ...]:
    """Return what to put before a command, so that a script runs it in a mount namespace."""
    return "unshare", "-rm", "sh", "-c", script, "sh"


def possible() -> bool:
    """Tell whether this machine allows anybody a mount namespace."""
    if shutil.which("unshare") is None:
        return False
    return (
        subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0
    )


def _says(scene: Scene, told: str, words: tuple[tuple[str, ...], ...]) -> None:
    if not all(any(word in told for word in group) for group in words):
        scene.faults.append(f"does not say what to do: {told[-300:]}")


def full_disk(name: str) -> Attack:
    """Return the attack by a disk that another program fills, under a folder of the scene."""

    def attack(scene: Scene, peace: Peace, rng: random.Random) -> bool:
        disk = scene.root / name
        misfortune = f"echo >{scene.root}/full"
        scene.write_test(_FROM_A_RUN_ON.format(run=rng.randrange(1, 60), misfortune=misfortune))
        places = {"ROOT": scene.root, "WORK": scene.work, "DISK": disk, "NUBBIN": " ".join(NUBBIN)}
        scene.limits = (
            "env",
            *(f"{key}={value}" for key, value in places.items()),
            *_inside(_FULL_DISK),
        )
        scene.run("reduce", "-q", *jobs(rng))
        shutil.rmtree(disk)
        (scene.root / "kept").rename(disk)
        told = (scene.root / "told").read_text()
        is_stopped = was_told(scene, int((scene.root / "code").read_text()), told)
        if is_stopped:
            _says(scene, told, _SAYS_WHAT_TO_DO)
        scene.check(peace.files)
        return is_stopped

    return attack


def read_only(*options: str) -> Attack:
    """Return the attack by a read-only folder of the input; the next result goes elsewhere."""

    def attack(scene: Scene, peace: Peace, rng: random.Random) -> bool:
        scene.limits = _inside(_READ_ONLY)
        code, told = scene.run("reduce", "-q", *options, *jobs(rng))
        is_stopped = was_told(scene, code, told)
        _says(scene, told, _REFUSES)
        elsewhere = scene.root / f"elsewhere{scene.target.suffix}"
        scene.run("reduce", "-q", "-o", elsewhere)
        if elsewhere.exists():
            elsewhere.rename(scene.target)
        scene.check(peace.files)
        return is_stopped

    return attack


def jumps(offset: str) -> Attack:
    """Return the attack by a clock that jumps by an offset."""

    def attack(scene: Scene, peace: Peace, rng: random.Random) -> bool:
        clock = scene.root / "clock"
        clock.write_text("+0\n")
        misfortune = f"echo {offset} >{clock}"
        scene.write_test(_FROM_A_RUN_ON.format(run=rng.randrange(1, 60), misfortune=misfortune))
        scene.limits = (
            *("env", f"LD_PRELOAD={_FAKETIME}", f"FAKETIME_TIMESTAMP_FILE={clock}"),
            *("FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"),
        )
        line = scene.line("reduce", "-q", "--max-time=1h", "--timeout=1m", *jobs(rng))
        at = line.index("-m")
        line[at : at + 2] = ["-c", _ALONE]
        code, told = scene.end(scene.popen(line))
        scene.check(peace.files)
        return was_told(scene, code, told, codes=())

    return attack


MOUNTED: dict[str, Attack] = {
    "the disk of input, result and journal is full, then has room": full_disk("work"),
    "the disk of temporary folders is full, then has room": full_disk("tmp"),
    "the folder of the input is read-only, then `-o` elsewhere": read_only(),
    "the same with `--in-place`": read_only("--in-place"),
}
_CLOCKS: dict[str, Attack] = {
    "the clock jumps forward by a day": jumps("+1d"),
    "the clock jumps back by a day": jumps("-1d"),
}
ATTACKS = MOUNTED | (_CLOCKS if _FAKETIME else {})
