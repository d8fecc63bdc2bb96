"""Running a test where it can do no harm: it sees this machine, and writes in one folder only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from nubbin.oracles import sandbox_trial
from nubbin.oracles.errors import NubbinError

#: What tells where a program listens that does more than a test may: a desktop, an agent with
#: keys, a terminal, a maker of containers.
_LEADING = (
    "CONTAINER_HOST",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DISPLAY",
    "DOCKER_HOST",
    "GPG_AGENT_INFO",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "STY",
    "TMUX",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
)
_SHARED = 256 << 20  # bytes in its own /dev/shm
#: What every bwrap can do, and what only those from 0.8 on can: without namespaces of its own, a
#: test has much less of the kernel to attack. These can also limit what lies in /dev/shm.
_ALWAYS = ("--unshare-all", "--cap-drop", "ALL", "--new-session", "--die-with-parent")
_MORE = ("--unshare-user", "--disable-userns")


class Sandbox:
    """Puts commands into user, mount, PID and network namespaces of their own, by bubblewrap.

    All files are there to be read, but for places where programs listen for commands, at sockets
    that take no right to write: of /tmp, /var/tmp, /run and XDG_RUNTIME_DIR, only those entries
    are there in which the test lies, the folder where the user stood, or programs on the PATH.
    Written is to one folder, and to a /dev/shm of their own. There is no network, no other
    process, and no privilege.

    `folder` is an empty one, for a trial that tries to get out. Raises NoSandbox where no sandbox
    can be had, or it does not hold.
    """

    def __init__(self, words: Sequence[str], home: str, folder: str):
        found = shutil.which("bwrap")
        if found is None:
            raise NubbinError(
                "There is no bwrap on the PATH to make a sandbox. Install bubblewrap, or run the "
                "test without --sandbox, with all that you may do.",
            )
        self._program = found
        self._hidden = _listening()
        self._seen = set(
            filter(None, (_entry(each, self._hidden) for each in _needed(words, home)))
        )
        self._modern = True
        trial = self._tried(home, folder)
        if trial.returncode != 0:
            self._modern = False
            trial = self._tried(home, folder)
        if trial.returncode != 0:
            told = os.fsdecode(trial.stderr).strip()
            raise NubbinError(
                f"This system lets bwrap make no sandbox: {told}. It may forbid user namespaces, "
                "as some containers do. Allow them, or run without --sandbox.",
            )
        if trial.stdout:
            told = os.fsdecode(trial.stdout).strip().replace("\n", ", ")
            raise NubbinError(
                f"The sandbox that bwrap makes here does not hold what is in it: {told}. Install "
                "another version of bubblewrap, or run without --sandbox.",
            )

    def around(self, command: Sequence[str], writable: str) -> list[str]:
        """Return the command that runs a command so; only `writable`, a folder, can be changed."""
        return [
            self._program,
            *_ALWAYS,
            *(_MORE if self._modern else ()),
            *(word for name in _LEADING for word in ("--unsetenv", name)),
            *("--ro-bind", "/", "/"),
            *("--dev", "/dev"),
            *(("--size", str(_SHARED)) if self._modern else ()),
            *("--tmpfs", "/dev/shm"),
            *("--proc", "/proc"),
            *self._places(),
            *("--bind", writable, writable),
            *(word for place in ("/dev", *self._hidden) for word in ("--remount-ro", place)),
            "--",
            *command,
        ]

    def _places(self) -> Iterator[str]:
        """Hide places, and show entries of theirs; what lies in another comes after it."""
        for path in sorted([*self._hidden, *self._seen]):
            yield from ("--tmpfs", path) if path in self._hidden else ("--ro-bind-try", path, path)

    def _tried(self, home: str, folder: str) -> subprocess.CompletedProcess[bytes]:
        program = [sys.executable, "-I", "-S", sandbox_trial.__file__]
        forbidden = [os.environ.get("HOME", "/"), home, *self._hidden]
        command = self.around([*program, *forbidden], folder)
        return subprocess.run(command, capture_output=True, check=False, cwd=folder)


def _listening() -> set[str]:
    """Return the places where programs listen, at sockets that can be used without writing."""
    places = ("/tmp", "/var/tmp", "/run", f"/run/user/{os.getuid()}")
    here = os.environ.get("XDG_RUNTIME_DIR")
    return {os.path.realpath(each) for each in (*places, here) if each and Path(each).is_dir()}


def _needed(words: Sequence[str], home: str) -> Iterator[str]:
    """Yield places that a test needs, as far as that can be known, by all their names."""
    programs = (sys.executable, sys.prefix, sys.base_prefix, *sys.path, *os.get_exec_path())
    for each in (home, *words, *programs):
        yield os.path.normpath(Path(home, each))
        yield os.path.realpath(Path(home, each))


def _entry(path: str, places: Collection[str]) -> str | None:
    """Return the entry of the innermost of some places in which a path lies; None if in none."""
    for place in sorted(places, key=len, reverse=True):
        if path.startswith(f"{place}/"):
            return f"{place}/{path[len(place) + 1 :].partition('/')[0]}"
    return None
