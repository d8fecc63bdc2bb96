"""Attacks by a second user, `nobody`, in a folder that everybody may write to; the bench is root.

Nothing of the victim's may change, no command of the second user may run, nothing of a private
input may be read, and no run may be held up.
"""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reliability.runs import Attack, Peace, begun, go_on, jobs, move_away, was_told
from reliability.scene import Scene

NOBODY = 65534
_AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
# In the group of the user, who is root; and in none that may read the input.
_IN_OUR_GROUP = ("setpriv", f"--reuid={NOBODY}", "--regid=0", "--clear-groups")
_THEIR_GROUP = 1600
_PRIVATE = (
    ["chmod", "600"],
    ["chown", f":{_THEIR_GROUP}"],
    ["setfacl", "-m", f"u::rw,g::-,o::-,u:{_THEIR_GROUP}:r"],
)
_SECRET = b"of the user alone\n"
_PLANTS = """
mkdir {stage} && printf 'nubbin 1\\n' >{stage}/lock && chmod 777 {stage} && chmod 666 {stage}/lock
echo ready
while :; do for name in new old spare; do ln -s {secret} {stage}/$name; done; done 2>/dev/null
"""
_HOLDS = """
n=3
for lock in .nubbin/*/lock .*.nubbin/lock; do
    [ -r "$lock" ] && n=$((n + 1)) && eval "exec $n<'$lock'" && flock -n $n
done
echo ready
exec sleep 1000000
"""
_POLL_S = 0.05


def possible() -> bool:
    """Tell whether this machine has a second user to be."""
    return os.geteuid() == 0 and shutil.which("setpriv") is not None


def plants_links(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """Make the folder of the next result before the run does, and put links into it."""
    _share(scene)
    secret = scene.root / "secret"
    secret.write_bytes(_SECRET)
    secret.chmod(0o600)
    stage = scene.work / f".{scene.target.name}.nubbin"
    names = {"stage": shlex.quote(str(stage)), "secret": shlex.quote(str(secret))}
    with _nobody(scene, _PLANTS.format(**names)):
        code, told = scene.run("reduce", "-q", *jobs(rng))
    if secret.read_bytes() != _SECRET:
        scene.faults.append("a file of the user's was written through a link")
    if secret.stat().st_mode & 0o777 != 0o600:
        scene.faults.append("the mode of a file of the user's was changed through a link")
    if scene.target.is_symlink():
        scene.faults.append("the result is a link of somebody else's")
    refused = was_told(scene, code, told)
    shutil.rmtree(stage, ignore_errors=True)
    move_away(scene)
    go_on(scene, peace, rng)
    return refused


def reads(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """Read all that a run makes of a private input, while it goes on and afterwards."""
    _share(scene)
    line = rng.choice([each for each in _PRIVATE if shutil.which(each[0])])
    for path in scene.puzzle.files:
        (scene.work / path).chmod(0o640)
        subprocess.run([*line, scene.work / path], check=True)
    read: set[str] = set()
    process = scene.start("reduce", "-q", *jobs(rng))
    while process.poll() is None:
        read |= _readable(scene)
        time.sleep(_POLL_S)
    code, told = scene.end(process)
    pages = [scene.work / "page.html", scene.work / "page.md"]
    scene.run("report", "-o", pages[0])
    scene.run("report", "--markdown", "-o", pages[1])
    read |= _readable(scene)
    if read:
        scene.faults.append(f"others can read of a private input: {sorted(read)}")
    for page in pages:
        page.unlink(missing_ok=True)
    scene.check(peace.files)
    return was_told(scene, code, told, codes=())


def holds_locks(scene: Scene, peace: Peace, rng: random.Random) -> bool:
    """Hold every lock that can be opened, of a run that was killed."""
    _share(scene)
    process = begun(scene, peace, rng)
    process.kill()
    process.communicate()
    with _nobody(scene, _HOLDS):
        for run in scene.work.glob(".nubbin/*/"):
            _, told = scene.run("resume", run.name, "-q", *jobs(rng))
            if "under way" in told:
                scene.faults.append(f"held up by somebody else: {told[:200]}")
    go_on(scene, peace, rng)
    return False


def _share(scene: Scene) -> None:
    """Let everybody into the folder of the input, and write there, as in /tmp."""
    scene.root.chmod(0o711)
    scene.work.chmod(0o1777)


@contextmanager
def _nobody(scene: Scene, script: str) -> Iterator[None]:
    """Run a script of the second user in the folder of the input, from its line `ready` on."""
    with subprocess.Popen(
        [*_AS_NOBODY, "sh", "-c", script],
        cwd=scene.work,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        try:
            yield
        finally:
            os.killpg(other.pid, signal.SIGKILL)


def _readable(scene: Scene) -> set[str]:
    """Return files that somebody else in our group can read, and that the scene did not make."""
    places = [scene.work, scene.tmp]
    line = [*_IN_OUR_GROUP, "find", *map(str, places), *["-type", "f", "-size", "+0", "-readable"]]
    found = subprocess.run(line, capture_output=True, check=False).stdout.decode(errors="replace")
    known = {*(scene.work / path for path in scene.neighbours), *scene.tmp.glob("*/1/kept")}
    telling = {Path(each) for each in found.splitlines()} - known
    # A lock holds the number of a process, and .gitignore an asterisk.
    names = {each for each in telling if each.name not in {"lock", ".gitignore"}}
    return {str(each.relative_to(scene.root)) for each in names}


ATTACKS: dict[str, Attack] = {
    "another user plants links where the result is made": plants_links,
    "another user reads what is made of a private input": reads,
    "another user holds the locks": holds_locks,
}
